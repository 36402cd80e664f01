/* Keys on real sockets: who is allowed comes in, and nobody else; lists are
 * read whole or not at all; the handler answers whatever it is asked. */
#include "curve.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "log.h"
#include "tap.h"
#include "zap.h"

#define TURNS_MAX 400 /* of at most 50 ms, for what has to happen */

static char scratch[] = "/tmp/prae-curve.XXXXXX";

/* A server that binds, as the program does, and its clients' keys. */
static void *context;
static struct curve curve;
static struct zap zap;
static void *server;
static char endpoint[128];
static struct zcert own, friend, stranger;

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
    int found = strstr(messages, text) != NULL;
    if (!found)
        printf("# told: %s\n", messages);
    return found;
}

static int
told_nothing(void)
{
    struct stat stat;

    NEED(lstat("messages", &stat) == 0);
    return stat.st_size == 0;
}

static void
put_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    NEED(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Makes NAME hold CERT's public key. */
static void
put_key(const char *name, const struct zcert *cert)
{
    char text[128];

    snprintf(text, sizeof text, "curve\n    public-key = \"%s\"\n",
             cert->public_key);
    put_text(name, text);
}

static int
allows(const struct curve *list, const struct zcert *cert)
{
    unsigned char key[32];

    NEED(zmq_z85_decode(key, cert->public_key) != NULL);
    return curve_allows(list, key);
}

/* ---- files ---- */

static void
test_list(void)
{
    struct curve list;
    struct zcert third;

    NEED(zcert_make(&third) == EXIT_DONE);
    NEED(mkdir("list", 0700) == 0);
    ok(curve_open(&list, "own", NULL, "list") == EXIT_DONE &&
           told("list has no keys: nobody is allowed"),
       "an empty directory is warned of");
    ok(!allows(&list, &friend) && curve_serves(&list) &&
           curve_has_allow(&list) && !curve_connects(&list),
       "and allows nobody");
    put_key("list/friend", &friend);
    put_key("list/again.key", &friend);
    put_key("list/.hidden", &stranger);
    put_key("list/stranger_secret", &stranger);
    put_key("elsewhere", &third);
    put_text("list/.swap", "no key");
    NEED(mkdir("list/directory", 0700) == 0 &&
         symlink("../elsewhere", "list/link") == 0);
    ok(curve_reload(&list) == EXIT_DONE && told("2 allowed by list"),
       "what is hidden or a directory does not count");
    ok(allows(&list, &friend) && allows(&list, &third) &&
           !allows(&list, &stranger),
       "the list knows who is on it");

    put_text("list/notes", "call Bob\n");
    ok(curve_reload(&list) == EXIT_CONFIG && told("list/notes is no key file"),
       "a file that is no key is named");
    unlink("list/notes");
    NEED(mkfifo("list/notes", 0600) == 0);
    ok(curve_reload(&list) == EXIT_CONFIG && told("not a regular file"),
       "nor is what is no file passed over");
    unlink("list/friend");
    unlink("list/again.key");
    ok(curve_reload(&list) == EXIT_CONFIG &&
           told("the keys stay as they were: 2 allowed") &&
           allows(&list, &friend),
       "and everything stays as it was");
    struct curve fresh;
    ok(curve_open(&fresh, "own", NULL, "list") == EXIT_CONFIG &&
           told("list/notes"),
       "at the start it is an error");
    curve_close(&fresh);
    unlink("list/notes");
    unlink("elsewhere");
    ok(curve_reload(&list) == EXIT_CONFIG &&
           told("cannot open list/link: No such file"),
       "a link that leads nowhere is an error");
    unlink("list/link");
    ok(curve_reload(&list) == EXIT_DONE && told("list has no keys") &&
           !allows(&list, &friend) && !allows(&list, &third),
       "once all is well again, the new list counts");
    curve_close(&list);
    ok(!curve_serves(&list) && list.keys.own.secret_key[39] == '\0',
       "closing leaves no secret");
}

static void
test_many(void)
{
    struct curve list;
    struct zcert cert;
    unsigned char key[32];
    char name[64];
    size_t found = 0, wrong = 0;

    NEED(mkdir("many", 0700) == 0);
    for (unsigned i = 0; i < 200; i++) {
        memset(key, 0, sizeof key);
        key[i % 32] = (unsigned char)(1 + i);
        NEED(zmq_z85_encode(cert.public_key, key, 32) != NULL);
        snprintf(name, sizeof name, "many/%u", i);
        put_key(name, &cert);
        snprintf(name, sizeof name, "many/%u again", 199 - i);
        put_key(name, &cert);
    }
    NEED(curve_open(&list, "own", NULL, "many") == EXIT_DONE);
    ok(list.keys.allowed_count == 200, "each of 200 keys counts once");
    for (unsigned i = 0; i < 200; i++) {
        memset(key, 0, sizeof key);
        key[i % 32] = (unsigned char)(1 + i);
        found += curve_allows(&list, key) != 0;
        key[(i + 1) % 32] ^= 0x80;
        wrong += curve_allows(&list, key) != 0;
    }
    ok(found == 200 && wrong == 0, "200 keys are told from 200 like them");
    curve_close(&list);
}

static void
test_refusals(void)
{
    static const struct {
        const char *secret, *server, *allow, *message;
    } cases[] = {
        {NULL, NULL, "allow", "--curve-allow needs --curve-secret"},
        {"nowhere", NULL, NULL, "cannot open nowhere"},
        {NULL, "nowhere", NULL, "cannot open nowhere"},
        {"own", NULL, "nowhere", "cannot open nowhere: No such file"},
        {"own", NULL, "own", "takes a directory of public keys"},
        {"friend.pub", NULL, NULL, "friend.pub has no secret-key"},
    };
    struct curve bad;

    put_key("friend.pub", &friend);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ok(curve_open(&bad, cases[i].secret, cases[i].server, cases[i].allow) ==
                   EXIT_CONFIG &&
               told(cases[i].message),
           "refused: %s", cases[i].message);
        curve_close(&bad);
    }
    void *socket = zmq_socket(context, ZMQ_PULL);
    ok(curve_open(&bad, NULL, NULL, NULL) == EXIT_DONE &&
           curve_apply(&bad, socket, 1) == EXIT_DONE &&
           curve_apply(&bad, socket, 0) == EXIT_DONE && !curve_serves(&bad),
       "without keys nothing is done");
    curve_close(&bad);
    ok(curve_open(&bad, "own", NULL, NULL) == EXIT_DONE &&
           curve_apply(&bad, socket, 0) == EXIT_DONE &&
           curve_apply(&bad, socket, 1) == EXIT_CONFIG &&
           told("needs --curve-allow"),
       "binding where nobody could be allowed is refused");
    curve_close(&bad);
    zmq_close(socket);
}

