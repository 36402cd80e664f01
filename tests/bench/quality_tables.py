"""quality_tables.py - tables: whole, as shuffled streams, and over and over.

The order of a shuffled table says nothing, so a stream of it asks for the
net, the gates and the memory of what is trusted, and for nothing else.
"""
import quality_halfspace
import quality_peers as peers
from quality_data import Data
from quality_metric import mean, median, ranking, verdict
from quality_out import BAR, Column

# name: AUC x 100 the paper prints for l1, and the prototype's.
PAPER = {
    "lympho": (96.0, 99.9), "ecoli": (89.1, 89.7), "cardio": (93.9, 94.7),
    "yeast": (84.0, 77.3), "musk": (98.6, 99.9), "thyroid": (94.7, 95.4),
    "mnist_s": (93.3, 90.3), "fashion_mnist": (94.0, 89.7),
    "pendigits": (97.5, 96.9), "mammography": (88.3, 88.6),
    "shuttle": (99.0, 99.4),
}
IMAGES = ("mnist_s", "fashion_mnist")
STREAMED = ("cardio", "musk", "thyroid", "pendigits", "mammography", "shuttle")
LIVES = ("thyroid", "cardio")
FIFTHS = 5

VERDICT = [Column("flagged", "fl. %"), Column("precision", "prec."),
           Column("recall", "recall")]


def auc(score, label):
    return ranking(score, label)[0] if score is not None else None


def judged(found, label):
    """All figures of one run."""
    row = verdict(found.flagged, label)
    row["auc"], row["ap"] = ranking(found.score, label)
    row["context"] = found.context()
    return row


def summary(name, rows):
    """Medians over runs; the AUC's least and largest beside."""
    row = {key: median(r[key] for r in rows) for key in rows[0]
           if key != "context"} if rows else {}
    if rows:
        known = [r["auc"] for r in rows if r["auc"] is not None]
        row["low"], row["high"] = (min(known), max(known)) if known else (
            None, None)
        row["context"] = "/".join(sorted({r["context"] for r in rows}))
    row["set"] = name
    return row


# ---- whole ----

def batch(bench):
    seeds = range(1, 6 if bench.full else 4)
    rows = []
    for name in bench.sets(PAPER, "paper"):
        data = bench.library.table("paper/" + name)
        runs = []
        for seed in seeds:
            # Some files list one label first: their order must not tell.
            mixed = data.shuffled(seed)
            found = bench.runner.run(mixed, ["--window=all",
                                             "--seed=%d" % seed])
            if found:
                runs.append(judged(found, mixed.label))
        row = summary(name, runs)
        x = peers.matrix(data)
        row.update(
            rows=len(data), outliers=sum(data.label) / len(data),
            forest=auc(peers.forest(x, size=0), data.label),
            norm=auc(peers.norm(x, size=0), data.label),
            paper=PAPER[name][0] / 100, prototype=PAPER[name][1] / 100)
        if row.get("auc") is not None:
            row["ahead"] = row["auc"] - row["paper"]
        rows.append(row)
    bench.writer.title(
        "Batch: --window=all on the paper's tables, median of seeds 1 to %d"
        % seeds[-1],
        "A seed draws the order and is the program's --seed. AUC, AP (x 100): "
        "of the score column;",
        "low, high: AUC over the seeds. IForest: 100 trees, one seed; "
        "||x||2: of the scaled row,",
        "no model; pap.l1, proto: figures of the paper and of the prototype. "
        "fl. %: records",
        "flagged; prec., recall: of those flags, percent. ctx: whether the "
        "program looked at",
        "neighbours.")
    columns = [Column("rows", "rows", 7, 0, 1), Column("outliers", "out. %"),
               Column("context", "ctx", 5, None), BAR, Column("auc", "AUC"),
               Column("low", "low"), Column("high", "high"),
               Column("ap", "AP"), BAR, Column("forest", "IForest", 8),
               Column("norm", "||x||2"), BAR, Column("paper", "pap.l1"),
               Column("prototype", "proto"),
               Column("ahead", "-pap.l1", 8, sign="+"),
               BAR, *VERDICT]
    bench.writer.table(
        "batch", columns, rows,
        [("mean of 11", list(PAPER), {}),
         ("mean of 9 (no images)", [n for n in PAPER if n not in IMAGES],
          {})])


# ---- shuffled ----

