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
tap_done
