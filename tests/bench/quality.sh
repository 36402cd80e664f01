#!/bin/sh
# quality.sh [quick|full] [EXPERIMENT...] - how well prae-filter, as it is
# built, tells outliers from the rest.
#
#   FILTER     the built program (./prae-filter)
#   PRAE_DATA  directory with paper/NAME.csv.gz and stream/NAME.*.gz; without
#              it there is nothing to do
#   OUT        directory for .txt, .tsv and .svg, made if need be (quality-out)
#   OPTIONS    further options for each run of the program (none)
#   PYTHON     (the first of python3, /usr/bin/python3 with scikit-learn, for
#              the columns of other methods; else python3 without them). With
#              river it adds half-space trees to full runs
#   GNUPLOT    (gnuplot); without it there are tables but no plots
#   LONG_RECORDS  for the experiment long, which runs only when named
#              (10000000, in quick runs 300000)
set -eu

mode=${1:-quick}
[ $# -eq 0 ] || shift
here=$(dirname "$0")
filter=${FILTER:-./prae-filter}
out=${OUT:-quality-out}
gnuplot=${GNUPLOT:-gnuplot}

case $mode in
quick | full) ;;
*)
    echo "usage: quality.sh [quick|full] [EXPERIMENT...]" >&2
    exit 2
    ;;
esac
if [ ! -d "${PRAE_DATA:-}/paper" ] && [ ! -d "${PRAE_DATA:-}/stream" ]; then
    echo "quality.sh: no data sets: PRAE_DATA is '${PRAE_DATA:-}'," \
        "not a directory with paper/ and stream/; nothing was run"
    exit 0
fi
if ! command -v "$filter" >/dev/null 2>&1; then
    echo "quality.sh: no program at '$filter': build it and set FILTER" >&2
    exit 2
fi

python=${PYTHON:-}
for candidate in python3 /usr/bin/python3; do
    [ -z "$python" ] || break
    if "$candidate" -c 'import numpy, sklearn.ensemble' >/dev/null 2>&1; then
        python=$candidate
    fi
done
python=${python:-python3}
if ! command -v "$python" >/dev/null 2>&1; then
    echo "quality.sh: no Python 3 at '$python'; nothing was run"
    exit 0
fi

mkdir -p "$out"
# Numbers of another run must not pass for this one's.
rm -f "$out"/*.tsv "$out"/*.svg "$out"/quality.txt

# Into a file first and only then to the reader: in a pipe the program's
# failure would be lost.
status=0
"$python" -B "$here/quality.py" --filter="$filter" --out="$out" \
    --options="${OPTIONS:-}" "$mode" "$@" >"$out/quality.txt" || status=$?
cat "$out/quality.txt"

if [ -s "$out/contamination_clustered.tsv" ]; then
    if command -v "$gnuplot" >/dev/null 2>&1; then
        svg=$out/contamination.svg
        if "$gnuplot" -e "tsv='$out/contamination'; svg='$svg'" \
            "$here/contamination.gp"; then
            echo "drawn: $svg"
        else
            status=1
        fi
    else
        echo "quality.sh: no gnuplot at '$gnuplot': plots left out" >&2
    fi
fi
exit "$status"
