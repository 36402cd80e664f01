#!/bin/sh
# --report: facts that add up and agree with the outputs.
. "$top_srcdir/tests/tap.sh"
sensors=$top_builddir/examples/sensors

if ! command -v python3 >/dev/null; then
    skip_all "python3 is not installed"
fi

# holds EXPRESSION NAME: of the facts f, and n, the lines of files.
holds() {
    python3 -c "
import json, sys
f = json.load(open('report.json'))
t = f['totals']
sys.exit(0 if ($1) else 1)"
    ok $? "$2"
}

"$sensors" --records 6000 --format jsonl >in.jsonl || exit 99
run "$filter" --report=report.json -o clean.jsonl -O odd.jsonl \
    --rejects=bad.jsonl in.jsonl
is_status 0 "a report is written"
adds_up "the account adds up"
[ ! -e report.json.*.tmp ]
ok $? "nothing is left beside it"
run "$filter" -o plain.jsonl -O plain_odd.jsonl --rejects=plain_bad.jsonl \
    in.jsonl
is_same clean.jsonl plain.jsonl "inliers are those of a run without it"
is_same odd.jsonl plain_odd.jsonl "and so are outliers"

holds "f['version'] == 1 and not f['live'] and f['exit'] == 0" "the run is over"
holds "t['received'] == 6000 == t['inliers'] + t['outliers'] + t['rejected']" \
    "totals add up"
holds "t['outliers'] == len(open('odd.jsonl').readlines())" \
    "to what was written"
holds "sum(r['count'] for r in f['rejects']) == t['rejected'] > 0" \
    "rejects are all told"
holds "sorted(r['seq'] for r in f['rejects']) == sorted({
    r['reason'][0]: r['seq'] for r in map(json.loads,
    reversed(open('bad.jsonl').readlines()))}.values())" \
    "with the number of the first of each"
holds "all(sum(w[k] for w in f['timeline']) == t[k]
    for k in ('inliers', 'outliers', 'rejected'))" "the timeline has all of it"
holds "sum(w['windows'] for w in f['timeline']) == t['windows'] == 12" \
    "and every window"
holds "all(sum(f['scores'][k]) == t[k] for k in ('inliers', 'outliers'))" \
    "scores are all counted"
holds "len(f['scores']['edges']) == len(f['scores']['inliers']) + 1 and
    len(f['p']['edges']) == len(f['p']['inliers']) + 1" "bins have edges"
holds "abs(sum(x['blame'] for x in f['features']) - 1) < 1e-6" \
    "blame adds up to all of it"
holds "f['features_total'] == len(f['features']) == 12" "features are named"
holds "all(sum(x['inlier_counts']) + x['inliers']['missing'] ==
    x['inliers']['sample'] for x in f['features'])" \
    "distributions have all of their sample"
holds "all(sorted(x['inliers']['quantiles']) == x['inliers']['quantiles']
    for x in f['features'])" "quantiles rise"
holds "[r['name'] for r in f['left_out']] == ['id', 'ts']" \
    "what is left out is told"
holds "len(f['worst']) == min(50, t['outliers']) and
    sorted((-r['score'] for r in f['worst'])) ==
    [-r['score'] for r in f['worst']]" "the worst come first"
python3 - <<'END'
import json, sys
f = json.load(open('report.json'))
odd = [json.loads(line) for line in open('odd.jsonl')]
by = {e['seq']: e for e in odd}
last = [r['seq'] for r in f['last']]
good = last == sorted(by, reverse=True)[:20]
best = sorted(odd, key=lambda e: -e['score'])[:50]
good &= [r['seq'] for r in f['worst']] == [e['seq'] for e in best]
for r in f['worst']:
    e = by[r['seq']]
    good &= [w['field'] for w in r['why']] == [w[0] for w in e['why']]
    good &= all(w['observed_text'] is not None or w['observed'] is None
                or abs(w['observed'] - v[2]) <= 1e-6 * abs(v[2])
                for w, v in zip(r['why'], e['why']))
sys.exit(0 if good else 1)
END
ok $? "they are the envelopes' records, with their reasons"

