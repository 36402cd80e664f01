/* What the options do not need is given up, in every thread; what they need
 * is not. Each command line is tried in a process of its own. */
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http.h"
#include "landlock.h"
#include "log.h"
#include "notify.h"
#include "tap.h"

#define ARGS_MAX 10
#define DEEDS_MAX 20

/* --http is understood, whatever this was built with. */
const char *
http_version(void)
{
    return "any";
}

/* ---- what is tried ---- */

enum kind {
    END, /* of a list */
    READING,
    WRITING,  /* to what is there */
    EMPTYING, /* the same, opened to be truncated */
    MAKING,   /* what is not there */
    REMOVING,
    RENAMING, /* to NAME.new, and back */
    LINKING,  /* symbolically */
    FIFO,
    MKDIR,
    LISTING,
    RUNNING,
    BINDING, /* a tcp port */
    CONNECTING,
    SOCKET, /* with a file, made and removed */
    ABSTRACT,
    SIGNAL /* to the parent */
};

static const char *const kinds[] = {
    [READING] = "reading",
    [WRITING] = "writing",
    [EMPTYING] = "emptying",
    [MAKING] = "making",
    [REMOVING] = "removing",
    [RENAMING] = "renaming",
    [LINKING] = "a link at",
    [FIFO] = "a pipe at",
    [MKDIR] = "a directory at",
    [LISTING] = "listing",
    [RUNNING] = "running",
    [BINDING] = "binding port",
    [CONNECTING] = "connecting to port",
    [SOCKET] = "a socket at",
    [ABSTRACT] = "a socket called",
    [SIGNAL] = "a signal",
};

struct deed {
    enum kind kind;
    const char *name; /* a path, or a port's number */
    int allowed;
};

static int
try_open(const char *name, int flags)
{
    int fd = open(name, flags | O_CLOEXEC | O_NONBLOCK, 0600);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int
try_make(const char *name)
{
    int error = try_open(name, O_WRONLY | O_CREAT | O_EXCL);

    if (error == 0)
        (void)unlink(name); /* which may be another matter */
    return error;
}

static int
try_rename(const char *name)
{
    char other[200];

    snprintf(other, sizeof other, "%s.new", name);
    return rename(name, other) == 0 && rename(other, name) == 0 ? 0 : errno;
}

static int
try_list(const char *name)
{
    DIR *dir = opendir(name);

    if (dir == NULL)
        return errno;
    closedir(dir);
    return 0;
}

static int
try_run(const char *name)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        execl(name, name, (char *)NULL);
        _exit(errno);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* A port that is in use, or where nobody listens, was not refused. */
static int
try_port(const char *number, int is_bind)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)strtoul(number, NULL, 10)),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int bad = is_bind ? bind(fd, (void *)&at, sizeof at)
                      : connect(fd, (void *)&at, sizeof at);
    int error = bad == 0 ? 0 : errno;

    close(fd);
    return error == EADDRINUSE || error == ECONNREFUSED ? 0 : error;
}

static int
try_socket(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path, sizeof at.sun_path, "%s", name);
    int error = bind(fd, (void *)&at, sizeof at) == 0 && unlink(name) == 0
                    ? 0
                    : errno;
    close(fd);
    return error;
}

/* To one that the parent listens on. */
static int
try_abstract(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s", name);
    socklen_t len =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    int error = connect(fd, (void *)&at, len) == 0 ? 0 : errno;
    close(fd);
    return error;
}

/* 0, or the error. */
static int
try(const struct deed *deed)
{
    switch (deed->kind) {
    case END: break;
    case READING: return try_open(deed->name, O_RDONLY);
    case WRITING: return try_open(deed->name, O_WRONLY);
    case EMPTYING: return try_open(deed->name, O_WRONLY | O_TRUNC);
    case MAKING: return try_make(deed->name);
    case REMOVING: return unlink(deed->name) == 0 ? 0 : errno;
    case RENAMING: return try_rename(deed->name);
    case LINKING: return symlink("/", deed->name) == 0 ? 0 : errno;
    case FIFO: return mkfifo(deed->name, 0600) == 0 ? 0 : errno;
    case MKDIR: return mkdir(deed->name, 0700) == 0 ? 0 : errno;
    case LISTING: return try_list(deed->name);
    case RUNNING: return try_run(deed->name);
    case BINDING: return try_port(deed->name, 1);
    case CONNECTING: return try_port(deed->name, 0);
    case SOCKET: return try_socket(deed->name);
    case ABSTRACT: return try_abstract(deed->name);
    case SIGNAL: return kill(getppid(), 0) == 0 ? 0 : errno;
    }
    return 0;
}

/* ---- who tries ---- */

struct trial {
    const char *what;
    int version; /* of Landlock, that it takes */
    const char *args[ARGS_MAX];
    struct deed deeds[DEEDS_MAX];
};

