/*
 * snapshot.c - the whole: what is in front of the sections, their order, and
 * the parameters that belong to a model.
 */
#include "snapshot.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "snapshot_parts.h"

static const char magic[8] = {'P', 'R', 'A', 'E', 'S', 'N', 'A', 'P'};

#define HEAD_BYTES 32

/* The parameters that shape a model, and so belong to it; all others are the
 * caller's. prae_filter_load in prae.h and prae-snapshot(5) list the same. */
static const char *const shaping[] = {
    "gates",      "estimator", "sigma",   "lambda", "hidden",   "latent",
    "activation", "loss",      "context", "memory", "smooth",   "second",
    "seed",       "fields",    "ignore",  "coerce", "nonfinite"};

#define SHAPING_COUNT (sizeof shaping / sizeof *shaping)

/* ---- PARM: shaping parameters as text ---- */

#define VALUE_ROOM 4096 /* more than any that is no list of fields takes */

/* PARAMS' list of this NAME, "" where it is not given; NULL: NAME is none. */
static const char *
list_of(const prae_params *params, const char *name)
{
    const char *list = NULL;

    if (strcmp(name, "fields") == 0)
        list = params->fields;
    else if (strcmp(name, "ignore") == 0)
        list = params->ignore;
    else
        return NULL;
    return list == NULL ? "" : list;
}

/* The parameter NAME as text: a list, of any length, as it is, all others in
 * ROOM. */
static const char *
value_of(const prae_params *params, const char *name, char room[VALUE_ROOM])
{
    const char *list = list_of(params, name);

    if (list != NULL)
        return list;
    if (prae_params_get(params, name, room, VALUE_ROOM) != PRAE_OK)
        room[0] = '\0';
    return room;
}

static void
put_params(struct writer *out, const prae_params *params)
{
    char room[VALUE_ROOM];

    pri_put_u64(out, SHAPING_COUNT);
    for (size_t i = 0; i < SHAPING_COUNT; i++) {
        const char *value = value_of(params, shaping[i], room);
        pri_put_text(out, shaping[i], strlen(shaping[i]));
        pri_put_text(out, value, strlen(value));
    }
}

static int
is_shaping(const char *name)
{
    for (size_t i = 0; i < SHAPING_COUNT; i++)
        if (strcmp(shaping[i], name) == 0)
            return 1;
    return 0;
}

/* The caller left it to the snapshot: VALUE is the parameter NAME now. */
static void
take_param(struct reader *in, prae_params *params, struct snapshot_meta *meta,
           const char *name, struct snapshot_text value)
{
    char text[VALUE_ROOM];

    if (memchr(value.text, '\0', value.len) != NULL) {
        pri_get_fail(in, "a parameter in it cannot be used");
        return;
    }
    if (strcmp(name, "fields") == 0) {
        meta->fields = value;
        return;
    }
    if (strcmp(name, "ignore") == 0) {
        meta->ignore = value;
        return;
    }
    if (value.len >= sizeof text) {
        pri_get_fail(in, "a parameter in it is too long");
        return;
    }
    memcpy(text, value.text, value.len);
    text[value.len] = '\0';
    if (prae_params_set(params, name, text, NULL, 0) != PRAE_OK)
        pri_get_fail(in, "a parameter in it cannot be used");
}

#define SHOWN 60 /* bytes of a value that are told */

/* Where LIST and GIVEN are to be told from: the first name of theirs that is
 * not the same, unless that is seen anyway. */
static size_t
find_difference(struct snapshot_text list, const char *given)
{
    size_t at = 0;

    while (at < list.len && given[at] != '\0' && given[at] == list.text[at])
        at++;
    if (at < SHOWN)
        return 0;
    while (at > 0 && list.text[at - 1] != ',')
        at--;
    return at;
}

static void
tell_difference(const char *name, struct snapshot_text value, const char *given,
                char *why, size_t why_size)
{
    const size_t from = find_difference(value, given);
    const size_t left = value.len - from;
    const char *dots = from > 0 ? "..." : "";

    snprintf(why, why_size,
             "it was learned with %s=%s%.*s, not %s%.*s: leave the option "
             "out or start a new model",
             name, dots, left < SHOWN ? (int)left : SHOWN, value.text + from,
             dots, SHOWN, given + from);
}

/* One parameter of the snapshot against the caller's. */
static void
match_param(struct reader *in, prae_params *params, struct snapshot_meta *meta,
            const char *name, struct snapshot_text value, char *why,
            size_t why_size)
{
    char room[VALUE_ROOM], usual_room[VALUE_ROOM];
    prae_params defaults;

    if (!is_shaping(name))
        return; /* of a later version: not ours to judge */
    prae_params_init(&defaults);
    const char *given = value_of(params, name, room);
    const char *usual = value_of(&defaults, name, usual_room);
    if (strlen(given) == value.len && memcmp(given, value.text, value.len) == 0)
        return;
    if (strcmp(given, usual) != 0) {
        tell_difference(name, value, given, why, why_size);
        pri_get_fail(in, why);
        return;
    }
    take_param(in, params, meta, name, value);
}

