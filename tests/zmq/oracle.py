"""oracle.py - records that can be told apart, and an account of each of them.

A record is a map in MessagePack:

    i         its number: the source's in the upper half, its place below
    h         hash of what the record holds otherwise, so that one found
              astray can be checked by itself
    a b c d   floats that hang together; in an outlier one of them does not
    p         padding up to the size asked for, as bytes: no feature

What is smaller than all of that is a map of i and padding, which the filter
cannot judge and rejects.

A ledger keeps what was sent, an oracle compares it with what came out, set
against set: lost, duplicated, reordered, altered, and strange: never sent.
"""
import array
import collections
import hashlib
import random

import msgpack

SOURCE = 1 << 32  # numbers of one source
PLANTED = 0.02  # of the records are outliers


def digest(data):
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(),
                          "little")


class Records:
    """Makes the records of one source; the same SEED makes the same ones."""

    def __init__(self, seed=1, source=0, planted=PLANTED):
        self.draw = random.Random(seed * 1000003 + source)
        self.next = source * SOURCE
        self.planted = planted
        self.outliers = []  # numbers of the planted ones

    def one(self, size=0):
        """A record of SIZE bytes, or as many as it takes by itself."""
        number = self.next
        self.next += 1
        gauss = self.draw.gauss
        u, v = gauss(0, 1), gauss(0, 1)
        fields = {"a": u + 0.05 * gauss(0, 1),
                  "b": 2 * u + 1 + 0.05 * gauss(0, 1),
                  "c": v - u + 0.05 * gauss(0, 1),
                  "d": 3 * v + 0.05 * gauss(0, 1)}
        if self.draw.random() < self.planted:
            fields[self.draw.choice("abcd")] += 25 + 5 * self.draw.random()
            self.outliers.append(number)
        packed = msgpack.packb({"i": number, "h": bytes(8), **fields})
        if size and size < len(packed):
            return pad({"i": number}, size)
        if size > len(packed):
            fields["p"] = fill(self.draw, room(size - len(packed)))
        return msgpack.packb({"i": number, "h": mark(number, fields),
                              **fields})

    def some(self, count, size=0):
        return [self.one(size) for _ in range(count)]

    def sized(self, count, least=10, most=1 << 20):
        """COUNT records, small ones and large ones alike on a scale of
        powers."""
        ratio = most / least
        return [self.one(int(least * ratio ** self.draw.random()))
                for _ in range(count)]


def mark(number, fields):
    inside = msgpack.packb([number, fields])
    return hashlib.blake2b(inside, digest_size=8).digest()


def room(count):
    """How many bytes of padding take COUNT with their key and header."""
    header = 4 if count < 260 else 5 if count < 65541 else 7
    return max(count - header, 0)


