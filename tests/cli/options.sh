#!/bin/sh
# Wrong command lines are told what is wrong; right ones do what they say.
. "$top_srcdir/tests/tap.sh"
"$top_builddir/examples/sensors" --records 1500 --format csv >in.csv || exit 99

# refused STATUS PATTERN ARGUMENTS...
refused() {
    want=$1
    pattern=$2
    shift 2
    run "$filter" "$@" </dev/null
    is_status "$want" "refused: $*"
    has stderr "$pattern" "it is told: $pattern"
    [ ! -s ../stdout ]
    ok $? "and nothing is written"
}

refused 2 'no option --widnow; did you mean --window?' --widnow=3
refused 2 'no option --xyzzy; see' --xyzzy
refused 2 'no option -Z' -Z
refused 2 'needs an argument' --window
refused 2 'takes no argument' --quiet=yes
refused 2 "window: '0.5' is not all or a whole number" --window=0.5
refused 2 'window: must be 1 to 1000000000, or all, not 0$' --window=0
refused 2 'window: must be 1 to 1000000000, or all, not 1' \
    --window=18446744073709551615
refused 2 'smooth: must be 1 to 1000000, or auto or off, not 0$' --smooth=0
refused 2 'max-record: must be 16 to 1073741824, not 1$' --max-record=1
refused 2 "gates: 'l2' is none of l1, l0, hard, none" --gates=l2
refused 2 'sigma: must be 0.01 to 10' --sigma=99
refused 2 '--sigma: gates=l0 needs at least' --gates=l0 --sigma=0.02 in.csv
refused 2 "rate: 'fast' is not a number" --rate=fast
refused 2 'one FILE at most' in.csv other.csv
refused 2 'min-window is more than --window: no window has' --min-window=513 in.csv
refused 2 'input given twice' --in=in.csv in.csv
refused 66 'cannot open nowhere.csv: No such file' nowhere.csv
refused 74 'cannot open no/such/dir: No such file' -o no/such/dir in.csv
refused 78 'cannot open none.conf' --config=none.conf in.csv
refused 78 "fields: no record of the first window has 'nonsense'" \
    --fields=nonsense in.csv
printf '\301' >never
refused 65 'never: cannot be read on from byte 0: malformed' never

PRAE_KERNEL=sse9
export PRAE_KERNEL
refused 78 'PRAE_KERNEL=sse9: there is none of that name; say baseline' in.csv
run "$filter" --help
is_status 0 "... but for --help"
PRAE_KERNEL=baseline
run "$filter" --version
is_status 0 "PRAE_KERNEL=baseline is taken"
has stdout 'baseline, blis' "... and --version tells"
unset PRAE_KERNEL

# A configuration can hold what was given, however long.
long=$(awk 'BEGIN { for (i = 0; i < 2000; i++) printf "field%d,", i; print "a" }')
"$filter" --fields="$long" --print-config >long.conf
"$filter" --config=long.conf --print-config >again.conf
is_same long.conf again.conf "what --print-config prints is taken"
grep -q 'field1999,a$' long.conf
ok $? "... and is all there is"
run "$filter" --ignore="a
b" --print-config
has stdout '^# ignore: has a line.s end' "but for a line's end"

# What would lose records is refused before anything is touched.
cp in.csv same.csv
refused 2 'the input and --inliers are the same file' -o same.csv same.csv
is_same in.csv same.csv "and the input is as it was"
refused 2 '\-\-inliers and --outliers are the same file' -o o.csv -O o.csv in.csv
for other in o.csv ./o.csv "../$(basename "$PWD")/o.csv" ahead.csv; do
    ln -sf o.csv ahead.csv
    refused 2 '\-\-inliers and --outliers are the same file' -o o.csv \
        -O "$other" in.csv
    [ ! -e o.csv ]
    ok $? "and no file is made, by the name $other"
done
refused 2 'the input and --scores are the same file' --scores=./o.csv o.csv
[ ! -e o.csv ]
ok $? "nor one to read"
refused 2 'standard output takes one output.*name a file' -O - in.csv
refused 2 'standard output takes one output' -o o.csv -O - --rejects=- in.csv
[ ! -e o.csv ] && [ "$(wc -l <../stderr)" -eq 1 ]
ok $? "in one line, before anything is made"
cp in.csv same.csv
refused 2 'the input and --log-file are the same file' --log-file=same.csv \
    same.csv
is_same in.csv same.csv "and no line is added to it"
refused 2 '\-\-inliers and --log-file are the same' --log-file=l.csv -o l.csv in.csv
ln -s real.csv link.csv
refused 2 '\-\-inliers and --stats are the same' -o real.csv --stats=link.csv in.csv
refused 2 '\-\-inliers and --log-file are the same' -o real.csv \
    --log-file=link.csv in.csv
