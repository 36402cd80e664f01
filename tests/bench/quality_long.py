"""quality_long.py - millions of records, and nothing kept of them but what
comes first and last.

The program is fed piece by piece and its scores are read as they come, so
that this end stays as small as the other has to.
"""
import array
import contextlib
import csv
import json
import math
import os
import subprocess
import tempfile
import threading
import time

from quality_metric import mean
from quality_out import BAR, Column
from quality_run import Failure, resident_mib
from quality_tables import LIVES, auc

RECORDS = 10 ** 7
QUICK = 300000
EDGE = 100000  # records at either end that are looked at
LIMIT_S = 7200


def turn(table, number):
    """The NUMBER-th order of TABLE; any of them can be had again."""
    return table.shuffled(1000 + number)


def labels(table, first, behind):
    """Labels of the records from FIRST to before BEHIND."""
    size = len(table)
    found = bytearray()
    for number in range(first // size, math.ceil(behind / size)):
        found += turn(table, number).label
    skip = first % size
    return found[skip:skip + behind - first]


class Feeder(threading.Thread):
    """Writes a table's orders to the program, and looks at its memory after
    the first records and after the last, while its input is open."""

    def __init__(self, child, table, count, edge):
        super().__init__(daemon=True)
        self.child, self.table = child, table
        self.count, self.edge = count, edge
        self.rss = [None, None]

    def run(self):
        # Where the program has gone its exit status says why.
        with contextlib.suppress(OSError):
            self.feed(self.child.stdin)
        with contextlib.suppress(OSError):
            self.child.stdin.close()

    def feed(self, pipe):
        pipe.write((self.table.header + "\n").encode())
        done = number = 0
        while done < self.count:
            lines = turn(self.table, number).lines[:self.count - done]
            pipe.write("".join(line + "\n" for line in lines).encode())
            done += len(lines)
            number += 1
            if self.rss[0] is None and done >= self.edge:
                self.rss[0] = resident_mib(self.child.pid)
        pipe.flush()
        self.rss[1] = resident_mib(self.child.pid)


class Scores:
    """Of the first records and of the last; the others are only counted."""

    def __init__(self, count, edge):
        self.count, self.edge = count, edge
        self.seen = self.outliers = 0
        self.score = [array.array("d"), array.array("d")]
        self.flagged = [bytearray(), bytearray()]

    def read(self, file):
        rows = csv.reader(file)
        header = next(rows, None)
        if header is None:
            return  # what went wrong, the exit status tells better
        seq, says, score = map(header.index, ("seq", "verdict", "score"))
        for row in rows:
            if int(row[seq]) != self.seen:
                raise Failure("record %s comes at place %d"
                              % (row[seq], self.seen))
            if row[says] == "reject":
                raise Failure("record %s was rejected" % row[seq])
            flag = row[says] == "outlier"
            self.outliers += flag
            if self.seen < self.edge:
                self.keep(0, row[score], flag)
            if self.seen >= self.count - self.edge:
                self.keep(1, row[score], flag)
            self.seen += 1

    def keep(self, end, score, flag):
        self.score[end].append(float(score))
        self.flagged[end].append(flag)


def add_up(stats, scores):
    """All counts of one run must tell the same story."""
    told = [stats.get(key) for key in ("received", "inliers", "outliers",
                                       "rejected")]
    if told != [scores.count, scores.count - scores.outliers,
                scores.outliers, 0] or scores.seen != scores.count:
        raise Failure("counts do not add up: received, inliers, outliers, "
                      "rejected %s; %d scores, %d outliers"
                      % (told, scores.seen, scores.outliers))


def attempt(command, scratch, table, count):
    scores = Scores(count, min(EDGE, count // 3))
    with open(os.path.join(scratch, "stderr"), "wb") as errors, \
            subprocess.Popen(command, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=errors) as child:
        # Whatever hangs ends with the program.
        watch = threading.Timer(LIMIT_S, child.kill)
        watch.start()
        feeder = Feeder(child, table, count, scores.edge)
        feeder.start()
        try:
            with open(child.stdout.fileno(), encoding="utf-8", newline="",
                      closefd=False) as file:
                scores.read(file)
        except BaseException:
            child.kill()
            raise
        finally:
            status = child.wait()
            watch.cancel()
            feeder.join()
    if status != 0:
        raise Failure("exit status %d" % status)
    with open(os.path.join(scratch, "stats"), encoding="utf-8") as file:
        stats = json.load(file)
    add_up(stats, scores)
    return scores, stats, feeder.rss


def run_long(bench, table, count):
    """A row; without figures after a failure."""
    row = {"set": table.name, "rows": count}
    with tempfile.TemporaryDirectory(prefix="quality-") as scratch:
        command = [bench.runner.program, "--quiet", "--format=csv",
                   "--inliers=" + os.devnull, "--scores=-",
                   "--stats=" + os.path.join(scratch, "stats"),
                   *bench.runner.options, "--seed=1", "-"]
        start = time.monotonic()
        with bench.runner.attempting(table.name, count, command, scratch):
            scores, stats, rss = attempt(command, scratch, table, count)
            ends = (labels(table, 0, scores.edge),
                    labels(table, count - scores.edge, count))
            for i, label in enumerate(ends):
                row["auc%d" % i] = auc(scores.score[i], label)
                row["flagged%d" % i] = mean(scores.flagged[i])
                row["rss%d" % i] = rss[i]
            row.update(flagged=scores.outliers / count, sums="yes",
                       bursts=stats.get("bursts"),
                       drifts=stats.get("drifts"),
                       rate=count / (time.monotonic() - start) / 1000)
    return row


def records(bench):
    """LONG_RECORDS in the environment makes a first look faster."""
    count = int(os.environ.get("LONG_RECORDS",
                               RECORDS if bench.full else QUICK))
    if count < 3:
        raise SystemExit("quality: LONG_RECORDS must be 3 or more")
    return count


def long(bench):
    count = records(bench)
    rows = [run_long(bench, bench.library.table("paper/" + name), count)
            for name in bench.sets(LIVES, "paper")]
    bench.writer.title(
        "Very long life: a table in one fresh order after another, %d records"
        % count,
        "AUC x 100 and records flagged (percent) of the first and of the "
        "last %d records; fl. %%:" % min(EDGE, count // 3),
        "of all. RSS: MiB the process occupies then. sums: whether the "
        "program's counts and its",
        "score lines agree with what was fed. krec/s: with this bench at "
        "both ends of the pipe.")
    columns = [Column("rows", "rows", 10, 0, 1), BAR,
               Column("auc0", "AUC 1st", 8), Column("auc1", "last"), BAR,
               Column("flagged0", "fl.% 1st", 9, 2),
               Column("flagged1", "last", 7, 2),
               Column("flagged", "fl. %", 7, 2), BAR,
               Column("rss0", "RSS 1st", 8, 1, 1),
               Column("rss1", "last", 7, 1, 1), BAR,
               Column("sums", "sums", 5, None),
               Column("bursts", "bursts", 7, 0, 1),
               Column("drifts", "drifts", 7, 0, 1),
               Column("rate", "krec/s", 7, 0, 1)]
    bench.writer.table("long", columns, rows)