struct outcome {
    int confined;
    int errors[DEEDS_MAX];
};

struct attempt {
    const struct trial *trial;
    struct outcome outcome;
};

static void *
try_all(void *context)
{
    struct attempt *attempt = context;

    for (size_t i = 0; attempt->trial->deeds[i].kind != END; i++)
        attempt->outcome.errors[i] = try(&attempt->trial->deeds[i]);
    return NULL;
}

/* In the child: confined as TRIAL's options have it, a thread tries. */
static void
play(const struct trial *trial, int out)
{
    char *argv[ARGS_MAX + 2] = {(char *)"prae-filter"};
    int argc = 1;
    struct options options;
    struct attempt attempt = {.trial = trial};
    pthread_t thread;

    for (; trial->args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)trial->args[argc - 1];
    if (options_parse(&options, argc, argv) != EXIT_DONE)
        _exit(2);
    notify_open();
    attempt.outcome.confined = confine(&options);
    if (pthread_create(&thread, NULL, try_all, &attempt) != 0 ||
        pthread_join(thread, NULL) != 0 ||
        write(out, &attempt.outcome, sizeof attempt.outcome) !=
            (ssize_t)sizeof attempt.outcome)
        _exit(3);
    _exit(0);
}

static void
judge(const struct trial *trial, int expect_confined)
{
    struct outcome outcome = {0};
    int ends[2], status;

    fflush(stdout);
    NEED(pipe(ends) == 0);
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0)
        play(trial, ends[1]);
    close(ends[1]);
    ssize_t got = read(ends[0], &outcome, sizeof outcome);
    close(ends[0]);
    NEED(waitpid(child, &status, 0) == child);
    ok(got == (ssize_t)sizeof outcome && status == 0 &&
           outcome.confined == expect_confined,
       "%s: %s", trial->what, expect_confined ? "confined" : "not confined");
    for (size_t i = 0; trial->deeds[i].kind != END; i++) {
        const struct deed *deed = &trial->deeds[i];
        int error = outcome.errors[i];
        int refused = error == EACCES || error == EPERM || error == EXDEV;
        if (!ok(deed->allowed ? error == 0 : refused, "... %s %s is %s",
                kinds[deed->kind], deed->name,
                deed->allowed ? "possible" : "not"))
            printf("# %s\n", strerror(error));
    }
}

/* ---- the trials ---- */

#define YES 1
#define NO 0

/* Others may run this at the same time. */
static char abstract_name[40], abstract_spec[60];

static const struct trial trials[] = {
    {"files",
     1,
     {"in.csv", "-oout/clean.csv", "--outliers=out/new.csv"},
     {{READING, "in.csv", YES},
      {READING, "other.csv", NO},
      {WRITING, "in.csv", NO},
      {WRITING, "out/clean.csv", YES},
      {EMPTYING, "out/new.csv", YES},
      {WRITING, "out/other", NO},
      {MAKING, "out/more", NO},
      {REMOVING, "out/clean.csv", NO},
      {LISTING, ".", NO},
      {RUNNING, "/bin/true", NO},
      {READING, "out/clean.csv", NO},
      {LISTING, "/var", NO},
      {LISTING, "/home", NO},
      {LINKING, "out/link", NO},
      {FIFO, "out/fifo", NO},
      {MKDIR, "out/dir", NO},
      {READING, "/etc/passwd", YES}}},
    {"a model and a report",
     1,
     {"in.csv", "--model=state/model", "--report=papers/r.html", "-onull:"},
     {{READING, "state/model", YES},
      {MAKING, "state/model.1.tmp", YES},
      {RENAMING, "state/model", YES},
      {LISTING, "state", YES},
      {LINKING, "state/link", NO},
      {FIFO, "state/fifo", NO},
      {MKDIR, "state/dir", NO},
      {MAKING, "papers/r.html.1.tmp", YES},
      {READING, "papers/old", NO},
      {MAKING, "new", NO},
      {REMOVING, "other.csv", NO}}},
    {"counts and a log, by links",
     1,
     {"in.csv", "--stats=stats.link", "--log-file=log.link", "-onull:"},
     {{MAKING, "papers/stats", YES},
      {MAKING, "logs/new", YES},
      {WRITING, "logs/log", YES},
      {READING, "logs/log", NO},
      {REMOVING, "logs/log", NO},
      {MAKING, "state/new", NO}}},
    {"devices",
     1,
     {"--in=/dev/null", "-o/dev/null", "--stats=/dev/null"},
     {{READING, "/dev/null", YES},
      {EMPTYING, "/dev/null", YES},
      {MAKING, "/dev/prae-test", NO},
      {READING, "/dev/zero", NO}}},
    {"keys",
     1,
     {"--in=in.csv", "--curve-secret=keys/secret", "--curve-allow=allow",
      "-onull:"},
     {{READING, "keys/secret", YES},
      {READING, "keys/next", YES},
      {READING, "allow/linked", YES},
      {LISTING, "allow", YES},
      {WRITING, "keys/secret", NO},
      {MAKING, "allow/another", NO}}},
    {"sockets with files",
     1,
     {"--in=pull:@ipc://socks/in", "-opush:ipc://elsewhere/out"},
     {{SOCKET, "socks/in", YES},
      {MAKING, "socks/file", NO},
      {SOCKET, "state/in", NO}}},
    {"tcp ports",
     4,
     {"--in=pull:@tcp://127.0.0.1:43211", "-opush:tcp://127.0.0.1:43212",
      "--http=127.0.0.1:43213", "--control=tcp://127.0.0.1:43214"},
     {{BINDING, "43211", YES},
      {BINDING, "43213", YES},
      {BINDING, "43214", YES},
      {BINDING, "43212", NO},
      {BINDING, "0", NO},
      {CONNECTING, "43212", YES},
      {CONNECTING, "53", YES},
      {CONNECTING, "43211", NO}}},
    {"a port that the kernel chooses",
     4,
     {"--in=pull:@tcp://127.0.0.1:*", "-onull:"},
     {{BINDING, "0", YES}, {BINDING, "43211", YES}, {CONNECTING, "53", NO}}},
    {"no ports",
     4,
     {"--in=in.csv", "-onull:"},
     {{BINDING, "43211", NO}, {CONNECTING, "53", NO}}},
    {"other processes",
     6,
     {"--in=in.csv", "-onull:"},
     {{SIGNAL, "to the parent", NO}, {ABSTRACT, abstract_name, NO}}},
    {"a socket without a file",
     6,
     {abstract_spec, "-onull:"},
     {{SIGNAL, "to the parent", NO}, {ABSTRACT, abstract_name, YES}}},
    {"--inspect",
     1,
     {"--inspect=state/model"},
     {{READING, "state/model", YES},
      {READING, "other.csv", NO},
      {WRITING, "state/model", NO}}},
};

