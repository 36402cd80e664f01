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

# The states by name, as records carry them.
cut -d, -f8 scores | sort -u | tr '\n' ' ' >states
grep -q '^burst drift live state warming $' states
ok $? "states are burst, drift, live and warming"
tap_done