/* ---- clients ---- */

enum outcome { NOTHING, CAME_IN, KEPT_OUT };

/* Whether MONITOR, with an event waiting, tells of a handshake that failed. */
static int
tells_of_failure(void *monitor)
{
    unsigned char event[6];
    char where[256];
    uint16_t number;

    NEED(zmq_recv(monitor, event, sizeof event, 0) == 6 &&
         zmq_recv(monitor, where, sizeof where, 0) >= 0);
    memcpy(&number, event, sizeof number);
    return number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL ||
           number == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
           number == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ||
           number == ZMQ_EVENT_DISCONNECTED;
}

/* Connects CLIENT, a PUSH with its keys set, sends, and serves until the
 * message is there or its handshake has failed. Closes it. */
static enum outcome
knock(void *client)
{
    static int number;
    enum outcome outcome = NOTHING;
    int linger_ms = 0;
    char events[64];
    void *monitor = zmq_socket(context, ZMQ_PAIR);

    snprintf(events, sizeof events, "inproc://events-%d", number++);
    zmq_setsockopt(client, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    NEED(monitor != NULL &&
         zmq_socket_monitor(client, events, ZMQ_EVENT_ALL) == 0 &&
         zmq_connect(monitor, events) == 0);
    NEED(zmq_connect(client, endpoint) == 0 &&
         zmq_send(client, "hello", 5, ZMQ_DONTWAIT) == 5);
    for (int turn = 0; outcome == NOTHING && turn < TURNS_MAX; turn++) {
        zmq_pollitem_t items[] = {{server, 0, ZMQ_POLLIN, 0},
                                  {monitor, 0, ZMQ_POLLIN, 0},
                                  {zap_socket(&zap), 0, ZMQ_POLLIN, 0}};
        NEED(zmq_poll(items, zap_socket(&zap) != NULL ? 3 : 2, 50) >= 0);
        if (items[2].revents != 0)
            zap_answer(&zap);
        if (items[0].revents != 0)
            outcome = CAME_IN;
        else if (items[1].revents != 0 && tells_of_failure(monitor))
            outcome = KEPT_OUT;
    }
    zmq_pollitem_t item = {server, 0, ZMQ_POLLIN, 0};
    if (outcome == KEPT_OUT && zmq_poll(&item, 1, 50) != 0)
        outcome = CAME_IN;
    zmq_socket_monitor(client, NULL, 0);
    zmq_close(client);
    zmq_close(monitor);
    return outcome;
}

static void *
client_of(const char *server_key, const struct zcert *pair)
{
    void *client = zmq_socket(context, ZMQ_PUSH);

    NEED(client != NULL);
    if (server_key != NULL)
        NEED(zmq_setsockopt(client, ZMQ_CURVE_SERVERKEY, server_key, 41) == 0 &&
             zmq_setsockopt(client, ZMQ_CURVE_PUBLICKEY, pair->public_key,
                            41) == 0 &&
             zmq_setsockopt(client, ZMQ_CURVE_SECRETKEY, pair->secret_key,
                            41) == 0);
    return client;
}

/* Takes the message; its sender's key, as libzmq has it from the handler. */
static int
message_is_from(const struct zcert *cert)
{
    zmq_msg_t msg;

    zmq_msg_init(&msg);
    NEED(zmq_msg_recv(&msg, server, ZMQ_DONTWAIT) == 5);
    const char *user = zmq_msg_gets(&msg, "User-Id");
    int same = user != NULL && strcmp(user, cert->public_key) == 0;
    zmq_msg_close(&msg);
    return same;
}

static void
open_server(void)
{
    size_t len = sizeof endpoint;

    server = zmq_socket(context, ZMQ_PULL);
    NEED(server != NULL && curve_apply(&curve, server, 1) == EXIT_DONE);
    NEED(zmq_bind(server, "tcp://127.0.0.1:*") == 0 &&
         zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &len) == 0);
}