/* Where a rule would be amiss there are none. */
static const struct trial unconfined[] = {
    {"off",
     1,
     {"in.csv", "-onull:", "--sandbox=off"},
     {{READING, "other.csv", YES}, {RUNNING, "/bin/true", YES}}},
    {"a directory that may be made later",
     1,
     {"in.csv", "-onull:", "--stats=later/stats"},
     {{READING, "other.csv", YES}}},
    {"an input that is not there",
     1,
     {"none.csv", "-onull:"},
     {{READING, "other.csv", YES}}},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const directories[] = {"out",  "state", "papers", "logs",
                                          "keys", "allow", "socks",  "linked"};

static void
set_up(void)
{
    static const char *const files[] = {
        "in.csv",   "other.csv",   "out/clean.csv", "out/other",  "state/model",
        "logs/log", "keys/secret", "keys/next",     "papers/old", "linked/key"};

    for (size_t i = 0; i < COUNT(directories); i++)
        NEED(mkdir(directories[i], 0700) == 0);
    for (size_t i = 0; i < COUNT(files); i++)
        NEED(try_open(files[i], O_WRONLY | O_CREAT) == 0);
    NEED(symlink("papers/stats", "stats.link") == 0); /* not there yet */
    NEED(symlink("logs/log", "log.link") == 0);
    NEED(symlink("../linked/key", "allow/linked") == 0);
}

/* Removes DIRECTORY with its files. */
static void
sweep(const char *directory)
{
    struct dirent *entry;
    DIR *dir = opendir(directory);

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
    (void)rmdir(directory);
}

int
main(void)
{
    char scratch[] = "/tmp/prae-confine.XXXXXX";
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (landlock_version() == 0)
        return tap_skip_all("this kernel has no Landlock");
#ifdef PRAE_OBSERVED
    return tap_skip_all("files are not given up in a build that is observed");
#endif
    NEED(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    set_up();
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(abstract_name, sizeof abstract_name, "prae-test-%ld",
             (long)getpid());
    snprintf(abstract_spec, sizeof abstract_spec, "--in=pull:ipc://@%s",
             abstract_name);
    size_t len = strlen(abstract_name);
    memcpy(at.sun_path + 1, abstract_name, len);
    NEED(bind(listener, (void *)&at,
              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) ==
         0);
    NEED(listen(listener, 5) == 0);

    for (size_t i = 0; i < COUNT(trials); i++)
        if (landlock_version() >= trials[i].version)
            judge(&trials[i], 1);
    for (size_t i = 0; i < COUNT(unconfined); i++)
        judge(&unconfined[i], 0);

    close(listener);
    for (size_t i = 0; i < COUNT(directories); i++)
        sweep(directories[i]);
    NEED(chdir("/") == 0);
    sweep(scratch);
    return tap_done();
}
