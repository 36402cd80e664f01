#!/bin/sh
# What was set aside is given back byte for byte, in order, and nothing else.
. "$top_srcdir/tests/tap.sh"
ctl=$top_builddir/praectl
sensors=$top_builddir/examples/sensors

# Inliers and what is released, put together by the scores' verdicts, are the
# input.
for format in jsonl csv; do
    "$sensors" --records 4000 --format $format >in.$format || exit 99
    "$filter" -q -o clean.$format -O odd.$format --scores=scores.$format \
        in.$format || exit 99
    run "$ctl" release odd.$format
    is_status 0 "$format: released"
    cp ../stdout back.$format
    [ "$(wc -l <back.$format)" -eq "$(wc -l <odd.$format)" ]
    ok $? "$format: as many lines as were flagged"
    awk -v header="$([ $format = csv ] && echo 1)" '
        header && FNR == 1 { if (FILENAME == ARGV[1]) print head; next }
        FNR > 0 && /inlier/ { getline line <"clean.'$format'"; print line; next }
        { getline line <"back.'$format'"; print line }
        BEGIN { if (header) { getline head <"clean.'$format'"
            getline other <"back.'$format'"
            if (head != other) exit 1 } }' scores.$format >joined
    is_same joined in.$format "$format: with the inliers it is the input"
done
"$sensors" --records 4000 >in.msgpack || exit 99
"$filter" -q -o clean.msgpack -O odd.msgpack in.msgpack || exit 99
"$ctl" release odd.msgpack >back.msgpack
[ "$(cat clean.msgpack back.msgpack | wc -c)" -eq "$(wc -c <in.msgpack)" ]
ok $? "msgpack: with the inliers it is as long as the input"
"$ctl" release <odd.msgpack | cmp - back.msgpack
ok $? "msgpack: standard input is the same, its format found"
cat odd.msgpack | "$ctl" release - | cmp - back.msgpack
ok $? "msgpack: so is a pipe"
{ printf '\336\0\014'; tail -c +2 odd.msgpack; } | "$ctl" release |
    cmp - back.msgpack
ok $? "msgpack: and with a longer head"
for name in 'Öl' '\336\200'; do
    "$filter" -q -f csv -o null: -O letter.csv - <<EOF || exit 99
$(printf "$name,b\n")
$(awk 'BEGIN { for (i = 0; i < 600; i++) print (i % 99 ? i % 7 : 500) "," i % 5 }')
EOF
    "$ctl" release letter.csv >back.letter
    "$ctl" release <letter.csv | cmp - back.letter &&
        [ "$(wc -l <back.letter)" -gt 1 ]
    ok $? "csv: its format is found where its first letter is beyond ASCII"
done

# A header's last name may end in a carriage return, as all lines then do.
for end in '\r\n' '\r\r\n'; do
    { printf "a,b$end"
        awk -v end="$end" 'BEGIN { for (i = 0; i < 600; i++)
            printf "%d,%d" end, i % 99 ? i % 7 : 500, i % 5 }'; } >returns.csv
    rm -f returns.model
    "$filter" -q -m returns.model --threshold=2 -o null: \
        -O returns.odd.csv returns.csv || exit 99
    "$ctl" release returns.odd.csv | cmp - returns.csv
    ok $? "csv: a header that ends in $end is given back"
    run "$ctl" rescore -m returns.model returns.odd.csv
    has stderr ': 600 records: .* rejects 0 ' "csv: and known by its names"
done

# Outliers and rejects in files of their own.
"$filter" -q -o clean -O o.jsonl --rejects=r.jsonl in.jsonl
{ "$ctl" release o.jsonl; "$ctl" release r.jsonl; } | sort >apart
sort back.jsonl | cmp - apart
ok $? "outliers and rejects of two files are the same together"

# A last line without a newline gets one, behind all that it had.
for format in jsonl csv; do
    tail -n 1 in.$format | tr -d '\n' >last
    printf '\r' >>last
    { head -n 600 in.$format; cat last; } >cut.$format
    "$filter" -q --cold=flag --window=1000 -o null: -O torn.$format cut.$format
    echo >>last
    "$ctl" release torn.$format | tail -n 1 | cmp - last
    ok $? "$format: a carriage return at the very end is given back"
done

