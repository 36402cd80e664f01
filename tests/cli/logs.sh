#!/bin/sh
# Log lines: a foreign one is found, and its reasons name the words that it
# was found by.
. "$top_srcdir/tests/tap.sh"

# A service's log of 1500 lines, all of a few kinds but line 1200.
awk 'BEGIN {
    for (i = 0; i < 1500; i++) {
        id = i * 7919 % 10007
        if (i == 1200)
            line = "worker segfault at 0xdeadbeef in libquux"
        else if (i % 3 == 0)
            line = "request " id " from client " i % 17 " accepted"
        else if (i % 3 == 1)
            line = "request " id " served in " id % 90 " ms"
        else
            line = "connection of client " i % 17 " closed"
        printf "{\"line\":\"%s\",\"id\":%d}\n", line, id
    }
}' >in.jsonl
run "$filter" --format=jsonl --fields=line --why=5 --outliers=odd.jsonl \
    -o clean.jsonl in.jsonl
is_status 0 "log lines are filtered"
adds_up "... and the account adds up"
grep '"seq":1200,' odd.jsonl >foreign
ok $? "the foreign line is an outlier"
sed 's/.*"why":\(.*\),"record":.*/\1/' foreign >why
sed 's/^/# /' why
grep -q '\["line, [a-z ]*words",[^]]*"[^"]*segfault[^"]*"' why
ok $? "... its reasons name the foreign word"
grep -q '\["line, [a-z ]*pairs",[^]]*"[^"]*segfault at[^"]*"' why
ok $? "... and the pair it is in"
! grep -Eq '"line, [a-z ]*(words|pairs)",[^]]*"worker segfault at 0x' why
ok $? "... rather than the line's beginning"

{
    echo line,id
    sed -e 's/^{"line"://' -e 's/,"id":/,/' -e 's/}$//' in.jsonl
} >in.csv
run "$filter" --format=csv --fields=line --outliers=odd.csv -o clean.csv \
    in.csv
grep -q ',1200,.*,"line, .*words [0-9]*% worker, segfault, at not ' odd.csv
ok $? "in CSV, too"
# Names that are no text are told as such, in lines that are.
i=0
while [ $i -lt 80 ]; do
    printf '\202\243b\377\233\'"$(printf %o $((i * 7 % 13)))"
    printf '\241c\'"$(printf %o $((i * 5 % 11)))"
    i=$((i + 1))
done >bytes.msgpack
run "$filter" -o /dev/null bytes.msgpack
has stderr 'features: b\\xff\\x9b, c$' "bytes that are no text are escaped"
run "$filter" --log=json -o /dev/null bytes.msgpack
iconv -f UTF-8 -t UTF-8 ../stderr >/dev/null 2>&1
ok $? "a line of JSON is UTF-8"
has stderr 'features: b\\ufffd\\ufffd, c"' "whatever a name is"
tap_done
