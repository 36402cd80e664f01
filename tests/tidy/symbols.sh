#!/bin/sh
# The header, the list of exported symbols and the library agree.
. "$top_srcdir/tests/tap.sh"

sym=$top_srcdir/src/libprae/libprae.sym
header=$top_srcdir/include/prae.h

sed -e 's,/\*.*\*/,,' -e '/\/\*/,/\*\//d' "$header" | tr '\n' ' ' |
    grep -o 'PRAE_API[^;]*;' | grep -o 'prae_[a-z_]*(' | tr -d '(' |
    sort -u >declared
sort -u "$sym" >listed
cmp declared listed
ok $? "libprae.sym lists what prae.h declares"
sort -c "$sym"
ok $? "libprae.sym is sorted"

library=$(ls "$top_builddir"/.libs/libprae.so 2>/dev/null ||
    ls "$top_builddir"/.libs/libprae.dylib 2>/dev/null)
if [ -n "$library" ]; then
    "$NM" -D --defined-only "$library" |
        awk '$2 ~ /[TDBRW]/ { sub(/@.*/, "", $3); print $3 }' |
        grep -v '^_' | sort -u >exported
    diff listed exported
    ok $? "the shared library exports these and nothing else"
else
    ok 0 "no shared library was built # SKIP"
fi
tap_done
