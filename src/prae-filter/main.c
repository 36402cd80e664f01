/*
 * prae-filter - passes on the records that fit, sets aside those that do
 * not.
 *
 * The steps, and why in this order:
 *   0. descriptors 0 to 2 held open, or a file of ours might become one, and
 *      the arithmetic chosen, which --version tells,
 *   1. options first: nothing is opened for a command line that is wrong;
 *      descriptors that they name are looked at before there are others, and
 *      the one for the counts is kept, as standard output ends before them,
 *   2. the service manager's words before there are threads, and signals
 *      before anything is opened, so that none finds us half way,
 *   3. what is not needed is given up before there are threads, which have
 *      no more then, and before anything that others made is read,
 *   4. the loop opens inputs and outputs, runs, and closes them,
 *   5. the account comes last, when nothing can change it any more.
 */
#include <stdlib.h>
#include <unistd.h>

#include "confine.h"
#include "curation.h"
#include "fds.h"
#include "inherit.h"
#include "inspect.h"
#include "log.h"
#include "loop.h"
#include "notify.h"
#include "options.h"
#include "papers.h"
#include "report.h"
#include "signals.h"

/* Says why the arithmetic that PRAE_KERNEL asks for cannot be had. */
static enum exit_status
tell_kernel(prae_status status, const char *name)
{
    if (status == PRAE_OK)
        return EXIT_DONE;
    if (status == PRAE_ECONFIG)
        log_error("PRAE_KERNEL=%s: this processor cannot run it; unset it, or "
                  "say baseline",
                  name);
    else
        log_error("PRAE_KERNEL=%s: there is none of that name; say baseline, "
                  "v3 or v4",
                  name);
    return EXIT_CONFIG;
}

int
main(int argc, char **argv)
{
    /* Large, and a stack that cannot grow within a limit of memory ends the
     * process by a signal. */
    static struct options options;
    static struct loop loop;
    struct traffic traffic = {0};
    prae_stats stats = {0};
    int counts = -1;

    fds_hold();
    const char *kernel = getenv("PRAE_KERNEL");
    prae_status chosen = PRAE_OK;
    if (kernel != NULL && *kernel != '\0')
        chosen = prae_kernel_use(kernel);
    enum exit_status status = options_parse(&options, argc, argv);
    if (status == EXIT_DONE && !options.stop)
        status = tell_kernel(chosen, kernel);
    if (status != EXIT_DONE || options.stop) {
        options_free(&options);
        return (int)status;
    }
    log_set_level(options.quiet     ? LOG_ERROR
                  : options.verbose ? LOG_INFO
                                    : LOG_NOTICE);
    log_set_json(options.json);
    if (options.inspect != NULL) {
        (void)confine(&options); /* told */
        status = inspect_print(&options);
        if (status == EXIT_DONE)
            status = fds_check_stdout();
        options_free(&options);
        return (int)status;
    }
    status = inherit_check(&options);
    if (status == EXIT_DONE)
        status = papers_check(&options);
    if (status == EXIT_DONE)
        status = report_open(&options, &counts);
    if (status == EXIT_DONE) {
        notify_open();
        status = signals_install();
    }
    if (status == EXIT_DONE && options.log_file != NULL &&
        !log_open(options.log_file, inherit_number(options.log_file)))
        status = EXIT_IO;
    if (status != EXIT_DONE) {
        options_free(&options);
        return (int)status;
    }

    (void)confine(&options); /* told; it is no condition */
    status = loop_open(&loop, &options);
    int opened = status == EXIT_DONE;
    if (opened) {
        status = loop_run(&loop);
        enum exit_status reported = curation_write(&loop, 1, status);
        if (status == EXIT_DONE)
            status = reported;
        loop_account(&loop, &stats, &traffic);
    }
    status = loop_close(&loop, status);

    if (opened)
        status = report_write(&options, counts, &stats, &traffic, status);
    else if (counts >= 0)
        close(counts);
    notify_close();
    /* A window that took too long is still being trained, with memory that
     * is not to be taken from under it; or libzmq could not be ended in
     * time, or has something left. */
    if ((opened && loop.stage.busy) || loop.wire.context != NULL)
        _exit((int)status);
    options_free(&options);
    return (int)status;
}
