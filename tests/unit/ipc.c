/* Binding an ipc endpoint destroys nothing, and leaves nothing behind. */
#include "ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char heard[4096]; /* the last line logged */

void
log_line(enum log_level level, const char *format, ...)
{
    va_list args;

    (void)level;
    va_start(args, format);
    vsnprintf(heard, sizeof heard, format, args);
    va_end(args);
}

/* A socket at PATH, as zmq_bind makes it: what was there goes. */
static int
bind_at(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    int fd = socket(AF_UNIX, type, 0);
    NEED(fd >= 0);
    NEED(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    if (type == SOCK_STREAM)
        NEED(listen(fd, 0) == 0);
    return fd;
}

/* Connects to PATH until its backlog is full; the descriptors' count. */
static size_t
fill(const char *path, int *fds, size_t most)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    for (size_t i = 0; i < most; i++) {
        fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        NEED(fds[i] >= 0);
        if (connect(fds[i], (struct sockaddr *)&address, sizeof address) != 0) {
            NEED(errno == EAGAIN);
            return i + 1;
        }
    }
    NEED(!"the backlog has an end");
    return 0;
}

static void
make_file(const char *path)
{
    FILE *file = fopen(path, "w");

    NEED(file != NULL && fputs("precious", file) >= 0 && fclose(file) == 0);
}

static int
is_untouched(const char *path)
{
    char text[16] = "";
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return 0;
    int read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return read && strcmp(text, "precious") == 0;
}

/* Whether PATH is there, as a link if it is one. */
static int
exists(const char *path)
{
    struct stat stat;

    return lstat(path, &stat) == 0;
}

static void
test_check(void)
{
    static const struct {
        const char *name, *endpoint;
        enum exit_status status;
        const char *said; /* NULL: nothing */
        int stays;        /* what is at the path is there afterwards */
    } cases[] = {
        {"a free path", "ipc://free", EXIT_DONE, NULL, 0},
        {"a stale socket", "ipc://stale", EXIT_DONE, "left behind", 1},
        {"a file", "ipc://file", EXIT_UNAVAILABLE, "a file is there", 1},
        {"a link to a file", "ipc://link", EXIT_UNAVAILABLE,
         "a symbolic link is there", 1},
        {"a link to nothing", "ipc://dangling", EXIT_UNAVAILABLE,
         "a symbolic link is there", 1},
        {"a link to a stale socket", "ipc://link-to-stale", EXIT_UNAVAILABLE,
         "a symbolic link is there", 1},
        {"a directory", "ipc://directory", EXIT_UNAVAILABLE,
         "a directory is there", 1},
        {"a pipe", "ipc://pipe", EXIT_UNAVAILABLE, "a pipe is there", 1},
        {"a live socket", "ipc://live", EXIT_UNAVAILABLE,
         "another program listens there", 1},
        {"a live socket with a full backlog", "ipc://full", EXIT_UNAVAILABLE,
         "another program listens there", 1},
        {"a datagram socket", "ipc://datagram", EXIT_UNAVAILABLE,
         "another program listens there", 1},
        {"a path in no directory", "ipc://none/x", EXIT_UNAVAILABLE,
         "there is no directory none; make it first", 0},
        {"a path below a file", "ipc://file/x", EXIT_UNAVAILABLE,
         "must be a directory", 0},
        {"a path in the root", "ipc:///prae-filter-test-none", EXIT_DONE, NULL,
         0},
        {"an abstract name", "ipc://@prae-filter-test", EXIT_DONE,
         "every user of this machine", 0},
        {"an abstract name that is a file's, too", "ipc://@file",
         EXIT_UNAVAILABLE, "binding would delete it", 1},
        {"a tcp endpoint", "tcp://127.0.0.1:5", EXIT_DONE, NULL, 0},
    };
    int fds[64];

    make_file("file");
    make_file("@file");
    NEED(symlink("file", "link") == 0);
    NEED(symlink("nothing", "dangling") == 0);
    NEED(symlink("stale", "link-to-stale") == 0);
    NEED(mkdir("directory", 0700) == 0);
    NEED(mkfifo("pipe", 0600) == 0);
    close(bind_at("stale", SOCK_STREAM));
    int live = bind_at("live", SOCK_STREAM);
    int full = bind_at("full", SOCK_STREAM);
    int datagram = bind_at("datagram", SOCK_DGRAM);
    size_t filled = fill("full", fds, COUNT(fds));

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = cases[i].endpoint + strlen("ipc://");
        struct ipc ipc;
        /* Only root may write there, and not everywhere. */
        if (path[0] == '/' && access("/", W_OK) != 0)
            continue;
        heard[0] = '\0';
        enum exit_status status = ipc_check(&ipc, cases[i].endpoint);
        if (!ok(status == cases[i].status &&
                    (cases[i].said == NULL
                         ? heard[0] == '\0'
                         : strstr(heard, cases[i].said) != NULL) &&
                    (status == EXIT_DONE || strstr(heard, path) != NULL),
                "%s is %s", cases[i].name,
                cases[i].status == EXIT_DONE ? "let through" : "refused"))
            printf("# status %d, %s\n", (int)status, heard);
        ok(exists(path) == cases[i].stays, "... and nothing is touched");
        /* Noting after a refusal must not make another's path ours. */
        if (status != EXIT_DONE) {
            ipc_note(&ipc);
            ipc_remove(&ipc);
            ok(exists(path) == cases[i].stays, "... nor removed later");
        }
    }
    ok(is_untouched("file") && is_untouched("@file"),
       "files have their content");
    for (size_t i = 0; i < filled; i++)
        close(fds[i]);
    close(live);
    close(full);
    close(datagram);
}

