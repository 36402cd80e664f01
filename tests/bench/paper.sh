#!/bin/sh
# paper.sh [quick|full] - runs the paper's experiments and draws their plots.
#
#   PAPER      the built program (./paper)
#   PRAE_DATA  directory with paper/NAME.csv.gz; without it the experiments
#              on data sets are left out
#   OUT        directory for .txt, .tsv and .svg, made if need be (paper-out)
#   SEEDS      runs a figure is the median of (the program's default)
#   GNUPLOT    (gnuplot); without it there are tables but no plots
set -eu

mode=${1:-quick}
here=$(dirname "$0")
paper=${PAPER:-./paper}
out=${OUT:-paper-out}
gnuplot=${GNUPLOT:-gnuplot}

case $mode in
quick | full) ;;
*)
    echo "usage: paper.sh [quick|full]" >&2
    exit 2
    ;;
esac
if ! command -v "$paper" >/dev/null 2>&1; then
    echo "paper.sh: no program at '$paper': build it and set PAPER" >&2
    exit 2
fi
mkdir -p "$out"
# Plots of another run must not pass for this one's.
rm -f "$out"/*.tsv "$out"/*.svg

# Into a file first and only then to the reader: in a pipe the program's
# failure would be lost.
status=0
"$paper" ${SEEDS:+-s "$SEEDS"} -o "$out" "$mode" >"$out/paper.txt" || status=$?
cat "$out/paper.txt"
[ "$status" -eq 0 ] || exit "$status"

if ! command -v "$gnuplot" >/dev/null 2>&1; then
    echo "paper.sh: no gnuplot at '$gnuplot': plots left out" >&2
    exit 0
fi

# draw SCRIPT TSV SVG [SETTINGS]: leaves out what has no numbers.
draw() {
    [ -s "$out/$2" ] || return 0
    "$gnuplot" -e "tsv='$out/$2'; svg='$out/$3'; ${4:-}" "$here/$1"
    echo "drawn: $out/$3"
}

echo
draw phase.gp phase.tsv phase.svg
draw subspace.gp subspace.tsv subspace.svg
draw swiss.gp swiss.tsv swiss.svg
if [ -s "$out/grid.tsv" ]; then
    block=0
    for name in $(cut -f 1 "$out/grid.tsv" | uniq); do
        draw grid.gp grid.tsv "grid_$name.svg" "block=$block; name='$name'"
        block=$((block + 1))
    done
fi
