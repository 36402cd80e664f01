#!/bin/sh
# Flagged records as people see them: the same in each format, the worst
# first if asked for, and nothing that could drive a terminal.
. "$top_srcdir/tests/tap.sh"
ctl=$top_builddir/praectl

for format in msgpack jsonl csv; do
    "$top_builddir/examples/sensors" --records 3000 --format $format \
        >in.$format || exit 99
    "$filter" -q -o clean.$format -O odd.$format in.$format || exit 99
    run "$ctl" show odd.$format
    is_status 0 "$format: shown"
    cp ../stdout shown.$format
    has stdout '^record [0-9]*, window [0-9]*, live  score [0-9.]*  p [0-9.]*  gate' \
        "$format: number, window, state, score, p and gate"
    has stdout '^    [a-z_A-Z]* observed [-0-9.]*, expected [-0-9.]* ([0-9]* %)$' \
        "$format: and reasons"
    has stdout '^    nonfinite: .*a feature is NaN' "$format: and refusals"
    [ "$(grep -c '^record ' ../stdout)" -eq "$("$ctl" release odd.$format |
        if [ $format = msgpack ]; then "$filter" -q -w 9999 --cold=flag \
            -O /dev/stdout -o /dev/null | "$ctl" show -t; else cat; fi |
        awk -v header="$([ $format != jsonl ] && echo 1)" \
            'END { print NR - header }')" ]
    ok $? "$format: all of them"
    run "$ctl" show --table odd.$format
    cp ../stdout table.$format
    has stdout '^   record   window      score          p  state   why$' \
        "$format: --table has a head"
    [ "$(sed 1d ../stdout | wc -l)" -eq "$(grep -c '^record ' shown.$format)" ]
    ok $? "$format: and one line a record"
done
# But for numbers, which the inputs have with more digits or fewer.
for format in msgpack jsonl; do
    sed -e 's/: line [0-9]*:/:/' -e 's/  score .*//' -e 's/ observed .*//' \
        shown.$format >same.$format
done
is_same same.msgpack same.jsonl "msgpack and jsonl look the same"
cut -c 1-48 table.csv >one
cut -c 1-48 table.jsonl | cmp -s - one || {
    # A reject's state is not in a CSV.
    grep -v reject one >two
    cut -c 1-48 table.jsonl | grep -v reject | cmp - two
}
ok $? "and so does csv"

for format in jsonl csv; do
    { printf '\357\273\277' && cat odd.$format; } >marked.$format
    run "$ctl" show marked.$format
    is_same ../stdout shown.$format "$format: behind a byte order mark, too"
    (printf '\357\273' && sleep 1 && printf '\277' && sleep 1 &&
        cat odd.$format) | "$ctl" show >../stdout 2>../stderr
    is_same ../stdout shown.$format "$format: also where that comes in parts"
    cp odd.$format nameless
    run "$ctl" show --format=$format nameless
    is_same ../stdout shown.$format "$format: as --format says"
done

run "$ctl" show -t --sort=score odd.jsonl
is_status 0 "--sort=score"
sed 1d ../stdout | awk '$3 == "-" { none = 1; next }
    none || (NR > 1 && $3 + 0 > last + 0) { exit 1 } { last = $3 }'
ok $? "the worst come first, those without a score last"
[ "$(sort ../stdout)" = "$(sort table.jsonl)" ]
ok $? "and none is lost"
head -n 4 ../stdout >worst
run "$ctl" show -t -s score -n 3 odd.jsonl
is_same ../stdout worst "with --limit the worst are left"
run "$ctl" show -t --sort=time odd.jsonl
is_same ../stdout table.jsonl "--sort=time is the file's order"
run "$ctl" show -s score <odd.jsonl
is_status 0 "a file on standard input can be sorted"
cat odd.jsonl | "$ctl" show -s score >../stdout 2>../stderr
status=$?
is_status 2 "a pipe cannot"
has stderr 'show: --sort=score needs a file, .*save it first' "that is told"
run "$ctl" show -s size odd.jsonl
is_status 2 "orders that are none are refused"
run "$ctl" show -t -w 'field=flow_lpm' -w 'window=0' odd.csv
awk 'NR > 1 && ($2 != 0 || !/flow_lpm/) { bad = 1 }
    END { exit bad || NR < 2 }' ../stdout
ok $? "--where leaves those that match"
for order in time score; do
    run "$ctl" show -s $order -w 'score<0' odd.csv
    is_status 0 "by $order: none that match is no error"
    has stderr '^praectl: odd.csv: no record is as --where says$' "but told"
done
cat >words.jsonl <<'END'
{"v":1,"kind":"outlier","seq":1,"score":9,"p":null,"gate":-1,"error":2,"window":0,"model":1,"state":"live","why":[["line, rarest words",0.6,"fatal, Write",1.91],["line, length",0.3,"Dec 10",4.5],["mode",0.1,"off","run"]],"record":{}}
END
run "$ctl" show words.jsonl
has stdout 'rarest words observed fatal, Write, expected rarity 1.91 (60 %)$' \
    "what is expected of words is called a rarity"
