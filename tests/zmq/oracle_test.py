#!/usr/bin/env python3
"""oracle_test.py - the oracle finds what is planted: a loss, a duplicate, a
swap, a flipped byte, and nothing where nothing is wrong. So does what looks
for leaks in a soak."""
import random
import sys

import tap as taps

try:
    import msgpack
except ImportError:
    taps.skip_all("the msgpack package is not installed")

from flat import is_flat
from oracle import Found, Oracle, Records, is_whole, split

CLEAN = Found(0, 0, 0, 0, 0)


def envelope(kind, seq, record):
    """As the filter writes it: the record's own bytes come last."""
    keys = {"v": 1, "kind": kind, "seq": seq, "score": 1.5, "p": None}
    if kind == "reject":
        keys["reason"] = ["missing", "text"]
    packed = msgpack.packb(keys)
    return (bytes([packed[0] + 1]) + packed[1:] + msgpack.packb("record")
            + record)


def raw(seq, data):
    return msgpack.packb({"v": 1, "kind": "reject", "seq": seq,
                          "reason": ["malformed", "text"], "raw": data})


def sent(count=100, **how):
    oracle = Oracle()
    records = Records(**how).some(count)
    for record in records:
        oracle.ledger.add(record)
    return oracle, records


def found(records, flagged=(), **how):
    oracle, all_records = sent(**how)
    oracle.inliers(b"".join(records(all_records)))
    for data in flagged:
        oracle.flagged(data)
    return oracle.report()


def swapped(records, at, by=1):
    records = list(records)
    records[at], records[at + by] = records[at + by], records[at]
    return records


def flipped(records, at, byte):
    data = bytearray(records[at])
    data[byte] ^= 1
    return records[:at] + [bytes(data)] + records[at + 1:]


def test_streams(tap):
    tables = (
        ("all as it was sent", lambda r: r, CLEAN),
        ("a loss", lambda r: r[:40] + r[41:], CLEAN._replace(lost=1)),
        ("the first is lost", lambda r: r[1:], CLEAN._replace(lost=1)),
        ("the last ten are lost", lambda r: r[:90], CLEAN._replace(lost=10)),
        ("all is lost", lambda r: [], CLEAN._replace(lost=100)),
        ("a duplicate", lambda r: r[:41] + r[40:],
         CLEAN._replace(duplicated=1)),
        ("a duplicate, later", lambda r: r + r[40:41],
         CLEAN._replace(duplicated=1, reordered=1)),
        ("a swap", lambda r: swapped(r, 40), CLEAN._replace(reordered=1)),
        ("one is late", lambda r: r[:40] + r[41:] + r[40:41],
         CLEAN._replace(reordered=1)),
        ("a flipped byte in a float", lambda r: flipped(r, 40, 30),
         CLEAN._replace(altered=1)),
        ("one of another stream", lambda r: r + Records(source=7).some(1),
         CLEAN._replace(strange=1)),
        ("one loss hides no duplicate", lambda r: r[:40] + r[41:] + r[-1:],
         CLEAN._replace(lost=1, duplicated=1)),
    )
    for name, change, wanted in tables:
        tap.same(found(change), wanted, name)


def test_numbers(tap):
    oracle, records = sent()
    data = bytearray(records[40])
    data[data.index(b"\xa1i") + 2] ^= 1  # number 40 becomes 41
    oracle.inliers(b"".join(records[:40] + [bytes(data)] + records[41:]))
    tap.same(oracle.report(), CLEAN._replace(lost=1, duplicated=1, altered=1),
             "a flipped byte in a number")


def test_envelopes(tap):
    oracle, records = sent(10)
    oracle.inliers(b"".join(records[:4]))
    oracle.flagged(b"".join(envelope("outlier", i, records[i])
                            for i in range(4, 8)))
    oracle.flagged(envelope("reject", 8, records[8])
                   + envelope("reject", 9, records[9]))
    tap.same(oracle.report(), CLEAN, "inliers, outliers and rejects")
    tap.same(dict(oracle.counts), {"inlier": 4, "outlier": 4, "reject": 2},
             "... are counted apart")
    oracle.flagged(envelope("outlier", 3, records[3]))
    tap.same(oracle.report().duplicated, 1, "one that left by two outputs")
    oracle, records = sent(2)
    oracle.flagged(envelope("outlier", 0, flipped(records, 0, 30)[0]))
    oracle.flagged(envelope("outlier", 1, records[1]))
    tap.same(oracle.report(), CLEAN._replace(altered=1),
             "a flipped byte in an envelope")


