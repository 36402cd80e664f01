#!/bin/sh
# speed.sh FILTER [quick|full|growth] - how fast the filter is, and how that
# grows.
#
#   FILTER   the built program
#   SPEED    the built bench (tests/bench/speed)
#   OUT      directory for .txt, .json, .tsv and .svg, made if need be (bench)
#   GNUPLOT  (gnuplot); without it there are tables but no plots
#   TMPDIR   (/tmp) needs 2 GB of room in a full run
set -eu

filter=${1:-./prae-filter}
mode=${2:-quick}
here=$(dirname "$0")
speed=${SPEED:-tests/bench/speed}
out=${OUT:-bench}
gnuplot=${GNUPLOT:-gnuplot}

case $mode in
quick | full) name=speed ;;
growth) name=growth ;;
*)
    echo "usage: speed.sh FILTER [quick|full|growth]" >&2
    exit 2
    ;;
esac
for program in "$speed" "$filter"; do
    if ! command -v "$program" >/dev/null 2>&1; then
        echo "speed.sh: no program at '$program':" \
            "build it, name it or set SPEED" >&2
        exit 2
    fi
done

scratch=$(mktemp -d "${TMPDIR:-/tmp}/prae-speed.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$out"
# Numbers of another run must not pass for this one's.
rm -f "$out/$name.json" "$out/$name.txt" "$out/$name"_*.tsv "$out/$name.svg"

# Of the last minute: whether the machine had other things to do.
load() {
    cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo '?'
}

# Into a file first and only then to the reader: in a pipe the program's
# failure would be lost.
status=0
echo "load before $(load)" >"$scratch/load"
"$speed" "$mode" "$filter" "$scratch" "$out" >"$out/$name.txt" || status=$?
echo "$(cat "$scratch/load"), after $(load)" >>"$out/$name.txt"
cat "$out/$name.txt"

if [ "$name" = growth ]; then
    if command -v "$gnuplot" >/dev/null 2>&1; then
        "$gnuplot" -e "tsv='$out/growth'; svg='$out/growth.svg'" \
            "$here/growth.gp" || status=1
        echo "drawn: $out/growth.svg"
    else
        echo "speed.sh: no gnuplot at '$gnuplot': plots left out" >&2
    fi
fi
exit "$status"
