/*
 * fuzz_zcert.c - any bytes as a file of keys.
 *
 * They are given through a file in memory. No message may show what
 * could be a key, and what is refused must leave nothing behind.
 *
 * About: src/prae-filter/zcert.c
 */
#include "heard.h"

#include <zmq.h>

#include "zcert.h"

static void
check_key(const char *key)
{
    unsigned char binary[32];

    MUST(strlen(key) == ZCERT_KEY_CHARS);
    MUST(zmq_z85_decode(binary, key) != NULL);
}

/* No word that was heard is as long as a key. */
static void
check_heard(void)
{
    MUST(heard_lines == 1);
    for (const char *at = heard; *at != '\0'; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        MUST(len < ZCERT_KEY_CHARS);
        at += len;
    }
}

static void
check(const char *path, int need_secret)
{
    struct zcert cert, before;

    memset(&cert, 'x', sizeof cert);
    before = cert;
    heard_lines = 0;
    enum exit_status status = zcert_read(path, need_secret, &cert);
    if (status != EXIT_DONE) {
        MUST(status == EXIT_CONFIG);
        MUST(memcmp(&cert, &before, sizeof cert) == 0);
        check_heard();
        return;
    }
    MUST(heard_lines == 0);
    check_key(cert.public_key);
    if (need_secret)
        check_key(cert.secret_key);
    else
        for (size_t i = 0; i < sizeof cert.secret_key; i++)
            MUST(cert.secret_key[i] == '\0');
    zcert_wipe(&cert);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const char *path = as_file(data, size);

    check(path, 0);
    check(path, 1);
    return 0;
}