has stdout 'length observed Dec 10, expected log of length 4.5 (30 %)$' \
    "or a length"
has stdout 'mode observed off, expected run (10 %)$' "and a text is none"
: >none.jsonl
run "$ctl" show none.jsonl
has stderr '^praectl: none.jsonl: it has no flagged records$' \
    "and so is a file of none"
run "$ctl" show -n 1 odd.csv
[ ! -s ../stderr ]
ok $? "and nothing where there are some"
run "$ctl" show -r -n 1 -w kind=outlier odd.msgpack
has stdout '^    {"id": [0-9]*, "ts": [0-9]*, ".*[0-9]}$' \
    "--record shows MessagePack"
{ printf '\203\241v\001\244kind\247outlier\246record\230'
    printf '\323\356\335\357\013\202\026\176\353\323\200\0\0\0\0\0\0\0'
    printf '\322\377\147\151\200\321\376\324\320\234\340\377'
    printf '\317\377\377\377\377\377\377\377\377'; } >integers.msgpack
run "$ctl" show -r integers.msgpack
has stdout '^    \[-1234567890123456789, -9223372036854775808, -10000000, -300, -100, -32, -1, 18446744073709551615\]$' \
    "with integers to their last digit"
run "$ctl" show --record -n 1 odd.csv
grep -qF "    $("$ctl" release -n 1 odd.csv | sed -n 2p)" ../stdout
ok $? "and a row"
head -c 5000 odd.jsonl >cut.jsonl
run "$ctl" show cut.jsonl
is_status 65 "a file that was cut short is an error"
has stdout '^record ' "what is before it is shown"
run "$ctl" show -s score -t cut.jsonl
is_status 65 "so it is where it is sorted"
has stdout '^ *[0-9]* .* observed ' "and shown"

# Names and values that would do something to a terminal.
cat >hostile.jsonl <<'END'
{"v":1,"kind":"outlier","seq":1,"score":2,"window":0,"state":"li\u001b[2Jve","why":[["\u001b]0;x\u0007",0.5,"\u202egnp\u0085","\ud83d\ude00\r\n"]],"record":{"a":"X"}}
{"v":1,"kind":"reject","seq":2,"window":0,"state":"live","why":[],"reason":["\u001bc","\u009b31m"],"raw64":"G1szMW3/"}
END
sed 's/X/\x1b[31m\xc2\x9b/' hostile.jsonl >h.jsonl
printf '"\033[5m",7,2.5,,,,3,live,"\033]2;a\007 7%% \x9b3 not 4"\n' >h.csv
printf '\205\241v\001\244kind\247outlier\243why\221\224\242\033[\001\242\302\233\300\246record\222\242\033c\244\377\033\007\n\243new\001' \
    >h.msgpack
for format in jsonl csv msgpack; do
    for table in '' -t; do
        run "$ctl" show -r $table h.$format
        is_status 0 "hostile $format: shown $table"
        [ -s ../stdout ] &&
            ! LC_ALL=C tr -d '\n' <../stdout | LC_ALL=C grep -q '[[:cntrl:]]' &&
            ! LC_ALL=C grep -q "$(printf '\302\233\|\342\200\256\|\377')" ../stdout
        ok $? "hostile $format: without what drives a terminal $table"
    done
done
"$ctl" show -r h.jsonl | grep -qF '\x1b]0;x\x07 observed \u202egnp\u0085, expected'
ok $? "it is seen for what it is"

# A terminal: a pager and colours, unless they are not wanted.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1
then
    on_terminal() {
        TERM=xterm script -qec "$1" /dev/null </dev/null >../stdout 2>&1
        status=$?
    }
    on_terminal "PAGER='sed s/^/paged:/' $ctl show odd.jsonl"
    is_status 0 "on a terminal there is a pager"
    has stdout '^paged:' "which gets it all"
    has stdout "$(printf '\033\\[1m')record" "in colours"
    on_terminal "PAGER='sed s/^/paged:/' NO_COLOR=1 $ctl show odd.jsonl"
    ! grep -q "$(printf '\033')" ../stdout
    ok $? "NO_COLOR does without them"
    on_terminal "PAGER='sed s/^/paged:/' $ctl show --no-pager odd.jsonl"
    ! grep -q 'paged:' ../stdout
    ok $? "--no-pager without it"
    on_terminal "PAGER='sed s/^/paged:/' $ctl show cut.jsonl"
    is_status 65 "what is wrong is the status, with a pager, too"
    has stdout '^paged:praectl: error: cut.jsonl: the file ends' \
        "and is seen in it"
    on_terminal "PAGER='head -n 1' $ctl show odd.jsonl"
    is_status 0 "a pager may be left early"
    on_terminal "PAGER=no-such-pager $ctl show odd.jsonl"
    is_status 1 "a pager that is none is told"
    has stdout 'cannot run the pager, no-such-pager; --no-pager' "with its name"
    on_terminal "$ctl show"
    is_status 2 "without a file it does not wait for typed records"
    on_terminal "$ctl release odd.msgpack"
    is_status 2 "MessagePack is not written to a terminal"
else
    ok 0 "no script(1) to make a terminal # SKIP"
fi
tap_done
