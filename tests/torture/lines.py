"""lines.py - the oracle's records as JSON Lines and CSV, in messages.

A message has some of them, and every other one no newline at its end. CSV has
its header in each message; it comes out in the first one of each output. Of a
record the line counts, not how it ends.
"""
import csv
import json

import msgpack

from oracle import Ledger, Oracle, Records
from traffic import Message, odd

NAMES = ("i", "h", "a", "b", "c", "d")
HEADER = (",".join(NAMES) + "\n").encode()
VERDICT = ("seq", "score", "p", "gate", "error", "window", "state", "why")
FLAGGED_HEADER = (",".join(NAMES + VERDICT) + "\n").encode()


def value_of(fields):
    """A value as the oracle has it."""
    return {**fields, "h": bytes.fromhex(fields["h"])}


# ---- JSON Lines ----

def json_line(value):
    return json.dumps({**value, "h": value["h"].hex()}).encode()


def split_json(payload):
    for line in payload.splitlines():
        yield line, value_of(json.loads(line))


def split_json_envelopes(payload):
    for line in payload.splitlines():
        envelope = json.loads(line)
        if "record" in envelope:
            envelope["record"] = value_of(envelope["record"])
            yield envelope, line.partition(b'"record":')[2][:-1]
        else:
            envelope["raw"] = envelope["raw"].encode()
            yield envelope, None


class JsonLedger(Ledger):
    def read(self, record):
        return next(split_json(record))


class JsonOracle(Oracle):
    split = staticmethod(split_json)
    split_envelopes = staticmethod(split_json_envelopes)
    bad = b'{"broken": '

    def __init__(self):
        super().__init__(JsonLedger())

    def message(self, values):
        return [json_line(value) + b"\n" for value in values]


# ---- CSV ----

def csv_line(value):
    cells = {**value, "h": value["h"].hex()}
    return ",".join(str(cells[name]) for name in NAMES).encode()


def csv_value(cells):
    number, mark, *floats = cells
    return value_of({"i": int(number), "h": mark,
                     **dict(zip(NAMES[2:], map(float, floats)))})


def split_csv(payload):
    for line in payload.splitlines():
        yield line, csv_value(line.decode().split(","))


def split_csv_rows(payload):
    """Flagged rows; none of the cells of ours is quoted."""
    for cells in csv.reader(payload.decode().splitlines(), strict=True):
        own, verdict = cells[:len(NAMES)], cells[len(NAMES):]
        told = dict(zip(VERDICT, verdict, strict=True))
        if told["state"] != "reject":
            yield ({"kind": "outlier", "record": csv_value(own)},
                   ",".join(own).encode())
        elif any(own[1:]):
            raise ValueError("a reject that can be read")
        else:
            yield {"kind": "reject", "raw": own[0].encode(),
                   "reason": told["why"].split(":")}, None


class CsvLedger(Ledger):
    def read(self, record):
        return next(split_csv(record[record.startswith(HEADER)
                                     and len(HEADER):]))


class CsvOracle(Oracle):
    split = staticmethod(split_csv)
    split_envelopes = staticmethod(split_csv_rows)
    bad = b"1,2"

    def __init__(self):
        super().__init__(CsvLedger())
        self.headed = set()  # outputs

    def message(self, values):
        first, *others = [csv_line(value) + b"\n" for value in values]
        return [HEADER + first, *others]

    def without(self, header, payload, via):
        """PAYLOAD behind the header, which only the first one has."""
        if via in self.headed:
            return payload
        self.headed.add(via)
        self.strange += not payload.startswith(header)
        return payload[len(header):]

    def inliers(self, payload, via="inliers"):
        super().inliers(self.without(HEADER, payload, via), via)

    def flagged(self, payload, via="flagged"):
        super().flagged(self.without(FLAGGED_HEADER, payload, via), via)


# ---- messages ----

def messages(oracle, count, each, lead):
    """COUNT records in ORACLE's format, EACH a message, and a bad one."""
    values = [msgpack.unpackb(record) for record in Records().some(count)]
    made = []
    for at in range(0, count, each):
        lines = oracle.message(values[at:at + each])
        if len(made) % 2:
            lines[-1] = lines[-1][:-1]
        made.append(Message(lead, tuple(lines)))
    made.insert(len(made) // 2, odd(oracle.bad))
    return made
