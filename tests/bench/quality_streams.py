"""quality_streams.py - streams in the order they were recorded.

Sequence labels mark intervals: not every record inside one is odd by its own
values, so beside records events are counted.
"""
import quality_peers as peers
from quality_metric import median, verdict
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
RATES = ("0.01", "0.001")


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


def medians(name, rows):
    row = {key: median(r[key] for r in rows) for key in rows[0]} if rows else {}
    row["set"] = name
    return row


# ---- the default verdict ----

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
    x = peers.matrix(data)
    row.update(rows=len(data), outliers=sum(data.label) / len(data),
               norm=auc(peers.norm(x), data.label),
               past=auc(peers.past(x, row.get("context") == "yes"),
                        data.label),
               forest=auc(peers.forest(x, memory=peers.MEMORY), data.label)
               if bench.full else None)
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
    bench.writer.title(
        "Streams in their own order, %s" % seeds_text(bench),
        "AUC, AP (x 100): of the score column. ||x||2: each window by "
        "itself; past: in units of",
        "the %d records before the window, with changes and spreads where "
        "ctx says that the" % peers.MEMORY,
        "program took them. IForest (in full runs): fitted to as many "
        "records before the window.",
        "proto: the prototype's AUC.",
        "fl. %, prec., recall: records flagged, percent. ev.: stretches of "
        "labelled records;",
        "ev.rec: those with a flagged record, percent. FA/10k: stretches of "
        "flagged records",
        "without a labelled one, per 10 000 records that are not labelled. "
        "bu., dr.: bursts",
        "and drifts the program announced.")
    columns = [Column("rows", "rows", 7, 0, 1), Column("outliers", "out. %"),
               Column("context", "ctx", 5, None), BAR, Column("auc", "AUC", 6),
               Column("ap", "AP", 6), BAR, Column("forest", "IForest", 8),
               Column("norm", "||x||2"), Column("past", "past", 6),
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
        "others, without the",
        "first two windows. Prototype's fixed rule: 3 to 25 %.")
    bench.writer.table("clean", [Column("count", "records", 8, 0, 1), BAR,
                                 Column("flagged", "fl. %", 7, 2),
                                 Column("alarms", "FA/10k", 8, 1, 1)], cleans)


# ---- a rate asked for ----

def rate_clean(bench, name):
    """Realised rates of a clean stretch, and what the verdict on the whole
    stream is worth."""
    data = bench.library.table("stream/" + name)
    clean, whole = {"set": name}, {"set": name}
    for rate in RATES:
        found = [f for f in (bench.runner.run(
            data, ["--fpr=" + rate, "--seed=%d" % seed])
            for seed in seeds_of(bench)) if f]
        if name in CLEAN:
            row = medians(name, [clean_row(name, f, data.label)
                                 for f in found])
            clean["count"] = row.get("count")
            clean["real" + rate] = row.get("flagged")
            clean["alarms" + rate] = row.get("alarms")
        row = medians(name, [verdict(f.flagged, data.label) for f in found])
        for key in ("flagged", "precision", "recall", "event_recall",
                    "alarms"):
            whole[key + rate] = row.get(key)
    return clean, whole


def rate_shuffled(bench, name):
    row = {"set": name + ", shuffled"}
    for rate in RATES:
        shares, counts = [], []
        for seed in range(1, 4):
            data = bench.library.table("paper/" + name).shuffled(seed)
            found = bench.runner.run(data, ["--fpr=" + rate,
                                            "--seed=%d" % seed])
            if found:
                inliers = [f for f, l in zip(found.flagged[WARMING:],
                                             data.label[WARMING:]) if not l]
                counts.append(len(inliers))
                shares.append(sum(inliers) / len(inliers))
        row["count"] = median(counts)
        row["real" + rate] = median(shares)
    return row


def add_ratios(row):
    for rate in RATES:
        if row.get("real" + rate) is not None:
            row["ratio" + rate] = row["real" + rate] / float(rate)


def rates(bench):
    cleans, wholes = [], []
    for name in bench.sets(dict.fromkeys([*CLEAN, *STREAMS]), "stream"):
        clean, whole = rate_clean(bench, name)
        if name in CLEAN:
            cleans.append(clean)
        if name in STREAMS:
            wholes.append(whole)
    cleans += [rate_shuffled(bench, name)
               for name in bench.sets(STREAMED, "paper")]
    for row in cleans:
        add_ratios(row)
    bench.writer.title(
        "A rate asked for: --fpr, %s (shuffled tables 1 to 3)"
        % seeds_text(bench),
        "real: records flagged where nothing is wrong, percent (clean "
        "stretches as above; inliers",
        "of shuffled tables, among which outliers are), without the first "
        "two windows; times: real",
        "over what was asked for. FA/10k: stretches flagged per 10 000 "
        "records. Prototype, rolling",
        "rank at 1 %: 1.0 to 5.1 %, skab_free 16 %.")
    columns = [Column("count", "records", 8, 0, 1)]
    for rate in RATES:
        columns += [BAR, Column("real" + rate, "real " + rate, 12, 2),
                    Column("ratio" + rate, "times", 7, 1, 1),
                    Column("alarms" + rate, "FA/10k", 8, 1, 1)]
    bench.writer.table("fpr", columns, cleans)
    bench.writer.title(
        "A rate asked for: the verdict on whole streams, %s"
        % seeds_text(bench),
        "Columns as for streams in their own order. Prototype, rolling rank "
        "at 1 %, precision and",
        "recall: smd_1_6 27 and 13, smd_2_1 12 and 14, http 38 and 100; "
        "events of SMD 70 to 92 %.")
    columns = []
    for rate in RATES:
        columns += [BAR, Column("flagged" + rate, "fl. % " + rate, 12, 2),
                    Column("precision" + rate, "prec.", 6),
                    Column("recall" + rate, "recall"),
                    Column("event_recall" + rate, "ev.rec"),
                    Column("alarms" + rate, "FA/10k", 7, 1, 1)]
    bench.writer.table("fpr_streams", columns, wholes)