rm -f real.csv
"$filter" -q in.csv >both.csv 2>&1 && "$filter" -q in.csv >one.csv
is_same one.csv both.csv "standard output and error may be one file"
refused 2 '\-\-report and --stats are the same' --report=x.json --stats=./x.json \
    in.csv
refused 2 '\-\-inliers and --model are the same' --model=m -o m in.csv
refused 2 '\-\-inliers and --model: ./m.1 is the name of a file' --model=m \
    --keep=1 -o ./m.1 in.csv
ln -s m.1 older.csv
refused 2 '\-\-inliers and --model: older.csv is the name' --model=m \
    -o older.csv in.csv
cp in.csv m.123.tmp
refused 2 'the input and --model: m.123.tmp is the name' --model=m \
    -f csv -o null: m.123.tmp
is_same in.csv m.123.tmp "and is not swept up"
cp in.csv r.json.123.tmp
refused 2 'the input and --report: r.json.123.tmp is the name' \
    --report=r.json -f csv -o null: r.json.123.tmp
is_same in.csv r.json.123.tmp "nor is that of a report"
rm -f m.123.tmp r.json.123.tmp older.csv
if "$top_builddir/praectl" keygen pair >/dev/null 2>&1; then
    mkdir peers
    cp pair peers
    cp pair_secret kept
    refused 2 '\-\-inliers and --curve-secret are the same' \
        --curve-secret=pair_secret --curve-allow=peers -o pair_secret in.csv
    refused 2 '\-\-stats and --curve-server are the same' \
        --curve-server=pair --stats=pair in.csv
    is_same kept pair_secret "no key is written over"
    ln -s peers/new among
    for name in --inliers=peers/pair --log-file=./peers/log --stats=among; do
        refused 2 "${name%%=*} and --curve-allow: .* among the keys in peers" \
            --curve-secret=pair_secret --curve-allow=peers "$name" in.csv
    done
    is_same pair peers/pair "nor one of those that may connect"
    rm among
    run "$filter" --curve-secret=pair_secret --curve-allow=peers \
        --curve-server=pair_secret -o null: in.csv
    is_status 0 "but one file may hold both keys"
fi
run "$filter" --model=m --keep=1 -o m.2 in.csv
is_status 0 "m.2 is no snapshot where one is kept"
rm -f m m.1 m.2
"$filter" -O log.csv -o null: in.csv 2>log.csv
[ $? -eq 2 ] && grep -q 'outliers and the log on standard error are' log.csv
ok $? "the log does not go over records"
"$filter" -O - in.csv >/dev/null 2>../stderr
[ $? -eq 2 ]
ok $? "also where that is a device"
if command -v python3 >/dev/null; then
    # on_socket ARGUMENTS...: with a socket for standard input and output.
    on_socket() {
        run python3 -c '
import socket, subprocess, sys
ours, theirs = socket.socketpair()
ours.sendall(b"a,b\n" + b"".join(b"%d,%d\n" % (i % 9, i % 7)
                                 for i in range(100)))
ours.shutdown(socket.SHUT_WR)
status = subprocess.call(sys.argv[1:], stdin=theirs, stdout=theirs)
theirs.close()
try:
    sys.stdout.buffer.write(b"".join(iter(lambda: ours.recv(4096), b"")))
except ConnectionResetError:
    pass  # it was not read
sys.exit(status)' "$filter" --format=csv "$@"
    }
    on_socket -o - -O /dev/fd/1
    is_status 2 "two outputs do not go to one socket, by two names"
    has stderr '\-\-inliers and --outliers are the same file' "and that is told"
    on_socket
    is_status 0 "but a socket may be read from and written to"
    [ "$(wc -l <../stdout)" -gt 90 ]
    ok $? "... and has what fits"
fi
echo precious >old.csv
refused 78 'freeze needs' --freeze -o old.csv in.csv
[ "$(cat old.csv)" = precious ]
ok $? "and old outputs are as they were"
refused 2 "outliers: '' is not a name" --outliers= in.csv
refused 66 'it is a directory' .
refused 2 "fields: '' is not a value" --fields= in.csv
refused 2 '--se may be any of --second, --seed' --se=3 in.csv
refused 2 'push' -i push:@tcp://127.0.0.1:5555
refused 2 'pull' -o pull:ipc://x in.csv
refused 78 'anybody who reaches this address.*--insecure' \
    -i 'pull:@tcp://*:5555'
refused 2 'did you mean' -o tcp://127.0.0.1:5555 in.csv
refused 2 "emit: 'later' is not window or now" --emit=later in.csv
refused 2 'needs windows to learn from' --emit=now -w all in.csv
refused 2 'waits for an end that a socket does not have; give --max-wait' \
    -w all --max-wait=never -i pull:@ipc://none -f jsonl
