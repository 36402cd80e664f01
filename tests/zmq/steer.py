#!/usr/bin/env python3
"""steer.py - --control: learning is paused and taken up again, and goes back
to snapshots, while it runs; no record notices."""
import os
import random
import shutil
import subprocess
import threading
import time

from peers import Stage, program
from desk import USUAL, WINDOW, Desk, Poison, Steered, switch
from oracle import Records, msgpack
from tap import SLACK, SOAK, main, wait_until
from traffic import endless


ANY_FIELDS = tuple(word for word in USUAL if "fields" not in word)


# ---- learning ----

def scores_by(stage, model, records):
    """What a snapshot says of RECORDS."""
    path, rows = stage.path("probe"), stage.path("rows")
    with open(path, "wb") as file:
        file.write(b"".join(records))
    subprocess.run([program(), "-q", "--freeze", "--model=" + model,
                    "--inliers=null:", "--scores=" + rows, *USUAL, path],
                   check=True)
    with open(rows, "rb") as file:
        return [(row["verdict"], row["score"], row["p"])
                for row in msgpack.Unpacker(file)]


def pause_and_resume(tap, stage, name, *options):
    model = stage.path("model")
    pipe = Steered(stage, *USUAL, "--max-wait=200ms", "--model=" + model,
                   *options)
    pipe.oracle.keep_envelopes = True
    maker = Records(planted=0.0)
    pipe.learn(maker, 12)
    pipe.desk.does("PAUSE")
    facts = pipe.desk.stats()
    tap.ok(facts["paused"] is True, name + ": it is paused", facts["state"])
    pipe.pass_on(maker.some(WINDOW))
    before = pipe.snapshot(model)
    facts = pipe.desk.stats()  # a window that was in training is over
    shutil.copy(model, model + ".before")
    poison = switch(maker, Poison)
    pipe.oracle.envelopes.clear()
    flagged = pipe.oracle.counts["outlier"]
    pipe.pass_on(poison.some(6 * WINDOW))
    tap.same(pipe.oracle.counts["outlier"] - flagged, 6 * WINDOW,
             name + ": poison is flagged for as long as it is paused")
    tap.same({e["state"] for e in pipe.oracle.envelopes}, {"frozen"},
             name + ": verdicts say that it is frozen")
    after = pipe.snapshot(model)
    # The count of windows, the next one's number, the level of the scores at
    # the moment, and the checksum.
    differ = sum(a != b for a, b in zip(before, after))
    tap.ok(len(before) == len(after) and differ <= 20,
           name + ": a snapshot has the same bytes, place in time apart",
           "%d of %d differ" % (differ, len(before)))
    probe = Records(seed=7).some(200)
    tap.ok(scores_by(stage, model, probe)
           == scores_by(stage, model + ".before", probe),
           name + ": and judges the same")
    tap.same(facts["model"]["learned"],
             pipe.desk.stats()["model"]["learned"], name + ": no window was "
             "learned")
    tap.same(facts["totals"]["unlearned"],
             pipe.desk.stats()["totals"]["unlearned"],
             name + ": nor does any wait to be")
    pipe.desk.does("RESUME")
    good = switch(poison, Records)
    good.planted = 0.0
    learned = facts["model"]["learned"]
    pipe.learn(good, 6)
    wait_until(lambda: pipe.desk.stats()["model"]["learned"] >= learned + 4,
               10, "windows to be learned again")
    facts = pipe.desk.stats()
    tap.ok(facts["paused"] is False and facts["state"] == "live",
           name + ": it learns again", facts["state"])
    tap.ok(pipe.snapshot(model) != after, name + ": which a snapshot shows")
    pipe.check(tap, name)


def case_pause(tap, stage):
    pause_and_resume(tap, stage, "pause")


def case_pause_now(tap, stage):
    pause_and_resume(tap, stage, "pause, now", "--emit=now")


