#!/bin/sh
# Records that were set aside are judged again, each by itself, by a model
# that may know better now.
. "$top_srcdir/tests/tap.sh"
ctl=$top_builddir/praectl

# stream EACH FORMAT: records whose b is twice a, but for every EACH-th.
stream() {
    awk -v each="$1" -v format="$2" 'BEGIN {
        srand(7)
        line = "{\"a\":%.4f,\"b\":%.4f,\"c\":%.4f}\n"
        if (format == "csv") {
            line = "%.4f,%.4f,%.4f\n"
            print "a,b,c"
        }
        for (i = 1; i <= 4000; i++) {
            a = rand() + rand() - 1
            odd = i % each == 0 ? 3 : 0
            printf line, a, 2 * a + 0.01 * rand() + odd, rand() + rand()
        }
    }'
}

# rescored PATTERN NAME ARGUMENTS...
rescored() {
    pattern=$1
    name=$2
    shift 2
    run "$ctl" rescore "$@"
    is_status 0 "$name"
    has stderr "$pattern" "... $pattern"
}

for format in jsonl csv; do
    stream 9999 $format >good.$format
    stream 40 $format >odd.$format
    stream 3 $format >often.$format
    "$filter" -q --context=off -m model.$format -o clean good.$format &&
        "$filter" -q --context=off -m other.$format -o clean often.$format &&
        "$filter" -q --freeze -m model.$format -o clean -O flagged.$format \
            odd.$format || exit 99
    "$ctl" release flagged.$format >all
    count=$("$ctl" show -t flagged.$format | sed 1d | wc -l)
    [ "$count" -ge 90 ]
    ok $? "$format: what is odd was flagged"
    rescored "flagged.$format: $count records: inliers 0, outliers $count, rejects 0 by model" \
        "$format: by the same model they are outliers again" \
        --model=model.$format flagged.$format
    has stdout '^   record        score     rescored            p  now$' \
        "$format: the table has a head"
    awk 'NR > 1 && ($2 - $3 > 1e-4 * $2 || $3 - $2 > 1e-4 * $2) { exit 1 }' \
        ../stdout
    ok $? "$format: with the scores they had"
    "$ctl" rescore -m model.$format --still flagged.$format 2>../stderr |
        cmp - all
    ok $? "$format: --still gives them all back"
    rescored "rejects 0 by model" "$format: --no-longer" \
        -m model.$format --no-longer flagged.$format
    [ "$(cat ../stdout)" = "$([ $format = jsonl ] || echo a,b,c)" ]
    ok $? "$format: gives none"
    run "$ctl" rescore -m other.$format -w seq=39 flagged.$format
    has stdout '^ *39 .* inlier$' "$format: a model that knows them lets them in"
    "$ctl" rescore -m other.$format --still flagged.$format \
        >still 2>/dev/null
    "$ctl" rescore -m other.$format --no-longer flagged.$format \
        >let 2>/dev/null
    cat still let | sort -u >both
    sort -u all | cmp - both && [ "$(wc -l <let)" -gt $((count / 2)) ]
    ok $? "$format: still and no longer are all of them"
    run "$ctl" rescore -m model.$format --fpr=1e-9 --no-longer flagged.$format
    is_same ../stdout all "$format: --fpr decides otherwise"
    run "$ctl" rescore -m model.$format --threshold=-0.99 -n 9 flagged.$format
    is_status 0 "$format: and so may --threshold"
done

# Rejects, and rows without a header.
{ head -n 600 good.jsonl; echo '{"a":NaN,"b":1,"c":1}'; echo '{"a":'
    echo '{"a":0.1,"b":0.2,"c":{}}'; } >in.jsonl
"$filter" -q -o clean -O bad.jsonl in.jsonl
run "$ctl" rescore -m model.jsonl -w kind=reject bad.jsonl
has stdout '^ *600  *-  *-  *-  reject nonfinite$' "a reject is one again"
has stdout '^ *601  *-  *-  *-  reject malformed$' "whatever it was"
# What reads as nothing by itself is judged as what it was amid the others.
{ head -n 601 good.csv; echo a,b,c; printf '\357\273\277a,b,c\n'
    sed 1d good.csv | head -n 600; } >twice.csv
{ head -n 600 good.jsonl; printf '\357\273\277\n'; tail -n 600 good.jsonl
    printf '{"a":%01000d}\n' 1; } >mark.jsonl
"$filter" -q -o clean --rejects=twice.rejects.csv twice.csv &&
    "$filter" -q --max-record=200 -o clean --rejects=mark.rejects.jsonl \
        mark.jsonl || exit 99
rescored ': 2 records: inliers 0, outliers 0, rejects 2 by' \
    "a header that came again stays a reject" -m model.csv twice.rejects.csv
has stdout '^ *600  *-  *-  *-  reject type$' "with its code"
has stdout '^ *601  *-  *-  *-  reject type$' "also behind a mark"
rescored 'inliers 0, outliers 0, rejects 2 by' "so does a byte order mark" \
    -m model.jsonl mark.rejects.jsonl
