#!/bin/sh
# What cannot be read or written: it is told, what was received is judged all
# the same, and the account claims nothing that was not delivered.
. "$top_srcdir/tests/tap.sh"

good() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
        printf "{\"a\":%.4f,\"b\":%.4f}\n", sin(i * 0.7), cos(i * 0.7) }'
}
good 700 >in.jsonl

# A file whose reading fails, rather than its opening.
broken=/proc/self/mem
if [ -r $broken ] && ! head -c 1 $broken >/dev/null 2>&1; then
    run "$filter" -f jsonl -o clean -O odd -i in.jsonl -i $broken
    is_status 74 "an input that cannot be read on ends the run"
    has stderr "cannot read $broken: " "which is told"
    adds_up "and what came before is in the account"
    [ "$(cat clean odd | wc -l)" -eq 700 ]
    ok $? "all of which is judged and written"
    run "$filter" --config=$broken in.jsonl
    is_status 78 "a configuration that cannot be read is refused"
fi

run "$filter" --config=. in.jsonl
is_status 78 "so is a directory in its place"
has stderr 'cannot read \.: ' "which is told"

# Counts that nobody reads do not keep it from ending.
mkfifo counts
"$filter" -q -f jsonl --stats=counts --drain=1s -o null: -O null: in.jsonl \
    2>../stderr &
running=$!
handles $running
sleep 1
kill -TERM $running
( sleep 20; kill -KILL $running 2>/dev/null ) >/dev/null 2>&1 &
wait $running
status=$?
is_status 74 "counts to a FIFO that nobody reads are given up when asked"
has stderr 'cannot write counts: nobody reads it' "which is told"
"$filter" -q -f jsonl --stats=counts -o null: -O null: in.jsonl &
running=$!
grep -q '"received": 700' <counts
ok $? "who reads them has them"
wait $running
ok $? "and it ends well"

# A disk that has room for little: files of more than 4 KiB cannot be.
small() {
    run sh -c 'ulimit -f 8 && exec "$@"' sh "$@"
}
small "$filter" -f jsonl -w 64 --model=m -o null: -O null: in.jsonl
is_status 74 "a model that could not be saved at the end is a failure"
has stderr 'cannot write m\.[0-9]*\.tmp: ' "which is told"
adds_up "and takes nothing off the account"
[ -z "$(ls | grep '^m')" ]
ok $? "nor is half a model left"

small "$filter" -f jsonl -w 64 -o clean -O null: in.jsonl
is_status 74 "an output that may not grow ends the run"
has stderr 'cannot write clean: ' "which is told, by us and not by the shell"
has stderr '= inliers [0-9]* + .* + undelivered ' "with the account"
"$filter" -q --cold=flag -w 1000 -o null: -O odd.jsonl in.jsonl
small sh -c '"$1" release odd.jsonl >back' sh "$top_builddir/praectl"
is_status 74 "praectl tells it, too"
has stderr 'praectl: error: cannot write ' "with a word"

# An output that has room for a part, wherever its longest record is.
for at in 0 300 511; do
    good 600 | awk -v at=$at 'NR == at + 1 { printf "{\"c\":\""
        for (i = 0; i < 40000; i++) printf "x"; printf "\"," ; sub(/{/, "") }
        1' >large.jsonl
    for blocks in 1 8 24 60; do
        rm -f part
        run sh -c 'trap "" XFSZ && ulimit -f $0 && exec "$@"' $blocks \
            "$filter" -f jsonl --threshold=-1 -o part large.jsonl
        [ $status -eq 74 ] && [ "$(sed -n \
            's/.*= inliers \([0-9]*\) + .*/\1/p' ../stderr)" = \
            "$(wc -l <part)" ]
        ok $? "a long record at $at, $blocks blocks: only whole ones count"
    done
done

if [ -w /dev/full ]; then
    run "$filter" -o /dev/full in.jsonl
    is_status 74 "an output that is full ends the run"
    has stderr '= inliers 0 + .* + undelivered ' \
        "and what did not fit is no inlier"
    run "$filter" --log-file=/dev/full -o /dev/full in.jsonl
    has stderr 'error: cannot write /dev/full' \
        "also where the log is full, too"
    run "$filter" -w 64 -o clean -O odd --scores=/dev/full in.jsonl
    is_status 74 "so do scores that cannot be written"
    sed -n 's/.*= inliers \([0-9]*\) + outliers \([0-9]*\) .*/\1 \2/p' \
        ../stderr >told
    echo "$(wc -l <clean) $(cat odd | wc -l)" >found
    is_same found told "but the records judged by then are there"
fi
tap_done
