#!/bin/sh
# profile.sh FILTER - where the time goes: the functions that take most of it
# when records are scored, learned from, and a wide net is trained.
#
#   FILTER  the built program
#   SPEED   the built bench (tests/bench/speed)
#   OUT     directory for profile.txt, made if need be (bench)
#   PERF    (perf)
set -eu

filter=${1:-./prae-filter}
speed=${SPEED:-tests/bench/speed}
out=${OUT:-bench}
perf=${PERF:-perf}
least=1.5 # percent

scratch=$(mktemp -d "${TMPDIR:-/tmp}/prae-profile.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
if ! "$perf" record -o "$scratch/try" -e cpu-clock true >/dev/null 2>&1; then
    echo "profile.sh: skipped: no perf that may count (package linux-perf)"
    exit 0
fi
mkdir -p "$out"

# profile TITLE COMMAND...
profile() {
    echo
    echo "$1"
    shift
    "$perf" record -q -e cpu-clock -F 5000 -o "$scratch/perf" "$@" \
        >/dev/null 2>&1
    "$perf" report -i "$scratch/perf" --no-children --stdio \
        --percent-limit "$least" --sort dso,symbol 2>/dev/null |
        sed -n 's/^ *\([0-9.]*%\) *\([^ ]*\) *\[\(.\)\] \([^ ]*\).*/\1 \3 \2 \4/p' |
        awk '{ sub(/\.so.*/, "", $3)
               printf "    %7s  %-10s %s\n", $1, $2 == "k" ? "kernel" : $3, $4 }'
}

"$speed" records array 16 1000000 >"$scratch/records"
"$filter" -q -m "$scratch/model" -o null: -O null: --window=512 - \
    <"$scratch/records"
{
    "$speed" machine
    echo "Shares of CPU time, from $least % on."
    profile 'score only, a million records, file to /dev/null:' "$filter" -q \
        -m "$scratch/model" --freeze -o /dev/null -O null: "$scratch/records"
    profile 'in-line retraining, the same:' "$filter" -q -o /dev/null \
        -O null: "$scratch/records"
    profile 'training 784-100x5, batch 64:' "$speed" figures "$filter" \
        "$scratch" train_784_64
} >"$out/profile.txt"
cat "$out/profile.txt"
