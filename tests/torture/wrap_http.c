/*
 * wrap_http.c - a server that cannot be started, and answers that memory is
 * too short for. Who gives a text away with an answer has one block less, and
 * the answer is one until it is let go.
 */
#ifdef PRAE_HTTP

#include <microhttpd.h>
#include <stdarg.h>

#include "fault.h"

struct MHD_Response *
__real_MHD_create_response_from_buffer(size_t len, void *text,
                                       enum MHD_ResponseMemoryMode mode);
enum MHD_Result __real_MHD_add_response_header(struct MHD_Response *response,
                                               const char *name,
                                               const char *value);
enum MHD_Result __real_MHD_queue_response(struct MHD_Connection *connection,
                                          unsigned status,
                                          struct MHD_Response *response);
void __real_MHD_destroy_response(struct MHD_Response *response);

struct MHD_Daemon *__wrap_MHD_start_daemon(
    unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
    void *accept_context, MHD_AccessHandlerCallback reply, void *context, ...);
struct MHD_Response *
__wrap_MHD_create_response_from_buffer(size_t len, void *text,
                                       enum MHD_ResponseMemoryMode mode);
enum MHD_Result __wrap_MHD_add_response_header(struct MHD_Response *response,
                                               const char *name,
                                               const char *value);
enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *connection,
                                          unsigned status,
                                          struct MHD_Response *response);
void __wrap_MHD_destroy_response(struct MHD_Response *response);

struct MHD_Daemon *
__wrap_MHD_start_daemon(unsigned flags, uint16_t port,
                        MHD_AcceptPolicyCallback accept, void *accept_context,
                        MHD_AccessHandlerCallback reply, void *context, ...)
{
    struct MHD_Daemon *daemon = NULL;
    va_list options;

    va_start(options, context);
    if (!FAULT_STRIKES(FAULT_HTTP_START, "MHD_start_daemon"))
        daemon = MHD_start_daemon_va(flags, port, accept, accept_context, reply,
                                     context, options);
    va_end(options);
    return daemon;
}

struct MHD_Response *
__wrap_MHD_create_response_from_buffer(size_t len, void *text,
                                       enum MHD_ResponseMemoryMode mode)
{
    if (FAULT_STRIKES(FAULT_HTTP_REPLY, "MHD_create_response_from_buffer"))
        return NULL;
    struct MHD_Response *response =
        __real_MHD_create_response_from_buffer(len, text, mode);
    fault_note_blocks((response != NULL) -
                      (response != NULL && mode == MHD_RESPMEM_MUST_FREE));
    return response;
}

enum MHD_Result
__wrap_MHD_add_response_header(struct MHD_Response *response, const char *name,
                               const char *value)
{
    return FAULT_STRIKES(FAULT_HTTP_REPLY, "MHD_add_response_header")
               ? MHD_NO
               : __real_MHD_add_response_header(response, name, value);
}

enum MHD_Result
__wrap_MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                          struct MHD_Response *response)
{
    return FAULT_STRIKES(FAULT_HTTP_REPLY, "MHD_queue_response")
               ? MHD_NO
               : __real_MHD_queue_response(connection, status, response);
}

void
__wrap_MHD_destroy_response(struct MHD_Response *response)
{
    fault_note_blocks(-1);
    __real_MHD_destroy_response(response);
}

#else

typedef int wrap_http_is_empty;

#endif
