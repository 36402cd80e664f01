#!/bin/sh
# Bad input, case by case: each is refused or completed as documented, the
# records around it are not harmed, and the account adds up.
. "$top_srcdir/tests/tap.sh"

# good N: N good JSON records, from the COUNT-th on.
good() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
        printf "{\"a\":%.4f,\"b\":%.4f,\"c\":%.4f}\n", sin(i * 0.7),
            cos(i * 0.7) + 0.1 * sin(i * 12.9), sin(i * 0.7 + 1) }'
}

# judged INLIERS-AT-LEAST REJECTED NAME: how the last run came out.
judged() {
    is_status 0 "$3"
    adds_up "... and adds up"
    sed -n 's/.*inliers \([0-9]*\) + .* rejected \([0-9]*\);.*/\1 \2/p' \
        ../stderr >counts
    awk -v most="$1" -v bad="$2" '{ exit !($1 >= most && $2 == bad) }' counts
    result=$?
    ok $result "... with $2 refused"
    [ $result -eq 0 ] || sed 's/^/# /' counts
}

# refused CODE COUNT NAME: so many rejects with that code.
refused() {
    [ "$(grep -c "\"reason\":\[\"$1\"" rejects)" -eq "$2" ]
    ok $? "$3"
}

filter_jsonl() {
    run "$filter" -f jsonl --rejects=rejects -o clean "$@"
}

# 21: garbage among records.
{ good 300; printf '\301\n'; good 1; echo; head -c 200000 /dev/urandom |
    tr -d '\n'; echo; good 300; } >in
filter_jsonl in
judged 550 2 "21: garbage lines are refused"
refused malformed 2 "21: as malformed"

# 22: nesting of 33 and of a million.
nest() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "[";
    for (i = 0; i < n; i++) printf "]"; print "" }'; }
{ good 300; nest 33; nest 300000; good 300; } >in
filter_jsonl in
judged 550 2 "22: deep nesting is refused"
refused depth 2 "22: as depth"

# 24: a record of nothing but elements.
{ good 300; awk 'BEGIN { printf "[0"; for (i = 0; i < 70000; i++)
    printf ",0"; print "]" }'; good 300; } >in
filter_jsonl in
judged 550 1 "24: too many elements are refused"
refused elements 1 "24: as elements"

# 27: numbers at the edges.
{ good 600; echo '{"a":NaN,"b":0,"c":0}'; echo '{"a":-Infinity,"b":0,"c":0}'
    echo '{"a":-0.0,"b":1e-310,"c":0.5}'
    echo '{"a":1e300,"b":-1e300,"c":1.7e308}'
    echo '{"a":18446744073709551615,"b":-9223372036854775808,"c":0}'
    good 600; } >in
run "$filter" -f jsonl --rejects=rejects -o clean --stats=stats.json in
judged 1100 2 "27: numbers at the edges are judged"
refused nonfinite 2 "27: NaN and infinities are refused"
grep -q '"wide_integers": 2' stats.json
ok $? "27: wide integers are counted"
run "$filter" -f jsonl --nonfinite=impute --rejects=rejects -o clean in
judged 1100 0 "27: --nonfinite=impute takes them as missing"

# 28: keys missing, nil, extra, in another order, twice; other types.
{ good 600; echo '{"a":0.1,"b":0.9}'; echo '{"a":null,"b":0.9,"c":0.8}'
    echo '{"c":0.8,"x":7,"b":1,"a":0}'; echo '{"a":9,"b":1,"c":0.8,"a":0}'
    echo '{"a":"0.1","b":1,"c":0.8}'; echo '{"a":true,"b":1,"c":0.8}'
    echo '{"a":[1],"b":1,"c":0.8}'; echo '{"a":0.1}'; good 600; } >in
run "$filter" -f jsonl --rejects=rejects -o clean --stats=stats.json in
judged 1100 3 "28: keys and types of all kinds are judged"
refused type 2 "28: a string and an array for a number: type"
refused missing 1 "28: most of it missing: missing"
grep -q '"ignored_fields": [12],' stats.json
ok $? "28: new keys are counted"

# 29: the dimension changes and comes back.
awk 'BEGIN { for (i = 0; i < 900; i++) if (i % 100 == 99) print "[1,2]";
    else printf "[%.4f,%.4f,%.4f]\n", sin(i), cos(i), sin(i + 1) }' >in
filter_jsonl in
judged 800 9 "29: arrays of another length are refused"
refused dimension 9 "29: as dimension"

# 30: constants and duplicates.
awk 'BEGIN { for (i = 0; i < 1500; i++) print "{\"a\":1,\"b\":2}" }' >in
run "$filter" -f jsonl --scores=scores -o clean in
judged 1500 0 "30: all duplicates are inliers"
[ "$(grep -c '"score":[0-9].*"gate":[0-9].*"error":[0-9]' scores)" -eq 1500 ]
ok $? "30: with finite scores"
awk 'BEGIN { for (i = 0; i < 1500; i++)
    printf "{\"a\":%.4f,\"b\":%.4f,\"k\":%d}\n", sin(i), cos(i),
        i == 1200 ? 4 : 3 }' >in
