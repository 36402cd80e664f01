#!/bin/sh
# Snapshots: going on as if nothing had happened, and refusing what is not
# one.
. "$top_srcdir/tests/tap.sh"

# Records that all parse, so that windows end where the halves do.
"$top_builddir/examples/sensors" --records 5400 --format csv >raw.csv || exit 99
run "$filter" -q --scores=raw.scores -o /dev/null raw.csv
sed -i 1d raw.scores
awk -F, 'NR == FNR { bad[FNR] = $2 == "reject"; next }
    FNR == 1 || !bad[FNR - 1]' raw.scores raw.csv | head -n 5121 >in.csv
[ "$(wc -l <in.csv)" -eq 5121 ] || exit 99
head -n 2561 in.csv >in1.csv
{ head -n 1 in.csv && tail -n +2562 in.csv; } >in2.csv

run "$filter" -o whole.csv --scores=whole.scores in.csv
run "$filter" -m m -o part1.csv --scores=part1.scores in1.csv
is_status 0 "the first half is filtered"
has stderr 'model m$' "the account names the model"
cp m half
run "$filter" -m m -o part2.csv --scores=part2.scores in2.csv
is_status 0 "the second half goes on from the snapshot"
{ cat part1.csv && tail -n +2 part2.csv; } >parts.csv
is_same whole.csv parts.csv "both are what one run gives, byte for byte"
{ cat part1.scores && tail -n +2 part2.scores; } | cut -d, -f2- >parts.scores
cut -d, -f2- whole.scores >whole.scored
is_same whole.scored parts.scores "so are scores and windows' numbers"
is_same half m.1 "the older snapshot is kept"
[ ! -e m.2 ]
ok $? "and only one"
run "$filter" -m m --keep=3 -o /dev/null in2.csv
[ -e m.2 ]
ok $? "--keep keeps more"
[ -z "$(ls | grep tmp)" ]
ok $? "no temporary file is left"

echo left >m.4194304.tmp # no process has or had it: numbers are below
echo other >m.notes.tmp
for name in +4194304 ' 4194304' 20261117120000 20261117; do
    echo other >"m.$name.tmp"
done
echo left >m.$$.tmp # of a process that runs
run "$filter" -m m -o /dev/null in2.csv
[ ! -e m.4194304.tmp ] && [ -e m.notes.tmp ]
ok $? "what a killed process left is swept up, and nothing else"
[ -e m.+4194304.tmp ] && [ -e 'm. 4194304.tmp' ] &&
    [ -e m.20261117120000.tmp ] && [ -e m.20261117.tmp ]
ok $? "... nor what is no process's number"
rm -f m.+4194304.tmp 'm. 4194304.tmp' m.20261117*.tmp
[ "$(cat m.$$.tmp)" = left ]
ok $? "nor what one that runs is writing"
rm m.$$.tmp
(umask 022 && "$filter" -q -m private -o /dev/null in2.csv)
[ "$(ls -l private | cut -c1-10)" = -rw------- ]
ok $? "a snapshot is for its owner alone"
# In a container every process has the same number.
run sh -c 'echo left >own.$$.tmp && exec "$@"' sh \
    "$filter" -m own -o /dev/null in2.csv
is_status 0 "what one of our own number left is swept up, too"

# What is saved is not saved again, at the expense of older ones.
run "$filter" -w 100 --save-every=1 --keep=3 -m each -o /dev/null in2.csv
[ "$(cksum each each.1 each.2 each.3 | sort -u -k 1,1 | wc -l)" -eq 4 ]
ok $? "a snapshot for each window, and no two alike"
cksum each each.1 each.2 each.3 >sums
head -n 1 in2.csv | "$filter" -q -f csv -w 100 --keep=3 -m each -o /dev/null
cksum each each.1 each.2 each.3 | cmp -s - sums
ok $? "a run without a record leaves them as they are"

# Weights that are no numbers any more are not saved, to be refused later.
for activation in leaky linear; do
    rm -f wild
    run "$filter" -w 100 --rate=1 --activation=$activation --batch=1 -m wild \
        -o /dev/null in2.csv
    case $status in
    78) has stderr 'training diverged on the first window: try a rate below' \
        "$activation: a training that diverges is told" ;;
    *) run "$filter" -m wild -o /dev/null in2.csv
        is_status 0 "$activation: what was saved is read" ;;
    esac
done

# Names of fields are a sender's, and a terminal is the reader's.
i=0
while [ $i -lt 80 ]; do
    printf '{"c\\u001b]0;x\\u0007":%d,"\\u009b31m\\u202e":%d}\n' \
        $((i * 7 % 13)) $((i * 5 % 11))
    i=$((i + 1))
