#!/bin/sh
# The program as a neighbour in pipes: cut input, small reads, gone readers.
. "$top_srcdir/tests/tap.sh"
sensors=$top_builddir/examples/sensors

for format in msgpack jsonl csv; do
    "$sensors" --records 1200 --format $format >in.$format || exit 99
    run "$filter" -f $format -o whole.$format in.$format
    # dd hands the bytes over in pieces of seven.
    dd if=in.$format bs=7 2>/dev/null |
        "$filter" -q -f $format >cut.$format
    is_same whole.$format cut.$format "$format: cut into small reads, the same"
done

head -c 50000 in.msgpack >cut
run "$filter" -o out <cut
is_status 65 "a record cut off by the end is bad data"
has stderr 'cannot be read on from byte' "the place is told"
adds_up "and what came before is accounted for"
[ "$(wc -c <out)" -gt 10000 ]
ok $? "and was emitted"

# A header is waited for as records are, though none of them be behind it.
head -n 1 in.csv >header
{
    head -c 65536 /dev/zero # which is all that the pipe takes
    "$filter" -q --threshold=2 --cold=flag -w 1200 in.csv
    echo $? >status
} | { sleep 1 && tail -c +65537; } >slow.csv
[ "$(cat status)" -eq 0 ]
ok $? "a reader that is slow to begin is no failure"
is_same header slow.csv "and a header alone gets there"

# The place is counted from the start of the file, not of what is in hand.
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "\222\001\002" }' >whole
{ cat whole && printf '\222\005'; } >cut
[ "$(wc -c <cut)" -eq 3002 ] || exit 99
run "$filter" -w 64 -o out cut
has stderr 'cut: cannot be read on from byte 3000: ' "the very byte is told"
run "$filter" -w 64 -o out -i cut -i whole
is_status 65 "a file behind one that was cut is no excuse"
has stderr 'received 2000 = ' "but all of it is read"

: >empty
for format in msgpack jsonl csv; do
    run "$filter" -f $format empty
    is_status 0 "$format: an empty input is fine"
    has stderr 'received 0 = inliers 0' "$format: and is nothing"
done
head -n 1 in.csv >header.csv
run "$filter" header.csv
is_status 0 "csv: a header alone is fine"
head -n 2 in.csv >one.csv
run "$filter" one.csv
has stderr 'received 1 = inliers 1' "csv: one record is an inlier"

printf '{"a":1}\nnot json\n[1,2\n{"a":2}\n7\n{"a":1e999}\n' >bad.jsonl
run "$filter" --rejects=rejects.jsonl bad.jsonl
is_status 0 "jsonl: bad lines do not stop it"
has stderr 'received 6 = inliers 2 + outliers 0 + rejected 4' "they are counted"
grep -q '"reason":\["malformed",.*"raw":"not json"' rejects.jsonl
ok $? "and set aside as they were"
grep -q '"reason":\["nonfinite"' rejects.jsonl
ok $? "an infinity is refused as such"

(
    trap '' PIPE
    trap - PIPE
    "$sensors" --records 60000 --format csv | "$filter" -q -f csv
    echo $? >status
) 2>err | head -n 1 >/dev/null
[ "$(cat status)" -eq 141 ]
ok $? "a gone reader ends it as SIGPIPE does"
[ ! -s err ]
ok $? "without a word"

if unshare -pf true 2>/dev/null; then
    (
        "$sensors" --records 60000 --format csv |
            unshare -pf "$filter" -q -f csv
        echo $? >status
    ) 2>err | head -n 1 >/dev/null
    [ "$(cat status)" -eq 141 ] && [ ! -s err ]
    ok $? "also as the first process of a container, which signals spare"
fi

# A signal: what was received is decided and written.
"$sensors" --records 1000 --format csv >part.csv
mkfifo fifo
# Nothing tells from outside what was received: a busy machine has more time.
for patience in 1 4 16; do
    "$filter" -f csv -o term.csv <fifo 2>term.err &
    pid=$!
    exec 9>fifo
    cat part.csv >&9
    handles $pid
    sleep $patience
    kill -TERM $pid
    wait $pid
    status=$?
    exec 9>&-
    ! grep -q 'received 1000 = ' term.err || break
done
[ $status -eq 0 ]
ok $? "SIGTERM ends it well"
grep -q 'received 1000 = ' term.err
ok $? "with all that was received decided"

# Counts that nobody reads do not hold up the end.
mkfifo unread
exec 8<>unread
dd if=/dev/zero of=unread bs=65536 count=1 oflag=nonblock conv=notrunc \
    2>/dev/null