static void
get_params(struct reader *in, prae_params *params, struct snapshot_meta *meta,
           char *why, size_t why_size)
{
    size_t count = pri_get_count(in, 1000, 8);

    for (size_t i = 0; i < count && in->fault == NULL; i++) {
        char name[64];
        size_t name_len;
        struct snapshot_text value;
        const char *n = pri_get_text(in, &name_len);
        value.text = pri_get_text(in, &value.len);
        if (name_len >= sizeof name) {
            pri_get_fail(in, "a parameter in it is too long");
            return;
        }
        memcpy(name, n, name_len);
        name[name_len] = '\0';
        if (in->fault == NULL)
            match_param(in, params, meta, name, value, why, why_size);
    }
    /* Each by itself is in range; together they may still not go. */
    if (in->fault == NULL && prae_params_check(params, NULL, 0) != PRAE_OK)
        pri_get_fail(in, "its parameters cannot be used");
}

/* ---- the whole ---- */

prae_status
pri_snapshot_write(const struct features *features,
                   const struct learner *learner,
                   const struct snapshot_meta *meta, prae_buffer *buffer)
{
    struct writer out = {buffer, PRAE_OK};
    size_t start = buffer->len;

    pri_put_bytes(&out, magic, sizeof magic);
    pri_put_u32(&out, PRI_SNAPSHOT_VERSION);
    pri_put_u32(&out, 0);
    pri_put_u64(&out, 0);
    pri_put_u64(&out, 0);
    size_t at = pri_begin_section(&out, "META");
    pri_put_u64(&out, meta->window_number);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "PARM");
    put_params(&out, &learner->params);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "FEAT");
    pri_snapshot_put_features(&out, features);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "LEAR");
    pri_snapshot_put_learner(&out, learner);
    pri_end_section(&out, at);
    at = pri_begin_section(&out, "NETW");
    pri_snapshot_put_net(&out, &learner->trainer);
    pri_end_section(&out, at);
    if (out.status != PRAE_OK) {
        buffer->len = start;
        return out.status;
    }
    char *head = buffer->data + start;
    uint64_t len = buffer->len - start - HEAD_BYTES;
    uint64_t sum = XXH64(head + HEAD_BYTES, (size_t)len, 0);
    for (size_t i = 0; i < 8; i++) {
        head[16 + i] = (char)(len >> 8 * i);
        head[24 + i] = (char)(sum >> 8 * i);
    }
    return PRAE_OK;
}

/* The envelope: magic, version, length, checksum. */
static void
check_head(struct reader *in, char *why, size_t why_size)
{
    const void *head = pri_get_bytes(in, sizeof magic);

    if (head == NULL || memcmp(head, magic, sizeof magic) != 0) {
        in->fault = "it is no snapshot of prae's";
        return;
    }
    uint32_t version = pri_get_u32(in);
    (void)pri_get_u32(in);
    uint64_t len = pri_get_u64(in), sum = pri_get_u64(in);
    if (in->fault != NULL)
        return;
    if (version != PRI_SNAPSHOT_VERSION) {
        snprintf(why, why_size,
                 "its version is %u, and this program reads version %d",
                 version, PRI_SNAPSHOT_VERSION);
        pri_get_fail(in, why);
    } else if (len != (uint64_t)(in->end - in->at)) {
        snprintf(why, why_size, "it has %llu bytes and should have %llu",
                 (unsigned long long)(in->end - in->at) + HEAD_BYTES,
                 (unsigned long long)len + HEAD_BYTES);
        pri_get_fail(in, why);
    } else if (XXH64(in->at, (size_t)len, 0) != sum) {
        pri_get_fail(in, "its checksum is wrong: it was damaged");
    }
}

prae_status
pri_snapshot_read(const char *bytes, size_t len, prae_params *params,
                  struct features *features, struct learner *learner,
                  struct snapshot_meta *meta, size_t cap_rows, char *why,
                  size_t why_size)
{
    struct reader in = {.at = (const unsigned char *)bytes,
                        .end = (const unsigned char *)bytes + len};
    prae_status status = PRAE_OK;
    struct reader section;
    char tag[5], reason[256] = "";
    int seen = 0;

    check_head(&in, reason, sizeof reason);
    while (status == PRAE_OK && pri_get_section(&in, tag, &section)) {
        if (strcmp(tag, "META") == 0) {
            meta->window_number = pri_get_tally(&section);
        } else if (strcmp(tag, "PARM") == 0 && seen == 0) {
            get_params(&section, params, meta, reason, sizeof reason);
            seen = 1;
        } else if (strcmp(tag, "FEAT") == 0 && seen == 1) {
            status = pri_snapshot_get_features(&section, features,
                                               params->features_max);
            seen = 2;
        } else if (strcmp(tag, "LEAR") == 0 && seen == 2) {
            status = pri_snapshot_get_learner(&section, params, features->D,
                                              cap_rows, learner);
            seen = 3;
        } else if (strcmp(tag, "NETW") == 0 && seen == 3) {
            status = pri_snapshot_get_net(&section, params, learner->D,
                                          cap_rows, &learner->trainer);
            if (status == PRAE_OK && section.fault == NULL)
                status = pri_learner_reserve_weights(learner);
            seen = 4;
        }
        if (section.fault != NULL)
            pri_get_fail(&in, section.fault);
    }
    if (in.fault == NULL && status == PRAE_OK && seen != 4)
        in.fault = "a part of it is missing";
    if (in.fault != NULL) {
        snprintf(why, why_size, "%s", in.fault);
        return PRAE_ESNAPSHOT;
    }
    return status;
}
