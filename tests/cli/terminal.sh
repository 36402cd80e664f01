#!/bin/sh
# On a terminal: what it says, shows and refuses.
. "$top_srcdir/tests/tap.sh"
command -v script >/dev/null || skip_all "no script(1) to make a terminal"
script -qec true /dev/null >/dev/null 2>&1 || skip_all "script(1) is of another kind"
"$top_builddir/examples/sensors" --records 20000 >in || exit 99

# on_terminal COMMAND: runs it with a terminal for everything.
on_terminal() {
    script -qec "$1" /dev/null </dev/null >../stdout 2>&1
    status=$?
}

on_terminal "$filter in"
is_status 2 "MessagePack is not written to a terminal"
has stdout 'not writing MessagePack to a terminal' "and that is told"
on_terminal "$filter -o /dev/tty in"
is_status 2 "nor by its name"
on_terminal "$filter"
is_status 2 "without arguments it does not wait for typed records"
has stdout 'no input: give a FILE' "and that is told"
on_terminal "$filter -o out in"
is_status 0 "with -o it runs"
has stdout 'records, [0-9]*/s, [0-9.]* % flagged, ' "progress is shown"
on_terminal "$filter -q -o out in"
[ ! -s ../stdout ]
ok $? "-q shows nothing"
run "$filter" -o out in
! grep -q 'records, [0-9]*/s' ../stderr
ok $? "in a pipe there is no progress"
run "$filter" --progress -o out in
has stderr 'records, [0-9]*/s' "unless it is asked for"

# Names from records are printed, and neither obeyed nor believed.
awk 'BEGIN { srand(1); for (i = 0; i < 600; i++)
    printf "{\"a\\nprae-filter: error: forged\":%g,\"\\u001b]0;x\\u0007\":%g,\"\\u009b31m\":%g}\n",
        rand(), rand(), rand() }' >names.jsonl
run "$filter" -o null: names.jsonl
is_status 0 "names that hold controls"
if grep -q '^prae-filter: error: forged' ../stderr; then false; else true; fi
ok $? "forge no line"
if LC_ALL=C tr -d '\n' <../stderr | LC_ALL=C grep -q '[[:cntrl:]]'; then
    false
else
    true
fi
ok $? "and drive no terminal"
has stderr 'a\\x0aprae-filter' "but are shown"
awk 'BEGIN { srand(1); for (i = 0; i < 600; i++)
    printf "{\"\\u202eflow\":%g,\"m\\u00b2\\u2070\":%g}\n", rand(), rand() }' \
    >turned.jsonl
run "$filter" -o null: turned.jsonl
has stderr '\\u202eflow, m²⁰$' "what would turn text around is named"
awk 'BEGIN { srand(1); for (k = 0; k < 600; k++) n = n "n"
    for (i = 0; i < 600; i++) printf "{\"%s\":%g,\"b\":%g}\n", n, rand(), rand() }' \
    >long.jsonl
run "$filter" -o null: long.jsonl
is_status 0 "a name of 600 bytes"
has stderr 'by 2 features: ' "is left out of the list"
tap_done
