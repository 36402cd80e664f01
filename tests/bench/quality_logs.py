"""quality_logs.py - lines of logs: those labelled at source, and foreign ones
put among them.

Beside the program stands the rarity of a line's words and word pairs, which
needs no model: mean of the three largest of each, added up.
"""
import json
import math
import random
import re

from quality_data import Data
from quality_metric import median
from quality_out import BAR, Column
from quality_peers import WINDOW
from quality_streams import seeds_of, seeds_text
from quality_tables import VERDICT, auc, judged

LOGS = ("bgl_2k", "thunderbird_2k", "hdfs_2k", "openssh_2k", "apache_2k")
FOREIGN = 0.01  # of the lines
HALVE_AFTER = 2048  # lines
OPTIONS = ["--fields=line"]

WORD = re.compile(r"[A-Za-z0-9_]+")


def word(text):
    """TEXT with what varies masked."""
    if text.isdigit():
        return "<n>"
    if len(text) > 2 and text[:2] in ("0x", "0X"):
        return "<h>"
    return "<m>" if any(c.isdigit() for c in text) else text


class Counts:
    def __init__(self):
        self.count = {}
        self.lines = 0.0

    def rarest(self, keys):
        found = sorted((math.log((self.lines + 1) / (self.count.get(k, 0) + 1))
                        for k in keys), reverse=True)[:3]
        return sum(found) / len(found) if found else 0.0

    def add(self, keys, halve):
        for key in keys:
            self.count[key] = self.count.get(key, 0) + 1
        self.lines += 1
        if halve:
            self.lines /= 2
            self.count = {k: c / 2 for k, c in self.count.items()}


def rarity(data):
    """Each line against those before it."""
    words, pairs = Counts(), Counts()
    score = []
    for i, record in enumerate(data.lines):
        ones = [word(w) for w in WORD.findall(json.loads(record)["line"])]
        twos = list(zip(["<s>", *ones], [*ones, "<e>"]))
        score.append(words.rarest(ones) + pairs.rarest(twos))
        halve = (i + 1) % HALVE_AFTER == 0
        words.add(ones, halve)
        pairs.add(twos, halve)
    return score


def injected(host, guest, seed):
    """HOST with lines of GUEST at random places; only those are labelled."""
    draw = random.Random(seed)
    count = round(FOREIGN * len(host))
    places = sorted(draw.sample(range(len(host) + count), count))
    foreign = iter(zip(places, draw.sample(guest.lines, count)))
    own = iter(host.lines)
    lines, label = [], bytearray()
    at = next(foreign, None)
    for i in range(len(host) + count):
        is_foreign = at is not None and at[0] == i
        lines.append(at[1] if is_foreign else next(own))
        label.append(is_foreign)
        if is_foreign:
            at = next(foreign, None)
    return Data("%s in %s" % (guest.name, host.name), None, lines, label)


def figures(bench, data, seed):
    """One run's row: whole, late, and the rarity beside."""
    found = bench.runner.run(data, [*OPTIONS, "--seed=%d" % seed])
    if not found:
        return None
    late = slice(WINDOW, None)
    plain = rarity(data)
    return dict(judged(found, data.label),
                late=auc(found.score[late], data.label[late]),
                rarity=auc(plain, data.label),
                rarity_late=auc(plain[late], data.label[late]))


def middle(name, rows):
    rows = [row for row in rows if row]
    found = {key: median(row[key] for row in rows)
             for key in rows[0] if key != "context"} if rows else {}
    if rows:
        found["context"] = "/".join(sorted({r["context"] for r in rows}))
    found["set"] = name
    return found


COLUMNS = [Column("context", "ctx", 7, None), BAR, Column("auc", "AUC"),
           Column("late", "late"), Column("ap", "AP"), BAR,
           Column("rarity", "rarity"), Column("rarity_late", "late"), BAR,
           *VERDICT, Column("alarms", "FA/10k", 8, 1, 1)]


def logs(bench):
    seeds = seeds_of(bench)
    hosts = [bench.library.log("stream/" + name) for name in LOGS
             if bench.library.has("stream/" + name, ".jsonl")]
    own = [middle(host.name, [figures(bench, host, seed) for seed in seeds])
           for host in hosts]
    bench.writer.title(
        "Log lines: --fields=line, %s" % seeds_text(bench),
        "AUC x 100 of the score column, over all lines and, late, without "
        "the first %d; only" % WINDOW,
        "bgl_2k has labelled lines. rarity: of words and word pairs against "
        "the lines before, no",
        "model. fl. %: lines flagged. Prototype's rarity on bgl_2k, late: "
        "90.1.")
    bench.writer.table("logs", COLUMNS, own)
    foreign = []
    for host in hosts:
        rows = [figures(bench, injected(host, guest, seed), seed)
                for guest in hosts if guest is not host for seed in seeds]
        if rows:
            foreign.append(middle("into " + host.name, rows))
    bench.writer.title(
        "Foreign log lines: 1 %% from another log, at random places, %s"
        % seeds_text(bench),
        "Median over the other logs, too. Columns as above; outliers "
        "are the foreign lines.",
        "Prototype's rarity: 96.4.")
    bench.writer.table("foreign", COLUMNS, foreign,
                       [("mean", [row["set"] for row in foreign], {})]
                       if foreign else [])