run "$filter" -f jsonl -O odd -o clean in
grep -q '"seq":1200,.*"why":\[\["k' odd
ok $? "30: a constant that moves is flagged, and blamed"
[ "$(sed -n 's/.*"seq":12\([0-9]*\),.*"why":\[\["k.*/\1/p' odd | wc -l)" -le 3 ]
ok $? "30: and the records behind it are not"

# 31: windows of any size.
good 20 >in
for window in 1 2 3 7 19 20 21 1000 all; do
    run "$filter" -f jsonl -w $window -o clean -O odd in
    has stderr 'received 20 = ' "31: a window of $window"
    adds_up "... adds up"
done
for count in 0 1 2; do
    good $count >in
    filter_jsonl in
    judged $count 0 "31: $count records all come out"
done

# 32: a burst is held out of learning.
{ good 6144; awk 'BEGIN { for (i = 0; i < 512; i++)
    printf "{\"a\":%.4f,\"b\":%.4f,\"c\":%.4f}\n", 5 + sin(i), -7, 9 }'
    good 2560; } >in
run "$filter" -f jsonl --scores=scores -o clean --context=off in
has stderr 'burst: most of window 12' "32: a burst is announced"
sed -n '6145,6656p' scores | grep -c '"verdict":"outlier"' >burst
[ "$(cat burst)" -ge 500 ]
ok $? "32: and flagged"
sed -n '6657,9216p' scores | grep -c '"verdict":"outlier"' >after
sed -n '3585,6144p' scores | grep -c '"verdict":"outlier"' >before
[ "$(cat after)" -le $(($(cat before) + 64)) ]
ok $? "32: the five windows behind it are judged as before"

run "$filter" -f jsonl --drift-after=1 -o clean --context=off in
has stderr 'drift: up to window 12, 512 records in a row' "32: --drift-after=1 learns it"
run "$filter" -f jsonl --burst-share=1 -o clean --context=off in
! grep -q burst: ../stderr
ok $? "32: --burst-share=1 knows no bursts"

# 33: poisoning does not lock the filter: it is flagged, and usual in the end.
# Less than --burst-share is neither a burst nor a drift.
{ good 5120; awk 'BEGIN { for (i = 0; i < 10240; i++)
    printf "{\"a\":%.4f,\"b\":%.4f,\"c\":%.4f}\n",
        sin(i * 0.7) + (i % 10 < 3 ? 6 : 0), cos(i * 0.7), sin(i * 0.7 + 1)
    }'; } >in
run "$filter" -f jsonl --scores=scores -o clean --context=off in
is_status 0 "33: a stream of which a third is shifted is judged"
adds_up "... and adds up"
! grep -q 'burst:\|drift:' ../stderr
ok $? "33: as what it was before"
# flagged FIRST LAST POISON: which share of those records, in percent.
flagged() {
    awk -v first="$1" -v last="$2" -v poison="$3" 'NR > first && NR <= last &&
        ((NR - 5121) % 10 < 3) == poison {
            count++; odd += /"verdict":"outlier"/ }
        END { printf "%d\n", 100 * odd / count }' scores
}
[ "$(flagged 5120 8192 1)" -ge 95 ]
ok $? "33: for six windows what is shifted is flagged"
[ "$(flagged 5120 15360 0)" -le 5 ]
ok $? "33: and the rest passes"
[ "$(flagged 13312 15360 1)" -le 10 ]
ok $? "33: what stays is usual in the end"

# Names of all lengths: one that is short, then one that is not told whole;
# and a long one around many others.
awk 'BEGIN { long = "k"; while (length(long) < 600) long = long long
    for (i = 0; i < 600; i++)
        printf "{\"a\":%.4f,\"%s\":%.4f}\n", sin(i), long, cos(i) }' >in
filter_jsonl in
judged 500 0 "a name of one letter, then a long one"
has stderr 'judging by 2 features: a, \.\.\.' "is told as far as it goes"
{ good 100; awk 'BEGIN { long = "k"; while (length(long) < 500000)
    long = long long; printf "{\"%s\":{\"0\":1", long
    for (i = 1; i < 40000; i++) printf ",\"%x\":1", i; print "}}" }'
    good 500; } >in
run timeout 20 "$filter" -f jsonl --rejects=rejects -o clean in
judged 500 1 "a long name around many costs no minutes"

# 34: text files as they come.
{ printf '\357\273\277a,b\r\n1,2\r\n3,4\r\n"5","6"\r\n7\r\n8,9,10\r\n'
    printf '11,"12"\r\n\r\n"13","14\n"\r\n'
    awk 'BEGIN { for (i = 0; i < 93; i++) print 9 - i % 9 "," i % 7 "\r" }'
} >in.csv
run "$filter" -O odd.csv -o clean.csv in.csv
is_status 0 "34: BOM, CRLF, quotes, ragged rows"
has stderr 'received 100 = ' "34: blank lines are no records"
[ "$(grep -c 'dimension' odd.csv)" -eq 2 ]
ok $? "34: ragged rows are refused as dimension"
{ echo a,b; awk 'BEGIN { for (i = 0; i < 1000; i++)
    printf "%.3f,%.3f\n", sin(i), cos(i) }'; } >odd.in
{ echo a,b; awk 'BEGIN { for (i = 0; i < 300; i++)
    printf "%.3f,%.3f\n", sin(i), cos(i) }'
    printf '\377\376,1\n'; head -c 10000000 /dev/zero | tr '\0' 7; echo ',1'
    echo 0.1,0.2; } >in.csv
run "$filter" --rejects=rejects -o clean.csv in.csv
judged 280 2 "34: bad UTF-8 and a line of 10 MB"
grep -q 'length: line 303: ' rejects
ok $? "34: the long line is refused as length, with its number"
{ head -n 601 odd.in; echo '"oops,1'; tail -n +602 odd.in; } >quote.csv
run "$filter" --rejects=rejects -o clean.csv quote.csv
judged 900 1 "34: a quote that never closes costs its own line only"
grep -q 'malformed: line 602: ' rejects
ok $? "34: which is told"
tap_done