refused 2 "max-wait: 'soon' is not a duration such as 1s, or never" \
    --max-wait=soon in.csv
refused 2 "log: 'xml' is not text or json" --log=xml in.csv
refused 2 'lossy needs an output of the type pub:' --lossy in.csv
refused 2 'wait-peers needs an output of the type push: or pub:' \
    --wait-peers=1 in.csv
refused 2 'stats: standard output carries records; name a file' \
    --stats=- in.csv
refused 2 "min-window: '-1' is not a number from 1" --min-window=-1 in.csv
long=$(printf '%070d' 0)
refused 2 "no option --$(printf '%063d' 0); see" "--$long" in.csv
set --
for number in $(seq 65); do
    set -- "$@" "--in=pull:ipc://none$number"
done
refused 2 'in: more than 64 of them' "$@"
refused 2 'no use for --model' -w all -m m in.csv
refused 2 "drain: 'soon' is not a duration" --drain=soon in.csv
refused 2 "hwm: '-1' is not a number from 0 to 1000000" --hwm=-1 in.csv
refused 2 "max-parts: '0' is not a number from 1" --max-parts=0 in.csv
refused 2 "threads: '0' is not a number from 1 to 256" --threads=0 in.csv
refused 78 'needs --curve-secret\|curve-secret' --curve-allow=. in.csv
refused 78 'no-such-key' --curve-secret=no-such-key in.csv
# One format for all inputs, which their names may not leave open.
head -n 300 in.csv >some.csv
cp some.csv some.jsonl
cp some.csv some.json
: >some.ndjson
both='some.csv and some.json are of two formats by their names.*--format$'
refused 2 "$both" -i some.csv -i some.json
refused 2 "$both" -i some.csv -i none -i some.csv -i some.json -i some.ndjson
refused 2 'some.jsonl and some.csv are of two' -i some.jsonl -i some.csv
printf 'in = some.csv\nin = some.json\n' >two.conf
refused 2 "$both" --config=two.conf
for given in '-i some.csv -i some.json' --config=two.conf; do
    run "$filter" $given -f csv -o two.out
    is_status 0 "$given: --format settles it"
done
printf 'format = csv\n' >>two.conf
run "$filter" --config=two.conf -o two.out
is_status 0 "also where it is in a configuration"
cp some.csv plain
run "$filter" -i some.csv -i plain -o two.out
is_status 0 "a name without a suffix goes by the others"
run "$filter" -i some.ndjson -i some.ndjson -o two.out
is_status 0 "and names that agree are fine"

echo 'config = x' >nested.conf
refused 78 'a configuration cannot name another' --config=nested.conf in.csv
refused 78 'features, more than 3: choose with' --max-features=3 in.csv

run "$filter" -f msgpack -o c0 <in.csv
is_status 65 "nothing that could be judged is bad data"
has stderr 'warning: all of the first .* refused: is the input really msgpack' \
    "another format is noticed"
echo 3 >one.jsonl
printf '4\n5\n' >two.jsonl
refused 65 'error: none of the 3 records could be judged' -i one.jsonl \
    -i two.jsonl
refused 65 'error: two.jsonl: none of its 2 records could' two.jsonl
run "$filter" --help
is_status 0 "--help succeeds"
has stdout '^Usage: prae-filter' "--help goes to standard output"
[ "$(wc -L <../stdout)" -le 100 ]
ok $? "--help is not too wide"

run "$filter" --print-config --window=300 --fields=a.b,c
is_status 0 "--print-config succeeds"
has stdout '^window = 300$' "it shows what was given"
has stdout '^# format =$' "and leaves the format to the suffix"
cp ../stdout a.conf
run "$filter" --config=a.conf --print-config
is_same ../stdout a.conf "and reads back to the same"
run "$filter" --print-config --in=sub:ipc://x --topic=' a ' --topic='"q"' \
    --topic='"' --topic='b ' --topic='c"' --ignore=' d'
has stdout '^topic = " a "$' "blanks around a value are kept in quotes"
has stdout '^ignore = " d"$' "of any option"
cp ../stdout b.conf
run "$filter" --config=b.conf --print-config
is_same ../stdout b.conf "and read back to the same, as quotes themselves do"
echo 'widnow = 3' >bad.conf
run "$filter" --config=bad.conf in.csv
is_status 78 "a wrong name in a configuration is refused"
has stderr "bad.conf:1: no option is called 'widnow'; is it 'window'?" \
    "with its place"
for value in false off 0 NO maybe ''; do
    echo "insecure = $value" >bad.conf
    run "$filter" --config=bad.conf --print-config
    is_status 78 "insecure = $value is refused"
    has stderr "bad.conf:1: insecure: '$value' is not yes or no" "and told"
