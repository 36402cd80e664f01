#!/bin/sh
# What an incident leaves behind: a burst nothing, a wild value little, a
# drift a line on standard error.
. "$top_srcdir/tests/tap.sh"

count() { awk -F, -v from="$2" -v to="$3" '$2 == "outlier" && $1 >= from &&
    $1 < to { n++ } END { print n + 0 }' "$1"; }

# Categories: 700 foreign records in a row, then as before.
awk 'BEGIN { print "host,path,result"
    for (i = 0; i < 12000; i++) {
        h = i * 7919 % 10007 % 5; p = i * 104729 % 10007 % 7
        if (i >= 6144 && i < 6844) print "evil,/shell,odd"
        else print "h" h ",/p" p "," (p % 3 ? "ok" : "gone")
    } }' >cat.csv
run "$filter" -q -o /dev/null --scores=scores --stats=stats.json cat.csv
is_status 0 "categories are judged"
[ "$(count scores 6144 6844)" -ge 690 ]
ok $? "a flood of foreign ones is flagged to its end"
[ "$(count scores 6844 12000)" -le 60 ]
ok $? "... and what comes after it is judged as before"
grep -q '"drifts": 0' stats.json
ok $? "... nor is the return to normal called a drift"

# A time series with one wild value long ago: an in-range jump is still found.
series() { awk -v wild="$1" 'BEGIN { print "a,b"; srand(7)
    for (i = 0; i < 16000; i++) {
        a = sin(i / 30) + 0.02 * rand(); b = cos(i / 30) + 0.02 * rand()
        if (i == 9000 && wild != 0) a = wild
        if (i == 14000) a = -a + 0.8
        print a "," b
    } }'; }
series 0 >calm.csv
series 100000 >wild.csv
run "$filter" -q -o /dev/null --scores=calm calm.csv
run "$filter" -q -o /dev/null --scores=wild wild.csv
[ "$(count calm 14000 14001)" -eq 1 ] && [ "$(count wild 14000 14001)" -eq 1 ]
ok $? "a wild value does not blind the filter"
[ "$(count wild 9000 9001)" -eq 1 ]
ok $? "... and is itself flagged"

# A level shift for good: a burst, one drift, and quiet.
awk 'BEGIN { print "a,b,c"; srand(3)
    for (i = 0; i < 20000; i++) {
        s = i < 8192 ? 0 : 40; x = rand() + rand() + rand()
        print x + s "," rand() - x "," rand() * 3
    } }' >shift.csv
run "$filter" -o /dev/null --scores=scores shift.csv
[ "$(grep -c 'drift:' ../stderr)" -eq 1 ]
ok $? "a drift is announced once"
[ "$(count scores 8192 9700)" -ge 1400 ]
ok $? "... after it has been flagged for three windows"
[ "$(count scores 12000 20000)" -le 400 ]
ok $? "... and is usual from then on"
run "$filter" -q --drift-after=2 -o /dev/null --scores=soon shift.csv
[ "$(count soon 8192 9700)" -lt "$(count scores 8192 9700)" ]
ok $? "... the sooner with a smaller --drift-after"

# One incident that begins shortly before a window ends: what comes behind it
# is good, and neither a burst for long nor a drift.
awk 'BEGIN { print "a,b,c,d"; srand(5)
    for (i = 0; i < 16000; i++) {
        r = 0.95 * r + 0.2 * (rand() - 0.5)
        x = 1.5 + sin(i / 229) + r
        bad = i >= 10240 - 150 && i < 10240 + 150 ? 8 : 0
        print 9 + x + rand() / 9 "," 20 - 2 * x + bad + rand() / 9 "," \
            30 + 1.5 * x + rand() / 9 "," 5 + x / 2 + bad + rand() / 9
    } }' >edge.csv
run "$filter" -o /dev/null --scores=later --stats=stats.json edge.csv
[ "$(count later 10090 10390)" -ge 290 ]
ok $? "an incident across two windows is flagged"
grep -q '"drifts": 0' stats.json
ok $? "... and what comes behind it is no drift"
[ "$(count later 10752 16000)" -le 200 ]
ok $? "... but judged as before from the next window on"

# A field is in thousandths from now on, which is a drift. Later, what is odd
# by its new measure is found.
awk 'BEGIN { print "a,b,c"; srand(9)
    for (i = 0; i < 24000; i++) {
        x = rand() + rand() + rand()
        a = (100 + 5 * x + rand()) * (i < 8192 ? 1000 : 1)
        if (i > 18000 && i % 97 == 0) a *= 2
        print a "," 50 - 3 * x + rand() "," rand() * 3
    } }' >units.csv
run "$filter" -q -o /dev/null --scores=later --stats=stats.json units.csv
[ "$(awk -F, '$1 > 18000 && $1 % 97 == 0 && $2 == "outlier"' later |
    wc -l)" -ge 55 ]
ok $? "what a drift made small is looked at closely"
grep -q '"drifts": 1' stats.json
ok $? "... after one drift"

# Hosts that come once and never again, by the thousands: a new one that stays
# becomes known, a foreign one is still found.
awk 'BEGIN { srand(4)
    for (i = 0; i < 60000; i++) {
        h = "web-" i * 7919 % 4
        if (i < 40000 && i % 5 == 0) h = "tmp-" i
        if (i >= 45000 && i % 3 == 0) h = "web-9"
        if (i > 50000 && i % 997 == 0) h = "evil"
        x = rand()
        print "{\"host\":\"" h "\",\"a\":" x ",\"b\":" 2 * x + rand() "}"
    } }' >hosts.jsonl
run "$filter" -q -o /dev/null --scores=later hosts.jsonl
tr -d '{}"' <later | sed 's/[a-z]*://g' >later.csv
[ "$(awk -F, '$1 > 50000 && $1 % 997 == 0 && $2 == "outlier"' later.csv |
    wc -l)" -ge 9 ]
ok $? "a table of values that come and go is never full"
[ "$(count later.csv 56000 60000)" -le 100 ]
ok $? "... and has room for those that stay"

# A value that each twentieth record has is usual, one that is rarer is not.
awk 'BEGIN { srand(6)
    for (i = 0; i < 12000; i++) {
        m = i % 2 ? "get" : "head"
        if (i % 20 == 7) m = "post"
        if (i > 4096 && i % 499 == 0) m = "trace"
        x = rand()
        print "{\"method\":\"" m "\",\"a\":" x ",\"b\":" 2 * x + rand() "}"
    } }' >methods.jsonl
run "$filter" -q -o /dev/null --scores=later methods.jsonl
tr -d '{}"' <later | sed 's/[a-z]*://g' >later.csv
[ "$(awk -F, '$1 % 20 == 7 && $2 == "outlier"' later.csv | wc -l)" -le 40 ]
ok $? "a minority is no outlier"
[ "$(awk -F, '$1 > 4096 && $1 % 499 == 0 && $2 == "outlier"' later.csv |
    wc -l)" -ge 15 ]
ok $? "... what is rare is one"

# The states by name, as records carry them.
cut -d, -f8 scores | sort -u | tr '\n' ' ' >states
grep -q '^burst drift live state warming $' states
ok $? "states are burst, drift, live and warming"
tap_done
