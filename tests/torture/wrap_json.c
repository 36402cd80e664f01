/* wrap_json.c - JSON that memory is too short for, of which jansson says
 * nothing. */
#include <jansson.h>

#include "fault.h"

json_t *__real_json_loadb(const char *text, size_t len, size_t flags,
                          json_error_t *error);
void __real_json_delete(json_t *value);

json_t *__wrap_json_loadb(const char *text, size_t len, size_t flags,
                          json_error_t *error);
void __wrap_json_delete(json_t *value);

json_t *
__wrap_json_loadb(const char *text, size_t len, size_t flags,
                  json_error_t *error)
{
    if (FAULT_STRIKES(FAULT_MEMORY, "json_loadb")) {
        *error = (json_error_t){.line = -1, .column = -1};
        return NULL;
    }
    json_t *root = __real_json_loadb(text, len, flags, error);
    fault_note_blocks(root != NULL);
    return root;
}

/* Where our last hold of it ends. */
void
__wrap_json_delete(json_t *value)
{
    fault_note_blocks(-1);
    __real_json_delete(value);
}
