#!/bin/sh
# A test that nothing builds or runs cannot fail: every one is in the
# Makefile.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99

# each PATTERN...: those that Makefile.am does not name.
unnamed() {
    for file in "$@"; do
        grep -qF "${file%.c}" Makefile.am || echo "# $file"
    done
}

unnamed tests/unit/*.[ch] tests/cli/*.sh tests/tidy/*.sh tests/fuzz/*.sh tests/lint/* \
    tests/bench/*.[ch] tests/bench/*.sh tests/bench/*.py tests/bench/*.gp \
    tests/fuzz/*.c examples/*.c examples/*.h examples/*.sh examples/*.py man/*.[1357] \
    src/libprae/*.[ch] src/prae-filter/*.[ch] src/praectl/*.[ch] \
    tests/examples/*.sh tests/zmq/*.py tests/zmq/*.sh tests/zmq/*.c tests/http/*.py \
    tests/torture/*.[ch] tests/torture/*.py tests/mutants/*.py \
    tests/confine/*.c tests/confine/*.sh tests/coverage/* \
    src/prae-filter/web/* tests/web/*.py tests/web/*.c build-aux/embed.sh >"$scratch/unnamed"
cat "$scratch/unnamed"
[ ! -s "$scratch/unnamed" ]
ok $? "Makefile.am names every source, test, example and man page"
tap_done