static void
test_matrix(void)
{
    ok(knock(client_of(own.public_key, &friend)) == CAME_IN,
       "a client whose key is allowed comes in");
    ok(message_is_from(&friend) && zap.admitted == 1 && zap.refused == 0,
       "it is counted, and known by its key");
    ok(knock(client_of(own.public_key, &stranger)) == KEPT_OUT,
       "an unknown key does not");
    ok(zap.admitted == 1 && zap.refused >= 1 && told(stranger.public_key),
       "it is counted and told");
    ok(knock(client_of(own.public_key, &stranger)) == KEPT_OUT &&
           zap.refused >= 2 && told_nothing(),
       "the next one is only counted");
    ok(knock(client_of(friend.public_key, &friend)) == KEPT_OUT,
       "nor a client that takes us for another server");
    ok(knock(client_of(NULL, NULL)) == KEPT_OUT, "nor one without keys");
    void *plain = client_of(NULL, NULL);
    NEED(zmq_setsockopt(plain, ZMQ_PLAIN_USERNAME, "friend", 6) == 0 &&
         zmq_setsockopt(plain, ZMQ_PLAIN_PASSWORD, "please", 6) == 0);
    ok(knock(plain) == KEPT_OUT, "nor one with a password");
    ok(zap.admitted == 1, "and the handler has let in none of them");
}

static void
test_own_clients(void)
{
    struct curve as_client;

    put_key("server", &own);
    NEED(curve_open(&as_client, "friend", "server", NULL) == EXIT_DONE);
    void *client = client_of(NULL, NULL);
    ok(curve_connects(&as_client) &&
           curve_apply(&as_client, client, 0) == EXIT_DONE &&
           knock(client) == CAME_IN && message_is_from(&friend),
       "a socket of ours connects with our pair");
    curve_close(&as_client);
    NEED(curve_open(&as_client, NULL, "server", NULL) == EXIT_DONE);
    client = client_of(NULL, NULL);
    ok(curve_apply(&as_client, client, 0) == EXIT_DONE &&
           knock(client) == KEPT_OUT,
       "without a pair it has a fresh one, which nobody knows");
    curve_close(&as_client);
}

