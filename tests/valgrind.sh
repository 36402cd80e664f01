#!/bin/sh
# valgrind.sh - unit tests and scenes of both programs under memcheck: what was
# never written counts as an error where something hangs on it, and so does
# every block that is left behind. Prints a line for each and the sum; the logs
# of those that failed stay in valgrind/.
#
#   top_srcdir=... valgrind.sh [UNIT-TEST|scenes]...
set -u

unit='codec_csv codec_jsonl codec_msgpack codec_oracle envelope feature filter
    filter_calls filter_rejects flagged messages plan snapshot snapshot_damage'
out=$PWD/valgrind
failed=0
count=0

command -v valgrind >/dev/null 2>&1 || {
    echo 'valgrind is not installed' >&2
    exit 1
}
# What the sanitizers put around memory is not for valgrind.
[ "${SANITIZERS:-no}" = no ] || {
    echo 'this needs a build without sanitizers' >&2
    exit 1
}
top_srcdir=$(cd "$top_srcdir" && pwd) || exit 1
rm -rf "$out"
mkdir -p "$out" || exit 1
start=$(date +%s)

# The program itself, where libtool has put a script in its place.
real() {
    directory=$(dirname "$1")
    name=$(basename "$1")
    if [ -x "$directory/.libs/$name" ]; then
        echo "$directory/.libs/$name"
    else
        echo "$1"
    fi
}
LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# memcheck STATUS NAME PROGRAM [ARGUMENT]...: passes where PROGRAM ends with
# STATUS and valgrind has nothing to say of it: that it does not know a call
# of the system's, such as Landlock's, it says of itself.
memcheck() {
    wanted=$1
    name=$2
    shift 2
    count=$((count + 1))
    valgrind --quiet --error-exitcode=99 --leak-check=full \
        --show-leak-kinds=all --errors-for-leak-kinds=all \
        --child-silent-after-fork=yes \
        --suppressions="$top_srcdir/tests/valgrind.supp" \
        --log-file="$out/$name.log" "$@" >"$out/$name.out" 2>"$out/$name.err"
    status=$?
    if [ $status -eq "$wanted" ] && ! grep -qv '^--[0-9]*-- ' "$out/$name.log"; then
        echo "ok $count - $name"
        rm -f "$out/$name.log" "$out/$name.err"
    else
        echo "not ok $count - $name: status $status, wanted $wanted"
        head -n 40 "$out/$name.log" "$out/$name.err" | sed 's/^/# /'
        failed=$((failed + 1))
    fi
}

# Of text, some lines are no records any more.
spoil() {
    if [ "$1" = msgpack ]; then
        cat
    else
        awk 'NR % 97 == 50 { print "{\"a\":"; next } { print }'
    fi
}

# In valgrind/, where their files stay, too.
play() {
    for format in msgpack jsonl csv; do
        "$sensors" --records 400 --format $format >good.$format || exit 1
        spoil $format <good.$format >in.$format
        memcheck 0 $format-save "$filter" -w 128 --epochs=2 --cold-epochs=4 \
            -m model.$format -o clean.$format -O odd.$format \
            --rejects=bad.$format --scores=scores.$format \
            --report=report.$format.html --stats=stats.$format in.$format
        memcheck 0 $format-load "$filter" -w 128 --epochs=2 -m model.$format \
            --emit=now --threads=2 -o null: -O odd2.$format \
            --report=report.$format.json in.$format
        memcheck 0 $format-freeze "$filter" --freeze -m model.$format -t 0.5 \
            -o null: -O odd3.$format in.$format
        memcheck 0 $format-inspect "$filter" --inspect=model.$format
        memcheck 0 $format-show "$ctl" show -t odd.$format
        memcheck 0 $format-show-all "$ctl" show odd.$format
        memcheck 0 $format-release "$ctl" release odd.$format
        memcheck 0 $format-rescore "$ctl" rescore --model=model.$format \
            odd.$format
    done
    head -c 1000 model.csv >cut
    memcheck 78 snapshot-cut "$filter" -f csv -m cut -o null: in.csv
    memcheck 65 all-refused "$filter" -f msgpack -o null: -O null: in.jsonl
    memcheck 0 help "$filter" --help
    memcheck 2 wrong "$filter" --no-such-option
}

filter=$(cd "$(dirname "$(real ./prae-filter)")" && pwd)/prae-filter
ctl=$(cd "$(dirname "$(real ./praectl)")" && pwd)/praectl
sensors=$PWD/examples/sensors
# The inner loops that every processor has: valgrind knows no others for sure.
PRAE_KERNEL=baseline
export PRAE_KERNEL

for name in ${*:-$unit scenes}; do
    if [ "$name" = scenes ]; then
        cd "$out" && play
    else
        memcheck 0 "$name" "$(real "tests/unit/$name")"
    fi
done
echo "$((count - failed)) of $count clean, $(($(date +%s) - start)) s"
[ $failed -eq 0 ]
