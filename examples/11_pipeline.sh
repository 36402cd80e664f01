#!/bin/sh
# prae-filter between two programs, over ZeroMQ: a producer sends to it, one
# consumer gets what fits, another what does not. The producer and the
# consumers know nothing of the filter but an endpoint.
#
#     sh 11_pipeline.sh [COUNT]
#
# Needs prae-filter in the path, and Python with zmq and msgpack; PRODUCER and
# CONSUMER may name other programs, as 'node node/producer.js'.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
producer=${PRODUCER:-python3 $here/07_producer.py}
consumer=${CONSUMER:-python3 $here/08_consumer.py}
count=${1:-10000}

if ! command -v prae-filter >/dev/null; then
    echo "11_pipeline.sh: no prae-filter in the path" >&2
    exit 1
fi
if [ -z "${PRODUCER:-}" ] && ! python3 -c 'import msgpack, zmq' 2>/dev/null; then
    echo "11_pipeline.sh: python3 lacks msgpack or zmq" \
        "(Debian: python3-msgpack, python3-zmq)" >&2
    exit 1
fi

run=$(mktemp -d)
trap 'kill $pids 2>/dev/null || true; wait; rm -rf "$run"' EXIT
trap 'exit 1' HUP INT TERM
pids=

# Any order will do: who comes first waits for the others.
$consumer "pull:ipc://$run/clean" 5 >"$run/clean.txt" &
clean=$!
$consumer "pull:ipc://$run/odd" 5 >"$run/odd.txt" &
odd=$!
prae-filter --in="pull:@ipc://$run/in" --inliers="push:@ipc://$run/clean" \
    --outliers="push:@ipc://$run/odd" --stats="$run/stats.json" --drain=30s &
filter=$!
pids="$clean $odd $filter"
$producer "push:ipc://$run/in" "$count"

# A socket has no end. Asked to stop, the filter judges and delivers what it
# has received, and only then goes.
sleep 1
kill "$filter"
wait "$filter"
wait "$clean" "$odd"
pids=
echo "what fits:"
sed 's/^/    /' "$run/clean.txt"
echo "what does not:"
sed 's/^/    /' "$run/odd.txt"

# The accounts of all three agree.
number() {
    sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$run/stats.json"
}
fits=$(sed -n 's/^got \([0-9]*\) records.*/\1/p' "$run/clean.txt")
odds=$(sed -n 's/^got .* \([0-9]*\) outliers.*/\1/p' "$run/odd.txt")
[ "$(number received)" -eq "$count" ] && [ "$(number inliers)" -eq "$fits" ] &&
    [ "$(number outliers)" -eq "$odds" ] || {
    echo "the accounts do not agree" >&2
    exit 1
}
echo "sent $count = fits $fits + does not fit $odds"