has stdout '^ *600  *-  *-  *-  reject malformed$' "with its code, too"
has stdout '^ *1201  *-  *-  *-  reject length$' "and what was cut off"
"$ctl" rescore -m model.csv --no-longer twice.rejects.csv >let 2>../stderr
[ "$(cat let)" = a,b,c ]
ok $? "--no-longer has none of them"
"$ctl" rescore -m model.csv --still twice.rejects.csv >still 2>../stderr
"$ctl" release twice.rejects.csv | cmp - still
ok $? "--still has them all"
{ echo text,more
    awk 'BEGIN { for (i = 0; i < 600; i++)
        print (i % 100 == 7 ? "text,more" : "a" i % 7 ",b" i % 3) }'
} >words.csv
"$filter" -q --context=off -m words.model -o clean words.csv &&
    "$filter" -q --freeze --threshold=2 -m words.model -o clean \
        -O words.odd.csv words.csv || exit 99
rescored ': 600 records: inliers 0, outliers 600, rejects 0 by' \
    "a row like the header is judged as others are" \
    --threshold=2 -m words.model words.odd.csv
awk 'NR > 1 && $1 % 100 == 7 && $2 == $3 { n++ } END { exit n != 6 }' ../stdout
ok $? "and has the score that it had"

sed 1d odd.csv >bare.csv
"$filter" -q --no-header --context=off -m bare.model -o clean -O rows.csv \
    bare.csv || exit 99
rescored 'inliers' "rows without a header are judged" -m bare.model rows.csv

# A ragged row among them is one by itself, whatever is behind it.
rows() # COUNT SEED
{
    awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed); for (i = 0; i < n; i++)
        if (seed == 2 && i == 20)
            print "1,2"
        else
            printf "%.4f,%.4f,%.4f\n",
                (seed == 2 && i % 40 == 30 ? 900 : rand() + rand()),
                rand() + rand(), rand() + rand() }'
}
for names in '' a,b,c; do
    option=${names:---no-header}
    option=${option#a,b,c}
    for seed in 1 2; do
        { [ -z "$names" ] || echo $names; rows 1024 $seed; } >ragged.$seed.csv
    done
    rm -f ragged.model
    "$filter" -q $option -m ragged.model -o clean ragged.1.csv &&
        "$filter" -q $option --freeze -m ragged.model -o clean \
            -O ragged.odd.csv ragged.2.csv || exit 99
    sed -n '/dimension/p;/^900/p' ragged.odd.csv | head -n 1 >first
    grep -q '^"1,2",.*dimension' first
    ok $? "rows ${names:-bare}: a ragged one comes first"
    rescored ", rejects 1 by" "rows ${names:-bare}: it alone is refused again" \
        -m ragged.model ragged.odd.csv
    awk '/ outlier$/ && $2 != $3 { bad++ } / outlier$/ { n++ }
        END { exit bad > 0 || n < 20 }' ../stdout
    ok $? "rows ${names:-bare}: the others have the scores they had"
    "$ctl" rescore -m ragged.model --no-longer ragged.odd.csv >let 2>../stderr
    [ "$(cat let)" = "$names" ]
    ok $? "rows ${names:-bare}: none is let in"
    "$ctl" rescore -m ragged.model --threshold=-0.99 --still ragged.odd.csv \
        >still 2>../stderr
    grep -q '^1,2$' still
    ok $? "rows ${names:-bare}: nor is the ragged one by another rule"
done

# A stream whose neighbours are alike: records out of it are judged by what
# they are, not by how far they are from each other.
"$top_builddir/examples/sensors" --records 6000 >in.msgpack || exit 99
"$filter" -q -m station.model -o clean.msgpack in.msgpack || exit 99
"$filter" -q -w 99999 --cold=flag -O everything.msgpack clean.msgpack ||
    exit 99
rescored 'goes by changes from record to record, too' \
    "a model that goes by changes says what it cannot tell" \
    -m station.model everything.msgpack
awk '/inlier$/ { n++ } END { exit !(n > 0.98 * NR) }' ../stdout
ok $? "and good records are good by themselves"
"$ctl" rescore -m station.model -w 'seq<2000' everything.msgpack \
    2>/dev/null | sed 1d >first
run "$ctl" rescore -m station.model -w 'seq>=1000' -n 500 everything.msgpack
sed 1d ../stdout >second
sed -n 1001,1500p first | cmp - second
ok $? "whichever are judged before them"

# refused STATUS PATTERN ARGUMENTS...
refused() {
    want=$1
    pattern=$2
    shift 2
    run "$ctl" rescore "$@" </dev/null
    is_status "$want" "refused: $*"
    has stderr "^praectl: error: $pattern" "told: $pattern"
}
refused 2 'rescore: --model=MODEL is missing' flagged.jsonl
refused 2 'rescore: --still and --no-longer are one output each' \
    -m model.jsonl --still --no-longer flagged.jsonl
refused 2 'rescore: --fpr' -m model.jsonl --fpr=2 flagged.jsonl
refused 2 'rescore: --threshold' -m model.jsonl --threshold=x flagged.jsonl
refused 2 'rescore: no option --sort; see' -m model.jsonl --sort flagged.jsonl
refused 66 'cannot open no.model: there is no such file' \
    -m no.model flagged.jsonl
refused 66 'cannot open no.jsonl: No such file' -m model.jsonl no.jsonl
refused 78 'flagged.jsonl cannot be used: ' -m flagged.jsonl flagged.jsonl
refused 65 'good.jsonl: record 1 is bad' -m model.jsonl good.jsonl
sed 1s/a/\"a\"x/ flagged.csv >names.csv
refused 65 'names.csv: the header is no row of names' -m model.csv names.csv
tap_done