def revert(tap, stage, name, *options):
    """A poisoned stretch is taken back."""
    model = stage.path("model")
    pipe = Steered(stage, *USUAL, "--max-wait=200ms", "--model=" + model,
                   "--drift-after=2", *options)
    maker = Records(planted=0.0)
    pipe.learn(maker, 40)
    pipe.snapshot(model)
    poison = switch(maker, Poison)
    pipe.learn(poison, 16)
    flagged = pipe.oracle.counts["outlier"]
    pipe.pass_on(poison.some(2 * WINDOW))
    tap.ok(pipe.oracle.counts["outlier"] - flagged < WINDOW // 2,
           name + ": poison has become usual",
           pipe.oracle.counts["outlier"] - flagged)
    before = pipe.desk.stats()
    pipe.desk.does("REVERT")
    wait_until(lambda: pipe.desk.stats()["totals"]["reverts"] == 1, 10,
               "the snapshot to take over")
    time.sleep(0.1 * SLACK)  # a front follows
    flagged = pipe.oracle.counts["outlier"]
    pipe.pass_on(poison.some(WINDOW))
    tap.same(pipe.oracle.counts["outlier"] - flagged, WINDOW,
             name + ": after REVERT it is flagged again")
    good = switch(poison, Records)
    good.planted = 0.0
    flagged = pipe.oracle.counts["outlier"]
    pipe.pass_on(good.some(4 * WINDOW))
    tap.ok(pipe.oracle.counts["outlier"] - flagged < WINDOW // 2,
           name + ": and what was usual is so again",
           pipe.oracle.counts["outlier"] - flagged)
    after = pipe.desk.stats()
    tap.ok(all(after["totals"][key] >= before["totals"][key] for key in
               ("received", "windows", "bursts", "drifts", "rollbacks"))
           and after["totals"]["drifts"] > 0
           and after["model"]["learned"] < before["model"]["learned"],
           name + ": counts go on", after["totals"])
    times = [tick["window"] for tick in after["timeline"]]
    tap.ok(times == sorted(set(times)), name + ": so do windows' numbers",
           times[-40:])
    tap.ok("cannot be used" in pipe.desk.ask("REVERT 7")[1],
           name + ": one that is not there is an error")
    with open(model, "r+b") as file:
        file.seek(200)
        file.write(b"\xff" * 50)
    tap.ok("cannot be used" in pipe.desk.ask("REVERT")[1],
           name + ": nor is one that is damaged")
    pipe.pass_on(good.some(2 * WINDOW))
    tap.same(pipe.desk.stats()["totals"]["reverts"], 1,
             name + ": and nothing has changed")
    pipe.check(tap, name)


def case_revert(tap, stage):
    revert(tap, stage, "revert")


def case_revert_now(tap, stage):
    revert(tap, stage, "revert, now", "--emit=now")


def case_revert_older(tap, stage):
    """REVERT N, and what SNAPSHOT saved is loaded by the next run."""
    model = stage.path("model")
    pipe = Steered(stage, *USUAL, "--model=" + model, "--keep=3")
    maker = Records()
    learned = []
    for _ in range(3):
        pipe.pass_on(maker.some(4 * WINDOW))
        pipe.snapshot(model)
        learned.append(pipe.desk.stats()["model"]["learned"])
    pipe.desk.does("REVERT", "2")
    tap.same(pipe.desk.stats()["model"]["learned"], learned[0],
             "the one before the last but one")
    pipe.desk.does("REVERT 1")
    tap.same(pipe.desk.stats()["model"]["learned"], learned[1],
             "the one before the last")
    pipe.desk.does("REVERT")
    tap.same(pipe.desk.stats()["model"]["learned"], learned[2], "the last")
    pipe.pass_on(maker.some(WINDOW))
    pipe.check(tap, "older")
    place = Stage()
    try:
        again = Steered(place, *USUAL, "--model=" + model, "--freeze")
        again.pass_on(Records().some(WINDOW))
        for word in ("PAUSE", "RESUME", "SNAPSHOT"):
            tap.ok("--freeze" in again.desk.ask(word)[1],
                   "frozen: %s makes no sense" % word)
        facts = again.desk.stats()
        again.desk.does("REVERT", "3")
        wait_until(lambda: again.desk.stats()["totals"]["reverts"] == 1, 10,
                   "it to take over")
        again.pass_on(Records(source=1).some(WINDOW))
        tap.ok(again.desk.stats()["model"]["learned"]
               < facts["model"]["learned"], "frozen: REVERT goes back",
               facts["model"])
        again.check(tap, "frozen")
    finally:
        place.close()


