"""quality_data.py - the labelled data sets, label apart from record.

Records stay the text they are in the file, so that the program reads what a
user's file would hold. Labels are cut off here and stay here.
"""
import gzip
import json
import os
import random


class Data:
    """Records of one set: lines without their newline, and their labels."""

    def __init__(self, name, header, lines, label):
        self.name = name
        self.header = header  # None where the format has none
        self.lines = lines
        self.label = label  # bytearray of 0 and 1

    def __len__(self):
        return len(self.lines)

    def pick(self, order):
        return Data(self.name, self.header, [self.lines[i] for i in order],
                    bytearray(self.label[i] for i in order))

    def shuffled(self, seed):
        order = list(range(len(self)))
        random.Random(seed).shuffle(order)
        return self.pick(order)

    def text(self, first=0, last=None):
        lines = self.lines[first:last]
        if first == 0 and self.header is not None:
            lines = [self.header] + lines
        return "".join(line + "\n" for line in lines)


class Library:
    """The sets under DIRECTORY; those that are not there are asked for in
    vain, and remembered."""

    def __init__(self, directory):
        self.directory = directory
        self.missing = []
        self.kept = {}

    def path(self, name, kind):
        return os.path.join(self.directory, *name.split("/")) + kind + ".gz"

    def has(self, name, kind=".csv"):
        if os.path.exists(self.path(name, kind)):
            return True
        if name not in self.missing:
            self.missing.append(name)
        return False

    def table(self, name):
        """NAME.csv.gz: a header, and a last column with labels."""
        if name not in self.kept:
            with gzip.open(self.path(name, ".csv"), "rt") as file:
                header, *lines = file.read().splitlines()
            header, _, last = header.rpartition(",")
            if last != "label":
                raise ValueError("%s: the last column is not label" % name)
            parts = [line.rpartition(",") for line in lines]
            self.kept[name] = Data(
                name.rpartition("/")[2], header, [p[0] for p in parts],
                bytearray(int(p[2]) for p in parts))
        return self.kept[name]

    def log(self, name):
        """NAME.jsonl.gz: {"line": text, "label": 0, 1 or null}. Lines that
        nobody labelled count as 0."""
        with gzip.open(self.path(name, ".jsonl"), "rt") as file:
            rows = [json.loads(line) for line in file]
        return Data(name.rpartition("/")[2], None,
                    [json.dumps({"line": row["line"]}) for row in rows],
                    bytearray(row["label"] or 0 for row in rows))
