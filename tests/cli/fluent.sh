#!/bin/sh
# Events as Fluentd and Fluent Bit send them, alone and many at once.
. "$top_srcdir/tests/tap.sh"
if python3 -c 'import msgpack' 2>/dev/null; then
    python=python3
elif /usr/bin/python3 -c 'import msgpack' 2>/dev/null; then
    python=/usr/bin/python3
else
    skip_all "no python with msgpack to write them"
fi

cat >make.py <<'PY'
import math
import msgpack

pack = msgpack.packb
records = [{'a': math.sin(i * 0.7), 'b': math.cos(i * 1.3), 'host': 'x'}
           for i in range(600)]
events = [[1700000000 + i, r] for i, r in enumerate(records)]
chunks = [events[i:i + 50] for i in range(0, 600, 50)]


def write(name, parts):
    with open(name, 'wb') as out:
        out.write(b''.join(parts))


write('events', [pack(e) for e in events])
write('forward', [pack(['tag', c, {'chunk': 'id'}] if i % 2 else ['tag', c])
                  for i, c in enumerate(chunks)])
write('packed', [pack(['tag', b''.join(map(pack, c)), {'size': 50}])
                 for c in chunks])
write('mixed', [pack(['tag', events[:300]])] + [pack(e) for e in events[300:]])
write('message', [pack(['tag', e[0], e[1], {}]) for e in events])
write('meta', [pack([[e[0], {'m': 1}], e[1]]) for e in events])
write('times', [pack([msgpack.ExtType(0, (1700000000 + i).to_bytes(4, 'big')
                                      + b'\0' * 4), e[1]])
                for i, e in enumerate(events)])
# What by itself would be a batch, within one; and much around the events.
inner = [['tag', b'\x92\x01\x81\xa1a'], ['tag', [[1, {'a': 1}]]], ['a', 'b', 1]]
write('inner', [pack(['tag', events[:500] + inner]),
                pack(['tag', events[500:]])])
write('inner_packed', [pack(['tag', b''.join(map(pack, events[:300] + inner))]),
                       pack(['tag', events[300:]])])
long = 'x' * 900000
write('around', [pack([long, events[:300], {'chunk': long}]),
                 pack(['tag', events[300:599], {'chunk': long}]),
                 pack([1700000599, dict(records[599], note='y' * 500000)])])
write('beyond', [pack([long, [[[1700000000, {'m': long}], records[0]]]])])
PY
$python make.py || exit 99

for form in events forward packed mixed message meta times; do
    run "$filter" -o "$form.out" --scores="$form.scores" "$form"
    is_status 0 "$form: is read"
    has stderr 'judging by 3 features: a, b, host' "$form: the map's fields count"
    has stderr 'received 600 = ' "$form: every event is a record"
    dd if="$form" bs=11 2>/dev/null | "$filter" -q >cut.out
    is_same "$form.out" cut.out "$form: the same in small pieces"
    is_same events.scores "$form.scores" "$form: the same scores"
done
for form in forward packed mixed; do
    is_same events.out $form.out "$form: events leave as they were"
done
run "$filter" --threshold=-1 -o message.out message
is_same message message.out "message: leaves whole, as it was"

for form in inner inner_packed; do
    run "$filter" -o "$form.out" --rejects=rejects "$form"
    is_status 0 "$form: a batch within a batch"
    has stderr 'received 603 = .* rejected 3;' "$form: is refused, and no other"
    [ "$(grep -ac type rejects)" -ge 1 ]
    ok $? "$form: as type"
    dd if="$form" bs=11 2>/dev/null | "$filter" -q --rejects=null: >cut.out
    is_same "$form.out" cut.out "$form: the same in small pieces"
    run "$filter" --emit=now -o now.out --rejects=null: "$form"
    has stderr 'received 603 = .* rejected 3;' "$form: the same at once"
done
run "$filter" --ignore=note -o around.out around
is_status 0 "much stands around the events"
has stderr 'received 600 = .* rejected 0;' "and is no record"
run "$filter" -o /dev/null beyond
is_status 65 "too much before the first one is bad data"
has stderr 'length' "and told as such"

head -c 2000 packed >cut
run "$filter" -o /dev/null cut
is_status 65 "a message cut off is bad data"
tap_done