"$filter" -f csv -o null: --stats=/dev/fd/8 <fifo 2>../stderr &
pid=$!
exec 9>fifo
cat part.csv >&9
handles $pid
sleep 0.5
kill -TERM $pid
tries=0
while kill -0 $pid 2>/dev/null && [ $tries -lt 200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL $pid 2>/dev/null
wait $pid
status=$?
exec 8<&- 9>&-
is_status 74 "counts that nobody reads are a failure, in time"
has stderr 'cannot write /dev/fd/8: nobody reads it' "and told"

# Nor is a header given up without a word.
exec 8<>unread
dd if=/dev/zero of=unread bs=65536 count=1 oflag=nonblock conv=notrunc \
    2>/dev/null
head -n 1 part.csv >header.csv
"$filter" -f csv --drain=500ms header.csv >&8 2>../stderr &
pid=$!
handles $pid
sleep 1
kill -TERM $pid
wait $pid
status=$?
exec 8<&-
is_status 75 "a header that nobody reads is not delivered"
has stderr 'last bytes of an output were not written' "and told"

# stopped FORMAT COUNT: SIGTERM once COUNT records of the FIFO's are received,
# and what is behind them was read.
stopped() {
    : >../stderr
    "$filter" -f $1 -o null: -O null: <fifo 2>>../stderr &
    pid=$!
    exec 9>fifo
    cat part >&9
    handles $pid
    tries=0
    until grep -q "received $2 = " ../stderr || [ $tries -eq 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
        kill -USR2 $pid
    done
    sleep 0.3
    : >../stderr
    kill -TERM $pid
    wait $pid
    status=$?
    exec 9>&-
}
head -c -1 in.jsonl >part
stopped jsonl 1199
is_status 0 "SIGTERM before a line has ended ends it well"
has stderr 'received 1200 = ' "jsonl: what is whole is judged"
head -c -2 in.jsonl >part
stopped jsonl 1199
has stderr 'received 1200 = ' "jsonl: what is not is refused"
for format in csv msgpack; do
    head -c -2 in.$format >part
    stopped $format 1199
    is_status 0 "$format: SIGTERM within a record ends it well"
    has stderr 'within a record: [0-9]* bytes from byte [0-9]* on are given' \
        "$format: and it is told, as it may look like another"
    adds_up "$format: what came before is accounted for"
done

printf 'a,b\n1,2\n3,"x\n5,6\n7,' >part
stopped csv 1
has stderr 'within a record: 2 bytes from byte 17 on are given' \
    "csv: where a quote is open it is the last line that is given up"
has stderr 'received 3 = ' "csv: and those before it are judged"

# Also where it comes while a window is being learned, behind which there is
# a record that was not whole.
head -n 301 in.jsonl | head -c -1 >part
: >../stderr
"$filter" -f jsonl -o null: -O null: --max-wait=100ms --cold-epochs=3000 \
    --drain=120s <fifo 2>>../stderr &
pid=$!
exec 9>fifo
cat part >&9
handles $pid
sleep 1
kill -TERM $pid
wait $pid
status=$?
exec 9>&-
is_status 0 "SIGTERM while a window is learned ends it well"
has stderr 'received 301 = ' "and what was read behind it is judged"
: >../stderr
"$filter" -f jsonl -o null: -O null: -w 64 --cold-epochs=1000000 --drain=1s \
    in.jsonl 2>>../stderr &
pid=$!
handles $pid
tries=0
until grep -q 'received 64 = ' ../stderr || [ $tries -eq 100 ]; do
    kill -USR2 $pid
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
status=$?
is_status 75 "where that takes longer than --drain it is a failure"
has stderr 'not delivered .*: a window was still being learned; give a longer' \
    "for which nobody else is blamed"

# Nothing that is told to be left is written behind the account. A moment is
# hit now and then, so there are some.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "{\"a\":%d,\"b\":%d}\n", i % 3,
    i % 5 }' >small.jsonl
"$filter" -q -m small.prae -o null: small.jsonl || exit 99
told=0
for try in 1 2 3 4 5; do
    yes '{"a":1,"b":2}' >fifo &
    writer=$!
    : >late.err
    "$filter" -f jsonl --freeze -m small.prae -w 1 --drain=1ms -o late.jsonl \
        -O odd.jsonl <fifo 2>late.err &
    pid=$!
    handles $pid
    sleep 0.2
    kill -TERM $pid
    wait $pid
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
    sed -n 's/.* = inliers \([0-9]*\) + outliers \([0-9]*\) .*/\1 \2/p' \
        late.err >account
    read -r inliers outliers <account
    [ "$inliers" -eq "$(wc -l <late.jsonl)" ] &&
        [ "$outliers" -eq "$(wc -l <odd.jsonl)" ] &&
        ! grep -q 'somebody reading' late.err && told=$((told + 1))
done
[ $told -eq 5 ]
ok $? "what --drain leaves no time for is not in the files, nor blamed on them"

# Input without an end: what can be read still is not waited for.
yes '{"a":1,"b":2}' >fifo &
writer=$!
"$filter" -f jsonl -o null: <fifo 2>term.err &
pid=$!
handles $pid
sleep 1
kill -TERM $pid
timeout 20 tail --pid=$pid -f /dev/null
ok $? "SIGTERM ends it while there is always more to read"
kill -KILL $pid 2>/dev/null
wait $pid
status=$?
kill $writer 2>/dev/null
wait $writer
[ $status -eq 0 ] && grep -q 'received [0-9]* = inliers [1-9]' term.err &&
    ! grep -q undelivered term.err
ok $? "and what was read is decided"
# A pipe may be found empty now and then; this one never is.
"$filter" -q -o null: -O null: </dev/zero 2>zero.err &
pid=$!
handles $pid
kill -TERM $pid
timeout 20 tail --pid=$pid -f /dev/null
ok $? "also where the next read never has to wait"
kill -KILL $pid 2>/dev/null
wait $pid

# A FIFO without a writer is waited for where signals are heard.
# said COUNT FILE: waits for so many accounts.
said() {
    tries=0
    while [ "$(grep -c 'received' "$2")" -lt "$1" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
"$filter" --stats=fifo.json -o null: fifo 2>fifo.err &
pid=$!
handles $pid
kill -USR2 $pid
said 1 fifo.err
kill -HUP $pid
kill -TERM $pid
wait $pid
[ $? -eq 0 ] && grep -q '"received": 0,' fifo.json
ok $? "nobody writes to a FIFO: signals are heard, SIGTERM ends it well"
[ "$(grep -c 'received 0 = ' fifo.err)" -eq 2 ]
ok $? "and SIGUSR2 has its account"
"$filter" -o late.csv -f csv fifo 2>fifo.err &
pid=$!
sleep 0.5
timeout 20 sh -c "cat part.csv >fifo"
wait $pid
[ $? -eq 0 ] && grep -q 'received 1000 = ' fifo.err
ok $? "who writes to it later is read to the end"
"$filter" -o fifo part.csv 2>fifo.err &
pid=$!
handles $pid
kill -USR1 $pid
kill -HUP $pid
sleep 0.3
timeout 20 cat fifo >read.csv
wait $pid
[ $? -eq 0 ] && [ "$(wc -l <read.csv)" -gt 900 ]
ok $? "nobody reads a FIFO: other signals do no harm"
"$filter" -o fifo part.csv 2>fifo.err &
pid=$!
handles $pid
kill -TERM $pid
wait $pid
[ $? -eq 74 ] && grep -q 'fifo: asked to stop while nobody read it' fifo.err
ok $? "and SIGTERM ends it, with the reason"

# Time: what is held leaves after --max-wait, and full windows at once.
# leaves LINES COUNT OPTION...: of so many lines, and before there is an end,
# more than COUNT are passed on.
leaves() {
    lines=$1 count=$2
    shift 2
    "$filter" -q -f csv "$@" <fifo >soon.csv &
    pid=$!
    exec 9>fifo
    head -n "$lines" part.csv >&9
    tries=0
    until [ "$(wc -l <soon.csv)" -gt "$count" ] || [ $tries -eq 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    exec 9>&-
    wait $pid
    [ $tries -lt 200 ]
}
leaves 101 50 --max-wait=300ms
ok $? "--max-wait judges a window that is not full"
leaves 600 300
ok $? "a full window leaves before the input ends"

# Closed descriptors: no message in a data file, no data into nothing.
"$filter" -O closed.csv -o null: in.csv >&- 2>&-
[ "$(head -n 1 closed.csv)" = \
    "$(head -n 1 in.csv),seq,score,p,gate,error,window,state,why" ]
ok $? "with 1 and 2 closed an output holds records only"
"$filter" in.csv >&- 2>err
[ $? -eq 74 ] && grep -q 'cannot write standard output' err
ok $? "a closed standard output is an error"
"$filter" -f csv -o null: <&- 2>err
[ $? -eq 66 ]
ok $? "a closed standard input, too"
"$filter" --help >&- 2>err
[ $? -eq 74 ]
ok $? "also for --help"

# Descriptors by their names: those that were handed over, not our own.
if [ -d /dev/fd ]; then
    "$filter" -q -f csv -o /dev/fd/3 /dev/fd/4 3>handed.csv 4<in.csv
    [ $? -eq 0 ] && cmp -s handed.csv whole.csv
    ok $? "descriptors that were handed over are read and written"
    mkdir -p to && ln -s /dev/fd/5 to/five && ln -s five to/link
    for name in /dev/fd/3 /dev/fd/4 /dev//fd/5 /dev/fd/6 /dev/fd/7 /dev/fd/8 \
        /proc/self/fd/9 /dev/fd/../fd/3 to/five to/link \
        /dev/fd/99999999999; do
        [ -d "${name%/*}" ] || continue
        timeout -s KILL 20 "$filter" -o $name in.csv 3>&- 4>&- 5>&- 6>&- \
            7>&- 8>&- 9>&- 2>err
        [ $? -eq 74 ] && grep -q "cannot open $name: nothing was handed " err
        ok $? "-o $name: one that was not is refused"
    done
    timeout -s KILL 20 "$filter" -f csv -o null: /dev/fd/3 3<&- 2>err
    [ $? -eq 66 ] && grep -q 'redirect it, as with 3<FILE, or name' err
    ok $? "also as an input"
    for option in outliers rejects scores stats log-file; do
        timeout -s KILL 20 "$filter" -o null: --$option=/dev/fd/3 in.csv \
            3>&- 2>err
        [ $? -eq 74 ] && grep -q 'cannot open /dev/fd/3: nothing was ' err
        ok $? "and for --$option"
    done
    "$filter" -o /dev/stdout in.csv >&- 2>err
    [ $? -eq 74 ] && grep -q 'handed over as descriptor 1;' err
    ok $? "nor is a closed standard output written by its name"

    # They are shared: what others had written or read is none of ours.
    echo before >before
    cat before whole.csv >wanted
    for name in /dev/fd/3 /proc/self/fd/3 /dev/fd/../fd/3 to/three; do
        ln -sf /dev/fd/3 to/three
        for sandbox in auto off; do
            cp before kept
            "$filter" -q --sandbox=$sandbox -o $name in.csv 3>>kept
            [ $? -eq 0 ] && cmp -s kept wanted
            ok $? "-o $name: what is appended to is kept, --sandbox=$sandbox"
        done
    done
    cp before kept
    "$filter" -q -o /dev/stdout in.csv >>kept
    is_same kept wanted "so is standard output by its name"
    { cat before; "$filter" -q -o /dev/stdout in.csv; cat before; } >kept
    cat before >>wanted
    is_same kept wanted "and who writes next goes on behind the records"
    for option in stats log-file; do
        {
            cat before
            "$filter" -o null: --$option=/dev/fd/3 in.csv
            cat before
        } >kept 3>&1 2>err
        [ "$(sed -n '1p;$p' kept)" = "before
before" ] && grep -q 'received' kept
        ok $? "--$option: the same"
    done
    "$filter" -o - --stats=/dev/stdout in.csv >kept 2>err
    [ $? -eq 0 ] && head -c "$(wc -c <whole.csv)" kept | cmp -s - whole.csv &&
        grep -q '"received": 1200' kept
    ok $? "counts by the name of standard output stand behind its records"
    "$filter" -o null: --stats=/dev/stderr in.csv 2>err
    [ $? -eq 0 ] && grep -q '"received": 1200' err &&
        grep -q 'received 1200 = ' err
    ok $? "and by that of standard error behind its messages"
    printf '1,2\n3,4\n5,6\n7,8\n' >rows.csv
    for name in - /dev/stdin /dev/fd/0; do
        { read -r _ && read -r _ &&
            "$filter" -f csv --no-header -o null: $name 2>err; } <rows.csv
        grep -q 'received 2 = ' err
        ok $? "$name: what somebody has read before is not read again"
    done
    cp before kept
    for option in inliers outliers rejects scores stats log-file; do
        timeout -s KILL 20 "$filter" -o null: --$option=/dev/fd/3 in.csv \
            3<kept 2>err
        [ $? -eq 74 ] && cmp -s kept before && grep -q \
            'write /dev/fd/3: .* 3 was handed over for reading only; .* 3>' err
        ok $? "--$option: what may only be read is neither written nor emptied"
    done
    timeout -s KILL 20 "$filter" -f csv -o null: /dev/fd/3 3>>kept 2>err
    [ $? -eq 66 ] &&
        grep -q 'read /dev/fd/3: .* 3 was handed over for writing only' err
    ok $? "nor is read what may only be written"
fi

if [ -w /dev/full ]; then
    run "$filter" --print-config
    "$filter" --print-config >/dev/full 2>err
    [ $? -eq 74 ]
    ok $? "--print-config to a full disk is an error"
    run "$filter" -o /dev/full in.csv
    is_status 74 "a full disk is an error"
    has stderr 'cannot write /dev/full: No space' "that names the file"
fi
tap_done
