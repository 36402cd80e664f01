"""quality_bursts.py - outliers that come in a row, longer than a window.

A filter that learns from its windows can take a burst for the new normal:
then it misses the burst's end, and calls outliers the good records after it.
"""
import random

import quality_halfspace
import quality_peers as peers
from quality_data import Data
from quality_metric import burst_verdict, verdict
from quality_out import BAR, Column
from quality_plant import Plant
from quality_streams import WARMING, medians, seeds_of, seeds_text
from quality_tables import auc

TABLES = ("shuttle", "pendigits", "mammography")
SIZES = (200, 600, 1000)
BURSTS = 3  # in a stream
BEFORE = 6000  # good records at the start
BETWEEN = 3000  # and at least so many after each burst
LEAST = 100  # labelled records in a row that are a burst
AFTER = 2000  # records behind a burst that are looked at by themselves
VARIANTS = {"": [], "none_": ["--gates=none"]}
PEERS = {"knn_": "kNN", "forest_": "IForest", "trees_": "HS-Trees"}


def planted(plant, size, seed):
    """Gaps differ by up to a window: bursts begin anywhere in one."""
    draw = random.Random(seed)
    gaps = [BEFORE] + [BETWEEN + draw.randrange(peers.WINDOW)
                       for _ in range(BURSTS)]
    good = plant.inliers(sum(gaps), draw)
    bad = plant.outliers(BURSTS * size, draw)
    lines, label = good[:BEFORE], bytearray(BEFORE)
    for i in range(BURSTS):
        at = sum(gaps[:i + 1])
        lines += bad[i * size:(i + 1) * size] + good[at:at + gaps[i + 1]]
        label += b"\1" * size + bytearray(gaps[i + 1])
    return Data("%s %d" % (plant.table.name, size), plant.table.header,
                lines, label)


def figures(score, flagged, label):
    return dict(burst_verdict(flagged, label, LEAST, AFTER, WARMING),
                auc=auc(score, label),
                alarms=verdict(flagged, label)["alarms"])


def highest(score, count):
    """Flags for the COUNT records with the highest scores."""
    flags = bytearray(len(score))
    for i in sorted(range(len(score)), key=score.__getitem__,
                    reverse=True)[:count]:
        flags[i] = 1
    return flags


def peer_scores(bench, data, context):
    x = peers.matrix(data)
    found = {"knn_": peers.knn(x, context)}
    if bench.full:
        found["forest_"] = peers.forest(x, memory=peers.MEMORY,
                                        context=context)
        found["trees_"] = quality_halfspace.halfspace(x)
    return {name: score for name, score in found.items() if score is not None}


def run_burst(bench, data, seed):
    """All figures on one stream; those of a failed run are missing."""
    row, found = {}, {}
    for name, options in VARIANTS.items():
        found[name] = bench.runner.run(data, [*options, "--seed=%d" % seed])
        if found[name]:
            row.update(prefixed(name, figures(
                found[name].score, found[name].flagged, data.label)))
            for event in ("bursts", "drifts"):
                row[name + event] = found[name].stats.get(event)
    if not found[""]:
        return row
    context = found[""].context() == "yes"
    for name, score in peer_scores(bench, data, context).items():
        flags = highest(score, sum(found[""].flagged[:len(score)]))
        row.update(prefixed(name, figures(score, flags,
                                          data.label[:len(score)])))
    return row


def prefixed(name, row):
    return {name + key: value for key, value in row.items()}


def middle(name, data, rows):
    """Medians; a run that failed has fewer keys than others."""
    keys = dict.fromkeys(key for row in rows for key in row)
    row = medians(name, [{key: r.get(key) for key in keys} for r in rows])
    row["rows"] = len(data)
    return row


def verdict_columns(name, head, events=False):
    found = [BAR, Column(name + "auc", head + "AUC", 7 + len(head)),
             Column(name + "recall", "recall"),
             Column(name + "caught", "> half"),
             Column(name + "outside", "out. %", 7, 2),
             Column(name + "after", "aft. %", 7, 2)]
    if events:
        found += [Column(name + "alarms", "FA/10k", 7, 1, 1),
                  Column(name + "bursts", "bu.", 4, 0, 1),
                  Column(name + "drifts", "dr.", 4, 0, 1)]
    return found


def burst_rows(bench):
    rows = []
    for name in bench.sets(("http",), "stream"):
        data = bench.library.table("stream/" + name)
        rows.append(middle(name, data, [run_burst(bench, data, seed)
                                        for seed in seeds_of(bench)]))
    for name in bench.sets(TABLES, "paper"):
        plant = Plant(bench.library.table("paper/" + name))
        for size in SIZES:
            streams = [(seed, planted(plant, size, seed))
                       for seed in seeds_of(bench)]
            rows.append(middle(streams[0][1].name, streams[0][1],
                               [run_burst(bench, data, seed)
                                for seed, data in streams]))
    return rows


def bursts(bench):
    rows = burst_rows(bench)
    made = ["%s %d" % (name, size) for name in TABLES for size in SIZES]
    bench.writer.title(
        "Bursts: outliers in a row, %s" % seeds_text(bench),
        "http as it is, and inliers of tables in random order (one order "
        "after another where they",
        "are too few) with %d bursts of 200, 600 or 1000 outliers: the "
        "table's in random order," % BURSTS,
        "where they are too few all again and again, moved by 0.05 standard "
        "deviations a number.",
        "%d good records come first, at least %d after each burst."
        % (BEFORE, BETWEEN),
        "n: bursts, %d labelled records or more. AUC x 100, whole stream; "
        "recall: of a burst's" % LEAST,
        "records flagged; > half: bursts with more than half flagged; "
        "aft. %%: flagged of the %d" % AFTER,
        "good records behind each burst, out. %: of the other good ones, "
        "without the first two",
        "windows. bu., dr.: bursts and drifts announced. none: "
        "--gates=none.")
    bench.writer.table(
        "bursts", [Column("rows", "rows", 7, 0, 1),
                   Column("count", "n", 3, 0, 1),
                   *verdict_columns("", "", True),
                   *verdict_columns("none_", "none ", True)],
        rows, [("mean of the planted", made, {})])
    known = {name: head for name, head in PEERS.items()
             if any(name + "auc" in row for row in rows)}
    if not known:
        return
    bench.writer.title(
        "Bursts: other methods, %s" % seeds_text(bench),
        "Columns as above. Of each method as many records count as flagged "
        "as the program flagged,",
        "those with the highest scores. kNN: distance to the %dth of %d "
        "records drawn from the %d" % (peers.NEAREST, peers.DRAWN,
                                       peers.MEMORY),
        "before the window; IForest (in full runs): fitted to those; "
        "HS-Trees (in full runs, with",
        "river): half-space trees, first %d records."
        % quality_halfspace.MOST)
    bench.writer.table(
        "bursts_peers", [column for name, head in known.items()
                         for column in verdict_columns(name, head + " ")],
        rows, [("mean of the planted", made, {})])
