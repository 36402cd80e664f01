"""quality_contamination.py - more and more outliers, scattered or in
clusters.

What gates are for: a net that is trained on outliers learns them, the sooner
the more they are and the more they resemble each other.
"""
import random

import quality_peers as peers
from quality_data import Data
from quality_metric import mean, median, verdict
from quality_out import BAR, Column
from quality_plant import Plant
from quality_streams import seeds_of, seeds_text
from quality_tables import STREAMED, auc

LEVELS = (0, 1, 2, 5, 10, 15, 20, 30, 40)  # percent of the stream
QUICK = (0, 5, 20, 40)
INLIERS = 4000  # at most
CENTRES = 5
KINDS = ("scattered", "clustered")
METHODS = {"gates": "gates", "none": "none", "forest": "IForest"}
OPTIONS = {"gates": [], "none": ["--gates=none"]}
FIGURES = ("auc", "flagged", "precision", "recall")


def contaminated(plant, kind, level, seed):
    """Inliers as drawn first, so that the same stand at all levels of a
    seed."""
    draw = random.Random(seed)
    good = plant.inliers(min(INLIERS, len(plant.good)), draw)
    count = round(level / (100 - level) * len(good))
    bad = (plant.outliers(count, draw) if kind == "scattered"
           else plant.clustered(count, CENTRES, draw))
    data = Data("%s, %s %d %%" % (plant.table.name, kind, level),
                plant.table.header, good + bad,
                bytearray(len(good)) + b"\1" * len(bad))
    return data.shuffled(seed)


def judged(bench, data, method, seed):
    """AUC and verdict of one method; empty after a failure."""
    if method == "forest":
        score = peers.forest(peers.matrix(data), seed=seed)
        if score is None:
            return {}
        flagged = bytearray(s > peers.ODD for s in score)
    else:
        found = bench.runner.run(data, [*OPTIONS[method], "--seed=%d" % seed])
        if not found:
            return {}
        score, flagged = found.score, found.flagged
    return dict(verdict(flagged, data.label), auc=auc(score, data.label))


def table_row(bench, plant, kind, level):
    """Medians over the seeds of all methods on one table."""
    row = {"set": plant.table.name, "kind": kind, "planted": level / 100}
    streams = [(seed, contaminated(plant, kind, level, seed))
               for seed in seeds_of(bench)]
    row["rows"] = len(streams[0][1])
    for method in METHODS:
        rows = [judged(bench, data, method, seed) for seed, data in streams]
        for figure in FIGURES:
            row[figure + "_" + method] = median(r.get(figure) for r in rows)
    return row


def level_rows(rows, kind, levels):
    """Means over the tables, a row for each level."""
    found = []
    for level in levels:
        chosen = [r for r in rows
                  if r["kind"] == kind and r["planted"] == level / 100]
        row = {"set": "%d %%" % level, "planted": level / 100}
        for key in chosen[0]:
            if key not in ("set", "kind", "planted", "rows"):
                row[key] = mean(r[key] for r in chosen)
        found.append(row)
    return found


def columns():
    found = [Column("planted", "plant.")]
    for figure, head in (("auc", "AUC "), ("flagged", "fl.% ")):
        found += [BAR, *[Column(figure + "_" + m, head + METHODS[m], 13)
                         for m in METHODS]]
    return found + [BAR, Column("recall_gates", "recall gates", 13),
                    Column("recall_none", "none"),
                    Column("recall_forest", "IForest", 8)]


def contamination(bench):
    levels = LEVELS if bench.full else QUICK
    names = bench.sets(STREAMED, "paper")
    rows = []
    for name in names:
        plant = Plant(bench.library.table("paper/" + name))
        for kind in KINDS:
            for level in levels:
                if level == 0 and kind != KINDS[0]:
                    # Without outliers both kinds are the same stream.
                    rows += [dict(r, kind=kind) for r in rows
                             if r["set"] == name and r["planted"] == 0]
                else:
                    rows.append(table_row(bench, plant, kind, level))
    if not rows:
        return
    bench.writer.title(
        "Contamination: mean of %d shuffled tables, %s"
        % (len(names), seeds_text(bench)),
        "Tables: %s. All inliers of each, %d at" % (", ".join(names),
                                                    INLIERS),
        "most, and so many outliers that they make up plant. % of the "
        "stream, in random order.",
        "Scattered: the table's outliers, each once; where they are too few, "
        "all again and again,",
        "moved by 0.05 standard deviations (of the inliers' column, normal) "
        "a number. Clustered:",
        "copies of %d outliers of the table, drawn by the seed, all moved "
        "like that." % CENTRES,
        "gates: the program as it is; none: --gates=none, a plain "
        "autoencoder with the same memory;",
        "IForest: fitted to each window, its verdict that of "
        "contamination='auto'. AUC x 100; fl. %:",
        "records flagged, plant. would be right; recall: planted ones that "
        "are flagged, percent.",
        "Each table's figures: contamination.tsv.")
    for kind in KINDS:
        below = level_rows(rows, kind, levels)
        print("\n%s" % kind)
        bench.writer.table(
            "contamination_" + kind, columns(), below,
            [("mean of all but 0 %", [r["set"] for r in below[1:]],
              {"planted": None})])  # no place on the plot's axis
    bench.writer.file(
        "contamination",
        [Column(key, key) for key in rows[0] if key != "set"], rows)
