#!/bin/sh
# Each format goes in, comes out unchanged and adds up.
. "$top_srcdir/tests/tap.sh"
sensors=$top_builddir/examples/sensors

for format in msgpack jsonl csv; do
    "$sensors" --records 2000 --format $format >in.$format || exit 99
    run "$filter" -o clean.$format -O odd.$format --rejects=bad.$format \
        --scores=scores.$format in.$format
    is_status 0 "$format: is filtered"
    adds_up "$format: the account adds up"
    run "$filter" -f $format --in=- -o piped.$format <in.$format
    is_same clean.$format piped.$format "$format: standard input is the same"
    run "$filter" -o again.$format in.$format
    is_same clean.$format again.$format "$format: the same again, byte for byte"
done

# The last line of a file may lack its end, and has one before the next's
# first; a file alone ends as it came.
for format in jsonl csv; do
    "$sensors" --records 600 --seed 2 --format $format >more.$format || exit 99
    head -c -1 in.$format >cut.$format
    run "$filter" -f $format -i in.$format -i more.$format -o whole.$format
    run "$filter" -f $format -i cut.$format -i more.$format -o joined.$format
    is_same whole.$format joined.$format "$format: lines of two files stay apart"
    run "$filter" --threshold=-1 --cold=pass -o cut_clean.$format cut.$format
    [ -n "$(tail -c 1 cut_clean.$format)" ]
    ok $? "$format: a line without an end stays so at the end"
done

for format in jsonl csv; do
    for file in in more; do
        sed 's/$/\r/' $file.$format >$file.crlf
    done
    run "$filter" -f $format -i in.crlf -i more.crlf -o whole.$format
    # However much leaves at once, and whatever is left of the end.
    for bytes in 1 2; do
        head -c -$bytes in.crlf >cut.crlf
        for how in --threads=1 --scores=scores.crlf; do
            run "$filter" -f $format -i cut.crlf -i more.crlf $how \
                -o joined.$format
            is_same whole.$format joined.$format \
                "$format: with ends as the others have ($bytes, $how)"
        done
    done
    # Both in the first window.
    { head -n 50 in.crlf; tail -n 50 more.crlf; } >both.crlf
    head -n 50 in.crlf | head -c -2 >cut.crlf
    tail -n 50 more.crlf >rest.crlf
    run "$filter" -f $format --threshold=-1 -i cut.crlf -i rest.crlf \
        -o joined.$format
    is_same both.crlf joined.$format "$format: also within one window"
done

# Inliers are lines of the input, unchanged and in order; with the rest of
# them they are all of it.
for format in jsonl csv; do
    awk 'NR == FNR { want[++n] = $0; next }
        { while (at < n && want[at + 1] != $0) at++; at++; if (at > n) exit 1 }' \
        in.$format clean.$format
    ok $? "$format: inliers are the input's lines, in order"
done
[ "$(wc -l <scores.jsonl)" -eq 2000 ]
ok $? "jsonl: every record has a score"
[ "$(($(wc -l <clean.jsonl) + $(wc -l <odd.jsonl) + $(wc -l <bad.jsonl)))" \
    -eq 2000 ]
ok $? "jsonl: every record leaves by one output"
[ "$(wc -l <scores.csv)" -eq 2001 ]
ok $? "csv: every record has a score, below a header"
[ "$(head -n 1 clean.csv)" = "$(head -n 1 in.csv)" ]
ok $? "csv: inliers begin with the header"
[ "$(head -n 1 odd.csv)" = \
    "$(head -n 1 in.csv),seq,score,p,gate,error,window,state,why" ]
ok $? "csv: outliers begin with the header and ours"
grep -q '^{"v":1,"kind":"outlier","seq":[0-9]*,"score":' odd.jsonl
ok $? "jsonl: the envelope begins as documented"
grep -q '"why":\[\["[a-z]*_' odd.jsonl
ok $? "jsonl: the envelope has reasons"

# An independent reader sees what we wrote.
if python3 -c 'import msgpack' 2>/dev/null; then
    python=python3
elif /usr/bin/python3 -c 'import msgpack' 2>/dev/null; then
    python=/usr/bin/python3
else
    python=
fi
if [ -n "$python" ]; then
    cat >check.py <<'PY'
import msgpack


def values(path):
    data = open(path, 'rb').read()
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
    unpacker.feed(data)
    out, before = [], 0
    for value in unpacker:
        out.append((value, data[before:unpacker.tell()]))
        before = unpacker.tell()
    assert before == len(data)
    return out


KEYS = ['v', 'kind', 'seq', 'score', 'p', 'gate', 'error', 'window', 'model',
        'state', 'why']
records = values('in.msgpack')
inliers = values('clean.msgpack')
odd = values('odd.msgpack')
bad = values('bad.msgpack')
scores = [v for v, _ in values('scores.msgpack')]
gone = set()
for envelope, _ in odd + bad:
    keys = KEYS + (['reason'] if envelope['kind'] == 'reject' else [])
    assert list(envelope)[:-1] == keys, list(envelope)
    value, raw = records[envelope['seq']]
    packed = msgpack.packb(envelope['record'])
    assert repr(envelope['record']) == repr(value)
    assert envelope['seq'] not in gone
    gone.add(envelope['seq'])
assert all(e['why'] for e, _ in odd)
assert all(e['kind'] == 'outlier' for e, _ in odd)
assert all(e['kind'] == 'reject' for e, _ in bad)
left = [raw for i, (_, raw) in enumerate(records) if i not in gone]
assert left == [raw for _, raw in inliers]
assert [s['seq'] for s in scores] == list(range(len(records)))
assert {s['seq'] for s in scores if s['verdict'] != 'inlier'} == gone
PY
    run $python check.py
    is_status 0 "msgpack: python finds every record in one place, unchanged"
else
    ok 0 "msgpack: no python msgpack to read with # SKIP"
fi
tap_done
