/* Key files: those of CZMQ and pyzmq are read, what is wrong is refused with
 * the reason, and what is written is whole, private and understood. */
#include "zcert.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* A pair that belongs together, and the public key of another. */
#define PUBLIC "wba&j9b$d/Sm@(0}PQ%NVRsJ.W$(Um-!3E=lkBw^"
#define SECRET "EnSI$($jgE9HLW>l3(sm>=Vj(KwNR4R+<9vCGw8D"
#define OTHER "n:FZUDuj6J^!Q}@wk56HDS{Sax3LDkyLMceq0)7c"

static char scratch[] = "/tmp/prae-zcert.XXXXXX";

static void
put(const char *name, const void *bytes, size_t len, mode_t mode)
{
    unlink(name);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    NEED(fd >= 0 && write(fd, bytes, len) == (ssize_t)len &&
         fchmod(fd, mode) == 0 && close(fd) == 0);
}

static void
put_text(const char *name, const char *text, mode_t mode)
{
    put(name, text, strlen(text), mode);
}

/* Whether a message since the last call had TEXT in it; with NULL, whether
 * there was none. None may show the secret. */
static int
told(const char *text)
{
    char messages[8192];
    int fd = open("messages", O_RDONLY);
    NEED(fd >= 0);
    ssize_t len = read(fd, messages, sizeof messages - 1);
    close(fd);
    NEED(len >= 0 && truncate("messages", 0) == 0);
    messages[len] = '\0';
    int found = text == NULL ? len == 0
                             : strstr(messages, text) != NULL &&
                                   strstr(messages, SECRET) == NULL;
    if (!found)
        printf("# told: %s\n", messages);
    return found;
}

static mode_t
mode_of(const char *name)
{
    struct stat stat;

    return lstat(name, &stat) == 0 ? stat.st_mode & 07777 : 0;
}

static int
exists(const char *name)
{
    return access(name, F_OK) == 0;
}