done >names.jsonl
run "$filter" -m names -o /dev/null names.jsonl
run "$filter" --inspect=names
has stdout ' c\\x1b\]0;x\\x07 ' "--inspect escapes what drives a terminal"
has stdout ' \\x9b31m\\u202e ' "and what turns text around"
run "$filter" --inspect=names --log=json
has stdout '"name":"\\u009b31m\\u202e"' "also as JSON"

cp half frozen
run "$filter" --freeze -m frozen -o f1.csv in2.csv
is_status 0 "--freeze judges"
has stderr 'state frozen' "and says so"
is_same half frozen "and learns nothing"
run "$filter" --freeze -m frozen -o /dev/null </dev/null
has stderr 'state frozen' "also where nothing came"
run "$filter" --freeze -m frozen -o f2.csv in2.csv
is_same f1.csv f2.csv "--freeze gives the same again"
run "$filter" --freeze -m frozen -O odd.csv -o /dev/null in2.csv
tail -n +2 odd.csv | awk -F, '$(NF-7) != "" { }
    !/,frozen,/ { bad = 1 } END { exit bad || NR == 0 }'
ok $? "verdicts carry the state"
run "$filter" --freeze --threshold=-1 -m frozen -o /dev/null in2.csv
has stderr 'outliers 0 ' "--threshold counts with --freeze, too"
run "$filter" --freeze in.csv
is_status 78 "--freeze without a snapshot is refused"
run "$filter" --freeze -m nowhere in.csv
is_status 78 "--freeze with one that is not there, too"

run "$filter" --inspect=m
is_status 0 "--inspect prints a snapshot"
has stdout '  windows    20 judged' "with its windows"
has stdout 'flow_lpm, spread' "with its features"
run "$filter" --inspect=m --log=json
has stdout '^{"state":"live",.*"features":\[{"name":"' "and as JSON"
awk 'BEGIN {
    for (i = 0; i < 64; i++)
        printf "{\"a\\\"b\\\\c\\td\":%d}\n", i * 7919 % 101
}' >quoted.jsonl
run "$filter" -q -w 32 -m quoted --log=json -o /dev/null quoted.jsonl
run "$filter" --inspect=quoted --log=json
has stdout '"features":\[{"name":"a\\"b\\\\c\\u0009d",' \
    "quotes and tabs in a name are escaped there"
run "$filter" -w 32 --log=json -o /dev/null quoted.jsonl
has stderr '"text":"judging by 1 feature: a\\"b\\\\c\\u0009d"}$' \
    "and in the log"
run "$filter" --inspect=nowhere
is_status 66 "--inspect of nothing is refused"

run "$filter" -m m --hidden=3 in.csv
is_status 78 "another net than the snapshot's is refused"
has stderr 'learned with hidden=auto, not 3' "with the reason"
run "$filter" -m m --seed=9 -o /dev/null in.csv
is_status 78 "another seed, too"

# refused FILE PATTERN NAME: FILE as a snapshot.
refused() {
    run "$filter" -m "$1" -o out.csv in2.csv
    is_status 78 "$3"
    has stderr "$1 cannot be used: $2" "it is told: $2"
    [ ! -s out.csv ]
    ok $? "and nothing is written"
}
rm -f m.1 m.2 m.3
: >empty
refused empty "it is no snapshot" "an empty file is refused"
echo 'not a snapshot at all, but long enough to be one' >text
refused text "it is no snapshot" "a text is refused"
head -c 100000 half >cut
refused cut 'it has 100000 bytes and should have' "a cut one is refused"
{ head -c 5000 half && printf 'X' && tail -c +5002 half; } >bent
refused bent 'its checksum is wrong' "a bent one is refused"
{ head -c 8 half && printf '\003' && tail -c +10 half; } >newer
refused newer 'its version is 3' "one of another version is refused"
{ head -c 8 half && printf '\001' && tail -c +10 half; } >older
refused older 'its version is 1' "one of an older version, too"
dd if=/dev/null of=huge bs=1 seek=2147483648 2>/dev/null
refused huge "it is no snapshot of prae's" "gigabytes of nothing are refused"
printf PRAESNAP | dd of=huge bs=8 conv=notrunc 2>/dev/null
refused huge 'its version is 0' "one of gigabytes is looked at"
rm huge
ln -s half link
refused link 'it is a symbolic link' "a symbolic link is refused"
mkfifo fifo
refused fifo 'it is not a regular file' "a FIFO is refused"
mkdir directory
refused directory 'it is not a regular file' "a directory is refused"