static void
test_reload(void)
{
    put_key("allow/stranger", &stranger);
    NEED(curve_reload(&curve) == EXIT_DONE && told("2 allowed by allow"));
    ok(knock(client_of(own.public_key, &stranger)) == CAME_IN &&
           message_is_from(&stranger),
       "a key that was added comes in after a reload");
    unlink("allow/friend");
    unlink("allow/stranger");
    put_text("allow/broken", "curve\n");
    NEED(curve_reload(&curve) == EXIT_CONFIG && told("allow/broken"));
    ok(knock(client_of(own.public_key, &friend)) == CAME_IN &&
           message_is_from(&friend),
       "a reload that failed leaves the old list");
    unlink("allow/broken");
    NEED(curve_reload(&curve) == EXIT_DONE && told("allow has no keys"));
    ok(knock(client_of(own.public_key, &friend)) == KEPT_OUT,
       "a key that was taken away stays out");
    put_key("allow/friend", &friend);
    NEED(zcert_write("own", &stranger, 1) == EXIT_DONE);
    ok(curve_reload(&curve) == EXIT_DONE && told("own holds another pair"),
       "another pair of ours is told");
    ok(knock(client_of(own.public_key, &friend)) == CAME_IN &&
           message_is_from(&friend),
       "and the endpoint goes on with the old one until it binds anew");
}

/* ---- the handler ---- */

static void
send_frames(void *socket, const char *const *frames)
{
    for (; *frames != NULL; frames++) {
        const char *frame = *frames;
        size_t len = strlen(frame);
        unsigned char key[32];
        int more = frames[1] != NULL ? ZMQ_SNDMORE : 0;
        if (strcmp(frame, "FRIEND") == 0 || strcmp(frame, "STRANGER") == 0) {
            NEED(zmq_z85_decode(key, *frame == 'F' ? friend.public_key
                                                   : stranger.public_key));
            frame = (const char *)key;
            len = sizeof key;
        }
        NEED(zmq_send(socket, frame, len, ZMQ_DONTWAIT | more) == (int)len);
    }
}

/* Whether an answer waits that has all its frames, with ID, CODE and USER. */
static int
answer_is(void *socket, const char *id, const char *code, const char *user)
{
    const char *const wanted[7] = {"", "1.0", id, code, NULL, user, ""};
    int more = 1, good = 1;

    for (int i = 0; more; i++) {
        char frame[512];
        size_t size = sizeof more;
        int len = zmq_recv(socket, frame, sizeof frame - 1, ZMQ_DONTWAIT);
        if (len < 0 || i >= 7)
            return 0;
        frame[len] = '\0';
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
        good = good && more == (i < 6) &&
               (wanted[i] == NULL || strcmp(frame, wanted[i]) == 0);
    }
    return good;
}