# What is read is not written to.
cp o.jsonl both.jsonl
"$ctl" release both.jsonl >>both.jsonl 2>../stderr
status=$?
is_status 2 "the file that is read is not added to"
has stderr 'release: both.jsonl is also the output' "and that is told"
is_same o.jsonl both.jsonl "... and it is as it was"
"$ctl" release <both.jsonl >both.jsonl 2>../stderr
status=$?
is_status 2 "what a shell has emptied is not passed over"

# A byte order mark is an editor's before a header, and else the record's.
bom=$(printf '\357\273\277')
awk 'BEGIN { for (i = 1; i <= 300; i++) printf "%d.5,%d\n", i * 7 % 13,
    i * 5 % 11 }' >rows.csv
{ cat rows.csv; printf '%s9.5,1\n' "$bom"; cat rows.csv; } >joined.csv
"$filter" -q --no-header -o null: --rejects=r.csv joined.csv
printf '%s9.5,1\n' "$bom" >wanted
cp r.csv nameless
for file in r.csv nameless; do
    run "$ctl" release $file
    is_same ../stdout wanted "$file: a mark within the input is the row's"
done
run "$ctl" release --format=csv - <r.csv
is_same ../stdout wanted "... from standard input, too"
for name in plain quoted broken; do
    case $name in
    plain) echo a,b ;;
    quoted) echo '"a, b",c' ;;
    broken) printf '"a\nb",c\n' ;;
    esac >marked.in.csv
    cat rows.csv >>marked.in.csv
    "$filter" -q --cold=flag -w 1000 -o null: -O flagged.csv marked.in.csv
    { printf %s "$bom"; cat flagged.csv; } >marked.csv
    run "$ctl" release marked.csv
    is_same ../stdout marked.in.csv "one that an editor left is not: $name"
done
printf %s "$bom" >marked.csv
run "$ctl" release marked.csv
is_status 0 "a mark alone is nothing"

# all NAME FILE [OPTION]...: everything is flagged, and comes back.
all() {
    name=$1
    file=$2
    shift 2
    "$filter" -q --cold=flag -w 100000 -o clean.all -O "all.${file##*.}" \
        "$@" "$file"
    run "$ctl" release "all.${file##*.}"
    is_status 0 "$name: all of it is released"
    is_same ../stdout "$file" "$name: it is the input, byte for byte"
}
all "jsonl" in.jsonl
all "csv" in.csv
all "msgpack" in.msgpack
good() { awk 'BEGIN { for (i = 0; i < 99; i++)
    printf "{\"a\": %d, \"s\":\"x\\u00e9\\n\"}\n", i * 7 % 13 }'; }
{ good; good | sed 's/$/\r/'; printf ' {"a" : 1e2 }\t\r\n[1,2]\n"text"\n7\r\n'
    printf '{"a":NaN,"b":-Infinity}\n{"a":\n\377\376 \001\n{"a":"\t"}\r\r\n'
    awk 'BEGIN { for (i = 0; i < 50; i++) printf "["
        for (i = 0; i < 50; i++) printf "]"; print "" }'
    printf '{"a":"\\\\","v":1,"kind":"outlier","record":{"}":"]"}}\n'; } >odd.in
mv odd.in strange.jsonl
all "strange lines" strange.jsonl
{ printf 'a,"b ""c""\n",d\r\n'
    awk 'BEGIN { for (i = 0; i < 99; i++) printf "%d,x,%d\r\n", i, i * 7 % 13 }'
    printf '1,"2\r\n,""",3\n4,stray"quote,5\n,,\n"only",,\n1,2\n1,2,3,4\r\n'
    printf '"broken"x,1,2\n\377,1,2\n"a"" not 5%% b; c 6%% d",1,nan\n'; } \
    >strange.csv
all "strange rows" strange.csv
sed -n '20,$p' strange.csv >no-header.csv
all "no header" no-header.csv --no-header

# Rows that are sound, but of another width than was learned.
awk 'BEGIN { for (i = 1; i <= 1024; i++) printf "%d.5,%d,%d\n", i * 7 % 13,
    i * 5 % 11, i * 3 % 7 }' |
    "$filter" -q -f csv --no-header -m three -o null: || exit 99