cp half good.1
cp bent good
run "$filter" -m good -o /dev/null in2.csv
is_status 0 "a bent one with an older one beside it goes on"
has stderr 'good cannot be used: its checksum.*going on from good.1' \
    "with a warning"
is_same half good.1 "the bent one is not kept in the good one's place"
run "$filter" --inspect good
is_status 0 "a new one takes its own"
run "$filter" -m good -o /dev/null in2.csv
cmp -s half good.1
[ $? -eq 1 ]
ok $? "and is kept in its turn"
run "$filter" -q -w 600 --seed=2 -m other -o /dev/null in1.csv
cp other other.1
cp half other
run "$filter" --seed=2 -m other -o /dev/null in2.csv
is_status 78 "a good one is not given up for an older one that has our options"
has stderr 'other cannot be used: it was learned with seed=1, not 2' "it is told"
is_same half other "and it stays"
# as_user COMMAND: nobody in particular, who may not read everything.
as_user() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
}
if as_user "$filter" --version >/dev/null 2>&1; then
    mkdir shared
    cp half shared/m
    cp half shared/m.1
    chmod 777 shared
    chmod 644 shared/m.1
    chmod 0 shared/m
    run as_user "$filter" -m shared/m -o /dev/null in2.csv
    is_status 78 "nor is one that may not be read"
    has stderr 'shared/m cannot be used: Permission denied' "it is told, too"
    chmod 600 shared/m
    is_same half shared/m "and it stays as well"
    # A directory that cannot be opened cannot be synced: each save fails.
    chmod 644 shared/m
    chmod 333 shared
    mkfifo slow
    { cat in2.csv && sleep 3; } >slow &
    run as_user "$filter" -f csv -m shared/m --keep=9 --save-every=100ms \
        -o /dev/null <slow
    rm slow
    is_status 74 "a snapshot that may not last is an error"
    has stderr 'cannot make shared/m durable: Permission denied' "it is told"
    chmod 755 shared
    for older in shared/m.?; do
        cmp -s half "$older" && break
    done
    is_same half "$older" "saved again and again it pushes no older one out"
fi
rm good
cp half good.1
run "$filter" -m good -o /dev/null in2.csv
is_same half good.1 "where the file was taken away the older one stays"
cp half frozen
run "$filter" -m frozen --freeze --emit=now --scores=whole -o /dev/null in2.csv
dd if=in2.csv bs=7 2>/dev/null | "$filter" -q -f csv -m frozen --freeze \
    --emit=now --scores=pieces -o /dev/null
is_same whole pieces "frozen, at once: the same in small pieces"
run "$filter" -m frozen --freeze --scores=windows -o /dev/null in2.csv
is_same whole windows "and the same as in windows"

# At once from a snapshot, the rows are learned behind the front, also where
# their header is refused.
for names in 'ab,b' 'a\377,b'; do
    { printf "$names\n"
        awk 'BEGIN { srand(5); for (i = 0; i < 400; i++)
            printf "%.4f,%.4f\n", rand() + rand(), rand() + rand() }'
    } >named.csv
    rm -f named
    "$filter" -q -w 100 -m named -o /dev/null named.csv || exit 99
    run "$filter" -w 100 --emit=now -m named -o /dev/null --stats=named.json \
        named.csv
    is_status 0 "at once, below the header $names"
    grep -q '"windows": 4,' named.json && grep -q '"unlearned": 0,' named.json
    ok $? "all rows are learned"
    "$filter" --inspect=named | grep -q ' 8 judged, 8 learned'
    ok $? "and saved"
done

cp bent gap
cp half gap.3
run "$filter" -m gap -o /dev/null in2.csv
is_status 0 "one that is missing ends no search"
has stderr 'going on from gap\.3$' "for the first that is whole"
cp bent deep
cp bent deep.1
cp half deep.2
run "$filter" -m deep -o /dev/null in2.csv
is_status 0 "so do two bent ones"
has stderr 'going on from deep\.2$' "from the first that is whole"

run "$filter" -m no/such/dir/m -o kept.csv in.csv
is_status 74 "a place where no snapshot can be written is an error"
has stderr 'cannot write no/such/dir/m: no/such/dir: No such' "told at once"
[ ! -s kept.csv ]
ok $? "before anything is written"
run "$filter" --save-every=2 in.csv
is_status 2 "--save-every without --model is refused"