static void
test_texts(void)
{
    static const struct {
        const char *name, *text, *message; /* no message: it is read */
    } cases[] = {
        {"as CZMQ writes it",
         "#   ****  Generated on some day by CZMQ  ****\n\n"
         "metadata\n    name = \"a # b\"\ncurve\n"
         "    public-key = \"" PUBLIC "\"\n",
         NULL},
        {"as pyzmq writes it",
         "#   a banner\n\nmetadata\n    name = it's\ncurve\n"
         "    public-key = \"" PUBLIC "\"\n",
         NULL},
        {"without a last newline", "curve\n    public-key = \"" PUBLIC "\"",
         NULL},
        {"with CRLF", "curve\r\n    public-key = \"" PUBLIC "\"\r\n", NULL},
        {"with a tab and apostrophes", "curve\n\tpublic-key='" PUBLIC "'\n",
         NULL},
        {"without quotes", "curve # keys\n    public-key = " PUBLIC " # ours\n",
         NULL},
        {"with a comment behind it",
         "curve\n    public-key = \"" PUBLIC "\"   # ours\n", NULL},
        {"with sections behind it",
         "curve\n    public-key = \"" PUBLIC "\"\nother\n    public-key = 1\n",
         NULL},
        {"empty", "", "no section 'curve' with a public-key"},
        {"another text", "hello\nworld\n", "no section 'curve'"},
        {"a key in no section", "public-key = \"" PUBLIC "\"\n",
         "no section 'curve'"},
        {"a key in another section",
         "metadata\n    public-key = \"" PUBLIC "\"\n", "no section 'curve'"},
        {"a secret alone", "curve\n    secret-key = \"" SECRET "\"\n",
         "with a public-key"},
        {"39 characters",
         "curve\n    public-key = "
         "\"ba&j9b$d/Sm@(0}PQ%NVRsJ.W$(Um-!3E=lkBw^\"\n",
         ":2: public-key is not 40 characters"},
        {"35 characters",
         "curve\n    public-key = \"j9b$d/Sm@(0}PQ%NVRsJ.W$(Um-!3E=lkBw^\"\n",
         ":2: public-key is not 40 characters"},
        {"45 characters", "curve\n    public-key = \"00000" PUBLIC "\"\n",
         ":2: public-key is not 40 characters"},
        {"41 characters", "curve\n    public-key = \"0" PUBLIC "\"\n",
         ":2: public-key is not 40"},
        {"a character that Z85 lacks",
         "curve\n    public-key = \"_ba&j9b$d/Sm@(0}PQ%NVRsJ.W$(Um-!3E=lkBw^"
         "\"\n",
         ":2: public-key is not 40"},
        {"more than 32 bits in five",
         "curve\n    public-key = \"#####9b$d/Sm@(0}PQ%NVRsJ.W$(Um-!3E=lkBw^"
         "\"\n",
         ":2: public-key is not 40"},
        {"no value", "curve\n    public-key\n", ":2: public-key is not 40"},
        {"no end of quotes", "curve\n    public-key = \"" PUBLIC "\n",
         ":2: public-key is not 40"},
        {"something behind the quotes",
         "curve\n    public-key = \"" PUBLIC "\" x\n", "is not 40 characters"},
        {"two keys",
         "curve\n    public-key = \"" PUBLIC "\"\n    public-key = \"" OTHER
         "\"\n",
         ":3: public-key stands there twice"},
        {"a bad secret",
         "curve\n    public-key = \"" PUBLIC "\"\n    secret-key = \"x\"\n",
         ":3: secret-key is not 40"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct zcert cert = {.public_key = "as it was"};
        put_text("case", cases[i].text, 0600);
        enum exit_status status = zcert_read("case", 0, &cert);
        if (cases[i].message == NULL)
            ok(status == EXIT_DONE && strcmp(cert.public_key, PUBLIC) == 0 &&
                   cert.secret_key[0] == '\0' && told(NULL),
               "read: %s", cases[i].name);
        else
            ok(status == EXIT_CONFIG &&
                   strcmp(cert.public_key, "as it was") == 0 &&
                   told(cases[i].message),
               "refused: %s", cases[i].name);
    }
}

static void
test_files(void)
{
    static const char text[] = "curve\n    public-key = \"" PUBLIC "\"\n";
    struct zcert cert;
    static char large[(64 << 10) + 1];

    memset(large, '\n', sizeof large);
    memcpy(large, text, sizeof text - 1);
    put("large", large, sizeof large - 1, 0600);
    ok(zcert_read("large", 0, &cert) == EXIT_DONE && told(NULL),
       "64 KiB are read");
    put("large", large, sizeof large, 0600);
    ok(zcert_read("large", 0, &cert) == EXIT_CONFIG &&
           told("larger than 65536 bytes"),
       "a byte more is refused");
    put("nul", text, sizeof text, 0600);
    ok(zcert_read("nul", 0, &cert) == EXIT_CONFIG && told("NUL bytes"),
       "a NUL byte is refused");
    NEED(mkdir("directory", 0700) == 0 && mkfifo("fifo", 0600) == 0);
    ok(zcert_read("directory", 0, &cert) == EXIT_CONFIG &&
           told("not a regular file"),
       "a directory is refused");
    ok(zcert_read("fifo", 0, &cert) == EXIT_CONFIG &&
           told("not a regular file"),
       "a FIFO is refused at once");
    ok(zcert_read("nowhere", 0, &cert) == EXIT_CONFIG &&
           told("cannot open nowhere: No such file"),
       "a file that is not there is named");
}

/* Whatever comes, nothing is read that is no key. */
static void
test_damage(void)
{
    static const char text[] = "#\nmetadata\n    a = 1\ncurve\n"
                               "    public-key = \"" PUBLIC "\"\n"
                               "    secret-key = \"" SECRET "\"\n";
    char bent[sizeof text];
    size_t bad = 0, taken = 0;
    unsigned state = 1;

    for (size_t i = 0; i < 4000; i++) {
        struct zcert cert;
        size_t len = i < sizeof text - 1 ? i : sizeof text - 1;
        memcpy(bent, text, sizeof text);
        if (len == sizeof text - 1) {
            state = state * 1664525u + 1013904223u;
            bent[(state >> 8) % len] = (char)(state >> 24);
        }
        put("bent", bent, len, 0600);
        if (zcert_read("bent", i % 2 == 0, &cert) != EXIT_DONE)
            continue;
        taken++;
        bad += strlen(cert.public_key) != 40 ||
               strlen(cert.secret_key) != (i % 2 == 0 ? 40 : 0);
    }
    ok(bad == 0 && taken > 100 && taken < 3900,
       "cut and bent files are read as keys or refused (%zu read)", taken);
    NEED(truncate("messages", 0) == 0);
}

static void
test_modes(void)
{
    static const char both[] = "curve\n    public-key = \"" PUBLIC "\"\n"
                               "    secret-key = \"" SECRET "\"\n";
    static const mode_t bad[] = {0640, 0604, 0644, 0620, 0602, 0666, 0777};
    struct zcert cert;

    put_text("own", both, 0600);
    ok(zcert_read("own", 1, &cert) == EXIT_DONE &&
           strcmp(cert.public_key, PUBLIC) == 0 &&
           strcmp(cert.secret_key, SECRET) == 0,
       "a private file gives both keys");
    ok(zcert_read("own", 0, &cert) == EXIT_DONE && cert.secret_key[0] == '\0',
       "the secret is not kept where it is not needed");
    put_text("own", both, 0400);
    ok(zcert_read("own", 1, &cert) == EXIT_DONE, "mode 0400 will do");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[80];
        put_text("own", both, bad[i]);
        snprintf(message, sizeof message,
                 "its mode %04o lets others at it; "
                 "run: chmod 600 own",
                 (unsigned)bad[i]);
        ok(zcert_read("own", 1, &cert) == EXIT_CONFIG && told(message),
           "a secret of mode %04o is refused", (unsigned)bad[i]);
        ok(zcert_read("own", 0, &cert) == EXIT_CONFIG && told(message),
           "also where only its public key is asked for");
    }
    zcert_wipe(&cert);
    ok(cert.public_key[0] == '\0' && cert.public_key[39] == '\0',
       "wiped is wiped");
}