def fill(draw, count):
    """Bytes that differ from record to record, at little cost."""
    block = draw.getrandbits(512).to_bytes(64, "little")
    return (block * (count // 64 + 1))[:count]


def pad(fields, size):
    packed = msgpack.packb(fields)
    if size < len(packed) + 4:
        return packed
    return msgpack.packb({**fields, "p": b"x" * room(size - len(packed))})


def number_of(value):
    """A record's number; None where it has none."""
    number = value.get("i") if isinstance(value, dict) else None
    return number if isinstance(number, int) and number >= 0 else None


def is_whole(value):
    """Whether a record is what its own hash says."""
    fields = dict(value)
    return fields.pop("h", None) == mark(fields.pop("i"), fields)


def split(payload):
    """The records of a frame, each as its bytes and its value."""
    unpacker = msgpack.Unpacker(max_buffer_size=1 << 30, strict_map_key=False)
    unpacker.feed(payload)
    start = 0
    for value in unpacker:
        end = unpacker.tell()
        yield payload[start:end], value
        start = end
    if start != len(payload):
        raise ValueError("%d bytes of no record" % (len(payload) - start))


def split_envelopes(payload):
    """The envelopes of a frame, each as a map and the bytes of its record;
    bytes that could not be read, from raw, are None there."""
    unpacker = msgpack.Unpacker(max_buffer_size=1 << 30, strict_map_key=False)
    unpacker.feed(payload)
    while unpacker.tell() < len(payload):
        envelope, record = {}, None
        for _ in range(unpacker.read_map_header()):
            key = unpacker.unpack()
            start = unpacker.tell()
            envelope[key] = unpacker.unpack()
            if key == "record":
                record = payload[start:unpacker.tell()]
        yield envelope, record


class Ledger:
    """What was sent. Numbers are dense within a source, so arrays do."""

    def __init__(self):
        self.digests = collections.defaultdict(lambda: array.array("Q"))
        self.odd = collections.Counter()  # bytes that are no record
        self.count = 0

    def read(self, record):
        """What has to arrive of RECORD, and its value."""
        return record, msgpack.unpackb(record)

    def add(self, record):
        """A record about to be sent: noted before, as it may arrive at
        once."""
        data, value = self.read(record)
        number = number_of(value)
        marks = self.digests[number // SOURCE]
        if number % SOURCE != len(marks):
            raise ValueError("record %d is sent out of turn" % number)
        marks.append(digest(data))
        self.count += 1

    def withdraw(self, records):
        """The last so many of them could not be sent after all."""
        for record in records:
            number = number_of(self.read(record)[1])
            self.digests[number // SOURCE].pop()
            self.count -= 1

    def add_odd(self, data):
        self.odd[bytes(data)] += 1
        self.count += 1


Found = collections.namedtuple(
    "Found", "lost duplicated reordered altered strange")


class Oracle:
    # Frames, taken apart; those of other formats have their own.
    split = staticmethod(split)
    split_envelopes = staticmethod(split_envelopes)

    def __init__(self, ledger=None):
        self.ledger = Ledger() if ledger is None else ledger
        self.seen = collections.defaultdict(bytearray)  # times, by source
        self.last = {}  # greatest place so far, by output and source
        self.odd = collections.Counter()
        self.counts = collections.Counter()  # by kind
        self.moved = []  # numbers of those that were overtaken
        self.altered = 0
        self.strange = 0
        self.reasons = collections.Counter()  # of rejects
        self.envelopes = []  # without their records, where kept
        self.keep_envelopes = False
        self.numbers = collections.defaultdict(list)  # by kind, where kept
        self.keep_numbers = False

    def inliers(self, payload, via="inliers"):
        """A frame of the inliers' output; VIA names a way that keeps
        order."""
        try:
            for data, value in self.split(payload):
                self.arrived("inlier", data, value, via)
        except ValueError:
            self.strange += 1

    def flagged(self, payload, via="flagged"):
        """A frame of outliers or rejects."""
        try:
            for envelope, record in self.split_envelopes(payload):
                self.take_envelope(envelope, record, via)
        except (ValueError, msgpack.UnpackException):
            self.strange += 1

    def take_envelope(self, envelope, record, via):
        kind = envelope.get("kind")
        if kind not in ("outlier", "reject"):
            self.strange += 1
            return
        if kind == "reject":
            self.reasons[envelope["reason"][0]] += 1
        if record is not None:
            self.arrived(kind, record, envelope["record"], via + kind)
        else:
            self.counts[kind] += 1
            self.odd[bytes(envelope["raw"])] += 1
        if self.keep_envelopes:
            envelope.pop("record", None)
            self.envelopes.append(envelope)

    def arrived(self, kind, data, value, via):
        self.counts[kind] += 1
        number = number_of(value)
        if number is None:
            self.odd[bytes(data)] += 1
            return
        source, place = divmod(number, SOURCE)
        marks = self.ledger.digests.get(source, ())
        if place >= len(marks):
            # Never sent, or its number is not what it was.
            self.strange += is_whole(value)
            self.altered += not is_whole(value)
            return
        if digest(data) != marks[place]:
            self.altered += 1
        if self.keep_numbers:
            self.numbers[kind].append(number)
        seen = self.seen[source]
        if len(seen) <= place:
            seen.extend(bytes(len(marks) - len(seen)))
        seen[place] = min(seen[place] + 1, 255)
        last = self.last.get((via, source), -1)
        if place < last:
            self.moved.append(number)
        self.last[via, source] = max(last, place)

    def total(self):
        return sum(self.counts.values())

    def missing(self):
        """The numbers of the records that are lost."""
        for source, marks in self.ledger.digests.items():
            seen = self.seen[source]
            for place in range(len(marks)):
                if place >= len(seen) or seen[place] == 0:
                    yield source * SOURCE + place

    def report(self):
        lost = sum(1 for _ in self.missing())
        lost += sum((self.ledger.odd - self.odd).values())
        duplicated = sum(count - 1 for seen in self.seen.values()
                         for count in seen if count > 1)
        strange = self.strange + sum((self.odd - self.ledger.odd).values())
        return Found(lost, duplicated, len(self.moved), self.altered, strange)

    def is_clean(self):
        return self.report() == Found(0, 0, 0, 0, 0)