# On a signal, after the next window, and by windows.
mkfifo feed
"$filter" -f csv -m asked -o /dev/null <feed 2>/dev/null &
pid=$!
exec 9>feed
head -n 600 in.csv >&9
handles $pid
sleep 1
kill -USR1 $pid
[ ! -e asked ]
ok $? "without a signal nothing is saved yet"
sed -n '601,1300p' in.csv >&9
for tenth in $(seq 100); do [ -s asked ] && break; sleep 0.1; done
[ -s asked ]
ok $? "SIGUSR1 saves after the next window"
exec 9>&-
wait $pid
ok $? "and the run goes on to its end"
# Who guesses the name that is written to first gains nothing by a link there,
# sandbox or not.
echo precious >target
"$filter" -f csv --sandbox=off -m planted -o /dev/null <feed 2>../stderr &
pid=$!
exec 9>feed
head -n 600 in.csv >&9
for tenth in $(seq 100); do
    grep -q 'judging by' ../stderr && break
    sleep 0.1
done
ln -s target planted.$pid.tmp
exec 9>&-
wait $pid
status=$?
is_status 74 "a link where a snapshot is written first is not followed"
has stderr 'cannot write planted\.[0-9]*\.tmp: File exists' "and is told"
[ "$(cat target)" = precious ]
ok $? "what it leads to is as it was"
run "$filter" --save-every=2 --keep=2 -v -m often -o /dev/null in.csv
[ "$(grep -c 'saved often' ../stderr)" -ge 4 ]
ok $? "--save-every=2 saves every second window"
run "$filter" --save-every=soon -m m in.csv
is_status 2 "--save-every=soon is refused"

# A new one that cannot take its place pushes no older one out.
run "$filter" -q -m kept -o /dev/null in1.csv
run "$filter" -q -m kept -o /dev/null in1.csv
cp kept.1 older
mkfifo slow
"$filter" -f csv -q -m kept -o passed.csv <slow 2>../stderr &
pid=$!
exec 9>slow
cat in1.csv >&9
tries=0
until [ -s passed.csv ] || [ $tries -eq 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
mv kept aside
mkdir kept
exec 9>&-
wait $pid
status=$?
is_status 74 "a snapshot that cannot take its place is a failure"
is_same kept.1 older "and no older one goes for it"
[ -z "$(ls | grep 'kept.*tmp')" ]
ok $? "nor is anything left"

# Links that are one file, and what is in the way of older ones.
cp half twin
ln twin twin.1
run "$filter" -q -m twin -o /dev/null in2.csv
is_same half twin.1 "who was FILE.1 already stays it"
[ -z "$(ls | grep 'twin.*tmp')" ]
ok $? "and has no third name"
mkdir twin.2
run "$filter" --keep=2 -m twin -o /dev/null in2.csv
is_status 0 "a directory in the place of an older one is no failure"
has stderr 'warning: cannot keep twin.1 as twin.2: ' "but told"

# Whether inliers are scored, too, changes nothing about outliers, of wide
# records no less, whose products hang on how many are taken at once.
make_wide() { # NOISE-OF-EACH-FIFTH
    awk -v most="$1" 'BEGIN { srand(2)
        for (i = 0; i <= 1200; i++) { a = rand(); b = rand()
            for (d = 0; d < 300; d++)
                printf "%s%s", i == 0 ? "f" d : a * (d % 7) + b * (d % 5) + \
                    rand() * (i % 5 ? 0.1 : most), d < 299 ? "," : "\n" } }'
}
make_wide 0.1 >calm.csv
make_wide 0.3 >wide.csv
run "$filter" -q --batch=256 -m wide -o /dev/null calm.csv
run "$filter" -q --freeze --batch=256 -m wide -o w1.csv -O x1.csv wide.csv
run "$filter" -q --freeze --batch=256 -m wide -o w2.csv -O x2.csv \
    --scores=/dev/null wide.csv
is_same w1.csv w2.csv "inliers of wide records are the same, scored or not"
is_same x1.csv x2.csv "and so is all that is said of outliers"
[ "$(wc -l <x1.csv)" -gt 20 ]
ok $? "of whom there are some"

# Whoever looks at one of more features than usual gives no limit for them.
awk 'BEGIN { srand(3)
    for (i = 0; i <= 64; i++)
        for (d = 0; d < 4200; d++)
            printf "%s%s", i == 0 ? "f" d : rand(), d < 4199 ? "," : "\n" }' \
    >many.csv
run "$filter" -q -w 64 --max-features=5000 -m many -o /dev/null -O many.flagged \
    --cold=flag many.csv
run "$filter" --inspect=many
is_status 0 "one of more features than usual is looked at"
has stdout 'f4199' "with all of them"
run "$top_builddir/praectl" rescore -f csv -m many many.flagged
is_status 0 "and judged by"
tap_done