# The command it names gives the same again.
cp report.json first.json
command=$(python3 -c "
import json
print(json.load(open('report.json'))['command'])")
mv clean.jsonl first.jsonl
PATH=$(dirname "$filter"):$PATH sh -c "$command" 2>/dev/null
is_same clean.jsonl first.jsonl "its command repeats the run"

# Names and values that would like to be something else.
python3 - >evil.jsonl <<'END'
import json, random
random.seed(1)
for i in range(600):
    x = random.gauss(0, 1)
    r = {"</script><script>alert(1)</script>": x, "a'\"b\u2028": 2 * x,
         "n": x + random.gauss(0, 0.1), "t": "<img src=x onerror=alert(1)>"}
    if i % 60 == 59:
        r["n"] = 1e6
        r["t"] = "\u202e</td>\x1b[31m" * 40
    print(json.dumps(r))
END
run "$filter" --report=report.json -o null: -O null: evil.jsonl
is_status 0 "hostile names and values"
if grep -q "[<>&']" report.json; then false; else true; fi
ok $? "nothing in the file could be markup"
holds "any('</script>' in x['name'] for x in f['features'])" \
    "and they are told all the same"
holds "all(r['cut'] == (len(r['record'].encode()) >= 397) and
    len(r['record'].encode()) <= 400 for r in f['worst'])" \
    "long records are cut, and it says so"

run "$filter" --report=report.html -o null: -O null: evil.jsonl
is_status 0 "a page"
python3 - <<'END'
import json, re, sys
page = open('report.html').read()
facts = re.search(r'<script[^>]*id="facts"[^>]*>(.*?)</script>', page, re.S)
f, g = json.loads(facts.group(1)), json.load(open('report.json'))
same = f['totals'] == g['totals'] and f['features'] == g['features']
one = page.count('</script>') == len(re.findall(r'<script\b', page))
sys.exit(0 if same and one else 1)
END
ok $? "has the same facts, and no script but its own"

# Empty input, nothing learned.
: >none.jsonl
run "$filter" --report=report.json -o null: none.jsonl
is_status 0 "no records"
holds "t['received'] == 0 and f['worst'] == [] and f['limit'] is None" \
    "a report of nothing"

# All flagged records have their share of the blame, those of the first
# window, too; and bursts of a run before are not this run's.
run "$filter" --window=all --report=report.json -o null: -O null: in.jsonl
holds "t['windows'] == 1 and t['outliers'] > 0 and
    abs(sum(x['blame'] for x in f['features']) - 1) < 1e-6" \
    "one window has blame"
awk 'BEGIN { srand(3); for (i = 0; i < 6000; i++) { x = rand()
    if (i > 4000 && i < 4600) x += 40
    printf "{\"a\":%g,\"b\":%g}\n", x,
        2 * x + (i > 4000 && i < 4600) * 9 + 0.01 * rand() } }' \
    >bursts.jsonl
run "$filter" --report=report.json --model=m -o null: bursts.jsonl
holds "t['bursts'] > 0 and sum(w['bursts'] for w in f['timeline']) == t['bursts']" \
    "bursts are in the timeline"
run "$filter" --emit=now --report=report.json -o null: bursts.jsonl
holds "sum(w['bursts'] for w in f['timeline']) == t['bursts']" \
    "and so they are where records leave at once"
holds "t['received'] - t['rejected'] - 512 * t['windows'] == t['unlearned']
    and t['unlearned'] < 512" "of a file every full window is learned"
head -n 600 bursts.jsonl >calm.jsonl
run "$filter" --freeze --report=report.json --model=m -o null: calm.jsonl
holds "t['bursts'] == 0 and t['drifts'] == 0" "those of a run before are not"

# What would be written over is refused, before anything is.
cp in.jsonl in.json
for same in --report=in.json --stats=in.json; do
    run "$filter" -f jsonl $same -o null: in.json
    is_status 2 "$same over the input"
    is_same in.jsonl in.json "is refused"
done
run "$filter" --report=same.json -o same.json in.jsonl
is_status 2 "--report over an output is refused"
has stderr "inliers and --report are the same file" "and named"
run "$filter" --report=same.json --stats=same.json -o null: in.jsonl
is_status 2 "--report and --stats in one, too"

# What is wrong.
run "$filter" --report=report.txt -o null: in.jsonl
is_status 2 "a name that says nothing"
has stderr "report.*\.html.*\.json" "is refused with what to write"
run "$filter" --report=nowhere/report.json -o null: in.jsonl
is_status 74 "a directory that is not there"
has stderr "nowhere" "is named"
mkdir taken.html
run "$filter" --report=taken.html -o late.jsonl in.jsonl
is_status 74 "a directory in its place"
has stderr "taken.html: it is a directory" "is told"
[ ! -s late.jsonl ]
ok $? "before anything is judged"
tap_done
