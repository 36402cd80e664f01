#!/bin/sh
# peers.sh FILTER [quick|full] - others' speed beside ours, in one run.
#
#   FILTER  the built program
#   SPEED   the built bench (tests/bench/speed)
#   OUT     directory for peers.txt and peers.json, made if need be (bench)
#   PYTHON  a Python that has the packages below, or some; without it they
#           are installed where they are thrown away again afterwards. That
#           takes 8 GB of room in TMPDIR, most of it PyTorch's
set -eu

filter=${1:-./prae-filter}
mode=${2:-full}
here=$(dirname "$0")
speed=${SPEED:-tests/bench/speed}
out=${OUT:-bench}
packages='msgpack numpy scikit-learn river torch pyod tqdm'

case $mode in
quick | full) ;;
*)
    echo "usage: peers.sh FILTER [quick|full]" >&2
    exit 2
    ;;
esac
scratch=$(mktemp -d "${TMPDIR:-/tmp}/prae-peers.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$out"
rm -f "$out/peers.txt" "$out/peers.json"

python=${PYTHON:-}
if [ -z "$python" ]; then
    if ! python3 -m venv "$scratch/venv" >"$scratch/said" 2>&1; then
        echo "peers.sh: no peers: python3 makes no venv:" \
            "$(tail -n 1 "$scratch/said")"
        exit 0
    fi
    python=$scratch/venv/bin/python
    # One by one: what cannot be had is missed by nobody else.
    for package in $packages; do
        echo "peers.sh: installing $package" >&2
        "$python" -m pip install --quiet --no-cache-dir "$package" \
            >"$scratch/said" 2>&1 ||
            echo "peers.sh: no $package: $(tail -n 1 "$scratch/said")" >&2
    done
fi
if ! "$python" -c 'import msgpack, numpy' 2>"$scratch/said"; then
    echo "peers.sh: no peers: $(tail -n 1 "$scratch/said")"
    exit 0
fi

status=0
"$python" -B "$here/speed_peers.py" "$speed" "$filter" "$scratch" "$out" \
    "$mode" >"$out/peers.txt" || status=$?
cat "$out/peers.txt"
exit "$status"
