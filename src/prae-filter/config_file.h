/* config_file.h - files of lines `name = value`. */
#ifndef CONFIG_FILE_H
#define CONFIG_FILE_H

#include "status.h"

/* Takes one line. PLACE is "file:line: ", for messages. */
typedef enum exit_status config_take(void *context, const char *name,
                                     const char *value, const char *place);

/*
 * Reads PATH and has TAKE take each of its lines, until one is refused.
 * Blank lines and those that begin with # are skipped. EXIT_DONE;
 * EXIT_CONFIG after saying what is wrong with the file, or EXIT_FAILED that
 * there is no memory; or what TAKE said.
 */
enum exit_status config_read(const char *path, config_take *take,
                             void *context);

#endif
