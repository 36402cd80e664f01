#!/bin/sh
# demo.sh - a dirty stream, prae-filter, and what it found of the faults.
#
#     examples/demo.sh [BUILD_DIR]
#
# BUILD_DIR is where `make` ran, the current directory if not given. All
# files go to its directory demo, to be looked at.
set -eu

build=$(cd "${1:-.}" && pwd)

# Programs by their bare names, as in the commands shown. Automake puts them
# beside the Makefile or into the folders of their sources.
PATH=$build:$build/src/prae-filter:$build/examples:$PATH
export PATH
for program in sensors prae-filter score; do
    if ! command -v "$program" >/dev/null; then
        echo "demo.sh: no $program in $build; run make first" >&2
        exit 1
    fi
done

run()
{
    printf '\n$ %s\n' "$1"
    eval "$1"
}

mkdir -p "$build/demo"
cd "$build/demo"
echo "Two weeks of a water pumping station, a record a minute, with faults"
echo "planted; truth.csv says where. prae-filter does not get to see it."
run 'sensors --truth truth.csv > sensors.msgpack'
run 'prae-filter --report=report.html -o clean.msgpack -O flagged.msgpack \
    sensors.msgpack'
run 'score truth.csv clean.msgpack flagged.msgpack'
echo
echo "What was wrong with it, to look at in a browser:"
echo "    $build/demo/report.html"
echo
echo "Next: prae-filter --help, README.md, or your own data:"
echo "    prae-filter -o clean.csv -O flagged.csv yours.csv"
