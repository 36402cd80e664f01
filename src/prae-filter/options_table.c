/* options_table.c - the table of options, and finding one in it. */
#include "options_table.h"

#include <stddef.h>
#include <string.h>

#include "nearest.h"

#define AT(field) offsetof(struct options, field)

const struct row option_rows[] = {
    {NULL, 0, ACTION, 0, NULL, "Data"},
    {"format", 'f', PARAM, 0, "FORMAT",
     "msgpack, jsonl or csv; by FILE's suffix if not given"},
    {"no-header", 0, SWITCH, 0, NULL, "csv: the first line is a record"},
    {"in", 'i', LIST, AT(in), "SPEC",
     "FILE, - (standard input), pull: or sub:; may come again"},
    {"inliers", 'o', TEXT, AT(inliers), "SPEC",
     "where what fits goes: FILE, -, push:, pub: or null:"},
    {"outliers", 'O', TEXT, AT(outliers), "SPEC",
     "where what does not fit goes, with its reasons"},
    {"rejects", 0, TEXT, AT(rejects), "SPEC",
     "where what cannot be judged goes; with the outliers if not given"},
    {"scores", 0, TEXT, AT(scores), "SPEC", "one row a record"},
    {"fields", 0, PARAM, 0, "PATH,...", "make features of these fields only"},
    {"ignore", 0, PARAM, 0, "PATH,...", "make no features of these fields"},
    {"coerce", 0, SWITCH, 0, NULL, "take strings that spell numbers as such"},
    {"nonfinite", 0, PARAM, 0, "WHAT",
     "NaN and infinities: reject the record, or impute"},

    {NULL, 0, ACTION, 0, NULL, "Windows and decisions"},
    {"window", 'w', PARAM, 0, "N|all", "records that are judged together"},
    {"max-wait", 0, OWN, 0, "TIME",
     "judge a window that is not full after 1s, ... [sockets: 1s]"},
    {"min-window", 0, NUMBER, AT(min_window), "N",
     "but not below so many records"},
    {"emit", 0, OWN, 0, "WHEN",
     "judge records with their window, or now [window]"},
    {"cold", 0, PARAM, 0, "WHAT",
     "records of the first window: hold until judged, pass, or flag"},
    {"threshold", 't', PARAM, 0, "T", "flag gates below this"},
    {"fpr", 0, PARAM, 0, "RATE",
     "flag p-values below this instead; 0 leaves it to the gate"},
    {"why", 0, PARAM, 0, "K", "reasons a flagged record carries"},
    {"context", 0, PARAM, 0, "WHEN",
     "look at changes and spreads: auto, on, off"},
    {"smooth", 0, PARAM, 0, "SPAN",
     "smooth scores over records: auto, off, or so many"},
    {"second", 0, PARAM, 0, "WHAT",
     "second opinion: knn, distance to trusted records, or none"},
    {"burst-share", 0, PARAM, 0, "SHARE",
     "a window with more that does not fit is not learned from"},
    {"drift-after", 0, PARAM, 0, "N",
     "so many such windows in a row are the new normal"},
    {"memory", 0, PARAM, 0, "N", "records the past reaches back"},

    {NULL, 0, ACTION, 0, NULL, "Model"},
    {"model", 'm', TEXT, AT(model), "FILE",
     "go on from this snapshot, and save to it"},
    {"save-every", 0, OWN, 0, "TIME|N",
     "save now and then: after 30s, 5m, 1h, or N windows"},
    {"keep", 0, NUMBER, AT(keep), "N",
     "older snapshots to keep, as FILE.1, ..."},
    {"freeze", 0, SWITCH, 0, NULL, "judge by the snapshot, learn nothing"},
    {"inspect", 0, TEXT, AT(inspect), "FILE", "print a snapshot and stop"},
    {"gates", 0, PARAM, 0, "KIND", "l1, l0, hard or none"},
    {"estimator", 0, PARAM, 0, "HOW", "of the gates: exact or sampled"},
    {"lambda", 0, PARAM, 0, "RULE",
     "where gates turn: auto, me, validate or a number"},
    {"sigma", 0, PARAM, 0, "S", "the gates' noise"},
    {"hidden", 0, PARAM, 0, "W,W,...", "widths of the encoder, auto or none"},
    {"latent", 0, PARAM, 0, "N", "width of the narrowest layer"},
    {"activation", 0, PARAM, 0, "KIND", "tanh, leaky or linear"},
    {"loss", 0, PARAM, 0, "KIND", "squared or relative"},
    {"epochs", 0, PARAM, 0, "N", "passes over a window"},
    {"cold-epochs", 0, PARAM, 0, "N", "passes over the first window"},
    {"batch", 0, PARAM, 0, "N", "records a step"},
    {"rate", 0, PARAM, 0, "R", "Adam's step"},
    {"seed", 0, PARAM, 0, "N", "same seed and input, same output"},

    {NULL, 0, ACTION, 0, NULL, "Sockets"},
    {"topic", 0, LIST, AT(topics), "PREFIX",
     "sub: take only what begins so; may come again"},
    {"wait-peers", 0, NUMBER, AT(wait_peers), "N",
     "read nothing before each output has so many peers"},
    {"hwm", 0, NUMBER, AT(hwm), "N",
     "messages a socket queues; 0: 1000, or 100 with --tight"},
    {"tight", 0, ON, AT(tight), NULL, "small buffers: less is in flight"},
    {"lossy", 0, ON, AT(lossy), NULL,
     "pub: drop what a subscriber is too slow for"},
    {"drain", 0, TIME, AT(drain), "TIME",
     "deliver so long after a signal to stop"},
    {"curve-secret", 0, TEXT, AT(curve_secret), "FILE", "our key pair"},
    {"curve-server", 0, TEXT, AT(curve_server), "FILE",
     "public key of who we connect to"},
    {"curve-allow", 0, TEXT, AT(curve_allow), "DIR",
     "public keys of who may connect to us"},
    {"insecure", 0, ON, AT(insecure), NULL,
     "let anybody connect, from anywhere"},

    {NULL, 0, ACTION, 0, NULL, "Limits"},
    {"max-message", 0, NUMBER, AT(max_message), "BYTES",
     "longest message, and longest frame"},
    {"max-parts", 0, NUMBER, AT(max_parts), "N", "frames of a message"},
    {"max-record", 0, PARAM, 0, "BYTES", "longest record"},
    {"max-depth", 0, PARAM, 0, "N", "containers within each other"},
    {"max-elements", 0, PARAM, 0, "N", "fields of a record"},
    {"max-features", 0, PARAM, 0, "N", "features of a record"},

    {NULL, 0, ACTION, 0, NULL, "Running"},
    {"threads", 0, NUMBER, AT(threads), "N",
     "learn wide records and big windows on so many"},
    {"sandbox", 0, OWN, 0, "WHEN",
     "give up what is not needed: auto, where it can be, or off [auto]"},
    {"quiet", 'q', ON, AT(quiet), NULL, "errors only"},
    {"verbose", 'v', ON, AT(verbose), NULL, "say more"},
    {"progress", 0, ON, AT(progress), NULL,
     "show the rate while running; on a terminal it is"},
    {"log", 0, OWN, 0, "FORM", "text, or json: a JSON object a line [text]"},
    {"log-file", 0, TEXT, AT(log_file), "FILE",
     "log there; opened again on SIGHUP"},
    {"stats", 0, TEXT, AT(stats), "FILE", "write the counts as JSON at exit"},
    {"report", 0, TEXT, AT(report), "FILE",
     "write what was found to FILE, .html or .json"},
    {"control", 0, TEXT, AT(control), "ENDPOINT",
     "take commands at tcp://HOST:PORT or ipc://PATH"},
    {"http", 0, TEXT, AT(http), "ADDRESS:PORT",
     "be watched there: live page, metrics, health"},
    {"config", 0, TEXT, AT(config), "FILE", "read options: name = value"},
    {"print-config", 0, ACTION, 0, NULL, "print them all and stop"},
    {"help", 'h', ACTION, 0, NULL, "print this and stop"},
    {"version", 'V', ACTION, 0, NULL, "print versions and stop"},
};

const size_t option_count = sizeof option_rows / sizeof *option_rows;

const struct row *
option_find(const char *name)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].name != NULL &&
            strcmp(option_rows[i].name, name) == 0)
            return &option_rows[i];
    return NULL;
}

const char *
option_nearest(const char *name)
{
    struct nearest nearest;

    nearest_init(&nearest, name);
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].name != NULL)
            nearest_try(&nearest, option_rows[i].name);
    return nearest.best;
}