printf '"5",\n"say ""hi""",\r\n6,7\n5\n,\n"",\n"a\nb","c"\n' >two.csv
"$filter" -q --no-header -m three --freeze -o null: -O width.csv two.csv
[ "$(grep -c 'reject,"dimension' width.csv)" -eq 7 ]
ok $? "rows of another width than was learned are refused"
run "$ctl" release width.csv
is_same ../stdout two.csv "... and given back byte for byte"
"$ctl" rescore --still -m three width.csv 2>/dev/null | cmp - two.csv
ok $? "... also by rescore --still"
printf '%s\n' '6,7,0,,,,,2,reject,"dimension: line 1: another length"' >old.csv
run "$ctl" release old.csv
has stdout '^6,7$' "... and so are those that stand there as they came"
printf '%s' '{"a":1}' | cat in.jsonl - >endless.jsonl
"$filter" -q --cold=flag -w 100000 -O all.jsonl endless.jsonl
"$ctl" release all.jsonl >back
{ cat endless.jsonl; echo; } | cmp - back
ok $? "a last line without its end gets one, and that is all"

# What is chosen.
chosen() {
    "$ctl" release "$@" odd.jsonl | wc -l
}
[ "$(chosen -w kind=outlier)" -eq "$(grep -c '"kind":"outlier"' odd.jsonl)" ] &&
    [ "$(chosen --where kind=reject)" -eq "$(grep -c '"kind":"reject"' odd.jsonl)" ]
ok $? "--where chooses by kind"
[ "$(chosen -w 'window>=2,window<4')" -eq \
    "$(grep -c '"window":[23],' odd.jsonl)" ]
ok $? "by window"
[ "$(chosen -w 'code=nonfinite')" -eq "$(grep -c nonfinite odd.jsonl)" ]
ok $? "by code"
[ "$(chosen -n 3)" -eq 3 ] && [ "$(chosen -w p=none -n 1)" -eq 1 ]
ok $? "--limit gives so many"
for format in msgpack csv; do
    "$ctl" release -w 'field=flow_lpm,score>150' odd.$format >some.$format
done
"$filter" -q -w 100000 --cold=flag -f msgpack -O - -o /dev/null some.msgpack |
    "$ctl" show -t | sed 1d | wc -l >one
sed 1d some.csv | wc -l >other
is_same one other "formats agree on what matches"
"$ctl" release -w score=1e9 odd.csv >none.csv
[ "$(cat none.csv)" = "$(head -n 1 in.csv)" ]
ok $? "of no rows the header is left"

# What is not whole.
{ good; awk 'BEGIN { printf "{\"a\":\""; while (i++ < 3000) printf "x"
    print "\"}" }'; good; } >long.jsonl
"$filter" -q --cold=flag --max-record=1000 -w 100000 -O all.jsonl long.jsonl
run "$ctl" release all.jsonl
is_status 65 "a record that was cut is not given back"
has stderr 'all.jsonl: 1 records are left out: .*--where=.code!=length' \
    "that is told, and what to do"
[ "$(wc -l <../stdout)" -eq 198 ]
ok $? "the others are"
run "$ctl" release -w 'code!=length,code!=parts' all.jsonl
is_status 0 "without it all is well"

# Files that are no such files, or not whole.
# refused STATUS PATTERN ARGUMENTS...
refused() {
    want=$1
    pattern=$2
    shift 2
    run "$ctl" "$@" </dev/null
    is_status "$want" "refused: $*"
    has stderr "^praectl: error: $pattern" "told: $pattern"
}
refused 66 'cannot open no-such: No such file' release no-such
refused 66 'cannot read \.: it is a directory' release .
refused 2 'release takes the name of one FILE' release a b
refused 2 'release: --where: .x=1. does not begin with' release -w x=1 a
refused 2 'release: --limit is a whole number from 1' release --limit=0 a
refused 2 'release: --max-record is a whole number' release --max-record=1k a
refused 2 'release: no option --frmat; did you mean --format?' release --frmat a
refused 2 'release: no option -x' release -x a
refused 2 'release: no option -x' release --limit=3 -xn a
refused 2 'release: no option -R' release -R a
refused 2 'release: --where needs a value' release --where
refused 2 '.*xml.* is not msgpack, jsonl or csv' release -f xml odd.csv
for format in msgpack jsonl csv; do
    refused 65 "in.$format: record 1 is bad, at byte [0-9]* of the file: .*is this what prae-filter --outliers" \
        release in.$format
    size=$(($(wc -c <odd.$format) - 20))
    head -c $size odd.$format >cut.$format
    run "$ctl" release cut.$format
    is_status 65 "$format: a file that was cut short"
    has stderr "cut.$format: the file ends within record [0-9]*, which begins at byte [0-9]*" \
        "$format: the place is told"
    cmp -n "$(wc -c <../stdout)" ../stdout back.$format &&
        [ "$(wc -c <../stdout)" -gt 1000 ]
    ok $? "$format: what is before it is given back"
done
{ head -n 3 odd.jsonl; echo '{"v":1,"kind":"outlier","seq":x}'; } >bad.jsonl
at=$(($(head -n 3 odd.jsonl | wc -c) + 30))
refused 65 "bad.jsonl: record 4 is bad, at byte $at of the file: no value is here; those before it are good" \
    release bad.jsonl
cat odd.csv odd.csv >twice.csv
[ "$("$ctl" release twice.csv | wc -l)" -eq "$(($(wc -l <odd.csv) * 2 - 1))" ]
ok $? "joined CSV files have their header once"
{ cat odd.csv; sed 1s/id/ID/ odd.csv; } >two.csv
refused 65 'two.csv: another header, behind record [0-9]* at byte' \
    release two.csv
printf '\337\377\377\377\377' >lies
refused 65 'lies: the file ends within record 1, which begins at byte 0' \
    release lies
{ printf '\201\241x\333\377\377\377\377'; head -c 300000 /dev/zero; } >lies
refused 65 'lies: record 1, which begins at byte 0, has or claims more than 100000 bytes; --max-record' \
    release --max-record=100000 lies

# What is longer than --max-record is refused by its length, its line's end
# included, and not by how much was read at once; blank lines count nowhere.
for format in jsonl csv; do
    most=$(awk '{ n = length($0) + 1; if (n > most) most = n }
        END { print most }' odd.$format)
    for source in file pipe; do
        for less in 0 1; do
            if [ $source = file ]; then
                "$ctl" release --max-record=$((most - less)) odd.$format
            else
                dd bs=7 if=odd.$format 2>/dev/null |
                    "$ctl" release --max-record=$((most - less)) -f $format
            fi >../stdout 2>../stderr
            status=$?
            is_status $((less * 65)) \
                "$format: a $source, --max-record is the longest less $less"
        done
        has stderr 'has or claims more than' "$format: and that is told"
    done
done
# enveloped SEQ LEN: a record's line of so many bytes.
enveloped() {
    awk -v seq="$1" -v len="$2" 'BEGIN {
        head = "{\"v\":1,\"kind\":\"outlier\",\"seq\":" seq ",\"score\":1," \
            "\"p\":0.1,\"gate\":0,\"error\":1,\"window\":0,\"model\":1," \
            "\"state\":\"live\",\"why\":[],\"record\":{\"a\":\""
        printf "%s", head
        for (i = length(head) + 4; i < len; i++) printf "x"
        print "\"}}" }'
}
{ enveloped 0 95000; enveloped 1 90000; } >long.jsonl
{ head -c 90000 long.jsonl; sleep 0.3; tail -c +90001 long.jsonl | head -c 11000
    sleep 0.3; tail -c +101001 long.jsonl; } |
    "$ctl" release --max-record=100000 >../stdout 2>../stderr
status=$?
is_status 0 "one that ends before it is looked at again is not too long"
{ awk 'BEGIN { while (i++ < 3000) print " " }'; sleep 0.3; enveloped 0 500; } |
    "$ctl" release -f jsonl --max-record=1000 >../stdout 2>../stderr
status=$?
is_status 0 "nor is one behind blank lines"
awk 'BEGIN { while (i++ < 3000) printf " " }' |
    "$ctl" release -f jsonl --max-record=1000 >../stdout 2>../stderr
status=$?
is_status 65 "but a blank line is, unless it ends"
{ echo; echo; enveloped 0 1001; } >long.jsonl
refused 65 'long.jsonl: record 1, which begins at byte 2, has or claims more' \
    release --max-record=1000 long.jsonl
: >empty
run "$ctl" release empty
is_status 0 "an empty file has no records"
if [ -w /dev/full ]; then
    "$ctl" release odd.jsonl >/dev/full 2>../stderr
    status=$?
    is_status 74 "what cannot be written is an error"
fi
"$ctl" release all.jsonl | head -n 1 >/dev/null 2>../stderr
[ ! -s ../stderr ]
ok $? "a reader that has enough is none"
tap_done
