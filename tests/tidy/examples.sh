#!/bin/sh
# The examples do what they say.
. "$top_srcdir/tests/tap.sh"

run "$top_builddir/examples/01_gates"
is_status 0 "01_gates runs"
has stdout '^found 20 of 20 wrong rows' "01_gates finds what it planted"
[ "$(wc -l <"$top_srcdir/examples/01_gates.c")" -le 80 ]
ok $? "01_gates is short"

run sh "$top_srcdir/examples/demo.sh" "$top_builddir"
is_status 0 "the demo runs"
has stdout '^fault  *planted  *found' "the demo shows what was found"
tap_done
