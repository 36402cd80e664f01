#!/bin/sh
# Man pages are sound, know every option, and their examples work.
. "$top_srcdir/tests/tap.sh"
man=$top_srcdir/man
MANDOC=${MANDOC:-$(command -v mandoc)}

if [ -n "$MANDOC" ]; then
    for page in "$man"/*.[1357]; do
        "$MANDOC" -Tlint -Wwarning "$page" >lint 2>&1
        sed 's/^/# /' lint
        [ ! -s lint ]
        ok $? "$(basename "$page") passes mandoc's lint"
    done
else
    ok 0 "no mandoc to lint with # SKIP"
fi

"$filter" --help | grep -o -- ' --[a-z-]*' | tr -d ' ' | sort -u >options
missing=0
while read -r option; do
    grep -q -- "Fl -${option#--}\b" "$man/prae-filter.1" || {
        echo "# $option is not in prae-filter.1"
        missing=1
    }
done <options
ok $missing "prae-filter.1 has every option that --help shows"

sed -n 's/.*Fl -\([a-z][a-z-]*\).*/--\1/p' "$man/prae-filter.1" | sort -u |
    while read -r option; do
        grep -qx -- "$option" options || echo "# $option is not an option"
    done >unknown
cat unknown
[ ! -s unknown ]
ok $? "prae-filter.1 has no option that does not exist"

for symbol in $(cat "$top_srcdir/src/libprae/libprae.sym"); do
    grep -q "$symbol" "$man/libprae.3" || echo "# $symbol"
done >absent
cat absent
[ ! -s absent ]
ok $? "libprae.3 has every function"

# names_in FILE: of a list in it, "that shape a model (this, that)".
names_in() {
    tr -s '*\n ' '   ' <"$1" |
        sed -n 's/.*that shape a model (\([^)]*\)).*/\1/p' |
        tr ',' '\n' | tr -d ' ' | sort
}
sed -n '/shaping\[\] = {/,/};/p' "$top_srcdir/src/libprae/snapshot.c" |
    grep -o '"[a-z-]*"' | tr -d '"' | sort >shaping
[ -s shaping ] || exit 99
for page in man/prae-snapshot.5 include/prae.h; do
    names_in "$top_srcdir/$page" | diff shaping - >differing
    result=$?
    sed 's/^/# /' differing
    ok $result "$page lists the parameters that snapshots hold"
done

# The examples, as they stand, with the program first in the path.
for format in msgpack csv jsonl; do
    "$top_builddir/examples/sensors" --records 3000 --format "$format" \
        >"sensors.$format" || exit 99
done
PATH=$top_builddir:$PATH
export PATH
count=0

# run_examples PAGE: all but those that wait for peers, or are no commands.
run_examples() {
    rm -f example*.sh
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh /p' "$man/$1" |
        sed -n '/^\.Bd -literal/,/^\.Ed/p' |
        sed -e '/^\.Bd/d' -e 's/^\.Ed.*//' -e 's/\\e/\\/g' -e 's/\\-/-/g' \
            -e 's/^\\&//' >blocks
    awk 'BEGIN { RS = ""; n = 0 } { n++
        f = sprintf("example%02d.sh", n); print > f }' blocks
    for example in example*.sh; do
        [ -e "$example" ] || break
        [ "$1" = prae-filter.1 ] || ! grep -q '://' "$example" || continue
        count=$((count + 1))
        sed -i -e 's/^\$ //' -e 's/^> //' "$example"
        sh -e "$example" >out 2>err </dev/null
        result=$?
        ok $result "the example: $(head -n 1 "$example")"
        [ $result -eq 0 ] || sed 's/^/# /' err
    done
}
run_examples prae-filter.1
[ $count -ge 3 ]
ok $? "prae-filter.1 has examples"
count=0
run_examples praectl.1
[ $count -ge 3 ]
ok $? "praectl.1 has examples"
tap_done
