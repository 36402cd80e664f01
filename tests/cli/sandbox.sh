#!/bin/sh
# What the options need goes on with --sandbox, which is on.
. "$top_srcdir/tests/tap.sh"

"$top_builddir/examples/sensors" --records 1500 --format csv >in.csv || exit 99
run "$filter" -v -o clean.csv in.csv
grep -q 'sandbox, by Landlock' ../stderr || skip_all "$(grep sandbox ../stderr)"
cp clean.csv wanted.csv

# works NAME [OPTION]...: it is confined, and does its work.
works() {
    name=$1
    shift
    run "$filter" -v "$@"
    is_status 0 "$name"
    has stderr 'sandbox, by Landlock' "... confined"
}

has stderr 'written to: clean.csv; read.*: in.csv' "-v says what is kept"
run "$filter" -v --sandbox=off -o off.csv in.csv
! grep -q sandbox ../stderr
ok $? "--sandbox=off gives up nothing"
is_same off.csv wanted.csv "... and is no different"
run "$filter" --sandbox=on in.csv
is_status 2 "--sandbox=on is refused"
has stderr "'on' is not auto or off" "... by what it may be"
echo 'sandbox = off' >conf
run "$filter" --config=conf -v -o off.csv in.csv
! grep -q sandbox ../stderr
ok $? "a configuration may say so, too"

mkdir far out state papers logs
mv clean.csv far/old.csv
ln -s far/new.csv link.csv
ln -s far near
works "to a link that leads nowhere yet" -o link.csv in.csv
is_same far/new.csv wanted.csv "... it does then"
works "in a directory by a link" -o near/old.csv -O near/odd.csv near/../in.csv
is_same far/old.csv wanted.csv "... what was there is replaced"
works "to /dev/null and /dev/stdout" -o /dev/stdout -O /dev/null \
    --stats=/dev/null in.csv
is_same ../stdout wanted.csv "... what is redirected"
works "to a descriptor" -o /dev/fd/3 in.csv 3>piped.csv
is_same piped.csv wanted.csv "... all of it"
run sh -c '"$1" -v in.csv | cat' sh "$filter"
is_same ../stdout wanted.csv "to a pipe"

mkfifo in.fifo out.fifo
cat in.csv >in.fifo &
cat out.fifo >fifo.csv &
works "from a FIFO to another" -f csv -i in.fifo -o out.fifo
wait
is_same fifo.csv wanted.csv "... all of it"
cat out.fifo >fifo.csv &
run sh -c '"$1" in.csv >out.fifo' sh "$filter"
wait
is_same fifo.csv wanted.csv "to a FIFO that was redirected to"
cat in.csv >in.fifo &
cat out.fifo >fifo.csv &
works "from and to FIFOs that were handed over" -f csv -i /dev/fd/4 \
    -o /dev/fd/3 --stats=/dev/fd/5 --log-file=/dev/fd/6 \
    3>out.fifo 4<in.fifo 5>handed.json 6>../stderr
wait
is_same fifo.csv wanted.csv "... all of it"
grep -q '"received": 1500' handed.json
ok $? "... and the counts"
cat in.csv | "$filter" -f csv -i /dev/stdin -o stdin.csv 2>../stderr
is_same stdin.csv wanted.csv "from /dev/stdin, a pipe"

head -n 800 in.csv >first.csv
{ head -n 1 in.csv && tail -n +801 in.csv; } >second.csv
works "several files" -i first.csv -i second.csv -o several.csv
adds_up "... are all counted"

for time in 1 2 3; do
    works "a model, $time" --model=state/model --keep=2 --stats=stats.json \
        --report=papers/report.html -o null: in.csv
    [ -s stats.json ] && [ -s papers/report.html ]
    ok $? "... with counts and a report"
    rm stats.json papers/report.html
done
[ "$(echo state/*)" = "state/model state/model.1 state/model.2" ]
ok $? "older ones are kept, and nothing else is left"
works "--inspect" --inspect=state/model
has stdout 'features' "... prints it"
run "$filter" -o null: --model=nowhere/model in.csv
has stderr 'nowhere: No such file' "what is not there is told as ever"
run "$filter" -o null: none.csv
has stderr 'cannot open none.csv: No such file' "... also of an input"
run "$filter" -o far in.csv
has stderr 'cannot open far: Is a directory' "... and of an output"
run "$filter" -o nowhere/out in.csv
has stderr 'cannot open nowhere/out: No such file' "... that cannot be made"

# A log that is moved away while it runs, by its name and by a link.
ln -s logs/b log.link
mkfifo hold.fifo
for log in logs/a log.link; do
    "$filter" -v --log-file=$log -f csv -i hold.fifo -o null: --threads=2 \
        -O pub:@ipc://odd.sock &
    pid=$!
    exec 4>hold.fifo
    cat in.csv >&4
    # Given up in the same breath, and shown of each thread.
    cat /proc/$pid/task/*/status >threads
    [ "$(grep -c 'NoNewPrivs:.1' threads)" -eq "$(grep -c '^Pid:' threads)" ] &&
        [ "$(grep -c '^Pid:' threads)" -ge 5 ]
    ok $? "all threads are confined, libzmq's, too"
    mv "$(readlink -f $log)" moved
    kill -HUP $pid
    tries=0
    while [ ! -e "$(readlink -f $log)" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    exec 4>&-
    wait $pid
    ok $? "a log is moved away, $log"
    grep -q 'received 1500' $log
    ok $? "... and goes on at its place"
    grep -q 'sandbox, by Landlock' moved
    ok $? "... confined"
    [ ! -e odd.sock ]
    ok $? "... a socket is cleaned up"
done
tap_done
