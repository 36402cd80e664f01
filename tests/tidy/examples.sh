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

# The recipes, with their inputs and the program in reach.
for format in msgpack csv jsonl; do
    "$top_builddir/examples/sensors" --records 4000 --format $format \
        >sensors.$format || exit 99
done
PATH=$top_builddir:$PATH
export PATH
for recipe in 03_csv 04_jsonl 05_freeze; do
    run sh "$top_srcdir/examples/$recipe.sh"
    is_status 0 "$recipe runs"
    [ -s ../stdout ]
    ok $? "$recipe shows something"
done
python=python3
$python -c 'import msgpack' 2>/dev/null || python=/usr/bin/python3
if $python -c 'import msgpack' 2>/dev/null; then
    prae-filter -q -O odd.msgpack <sensors.msgpack >clean.msgpack
    run $python "$top_srcdir/examples/06_outliers.py" odd.msgpack
    is_status 0 "06_outliers runs"
    has stdout '^[0-9]*: refused, nonfinite' "06_outliers names rejects"
    has stdout '^  *[0-9]* [a-z]*_' "06_outliers counts fields"
else
    ok 0 "no python with msgpack for 06_outliers # SKIP"
fi

run sh "$top_srcdir/examples/demo.sh" "$top_builddir"
is_status 0 "the demo runs"
has stdout '^fault  *planted  *found' "the demo shows what was found"
tap_done
