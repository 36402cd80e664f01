"""quality_streams.py - streams in the order they were recorded.

Sequence labels mark intervals: not every record inside one is odd by its own
values, so beside records events are counted.
"""
import quality_halfspace
import quality_peers as peers
from quality_metric import mean, median, verdict
from quality_out import BAR, Column
from quality_tables import STREAMED, VERDICT, auc, judged, summary

# name: the prototype's AUC x 100, over nine of them 86.3 on average.
STREAMS = {
    "smd_1_6": 89, "smd_2_1": 86, "smd_3_3": 90, "asd_1": 70, "asd_5": 80,
    "skab_valve1": 76, "nab_machine_temp_lag8": 92, "http": 99, "smtp": 94,
    "skab_valve1_0": None,
}
# Records without anomalies: the share of the stream they come first in.
CLEAN = {"skab_free": 1.0, "smd_1_6": 0.45, "smd_2_1": 0.45, "smd_3_3": 0.45,
         "asd_1": 0.45, "asd_5": 0.45}
WARMING = 2 * peers.WINDOW  # records at the start that are not counted


def seeds_of(bench):
    return range(1, 4 if bench.full else 2)


def seeds_text(bench):
    last = seeds_of(bench)[-1]
    return "median of seeds 1 to %d" % last if last > 1 else "seed 1"


def clean_part(name, found, label):
    """Flags of the stretch without anomalies, from the third window on."""
    behind = int(CLEAN[name] * len(label))
    if any(label[:behind]):
        raise ValueError("%s: labels in its clean part" % name)
    return found.flagged[WARMING:behind]


def clean_row(name, found, label):
    flagged = clean_part(name, found, label)
    row = verdict(flagged, bytearray(len(flagged)))
    return {"count": len(flagged), "flagged": row["flagged"],
            "alarms": row["alarms"]}


def shuffled_row(bench, name, options=()):
    """What is flagged of the inliers of a table as a shuffled stream, from
    the third window on. The table's outliers are among them."""
    rows = []
    for seed in range(1, 4):
        data = bench.library.table("paper/" + name).shuffled(seed)
        found = bench.runner.run(data, [*options, "--seed=%d" % seed])
        if found:
            flagged, label = found.flagged[WARMING:], data.label[WARMING:]
            inliers = [f for f, l in zip(flagged, label) if not l]
            rows.append({"count": len(inliers), "flagged": mean(inliers),
                         "alarms": verdict(flagged, label)["alarms"]})
    return medians(name + ", shuffled", rows)


def clean_means():
    """Rows of averages below a table of clean stretches."""
    return [("mean of the streams", list(CLEAN), {}),
            ("mean of the tables", [n + ", shuffled" for n in STREAMED], {})]


def medians(name, rows):
    row = {key: median(r[key] for r in rows) for key in rows[0]} if rows else {}
    row["set"] = name
    return row


# ---- the default verdict ----

def others(bench, data, context):
    """AUC of other methods, the slow ones in full runs only. CONTEXT: "yes",
    "no", or None where no run of the program told."""
    x, label = peers.matrix(data), data.label
    row = {"norm": auc(peers.norm(x), label)}
    if context:
        row["past"] = auc(peers.past(x, context == "yes"), label)
        row["knn"] = auc(peers.knn(x, context == "yes"), label)
    if bench.full:
        row["forest"] = auc(peers.forest(x, memory=peers.MEMORY), label)
        row["forest_context"] = (
            auc(peers.forest(x, memory=peers.MEMORY, context=True), label)
            if context == "yes" else row["forest"] if context else None)
        row["trees"] = auc(quality_halfspace.halfspace(x),
                           label[:quality_halfspace.MOST])
    return row


def run_natural(bench, name, seeds):
    """A row of each table, None where the stream has no part in it."""
    data = bench.library.table("stream/" + name)
    found = [f for f in (bench.runner.run(data, ["--seed=%d" % seed])
                         for seed in seeds) if f]
    clean = None
    if name in CLEAN:
        clean = medians(name, [clean_row(name, f, data.label) for f in found])
    if name not in STREAMS:
        return None, clean
    row = summary(name, [dict(judged(f, data.label),
                              bursts=f.stats.get("bursts"),
                              drifts=f.stats.get("drifts")) for f in found])
    row.update(rows=len(data), outliers=sum(data.label) / len(data),
               **others(bench, data, row.get("context")))
    if STREAMS[name] is not None:
        row["prototype"] = STREAMS[name] / 100
    return row, clean


def natural(bench):
    rows, cleans = [], []
    for name in bench.sets(dict.fromkeys([*STREAMS, *CLEAN]), "stream"):
        row, clean = run_natural(bench, name, seeds_of(bench))
        if row:
            rows.append(row)
        if clean:
            cleans.append(clean)
    cleans += [shuffled_row(bench, name)
               for name in bench.sets(STREAMED, "paper")]
    bench.writer.title(
        "Streams in their own order, %s" % seeds_text(bench),
        "AUC, AP (x 100): of the score column. ||x||2: each window by "
        "itself; past: in units of",
        "the %d records before the window, with changes and spreads where "
        "ctx says that the" % peers.MEMORY,
        "program took them; kNN: distance to the %dth of %d records drawn "
        "from those, in those" % (peers.NEAREST, peers.DRAWN),
        "units. In full runs: IForest, fitted to as many records before the "
        "window, and IF+ctx,",
        "with changes and spreads where ctx says so; with river HS-Trees, "
        "half-space trees, first",
        "%d records. proto: the prototype's AUC." % quality_halfspace.MOST,
        "fl. %, prec., recall: records flagged, percent. ev.: stretches of "
        "labelled records;",
        "ev.rec: those with a flagged record, percent. FA/10k: stretches of "
        "flagged records",
        "without a labelled one, per 10 000 records that are not labelled. "
        "bu., dr.: bursts",
        "and drifts the program announced.")
    columns = [Column("rows", "rows", 7, 0, 1), Column("outliers", "out. %"),
               Column("context", "ctx", 5, None), BAR, Column("auc", "AUC", 6),
               Column("ap", "AP", 6), BAR, Column("norm", "||x||2"),
               Column("past", "past", 6), Column("knn", "kNN", 6),
               Column("forest", "IForest", 8),
               Column("forest_context", "IF+ctx"),
               Column("trees", "HS-Trees", 9),
               Column("prototype", "proto", 6), BAR, *VERDICT, BAR,
               Column("events", "ev.", 5, 0, 1),
               Column("event_recall", "ev.rec"),
               Column("alarms", "FA/10k", 7, 1, 1), BAR,
               Column("bursts", "bu.", 4, 0, 1),
               Column("drifts", "dr.", 4, 0, 1)]
    nine = [name for name in STREAMS if STREAMS[name] is not None]
    bench.writer.table("natural", columns, rows,
                       [("mean of first 9", nine,
                         {"prototype": 0.863})])
    bench.writer.title(
        "Clean stretches: what the default verdict flags, %s"
        % seeds_text(bench),
        "Records without anomalies: all of skab_free, the first 45 % of the "
        "other streams, inliers",
        "of shuffled tables, among which outliers are (seeds 1 to 3); "
        "without the first two windows.",
        "fl. %: of them flagged; FA/10k: stretches of flagged records, "
        "without a labelled one, per",
        "10 000 of them. Prototype's fixed rule: 3 to 25 %.")
    bench.writer.table("clean", [Column("count", "records", 8, 0, 1), BAR,
                                 Column("flagged", "fl. %", 7, 2),
                                 Column("alarms", "FA/10k", 8, 1, 1)],
                       cleans, clean_means())
