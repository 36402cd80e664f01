#!/usr/bin/env python3
"""now.py - --emit=now: a record is decided when it comes and leaves at once,
while windows train behind."""
import statistics
import time

from peers import FIELDS, Stage
from oracle import Records, split
from tap import SLACK, SOAK, main, wait_until
from traffic import Consumer, Feed, Pipe, messages, odd

NOW = ("--emit=now", "--window=128", FIELDS)


def warm(pipe, count=512):
    """Gives it enough to have learned."""
    pipe.produce(messages(Records().some(count))).wait_sent()
    pipe.wait_all()


def case_at_once(tap, stage):
    """No record waits for another."""
    pipe = Pipe(stage, *NOW, "--max-wait=500ms")
    warm(pipe)
    feed = Feed()
    pipe.produce(feed)
    taken = []
    for message in messages(Records(source=1).some(400 if SOAK else 60)):
        start = time.monotonic()
        goal = pipe.oracle.total() + 1
        feed.put(message)
        wait_until(lambda at=goal: pipe.oracle.total() >= at, 10,
                   "a record to come out")
        taken.append(time.monotonic() - start)
    # A window would take until it is full, or half a second.
    tap.ok(statistics.median(taken) < 0.1 * SLACK,
           "a record leaves when it has come",
           "median %.3f s" % statistics.median(taken))
    pipe.check(tap, "one at a time")


def case_account(tap, stage):
    """Many, while windows train behind."""
    pipe = Pipe(stage, *NOW, "--scores=push:@" + stage.ipc("scores"))
    rows = []
    Consumer(stage, stage.ipc("scores"),
             lambda f: rows.extend(value for _, value in split(f[-1])))
    pipe.oracle.keep_envelopes = True
    maker = Records(planted=0.03)
    count = 6000
    pipe.produce(messages(maker.some(count), 5), rate=6000 / SLACK).wait_sent()
    pipe.wait_all()
    wait_until(lambda: len(rows) >= count, 20, "the scores")
    tap.ok([row["seq"] for row in rows] == list(range(count)),
           "scores come in order")
    states = [row["state"] for row in rows]
    tap.ok(states[0] == "warming" and states[-1] == "live",
           "it warms up, then it is live", (states[0], states[-1]))
    late = [e for e in pipe.oracle.envelopes if e["seq"] >= count // 2]
    tap.ok(late and all(e["gate"] is None for e in late),
           "the snapshot decides: there is no gate", late[:1])
    models = [e["model"] for e in pipe.oracle.envelopes]
    tap.ok(models == sorted(models) and models[-1] > models[0],
           "one snapshot after another is taken", models[::20])
    hits = [e for e in late if e["kind"] == "outlier"]
    planted = [n for n in maker.outliers if n >= count // 2]
    tap.ok(len(hits) >= len(planted) // 2, "planted outliers are found",
           "%d found, %d planted" % (len(hits), len(planted)))
    ended = pipe.check(tap, "while windows train")
    tap.same(128 * ended.stats["windows"] + ended.stats["unlearned"], count,
             "each is learned, or counted as not learned")


def case_cold(tap, stage):
    """The first window's records: held, passed or flagged."""
    for cold, kind in (("hold", None), ("pass", "inlier"),
                       ("flag", "outlier")):
        place = Stage()
        try:
            pipe = Pipe(place, *NOW, "--cold=" + cold, "--max-wait=never")
            pipe.produce(messages(Records().some(50))).wait_sent()
            pipe.filter.wait_received(50)
            if kind is None:
                tap.same(pipe.oracle.total(), 0, "--cold=hold: none leaves")
            else:
                wait_until(lambda p=pipe: p.oracle.total() >= 50, 10, "them")
                tap.same(dict(pipe.oracle.counts), {kind: 50},
                         "--cold=%s: all leave at once" % cold)
            ended = pipe.filter.stop()
            pipe.wait_all()
            pipe.check(tap, "--cold=" + cold, ended)
        finally:
            place.close()


def case_model(tap, stage):
    """With a model there is nothing to wait for."""
    model = stage.path("model")
    pipe = Pipe(stage, *NOW, "--model=" + model)
    warm(pipe, 1024)
    pipe.check(tap, "a model is learned")
    for name, more in (("", ()), (" and frozen", ("--freeze",))):
        place = Stage()
        try:
            again = Pipe(place, *NOW, "--model=" + model, *more,
                         "--max-wait=never")
            again.produce(messages(Records().some(20))).wait_sent()
            again.wait_all(10)
            tap.ok(again.oracle.counts["inlier"] >= 15,
                   "with a model%s: the first record leaves at once" % name,
                   again.oracle.counts)
            again.check(tap, "with a model%s" % name)
        finally:
            place.close()


def case_garbage(tap, stage):
    """Rejects keep their place."""
    pipe = Pipe(stage, *NOW)
    warm(pipe)
    feed = Feed()
    pipe.produce(feed)
    for message in messages(Records(source=1).some(10)):
        feed.put(odd(b"\xc1"))
        feed.put(message)
    wait_until(lambda: pipe.ledger.count >= 532, 10, "all to be sent")
    pipe.wait_all()
    tap.same(pipe.oracle.reasons["malformed"], 10, "garbage is rejected")
    pipe.check(tap, "garbage")


main(Stage, [case_at_once, case_account, case_cold, case_model,
             case_garbage], 240)