/* What a service that is not root gets from one that is. */
static void
test_of_root(void)
{
    if (geteuid() != 0) {
        ok(1, "files of root's # SKIP only root can make them");
        return;
    }
    put_text("roots",
             "curve\n    public-key = \"" PUBLIC "\"\n    secret-key = "
             "\"" SECRET "\"\n",
             0440);
    NEED(chown("roots", 0, 65534) == 0);
    fflush(stdout);
    pid_t child = fork();
    NEED(child >= 0);
    if (child == 0) {
        struct zcert cert;
        int bad = setgid(65534) != 0 || setuid(65534) != 0 ||
                  zcert_read("roots", 1, &cert) != EXIT_DONE;
        _exit(bad);
    }
    int status;
    NEED(waitpid(child, &status, 0) == child);
    ok(status == 0, "root's file that our group may read is taken by others");
    struct zcert cert;
    ok(zcert_read("roots", 1, &cert) == EXIT_CONFIG && told("mode 0440"),
       "and not by root");
}

static void
test_pairs(void)
{
    static const char public_text[] =
        "curve\n    public-key = \"" PUBLIC "\"\n";
    static const char other_text[] = "curve\n    public-key = \"" OTHER "\"\n";
    static const char both[] = "curve\n    public-key = \"" PUBLIC "\"\n"
                               "    secret-key = \"" SECRET "\"\n";
    struct zcert cert;

    put_text("pair", public_text, 0644);
    ok(zcert_read("pair", 1, &cert) == EXIT_CONFIG &&
           told("pair has no secret-key, and there is no pair_secret"),
       "a public key alone is told what is missing");
    put_text("pair_secret", both, 0600);
    ok(zcert_read("pair", 1, &cert) == EXIT_DONE &&
           strcmp(cert.secret_key, SECRET) == 0,
       "the secret is found beside it");
    ok(zcert_read("pair_secret", 1, &cert) == EXIT_DONE,
       "and under its own name");
    put_text("pair_secret", both, 0644);
    ok(zcert_read("pair", 1, &cert) == EXIT_CONFIG &&
           told("pair_secret holds a secret key, and its mode 0644"),
       "not where others may read it");
    ok(zcert_read("pair", 0, &cert) == EXIT_DONE,
       "which does not matter to the public key");
    put_text("pair_secret", public_text, 0600);
    ok(zcert_read("pair", 1, &cert) == EXIT_CONFIG &&
           told("pair_secret has no secret-key"),
       "a secret file without one is refused");
    put_text("pair_secret", both, 0600);
    put_text("pair", other_text, 0644);
    ok(zcert_read("pair", 1, &cert) == EXIT_CONFIG &&
           told("pair and pair_secret are of different pairs"),
       "files of different pairs are refused");
    unlink("pair");
    ok(zcert_read("pair", 1, &cert) == EXIT_DONE,
       "the secret file does without the other");
    put_text("pair_secret",
             "curve\n    public-key = \"" OTHER "\"\n    secret-key = "
             "\"" SECRET "\"\n",
             0600);
    ok(zcert_read("pair_secret", 1, &cert) == EXIT_CONFIG &&
           told("do not belong together"),
       "keys that do not belong together are refused");
}