def learn_of(stage, names, model):
    """A snapshot of records that have fields of other NAMES."""
    path = stage.path("other")
    draw = random.Random(3)
    with open(path, "wb") as file:
        for _ in range(2 * WINDOW):
            file.write(msgpack.packb({name: draw.gauss(0, 1)
                                      for name in names}))
    subprocess.run([program(), "-q", "--model=" + model, "--inliers=null:",
                    *ANY_FIELDS, path], check=True)


def case_revert_foreign(tap, stage):
    """A snapshot that was learned of other fields."""
    model = stage.path("model")
    pipe = Steered(stage, *ANY_FIELDS, "--model=" + model)
    maker = Records()
    tap.ok("no window" in pipe.desk.ask("SNAPSHOT")[1],
           "before the first window there is nothing to save")
    learn_of(stage, "abc", model)
    tap.ok("not known yet" in pipe.desk.ask("REVERT")[1],
           "nor can be known what would be other fields")
    os.unlink(model)
    pipe.pass_on(maker.some(4 * WINDOW))
    pipe.snapshot(model)
    for names in ("abce", "abc"):
        os.unlink(model)
        learn_of(stage, names, model)
        tap.ok("judges by other fields" in pipe.desk.ask("REVERT")[1],
               "fields %s: refused" % names)
    pipe.pass_on(maker.some(2 * WINDOW))
    tap.same(pipe.desk.stats()["totals"]["reverts"], 0,
             "and nothing has changed")
    pipe.check(tap, "foreign")


# ---- load ----

def storm(tap, stage, name, *options):
    """Commands at random while records pass."""
    model = stage.path("model")
    pipe = Steered(stage, *USUAL, "--model=" + model, "--keep=3",
                   "--max-wait=100ms", *options)
    pipe.pass_on(Records(source=1).some(8 * WINDOW))
    enough = threading.Event()
    makers = [Records(source=2), Poison(source=3)]
    producers = [pipe.produce(endless(maker, enough, each))
                 for maker, each in zip(makers, (37, 1))]
    draw = random.Random(5)
    words = ["PAUSE", "RESUME", "SNAPSHOT", "REVERT", "REVERT 1", "STATS",
             "SET fpr 0.01", "SET fpr 0", "SET threshold 0.3",
             "SET threshold 0.1", "HELP", "FROB", "SET x 1"]
    counts = {"OK": 0, "ERROR": 0}
    desks = [Desk(stage, pipe.at) for _ in range(2)]
    start, back = time.monotonic(), 0
    # A busy machine answers less often; that it does is what counts.
    while (time.monotonic() < start + (60 if SOAK else 5)
           or (min(back, counts["OK"] // 10, counts["ERROR"]) < 4
               and time.monotonic() < start + 60 * SLACK)):
        answer = draw.choice(desks).ask(draw.choice(words))
        counts[answer[0]] += 1
        back += answer[1].startswith("goes back")
        if draw.random() < 0.1:
            time.sleep(draw.random() * 0.05)
    enough.set()
    for producer in producers:
        producer.wait_sent()
    tap.ok(counts["OK"] >= 40 and counts["ERROR"] >= 4,
           name + ": all are answered", counts)
    pipe.desk.ask("RESUME")
    facts = pipe.desk.stats()
    tap.ok(0 < facts["totals"]["reverts"] <= back,
           name + ": snapshots took over", (back, facts["totals"]))
    pipe.wait_all(60)
    facts = pipe.desk.stats()["totals"]
    tap.same(facts["received"], facts["inliers"] + facts["outliers"]
             + facts["rejected"] + facts["held"], name + ": facts add up")
    tap.note("%d records, %r, %d reverts" % (
        pipe.ledger.count, counts, facts["reverts"]))
    pipe.check(tap, name)


def case_storm(tap, stage):
    storm(tap, stage, "storm")


def case_storm_now(tap, stage):
    storm(tap, stage, "storm, now", "--emit=now")


def case_storm_frozen(tap, stage):
    model = stage.path("model")
    with open(stage.path("in.msgpack"), "wb") as file:
        file.write(b"".join(Records().some(8 * WINDOW)))
    for _ in range(2):
        stage.run("--model=" + model, "--inliers=null:", "--keep=3", *USUAL,
                  stage.path("in.msgpack"))
    storm(tap, stage, "storm, frozen", "--freeze", "--emit=now")


main(Stage, [case_pause, case_pause_now, case_revert, case_revert_now,
             case_revert_older, case_revert_foreign, case_storm, case_storm_now,
             case_storm_frozen], 300)
