/*
 * log.h - lines for people, on stderr: "prae-filter: warning: text".
 * One call is one line; a progress line is cleared before it.
 */
#ifndef LOG_H
#define LOG_H

/* LOG_ASKED: somebody has just asked for it, so it is always shown. */
enum log_level { LOG_ASKED, LOG_ERROR, LOG_WARNING, LOG_NOTICE, LOG_INFO };

/* The program that speaks, where it is not prae-filter. NAME is kept, not
 * copied. */
void log_set_program(const char *name);

/* Lines above MOST are not shown. */
void log_set_level(enum log_level most);

/* Lines go to the end of PATH instead, or, where that is the name of a
 * descriptor that was handed over, to HANDED, which is -1 otherwise. PATH is
 * kept, not copied. 0 after saying what is wrong. */
int log_open(const char *path, int handed);

/* Opens it once more, as it may have been moved away; where that fails it
 * stays as it was, and so does what was handed over. 0 after saying what is
 * wrong. */
int log_reopen(void);

/* Lines become JSON objects: {"time": ..., "level": ..., "text": ...}. */
void log_set_json(int on);

__attribute__((format(printf, 2, 3))) void log_line(enum log_level level,
                                                    const char *format, ...);

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_notice(...) log_line(LOG_NOTICE, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)

/* A line that the next one, or the next progress, replaces. */
__attribute__((format(printf, 1, 2))) void log_progress(const char *format,
                                                        ...);

/* Takes the progress line away. */
void log_progress_end(void);

#endif