static void
test_writing(void)
{
    struct zcert cert, second, back;

    NEED(zcert_make(&cert) == EXIT_DONE && zcert_make(&second) == EXIT_DONE);
    ok(strcmp(cert.secret_key, second.secret_key) != 0,
       "two pairs are not the same");
    umask(0);
    ok(zcert_write("made", &cert, 0) == EXIT_DONE && told(NULL), "written");
    ok(mode_of("made") == 0644 && mode_of("made_secret") == 0600,
       "the secret is private whatever the umask is");
    ok(zcert_read("made", 1, &back) == EXIT_DONE &&
           memcmp(&back, &cert, sizeof cert) == 0,
       "and read back");
    umask(077);
    ok(zcert_write("made2", &cert, 0) == EXIT_DONE && mode_of("made2") == 0600,
       "the umask narrows the public key, too");
    umask(022);
    ok(zcert_write("made", &second, 0) == EXIT_IO &&
           told("cannot write made: it is there already"),
       "a file that exists is not replaced");
    unlink("made");
    ok(zcert_write("made", &second, 0) == EXIT_IO &&
           told("cannot write made_secret: it is there already") &&
           !exists("made"),
       "nor is its secret, and nothing is left beside it");
    ok(zcert_read("made_secret", 1, &back) == EXIT_DONE &&
           memcmp(&back, &cert, sizeof cert) == 0,
       "which is as it was");
    ok(zcert_write("made", &second, 1) == EXIT_DONE &&
           zcert_read("made", 1, &back) == EXIT_DONE &&
           memcmp(&back, &second, sizeof second) == 0 &&
           mode_of("made_secret") == 0600,
       "with force it is");
    NEED(chmod("made_secret", 0644) == 0);
    ok(zcert_write("made", &cert, 1) == EXIT_DONE &&
           mode_of("made_secret") == 0600,
       "a file that was open to others does not pass that on");
    NEED(mkdir("blocked_secret", 0700) == 0);
    ok(zcert_write("blocked", &cert, 1) == EXIT_IO &&
           told("blocked_secret: it is a directory") && !exists("blocked"),
       "a directory is not replaced");
    ok(zcert_write("no/such/made", &cert, 0) == EXIT_IO &&
           told("cannot write no/such/made: No such file"),
       "a directory that is not there is told");
}

