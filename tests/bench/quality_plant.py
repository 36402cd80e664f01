"""quality_plant.py - streams with outliers put where we want them.

Both kinds of records come from one labelled table. Where the table has too
few outliers they are taken again, each number moved a little, so that a
method that learns duplicates by heart gains nothing.
"""
import math

JITTER = 0.05  # of a column's standard deviation among the inliers


class Plant:
    """The inliers and outliers of a table, to be drawn from."""

    def __init__(self, table):
        self.table = table
        self.good = [l for l, bad in zip(table.lines, table.label) if not bad]
        self.bad = [l for l, bad in zip(table.lines, table.label) if bad]
        rows = [[float(t) for t in line.split(",")] for line in self.good]
        self.unit = [JITTER * deviation(column) for column in zip(*rows)]

    def inliers(self, count, draw):
        """COUNT lines: all in random order, and again where they are too
        few."""
        lines = []
        while len(lines) < count:
            lines += draw.sample(self.good, len(self.good))
        return lines[:count]

    def outliers(self, count, draw):
        """COUNT lines: all in random order, then jittered copies of them, in
        one fresh order after another."""
        lines = draw.sample(self.bad, len(self.bad))
        while len(lines) < count:
            lines += [self.moved(line, draw)
                      for line in draw.sample(self.bad, len(self.bad))]
        return lines[:count]

    def clustered(self, count, centres, draw):
        """COUNT lines: jittered copies of as few outliers as CENTRES says."""
        chosen = draw.sample(self.bad, centres)
        return [self.moved(draw.choice(chosen), draw) for _ in range(count)]

    def moved(self, line, draw):
        """A column that is constant among the inliers stays as it is: moved,
        it would give the copy away by itself."""
        return ",".join("%.6g" % (float(text) + draw.gauss(0, unit))
                        if unit else text
                        for text, unit in zip(line.split(","), self.unit))


def deviation(column):
    middle = math.fsum(column) / len(column)
    return math.sqrt(math.fsum((v - middle) ** 2 for v in column)
                     / len(column))
