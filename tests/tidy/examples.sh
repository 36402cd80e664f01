#!/bin/sh
# The examples do what they say.
. "$top_srcdir/tests/tap.sh"

run "$top_builddir/examples/01_gates"
is_status 0 "01_gates runs"
has stdout '^found 20 of 20 wrong rows' "01_gates finds what it planted"
[ "$(wc -l <"$top_srcdir/examples/01_gates.c")" -le 80 ]
ok $? "01_gates is short"

"$top_builddir/examples/sensors" --records 3000 >in || exit 99
"$top_builddir/examples/02_filter" <in >small 2>../stderr
is_status 0 "02_filter runs"
"$filter" -q <in >large
is_same small large "02_filter does what prae-filter does"

run sh "$top_srcdir/examples/demo.sh" "$top_builddir"
is_status 0 "the demo runs"
has stdout '^fault  *planted  *found' "the demo shows what was found"
tap_done