/* A disk that is full after LIMIT bytes of each file. */
static enum exit_status
write_limited(const char *name, const struct zcert *cert, int force,
              rlim_t limit)
{
    struct rlimit old, low;

    NEED(getrlimit(RLIMIT_FSIZE, &old) == 0);
    low = old;
    low.rlim_cur = limit;
    /* Messages would meet the limit, too. */
    int messages = dup(2), null = open("/dev/null", O_WRONLY);
    NEED(messages >= 0 && null >= 0 && dup2(null, 2) == 2 &&
         setrlimit(RLIMIT_FSIZE, &low) == 0);
    enum exit_status status = zcert_write(name, cert, force);
    NEED(setrlimit(RLIMIT_FSIZE, &old) == 0 && dup2(messages, 2) == 2);
    close(messages);
    close(null);
    return status;
}

static void
test_full_disk(void)
{
    struct zcert cert, old, back;
    char left[64];

    signal(SIGXFSZ, SIG_IGN);
    NEED(zcert_make(&cert) == EXIT_DONE && zcert_make(&old) == EXIT_DONE &&
         zcert_write("old", &old, 0) == EXIT_DONE);
    for (rlim_t limit = 0; limit < 240; limit += 20) {
        if (write_limited("full", &cert, 0, limit) != EXIT_IO ||
            exists("full") || exists("full_secret"))
            ok(0, "half a file is left after %d bytes", (int)limit);
        if (write_limited("old", &cert, 1, limit) != EXIT_IO ||
            zcert_read("old", 1, &back) != EXIT_DONE ||
            memcmp(&back, &old, sizeof old) != 0)
            ok(0, "old files are touched after %d bytes", (int)limit);
    }
    snprintf(left, sizeof left, "old.%ld.tmp", (long)getpid());
    ok(!exists(left), "no half-written file is left");
    ok(write_limited("full", &cert, 0, 4096) == EXIT_DONE,
       "the limit was the reason");
}

/* SCRIPT by a Python with pyzmq: its status, or -1 where there is none. */
static int
python(const char *script)
{
    static const char *const programs[] = {"python3", "/usr/bin/python3"};
    char command[2048];

    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c 'import zmq.auth' 2>/dev/null",
                 programs[i]);
        if (system(command) != 0)
            continue;
        snprintf(command, sizeof command, "%s -c '%s'", programs[i], script);
        return system(command);
    }
    return -1;
}

static void
test_pyzmq(void)
{
    struct zcert cert;
    int status = python("import zmq.auth as a, os\n"
                        "a.create_certificates(\".\", \"py\", {\"n\": \"x\"})\n"
                        "os.chmod(\"py.key_secret\", 0o600)\n");

    if (status == -1) {
        ok(1, "pyzmq # SKIP there is none");
        return;
    }
    ok(status == 0 && zcert_read("py.key", 1, &cert) == EXIT_DONE && told(NULL),
       "what pyzmq writes is read");
    ok(zcert_write("ours", &cert, 0) == EXIT_DONE &&
           python("import zmq.auth as a\n"
                  "theirs = a.load_certificate(\"py.key_secret\")\n"
                  "assert a.load_certificate(\"ours_secret\") == theirs\n"
                  "assert a.load_certificate(\"ours\") == (theirs[0], None)"
                  "\n") == 0,
       "what we write is read by pyzmq");
}

int
main(void)
{
    char command[64];

    NEED(mkdtemp(scratch) != NULL && chmod(scratch, 0711) == 0 &&
         chdir(scratch) == 0);
    NEED(freopen("messages", "a", stderr) != NULL);
    setvbuf(stderr, NULL, _IONBF, 0);
    umask(022);
    test_texts();
    test_files();
    test_damage();
    test_modes();
    test_of_root();
    test_pairs();
    test_writing();
    test_full_disk();
    test_pyzmq();
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0)
        ok(0, "the scratch directory is removed");
    return tap_done();
}
