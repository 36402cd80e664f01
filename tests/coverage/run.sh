#!/bin/sh
# run.sh - builds the tree with gcc's coverage in coverage/, below where it is
# run, runs all of `make check' there, and tells what was reached of src/.
#
#   COVERAGE_CC    a gcc (gcc)
#   GCOV           its gcov (gcov)
#   COVERAGE_JOBS  compilers and tests at once (as many as processors)
#
# What is told goes to coverage/report.txt, too. The status is 1 where a test
# failed or less was reached than report.py asks for.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cc=${COVERAGE_CC:-gcc}
gcov=${GCOV:-gcov}
jobs=${COVERAGE_JOBS:-$(getconf _NPROCESSORS_ONLN)}

say() {
    echo "coverage: $*" >&2
}

lack() {
    say "$*"
    exit 2
}

check_tools() {
    $cc --coverage "$here/dump.c" -shared -fPIC -o try.so 2>/dev/null ||
        lack "$cc --coverage does not work; install gcc, or set COVERAGE_CC"
    rm -f try.so ./*.gcno
    "$gcov" --help 2>/dev/null | grep -q -e --json-format ||
        lack "$gcov has no --json-format; install gcc 9 or newer, or set GCOV"
    command -v python3 >/dev/null || lack 'there is no python3'
}

# As written: not one branch is merged with another, and a source compiled for
# several programs has the same branches in each. Threads count, too.
build() {
    $cc -O2 -c "$here/dump.c" -o dump.o
    say "building in $PWD"
    "$top/configure" --quiet --disable-shared CC="$cc" \
        CFLAGS='-g -O0 --coverage -fprofile-update=atomic' \
        LDFLAGS="--coverage -Wl,$PWD/dump.o"
    make -s -j "$jobs"
    make -s -j "$jobs" check TESTS=
    find . -name '*.gcda' -exec rm -f {} +
}

# With the patience that the sanitizers are given: this is slower yet. Where a
# test leaves no way to write counts, that is no word for its stderr.
run_tests() {
    GCOV_ERROR_FILE=$PWD/unwritten.log
    PRAE_COVERAGE=1 # for tests/zmq/peers.py
    export GCOV_ERROR_FILE PRAE_COVERAGE
    make -s -k -j "$jobs" check SANITIZERS_ON=slow
}

# From nothing: counts belong to the objects that they were counted with.
rm -rf coverage
mkdir coverage
cd coverage
check_tools
build
status=0
run_tests || status=1
python3 "$here/report.py" "$gcov" "$top" . "$here/why.txt" >report.txt ||
    status=1
cat report.txt
[ "$status" -eq 0 ] || say 'a test failed, or too little was reached'
exit "$status"
