"""chances_records.py - the records of a scene in its format, and the oracle
that knows them again.

Lines are padded with blanks, which are no part of a value and have to come
out all the same.
"""
import base64
import csv
import json
import os
import random
import sys
import threading

import peers  # noqa: F401 - first, as it finds the Python that has the rest

import msgpack

from oracle import SOURCE, Ledger, Oracle, Records, number_of
from traffic import Message

sys.path.append(os.path.join(peers.HERE, "..", "torture"))
# pylint: disable=wrong-import-position
import lines  # noqa: E402

csv.field_size_limit(1 << 30)  # a cell may be padded
SCORES_HEADER = b"seq,verdict,score,p,gate,error,window,state\n"


class Shared:
    """A ledger that several senders write to at once."""

    def __init__(self):
        self.lock = threading.Lock()
        super().__init__()

    def add_message(self, message):
        with self.lock:
            for record in message.records:
                self.add(record)
            if message.odd is not None:
                self.add_odd(message.odd)

    def take_back(self, message):
        """It could not be sent after all."""
        with self.lock:
            self.withdraw(message.records)
            if message.odd is not None:
                self.odd[message.odd] -= 1
                self.count -= 1


class PackedLedger(Shared, Ledger):
    pass


class JsonLedger(Shared, lines.JsonLedger):
    pass


class CsvLedger(Shared, lines.CsvLedger):
    pass


class Judging:
    """What an oracle notes beside: of which sources a frame was."""

    def __init__(self, ledger):
        Oracle.__init__(self, ledger)
        self.sources = set()
        self.headers = 0

    def arrived(self, kind, data, value, via):
        number = number_of(value)
        if number is not None:
            self.sources.add(number // SOURCE)
        Oracle.arrived(self, kind, data, value, via)


# ---- MessagePack ----

class PackedOracle(Judging, Oracle):
    suffix = "msgpack"

    @staticmethod
    def split_scores(payload):
        unpacker = msgpack.Unpacker()
        unpacker.feed(payload)
        return [(row["seq"], row["verdict"]) for row in unpacker]


class Packed:
    ledger, oracle = PackedLedger, PackedOracle
    header = b""

    @staticmethod
    def record(records, size):
        return records.one(size)

    @staticmethod
    def odd(draw):
        return draw.choice((b"", b"\xc1", b"\xc1" * 300,
                            b"\x82\xa1i", b"\xc1" + draw.randbytes(2000)))

    # Behind records: the rest of a message is one reject.
    @staticmethod
    def tail(draw):
        return draw.choice((b"\xc1", b"\xc1" + draw.randbytes(50),
                            b"\x82\xa1i"))


# ---- JSON Lines ----

def split_json_envelopes(payload):
    for line in payload.splitlines():
        envelope = json.loads(line)
        if "record" in envelope:
            envelope["record"] = lines.value_of(envelope["record"])
            yield envelope, line.partition(b'"record":')[2][:-1]
        elif "raw64" in envelope:
            envelope["raw"] = base64.b64decode(envelope["raw64"])
            yield envelope, None
        else:
            envelope["raw"] = envelope["raw"].encode()
            yield envelope, None


class JsonOracle(Judging, lines.JsonOracle):
    suffix = "jsonl"
    split_envelopes = staticmethod(split_json_envelopes)

    @staticmethod
    def split_scores(payload):
        rows = map(json.loads, payload.splitlines())
        return [(row["seq"], row["verdict"]) for row in rows]


class Json:
    ledger, oracle = JsonLedger, JsonOracle
    header = b""

    @staticmethod
    def record(records, size):
        line = lines.json_line(msgpack.unpackb(records.one()))
        return (line[:1] + b" " * max(size - len(line), 0) + line[1:]
                + b"\n")

    @staticmethod
    def odd(draw):
        return draw.choice((b"", b'{"broken": ', b"[1,", b"\xff\xfe", b"nil"))

    @staticmethod
    def tail(draw):
        return draw.choice((b'{"broken": ', b"[1,", b"\xff\xfe"))


# ---- CSV ----

def split_csv_rows(payload):
    names, verdict = lines.NAMES, lines.VERDICT
    for cells in csv.reader(payload.decode().splitlines(), strict=True):
        own = cells[:len(names)]
        told = dict(zip(verdict, cells[len(names):], strict=True))
        kind = "reject" if told["state"] == "reject" else "outlier"
        envelope = {"kind": kind, "reason": told["why"].split(":")}
        if kind == "reject" and not any(own[1:]):
            yield {**envelope, "raw": own[0].encode()}, None
        else:
            envelope["record"] = lines.csv_value(own)
            yield envelope, ",".join(own).encode()


class CsvOracle(Judging, lines.CsvOracle):
    """The header is in one message of each output; which reader of several
    has it is chance."""
    suffix = "csv"
    split_envelopes = staticmethod(split_csv_rows)

    def without(self, header, payload, via):
        if payload.startswith(header):
            self.headers += 1
            return payload[len(header):]
        return payload

    @staticmethod
    def split_scores(payload):
        if payload.startswith(SCORES_HEADER):
            payload = payload[len(SCORES_HEADER):]
        rows = [line.split(b",") for line in payload.splitlines()]
        return [(int(row[0]), row[1].decode()) for row in rows]


class Csv:
    ledger, oracle = CsvLedger, CsvOracle
    header = lines.HEADER

    @staticmethod
    def record(records, size):
        line = lines.csv_line(msgpack.unpackb(records.one()))
        return line + b" " * max(size - len(line), 0) + b"\n"

    @staticmethod
    def odd(draw):
        return draw.choice((b"1,2", b"1,2,3,4,5,6,7"))

    tail = odd


FORMATS = {"msgpack": Packed, "jsonl": Json, "csv": Csv}


# ---- messages ----

def sizer(draw, sizes):
    """How long the next record is to be; 0 is as long as it is."""
    if sizes == "small":
        return lambda: 0
    least, most = (10, 4000) if sizes == "mixed" else (100, 200000)
    return lambda: int(least * (most / least) ** draw.random())


def compose(scene, visit):
    """The messages of a visit, one after the other."""
    draw = random.Random(visit.seed)
    form = FORMATS[scene.format]
    size = sizer(draw, scene.sizes)
    maker = Records(seed=scene.seed, source=visit.source)
    left, first = visit.count, True
    while left > 0:
        if not first and draw.random() < scene.broken / 2:
            yield Message(visit.lead, (), form.odd(draw))
            continue
        each = min(draw.randint(1, visit.each), left)
        left -= each
        records = [form.record(maker, size()) for _ in range(each)]
        odd = form.tail(draw) if draw.random() < scene.broken / 2 else None
        if odd is None and scene.format != "msgpack" and draw.random() < 0.5:
            records[-1] = records[-1][:-1]  # its newline
        records[0] = form.header + records[0]
        first = False
        yield Message(visit.lead, tuple(records), odd)


def compose_file(scene, source, count):
    """The records of a file; of MessagePack a broken one would end it."""
    form = FORMATS[scene.format]
    maker = Records(seed=scene.seed, source=source)
    return form.header, [form.record(maker, 0) for _ in range(count)]