/* What may not be looked at is not taken for stale. */
static void
test_permission(void)
{
    struct ipc ipc;
    uid_t self = geteuid();

    close(bind_at("shut", SOCK_STREAM));
    NEED(chmod("shut", 0) == 0);
    NEED(mkdir("readable", 0755) == 0);
    NEED(chmod("readable", 0555) == 0);
    NEED(chmod(".", 0777) == 0);
    if (self == 0)
        NEED(seteuid(65534) == 0);
    heard[0] = '\0';
    ok(ipc_check(&ipc, "ipc://shut") == EXIT_UNAVAILABLE &&
           strstr(heard, "cannot be told") != NULL,
       "a socket that may not be written is refused");
    heard[0] = '\0';
    ok(ipc_check(&ipc, "ipc://readable/x") == EXIT_UNAVAILABLE &&
           strstr(heard, "this user may write") != NULL,
       "a directory that may not be written is told");
    NEED(seteuid(self) == 0);
    NEED(chmod(".", 0700) == 0);
}

static void
test_remove(void)
{
    struct ipc ipc;

    NEED(ipc_check(&ipc, "ipc://ours") == EXIT_DONE);
    int fd = bind_at("ours", SOCK_STREAM);
    ipc_note(&ipc);
    ipc_remove(&ipc);
    ok(!exists("ours"), "our socket is removed");
    close(fd);
    close(bind_at("ours", SOCK_STREAM));
    ipc_remove(&ipc);
    ok(exists("ours"), "... once only");

    NEED(ipc_check(&ipc, "ipc://ours") == EXIT_DONE);
    fd = bind_at("ours", SOCK_STREAM);
    ipc_note(&ipc);
    int other = bind_at("ours", SOCK_STREAM);
    ipc_remove(&ipc);
    ok(exists("ours"), "a socket bound over ours stays");
    close(fd);
    close(other);

    NEED(ipc_check(&ipc, "ipc://ours") == EXIT_DONE);
    fd = bind_at("ours", SOCK_STREAM);
    ipc_note(&ipc);
    NEED(unlink("ours") == 0);
    make_file("ours");
    ipc_remove(&ipc);
    ok(is_untouched("ours"), "a file in its place stays");
    close(fd);
    NEED(unlink("ours") == 0);

    NEED(ipc_check(&ipc, "ipc://ours") == EXIT_DONE);
    fd = bind_at("ours", SOCK_STREAM);
    ipc_note(&ipc);
    NEED(unlink("ours") == 0);
    heard[0] = '\0';
    ipc_remove(&ipc);
    ok(heard[0] == '\0', "one that is gone already is no matter");
    close(fd);

    NEED(ipc_check(&ipc, "ipc://ours") == EXIT_DONE);
    close(bind_at("ours", SOCK_STREAM));
    ipc_remove(&ipc);
    ok(exists("ours"), "one that was not noted stays");

    ipc = (struct ipc){.path = NULL};
    ipc_note(&ipc);
    ipc_remove(&ipc);
    ok(!ipc.noted, "zeros are nothing to remove");
}

int
main(void)
{
    /* Names relative to it stay short, however deep it lies. */
    char directory[] = "ipc-test-XXXXXX";
    static const char *const files[] = {
        "file",  "@file", "link", "dangling", "link-to-stale", "pipe",
        "stale", "live",  "full", "datagram", "shut",          "ours"};

    NEED(mkdtemp(directory) != NULL && chdir(directory) == 0);
    alarm(20); /* a connect that waits would wait for ever */
    test_check();
    test_permission();
    test_remove();
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(files[i]);
    rmdir("directory");
    rmdir("readable");
    ok(chdir("..") == 0 && rmdir(directory) == 0, "nothing else was made");
    return tap_done();
}