def test_odd(tap):
    oracle, records = sent(2)
    oracle.ledger.add_odd(b"\xc1")
    oracle.ledger.add_odd(b"")
    oracle.inliers(b"".join(records))
    tap.same(oracle.report(), CLEAN._replace(lost=2), "garbage that is lost")
    oracle.flagged(raw(2, b"\xc1") + raw(3, b""))
    tap.same(oracle.report(), CLEAN, "garbage that came out raw")
    oracle.flagged(raw(4, b"\xc1"))
    tap.same(oracle.report(), CLEAN._replace(strange=1), "and once more")
    oracle, records = sent(1)
    oracle.inliers(records[0] + records[0][:5])
    tap.same(oracle.report().strange, 1, "a cut record")


def test_sources(tap):
    oracle, first = sent(50, source=0)
    second = Records(source=1).some(50)
    for record in second:
        oracle.ledger.add(record)
    mixed = [r for pair in zip(first, second) for r in pair]
    oracle.inliers(b"".join(mixed))
    tap.same(oracle.report(), CLEAN, "two sources interleaved")
    oracle, records = sent(50)
    oracle.inliers(b"".join(records[1::2]), "one")
    oracle.inliers(b"".join(records[::2]), "other")
    tap.same(oracle.report(), CLEAN, "two ways keep order each")


def test_withdrawn(tap):
    oracle, records = sent(10)
    oracle.ledger.withdraw(records[8:])
    oracle.inliers(b"".join(records[:8]))
    tap.same(oracle.report(), CLEAN, "what could not be sent is not missed")


def test_records(tap):
    tap.ok(Records(seed=3).some(20) == Records(seed=3).some(20)
           and Records(seed=3).some(20) != Records(seed=4).some(20),
           "a seed gives its records")
    maker = Records(source=2)
    for size in (10, 14, 50, 70, 75, 100, 300, 400, 65600, 70000, 1 << 20):
        record = maker.one(size)
        off = abs(len(record) - size)
        tap.ok(off <= (4 if size < 100 else 0), "a record of %d bytes" % size,
               "it has %d" % len(record))
    records = Records(planted=0.5).some(200)
    tap.ok(all(is_whole(value) for _, value in split(b"".join(records))),
           "a record knows whether it is whole")
    count = len(records)
    maker = Records(planted=0.5)
    maker.some(count)
    tap.ok(60 < len(maker.outliers) < 140, "outliers are planted")


def soaked(seed, leak, lost=0.0):
    """An hour of a filter that loses LEAK MiB and LOST descriptors a minute,
    by its lives: it starts anew after one of every eleven minutes. Memory
    comes within the first minute, and trembles."""
    draw = random.Random(seed)
    lives, bag = [[]], []
    for _ in range(60):
        for _ in range(60):
            minutes = len(lives[-1]) / 60
            lives[-1].append((
                14 + 6 * min(1.0, minutes) + leak * minutes + draw.gauss(0, 1),
                20 + draw.randrange(3) + int(lost * minutes)))
        bag = bag or draw.sample(range(11), 11)
        if bag.pop() == 0:
            lives.append([])
    return [life for life in lives if life]


def test_flat(tap):
    for leak, lost, runs in ((0, 0, 20), (2, 0, 20), (0, 1, 20)):
        flat = [0, 0]
        for seed in range(runs):
            lives = soaked(seed, leak, lost)
            for which, share, room in ((0, 0.1, 8), (1, 0, 4)):
                flat[which] += is_flat([[each[which] for each in life]
                                        for life in lives], share, room)[0]
        tap.same(flat, [0 if leak else runs, 0 if lost else runs],
                 "an hour that loses %d MiB, %d descriptors a minute" % (
                     leak, lost))
    tap.ok(is_flat([[1], [], [5] * 3], 0, 4)[0], "short lives say little")


def main():
    tap = taps.Tap()
    for test in (test_streams, test_numbers, test_envelopes, test_odd,
                 test_sources, test_withdrawn, test_records, test_flat):
        test(tap)
    sys.exit(tap.done())


main()