static void
test_requests(void)
{
    static const struct {
        const char *name, *code;
        const char *frames[12];
    } cases[] = {
        {"an allowed key",
         "200",
         {"", "1.0", "7", "prae", "::1", "", "CURVE", "FRIEND", NULL}},
        {"an unknown key",
         "400",
         {"", "1.0", "7", "prae", "::1", "", "CURVE", "STRANGER", NULL}},
        {"another domain",
         "400",
         {"", "1.0", "7", "praes", "::1", "", "CURVE", "FRIEND", NULL}},
        {"no domain",
         "400",
         {"", "1.0", "7", "", "::1", "", "CURVE", "FRIEND", NULL}},
        {"NULL", "400", {"", "1.0", "7", "prae", "::1", "", "NULL", NULL}},
        {"PLAIN",
         "400",
         {"", "1.0", "7", "prae", "::1", "", "PLAIN", "a", "b", NULL}},
        {"GSSAPI with an allowed key",
         "400",
         {"", "1.0", "7", "prae", "::1", "", "GSSAPI", "FRIEND", NULL}},
        {"another version",
         "500",
         {"", "1.1", "7", "prae", "::1", "", "CURVE", "FRIEND", NULL}},
        {"a short key",
         "500",
         {"", "1.0", "7", "prae", "::1", "", "CURVE", "FRIENDS", NULL}},
        {"no key", "500", {"", "1.0", "7", "prae", "::1", "", "CURVE", NULL}},
        {"two keys",
         "500",
         {"", "1.0", "7", "prae", "::1", "", "CURVE", "FRIEND", "FRIEND",
          NULL}},
        {"no mechanism", "500", {"", "1.0", "7", "prae", NULL}},
        {"no more than a version", "500", {"", "1.0", NULL}},
        {"nothing", "500", {"", "", NULL}},
    };
    void *asker = zmq_socket(context, ZMQ_DEALER);

    NEED(asker != NULL && zmq_connect(asker, "inproc://zeromq.zap.01") == 0);
    uint64_t refused = zap.refused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        send_frames(asker, cases[i].frames);
        zap_answer(&zap);
        refused += cases[i].code[0] == '4';
        ok(answer_is(asker, cases[i].frames[2] == NULL ? "" : "7",
                     cases[i].code, i == 0 ? friend.public_key : ""),
           "%s is told %s", cases[i].name, cases[i].code);
    }
    ok(zap.refused == refused, "each that is refused counts once");
    static const char *const long_address[] = {
        "", "1.0", "7", "prae",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123",
        "", "CURVE", "STRANGER", NULL};
    log_set_level(LOG_INFO);
    send_frames(asker, long_address);
    zap_answer(&zap);
    log_set_level(LOG_NOTICE);
    ok(answer_is(asker, "7", "400", "") && told("abcdef: its public key "),
       "an address is told up to its 64th character");

    static const char *const bare[] = {"1.0", "7", "prae", NULL};
    uint64_t admitted = zap.admitted, malformed = zap.malformed;
    int answered = 0;
    send_frames(asker, bare);
    for (int i = 0; i < 100; i++)
        send_frames(asker, cases[0].frames);
    for (int i = 0; i < 3000; i++)
        NEED(zmq_send(asker, "", 0, ZMQ_DONTWAIT | ZMQ_SNDMORE) == 0);
    NEED(zmq_send(asker, "", 0, ZMQ_DONTWAIT) == 0);
    zap_answer(&zap);
    while (answer_is(asker, "7", "200", friend.public_key))
        answered++;
    ok(answered == 100 && zap.admitted == admitted + 100,
       "all that wait are answered at once, what is no request aside");
    ok(zap.malformed == malformed + 1, "one of 3000 frames does no harm");
    zmq_close(asker);
    /* Who asked may be gone before the answer. */
    asker = zmq_socket(context, ZMQ_DEALER);
    NEED(zmq_connect(asker, "inproc://zeromq.zap.01") == 0);
    send_frames(asker, cases[0].frames);
    zmq_close(asker);
    zap_answer(&zap);
    zap_answer(&zap);
    struct zap second;
    ok(zap_open(&second, context, &curve) == EXIT_FAILED &&
           zap_socket(&second) == NULL && told("Address already in use"),
       "a context has one handler");
    ok(knock(client_of(own.public_key, &friend)) == CAME_IN &&
           message_is_from(&friend),
       "after all that it still does its work");
}

static void
test_no_handler(void)
{
    zap_close(&zap);
    zap_close(&zap);
    ok(knock(client_of(own.public_key, &friend)) == KEPT_OUT,
       "without a handler even allowed clients stay out");
    ok(knock(client_of(own.public_key, &stranger)) == KEPT_OUT,
       "and so do strangers");
    ok(knock(client_of(NULL, NULL)) == KEPT_OUT, "and those without keys");
}

int
main(void)
{
    char command[64];

    if (!zmq_has("curve"))
        return tap_skip_all("this libzmq has no CURVE");
    NEED(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    NEED(freopen("messages", "a", stderr) != NULL);
    setvbuf(stderr, NULL, _IONBF, 0);
    NEED(zcert_make(&own) == EXIT_DONE && zcert_make(&friend) == EXIT_DONE &&
         zcert_make(&stranger) == EXIT_DONE);
    NEED(zcert_write("own", &own, 0) == EXIT_DONE &&
         zcert_write("friend", &friend, 0) == EXIT_DONE);
    NEED(mkdir("allow", 0700) == 0);
    put_key("allow/friend", &friend);
    context = zmq_ctx_new();
    NEED(context != NULL);
    test_list();
    test_many();
    test_refusals();

    NEED(curve_open(&curve, "own", NULL, "allow") == EXIT_DONE &&
         zap_open(&zap, context, &curve) == EXIT_DONE);
    open_server();
    test_matrix();
    test_own_clients();
    test_reload();
    test_requests();
    test_no_handler();
    zmq_close(server);
    zmq_ctx_term(context);
    curve_close(&curve);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0)
        ok(0, "the scratch directory is removed");
    return tap_done();
}
