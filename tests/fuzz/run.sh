#!/bin/sh
# run.sh [TARGET...] - fuzzes each target for a while, all of them if none is
# named; codec stands for fuzz_codec.c. A target is a file here, no more: it
# is linked with what it calls of src/, and the words after `About:' in its
# head name the files whose coverage is told.
#
#   FUZZ_SECONDS  for each target (3600)
#   FUZZ_JOBS     targets at once (1)
#   CLANG         (clang)
#   FUZZ_CFLAGS, FUZZ_LIBS  what the libraries need, as make fuzz says it
#
# In fuzz/, below where it is run, each target has a directory:
#
#   found/     inputs that it crashed on, leaked on, or took too long for
#   corpus/    what reaches something that nothing else does, minimised; the
#              next run goes on from there
#   keep/      those of them that reach lines which the corpus in the tree
#              does not: to be named and put there
#   log, coverage.txt
#
# A finding ends the run of its target: mend it, then run again. The status
# is 1 where there was one.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
seconds=${FUZZ_SECONDS:-3600}
jobs=${FUZZ_JOBS:-1}
clang=${CLANG:-clang}
flags="-std=gnu11 -g -fno-omit-frame-pointer -I$top/include
    -I$top/src/libprae -I$top/src/prae-filter -I$top/src/praectl -I$top/tests
    ${FUZZ_CFLAGS:--DPRAE_HTTP}"
libs=${FUZZ_LIBS:--lblis -ljansson -lmicrohttpd -lmsgpackc -lxxhash -lzmq}

say() {
    echo "fuzz: $*" >&2
}

skip() {
    say "skipped: $*"
    exit 0
}

# tool NAME: the path of a tool of clang's own version, or of any.
tool() {
    command -v "$("$clang" -print-prog-name="$1")" || command -v "$1"
}

check_tools() {
    command -v "$clang" >/dev/null 2>&1 ||
        skip "there is no $clang; install clang, or set CLANG"
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n)
        { return d == 0 && n > 0; }' >try.c
    "$clang" -w -fsanitize=fuzzer,address try.c -o try 2>/dev/null ||
        skip "$clang lacks libFuzzer and the sanitizers; install its runtime"
    rm -f try try.c
    tool llvm-cov >/dev/null && tool llvm-profdata >/dev/null ||
        say 'no llvm-cov or llvm-profdata (package llvm): lines not counted'
}

build() {
    programs=
    for target in $targets; do
        programs="$programs $target/hunt $target/count"
    done
    say "building: $(echo $targets)"
    make -s -f "$here/build.mk" -j "$jobs" TOP="$top" \
        CLANG="$clang" FLAGS="$(echo $flags)" LIBS="$libs" $programs
}

# ---- one target; in its directory ----

# Reads the log for what libFuzzer counted last: "cov: N ft: M".
edges() {
    sed -n 's/.* cov: \([0-9]*\) ft: \([0-9]*\).*/\1 \2/p' log | tail -n 1
}

# What was found before and is mended now is of the corpus.
recheck() {
    for file in found/*; do
        [ ! -e "$file" ] || ! ./hunt "$file" >/dev/null 2>&1 ||
            mv "$file" corpus/
    done
}

hunt() {
    mkdir -p corpus found
    recheck
    begun=$(date +%s)
    nice -n 19 ./hunt -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=found/ \
        corpus $seeds >log 2>&1 || say "$target: see fuzz/$target/log"
    took=$(($(date +%s) - begun))
}

# What nothing smaller in the corpus stands for; then what is new in lines.
minimise() {
    rm -rf least keep
    mkdir least keep
    nice -n 19 ./hunt -merge=1 -rss_limit_mb=2048 least corpus $seeds \
        >merge.log 2>&1 || say "$target: see fuzz/$target/merge.log"
    [ -z "$(ls least)" ] || { rm -rf corpus && mv least corpus; }
    rm -rf least
    [ -z "$seeds" ] || cp "$seeds"/* keep/
    nice -n 19 ./hunt -merge=1 -rss_limit_mb=2048 -use_counters=0 keep corpus \
        >>merge.log 2>&1 || say "$target: see fuzz/$target/merge.log"
    [ -z "$seeds" ] || for seed in "$seeds"/*; do
        rm -f "keep/$(basename "$seed")"
    done
}

# The files that a target is about, from its head.
about() {
    sed -n '/^ \* About:/,/^ \*\(\/\| *$\)/p' "$here/fuzz_$target.c" |
        tr ' ' '\n' | grep '^src/' | while read -r name; do
        (cd "$top" && ls $name)
    done | sed "s|^|$top/|"
}

lines_reached() {
    tool llvm-cov >/dev/null && tool llvm-profdata >/dev/null || return 0
    LLVM_PROFILE_FILE=count.profraw nice -n 19 ./count corpus $seeds \
        >/dev/null 2>&1 || true # what it found is told by then
    "$(tool llvm-profdata)" merge -sparse count.profraw -o count.profdata \
        2>/dev/null || return 0
    "$(tool llvm-cov)" report ./count -instr-profile=count.profdata $(about) \
        >coverage.txt 2>/dev/null || return 0
    rm -f count.profraw
    # The totals of regions, functions, then lines, each three columns.
    awk '$1 == "TOTAL" { print $10 }' coverage.txt
}

run_one() {
    cd "$target"
    seeds=$here/corpus/$target
    [ -d "$seeds" ] || seeds=
    hunt
    minimise
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' log)
    lines=$(lines_reached)
    printf '%-10s %7s %11s %6s %7s %7s %6s %8s\n' "$target" "$took" \
        "${executions:--}" $(edges) "${lines:--}" "$(ls corpus | wc -l)" \
        "$(ls found | wc -l)" >row
    cat row
    [ -z "$(ls found)" ] || (cd found && ls -- *) | sed "s|^|  $target/found/|"
}

# ---- all of them ----

if [ "${1:-}" = --one ]; then
    target=$2
    run_one
    exit 0
fi

mkdir -p fuzz
cd fuzz
check_tools
if [ $# -eq 0 ]; then
    set -- $(cd "$here" && ls fuzz_*.c | sed 's/^fuzz_//;s/\.c$//')
fi
targets=$*
for target in $targets; do
    if [ ! -e "$here/fuzz_$target.c" ]; then
        say "there is no target $target, that is tests/fuzz/fuzz_$target.c"
        exit 2
    fi
done
build
printf '%-10s %7s %11s %6s %7s %7s %6s %8s\n' target seconds executions \
    edges features lines corpus findings
printf '%s\n' $targets | xargs -P "$jobs" -n 1 sh "$here/run.sh" --one
for target in $targets; do
    [ -z "$(ls "$target/found")" ] || exit 1
done
