#!/bin/sh
# Under the filters of its service unit the program does as it does without
# them; `make check-confined` has all its tests so.
. "$top_srcdir/tests/tap.sh"
unit=$top_srcdir/examples/systemd/prae-filter@.service
jail=$top_builddir/tests/confine/jail

systemd-analyze syscall-filter >/dev/null 2>&1 ||
    skip_all "no systemd-analyze, which knows sets of system calls"
[ "$SANITIZERS" != yes ] ||
    skip_all "the sanitizers ask for more system calls than the program"
case $("$jail" 2>&1) in 1..0*) skip_all "no seccomp that is known here" ;; esac

run sh "$top_srcdir/tests/confine/wrap.sh" "$unit" "$top_builddir" ../jailed
is_status 0 "every setting of the unit is understood"
awk '/^\[Install\]/ { print "PrivateNetwork=yes" } 1' "$unit" >unknown
run sh "$top_srcdir/tests/confine/policy.sh" unknown
is_status 1 "... and one that is not is told"

run "$jail" ../jailed/policy
is_status 0 "the filters hold"
grep -e '^not ok' -e '^Bail' ../stdout | sed 's/^/# /'

"$top_builddir/examples/sensors" --records 3000 --format csv >in.csv || exit 99
for which in free jailed; do
    filter=$top_builddir/prae-filter
    [ $which = free ] || filter=$scratch/jailed/prae-filter
    mkdir $which && cd $which || exit 99
    for part in 1 2; do
        "$filter" -v --model=model --threads=2 --outliers=odd.csv \
            --stats=stats.json --report=report.json --log-file=log \
            -o clean.csv ../in.csv
        ok $? "files are filtered, $which, $part"
    done
    cd .. || exit 99
done
for name in clean.csv odd.csv; do
    is_same free/$name jailed/$name "... to the same $name"
done
[ -s jailed/model.1 ] && [ -s jailed/report.json ] &&
    [ -s jailed/stats.json ]
ok $? "... with model, report and counts"
if grep -q 'sandbox, by Landlock' free/log; then
    grep -q 'sandbox, by Landlock' jailed/log
    ok $? "... and it gives up what it does not need, as without them"
fi

# Sockets, keys and who watches: tests that are there already.
for test in zmq/secure.py http/routes.py; do
    run env FILTER="$filter" sh "$top_srcdir/tests/zmq/python.sh" \
        "$top_srcdir/tests/$test"
    is_status 0 "tests/$test"
    grep -e '^not ok' -e '^Bail' -e '^1..0' ../stdout | sed 's/^/# /'
done
tap_done
