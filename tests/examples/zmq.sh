#!/bin/sh
# The ZeroMQ examples do what they say: each pipeline of them accounts for
# every record. Those whose language or packages are missing are skipped.
. "$top_srcdir/tests/tap.sh"
examples=$top_srcdir/examples
c=$top_builddir/examples
PATH=$top_builddir:$PATH
PYTHONDONTWRITEBYTECODE=1
export PATH PYTHONDONTWRITEBYTECODE

for python in "${PYTHON:-python3}" /usr/bin/python3 ''; do
    "${python:-false}" -c 'import msgpack, zmq' 2>/dev/null && break
done
node=
if command -v node >/dev/null && (cd "$examples/node" &&
    node -e 'require("zeromq"); require("@msgpack/msgpack")') 2>/dev/null; then
    node="node $examples/node"
fi

# pipeline NAME PRODUCER CONSUMER: starts one, with its output in NAME.*. They
# mostly wait, so all run at once.
pipeline() {
    name=$1
    (
        PRODUCER=$2 CONSUMER=$3 sh "$examples/11_pipeline.sh" 3000 \
            >"$name.out" 2>"$name.err"
        echo $? >"$name.status"
    ) &
}

# check NAME: what it came to.
check() {
    status=$(cat "$1.status")
    cp "$1.out" ../stdout
    cp "$1.err" ../stderr
    is_status 0 "$1: the pipeline runs, and its accounts agree"
    has stdout '^sent 3000 = fits [1-9][0-9]* + does not fit [1-9]' \
        "$1: all records arrive"
    has stdout 'pressure_bar' "$1: what does not fit says why"
    adds_up "$1: the filter's account adds up"
}

pipeline c "$c/09_producer" "$c/10_consumer"
[ -z "$python" ] || pipeline python "$python $examples/07_producer.py" \
    "$python $examples/08_consumer.py"
[ -z "$node" ] || pipeline node "$node/producer.js" "$node/consumer.js"
wait
check c
if [ -n "$python" ]; then
    check python
else
    ok 0 "no Python with zmq and msgpack # SKIP"
fi
if [ -n "$node" ]; then
    check node
else
    ok 0 "no Node with zeromq and @msgpack/msgpack # SKIP"
fi

# sub: and a topic, from one language to another: producer, consumer.
topics() {
    "$filter" -q --in="pull:@ipc://$scratch/in" \
        --outliers="pub:@ipc://$scratch/odd" \
        --inliers=null: --wait-peers=1 &
    stage=$!
    $2 "sub:ipc://$scratch/odd" 4 >../stdout 2>../stderr &
    consumer=$!
    $1 "push:ipc://$scratch/in" 1000 pump7 >sent
    wait $consumer
    status=$?
    kill $stage
    wait $stage
}

topics "$c/09_producer" "$c/10_consumer"
is_status 0 "a C consumer subscribes"
has stdout '^got 0 records, [1-9][0-9]* outliers' "and gets what does not fit"
if [ -n "$python" ]; then
    topics "$c/09_producer" "$python $examples/08_consumer.py"
    is_status 0 "a Python consumer subscribes to what came from C"
    has stdout '^pump7 [0-9]*: pressure_bar' "and the topic comes through"
fi
if [ -n "$node" ] && [ -n "$python" ]; then
    topics "$python $examples/07_producer.py" "$node/consumer.js"
    is_status 0 "a Node consumer subscribes to what came from Python"
    has stdout '^pump7 [0-9]*: pressure_bar' "and the topic comes through"
fi
tap_done