def shuffled(bench):
    seeds = range(1, 4)
    rows = []
    for name in bench.sets(STREAMED, "paper"):
        table = bench.library.table("paper/" + name)
        runs, norms, pasts, knns, forests, trees = [], [], [], [], [], []
        for seed in seeds:
            data = table.shuffled(seed)
            found = bench.runner.run(data, ["--seed=%d" % seed])
            if found:
                runs.append(judged(found, data.label))
            x = peers.matrix(data)
            norms.append(auc(peers.norm(x), data.label))
            pasts.append(auc(peers.past(x, False), data.label))
            knns.append(auc(peers.knn(x, False, seed), data.label))
            if bench.full:
                forests.append(auc(peers.forest(x, seed=seed), data.label))
                trees.append(auc(quality_halfspace.halfspace(x, seed),
                                 data.label[:quality_halfspace.MOST]))
        row = summary(name, runs)
        row.update(rows=len(table), outliers=sum(table.label) / len(table),
                   norm=median(norms), past=median(pasts), knn=median(knns),
                   forest=median(forests), trees=median(trees))
        rows.append(row)
    bench.writer.title(
        "Shuffled tables as streams, median of seeds 1 to %d" % seeds[-1],
        "A seed draws the order and is the program's --seed. Window and all "
        "else: defaults.",
        "AUC, AP (x 100): of the score column over all windows; low, high: "
        "AUC over the seeds.",
        "||x||2, IForest (in full runs): in the same windows, each window by "
        "itself; past: ||x||2",
        "in units of the %d records before the window; kNN: distance to the "
        "%dth of %d drawn from" % (peers.MEMORY, peers.NEAREST, peers.DRAWN),
        "those; HS-Trees (in full runs, with river): half-space trees, first "
        "%d records. fl. %%:" % quality_halfspace.MOST,
        "records flagged.")
    columns = [Column("rows", "rows", 7, 0, 1), Column("outliers", "out. %"),
               Column("context", "ctx", 5, None), BAR, Column("auc", "AUC"),
               Column("low", "low"), Column("high", "high"),
               Column("ap", "AP"), BAR, Column("norm", "||x||2"),
               Column("past", "past"), Column("knn", "kNN"),
               Column("forest", "IForest", 8),
               Column("trees", "HS-Trees", 9), BAR, *VERDICT]
    bench.writer.table("shuffled", columns, rows,
                       [("mean of 6", list(STREAMED), {})])
    print("prototype, mean of 6: 95.5; IForest there 94.8, ||x||2 93.5")


# ---- over and over ----

def repeated(table, count, seed):
    """COUNT records: TABLE in one fresh order after another."""
    lines, label = [], bytearray()
    turn = 0
    while len(lines) < count:
        data = table.shuffled(1000 * seed + turn)
        lines += data.lines
        label += data.label
        turn += 1
    return Data(table.name, table.header, lines[:count], label[:count])


def life(bench):
    count = 200000 if bench.full else 50000
    rows, fifth = [], count // FIFTHS
    for name in bench.sets(LIVES, "paper"):
        data = repeated(bench.library.table("paper/" + name), count, 1)
        found = bench.runner.run(data, ["--seed=1"], pieces=FIFTHS)
        row = {"set": name, "rows": len(data)}
        if found:
            row["rate"] = count / found.seconds / 1000
            for i in range(FIFTHS):
                part = slice(i * fifth, (i + 1) * fifth)
                row["auc%d" % i] = auc(found.score[part], data.label[part])
            for i in (0, FIFTHS - 1):
                part = slice(i * fifth, (i + 1) * fifth)
                row["flagged%d" % i] = mean(found.flagged[part])
                row["rss%d" % i] = found.rss[i]
            row["bursts"] = found.stats.get("bursts")
            row["drifts"] = found.stats.get("drifts")
        rows.append(row)
    bench.writer.title(
        "Long life: a table in one fresh order after another, %d records"
        % count,
        "AUC x 100 and records flagged (percent) by fifths of the stream, "
        "seed 1. RSS: MiB the",
        "process occupies when a fifth has been read. krec/s: fed by a pipe, "
        "with all start-up.",
        "Prototype on cardio: 95.6 falls to 91.9 over 28 000 records.")
    last = FIFTHS - 1
    columns = [Column("rows", "rows", 8, 0, 1), BAR,
               *[Column("auc%d" % i, "AUC %d" % (i + 1))
                 for i in range(FIFTHS)], BAR,
               Column("flagged0", "fl.% 1"),
               Column("flagged%d" % last, "fl.%% %d" % FIFTHS), BAR,
               Column("rss0", "RSS 1", 7, 1, 1),
               Column("rss%d" % last, "RSS %d" % FIFTHS, 7, 1, 1), BAR,
               Column("bursts", "bursts", 7, 0, 1),
               Column("drifts", "drifts", 7, 0, 1),
               Column("rate", "krec/s", 7, 0, 1)]
    bench.writer.table("life", columns, rows)