done
echo 'print-config = yes' >bad.conf
refused 78 "bad.conf:1: 'print-config' is for the command line" --config=bad.conf
printf 'window = 5\nfpr = 0.01\0rate = 3\n' >bad.conf
refused 78 'bad.conf:2: a zero byte: this is no text' --config=bad.conf
mkdir conf.d
refused 74 'cannot write conf.d: Is a directory' --stats=conf.d in.csv
refused 74 'cannot write no/stats.json: No such' --stats=no/stats.json in.csv
refused 78 'cannot read conf.d: Is a directory' --config=conf.d
refused 78 '/dev/zero is no configuration: it is larger than' --config=/dev/zero
printf 'window = 7' >short.conf
run "$filter" --config=short.conf --print-config
has stdout '^window = 7$' "the last line may lack its end"
printf '# comment\n\nwindow = all\nquiet = yes\n' >good.conf
run "$filter" --config=good.conf --stats=s.json -o c1.csv in.csv
is_status 0 "a configuration is taken"
[ ! -s ../stderr ]
ok $? "quiet is quiet"
grep -q '"windows": 1,' s.json
ok $? "window = all makes one window; --stats tells"

run "$filter" --fields=flow_lpm,battery_V -o c2.csv in.csv
has stderr 'judging by 2 features: flow_lpm, battery_V' "--fields chooses"
run "$filter" --ignore=flow_lpm -o c3.csv in.csv
has stderr 'left out:.*flow_lpm (not asked for)' "--ignore leaves out"
run "$filter" --cold=pass --window=all -o c4.csv in.csv
has stderr 'outliers 0 ' "--cold=pass lets the first window through"
run "$filter" --cold=flag --window=all -o c5.csv in.csv
has stderr 'inliers 0 ' "--cold=flag does not"
run "$filter" --why=1 -O odd1.csv -o c6.csv in.csv
! cut -d'"' -f2 odd1.csv | grep -q '; '
ok $? "--why=1 gives one reason"
run "$filter" --why=0 -O odd0.csv -o c7.csv in.csv
grep -q ',""$' odd0.csv
ok $? "--why=0 gives none"
run "$filter" --threshold=-1 -o c8.csv in.csv
has stderr 'outliers 0 ' "--threshold=-1 flags nothing"
run "$filter" --no-header --ignore=0,1 -o c9.csv in.csv
has stderr 'rejected [1-9]' "--no-header takes the header for a record"
printf 'progress = no\n' >quiet.conf
run "$filter" --config=quiet.conf -o c10.csv in.csv
! grep -q 'records,' ../stderr
ok $? "progress = no shows none"
run "$filter" -v -o c11.csv in.csv
has stderr 'window 0: [0-9]* inliers' "-v tells of windows"
run "$filter" -w 900000000 -o c12.csv in.csv
has stderr 'windows 1,' "a window larger than the stream costs nothing"
sed 's/\([0-9.]*\),/"\1",/g' in.csv >/dev/null
awk -F, 'NR > 1 { print "{\"a\":\"" $3 "\",\"b\":" $4 "}" }' in.csv |
    grep -v 'n/a\|nan' >text.jsonl
run "$filter" --coerce -o c13.jsonl text.jsonl
has stderr 'judging by 2 features: a, b' "--coerce takes strings as numbers"
run "$filter" --seed=2 -o s2.csv in.csv
run "$filter" --seed=3 -o s3.csv in.csv
! cmp -s s2.csv s3.csv
ok $? "--seed matters"

# No option does nothing: each of these changes the scores.
run "$filter" -q -o /dev/null --scores=usual.csv in.csv
for option in --window=300 --context=off --memory=500 --gates=l0 --gates=hard \
    --gates=none --estimator=sampled --lambda=me --lambda=0 \
    --lambda=2 --sigma=1 --hidden=8,4 --hidden=none --latent=3 \
    --activation=leaky --activation=linear --loss=relative --epochs=1 \
    --cold-epochs=2 --batch=16 --rate=0.01 --fpr=0.5 --smooth=off --smooth=20 \
    --second=none; do
    run "$filter" -q "$option" -o /dev/null --scores=other.csv in.csv
    is_status 0 "$option runs"
    ! cmp -s usual.csv other.csv
    ok $? "and matters"
done
# Of what it tries, validation may well choose the usual: not always.
same=0
for window in 400 700 all; do
    "$filter" -q --window=$window -o /dev/null --scores=usual.csv in.csv
    "$filter" -q --window=$window --lambda=validate -o /dev/null \
        --scores=other.csv in.csv
    cmp -s usual.csv other.csv && same=$((same + 1))
done
[ "$same" -lt 3 ]
ok $? "--lambda=validate matters"
tap_done
