"""quality_out.py - tables for people on stdout, for programs in files.

A row is a dictionary. Figures from 0 to 1 are printed in percent where the
column says so; in the files they stay as they are.
"""
import os

from quality_metric import mean


class Column:
    def __init__(self, key, head, width=7, digits=1, times=100.0,
                 sign=""):
        self.key = key
        self.head = head
        self.width = width
        self.digits = digits  # None: text
        self.times = times
        self.sign = sign  # "+": on gains, too

    def cell(self, row):
        value = row.get(self.key)
        if value is None:
            text = "-"
        elif self.digits is None:
            text = str(value)
        else:
            text = "%.*f" % (self.digits, self.times * value)
            if self.sign and self.times * value >= 0:
                text = self.sign + text
        return "%*s" % (self.width, text)


BAR = None  # stands between groups of columns


class Writer:
    def __init__(self, directory):
        self.directory = directory

    def title(self, text, *notes):
        print("\n%s\n%s" % (text, "-" * len(text)))
        for note in notes:
            print(note)

    def table(self, name, columns, rows, means=()):
        """MEANS: (text, names of the rows averaged, further keys)."""
        rows = list(rows)
        print()
        self.line(columns, "set", lambda column: column.head)
        for row in rows:
            self.line(columns, row["set"], lambda column: column.cell(row))
        below = []
        for text, names, further in means:
            chosen = [row for row in rows if row["set"] in names]
            if len(chosen) < len(names):
                print("%s: not all sets are there" % text)
                continue
            average = {column.key: mean(row.get(column.key) for row in chosen)
                       for column in columns
                       if column and column.digits is not None
                       and column.digits > 0}
            average.update(further, set=text)
            below.append(average)
            self.line(columns, text, lambda column: column.cell(average)
                      if column.key in average else "%*s" % (column.width, ""))
        self.file(name, columns, rows + below)

    def line(self, columns, name, cell):
        parts = [" |" if column is BAR else "%*s" % (column.width,
                                                      cell(column))
                 for column in columns]
        print(("%-22s%s" % (name, "".join(parts))).rstrip())

    def file(self, name, columns, rows):
        keys = ["set"] + [column.key for column in columns if column]
        with open(os.path.join(self.directory, name + ".tsv"), "w",
                  encoding="utf-8") as file:
            print("\t".join(keys), file=file)
            for row in rows:
                print("\t".join(plain(row.get(key)) for key in keys),
                      file=file)


def plain(value):
    if value is None:
        return "-"
    return "%.6g" % value if isinstance(value, float) else str(value)
