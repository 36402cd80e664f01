#!/usr/bin/env python3
"""flow.py - records flow, stall and end while they are watched."""
import os
import threading
import time

from watcher import Watcher
from peers import FIELDS, Stage
from oracle import Records
from tap import SLACK, main, wait_until
from traffic import Pipe, endless, messages, odd

SMALL = ("--window=64", FIELDS, "--max-wait=300ms", "--http=0")


def watch(tap, watcher, seconds, name):
    """Looks on and on; what counts must not fall, and adds up."""
    before, fallen, uneven, looks = {}, [], [], 0
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        metrics = watcher.metrics()
        now = metrics.counters()
        fallen += [(key, before[key], now.get(key)) for key in before
                   if now.get(key, -1) < before[key]]
        if not metrics.adds_up():
            uneven.append(metrics.text)
        totals = watcher.facts()["totals"]
        if totals["received"] != sum(totals[key] for key in (
                "inliers", "outliers", "rejected", "held")):
            uneven.append(totals)
        before = now
        looks += 1
        time.sleep(0.05)
    tap.ok(not fallen, name + ": no counter falls", fallen[:5])
    tap.ok(not uneven and looks > 3, name + ": sums add up at any time",
           (looks, uneven[:1]))
    return before


def mixed(records, enough):
    """Endless messages, now and then one that is no record."""
    for at, message in enumerate(endless(records, enough, 5)):
        yield message
        if at % 50 == 49:
            yield odd(b"\xc1")


def run_watched(tap, stage, name, *options):
    pipe = Pipe(stage, *SMALL, *options)
    watcher = Watcher(pipe.filter)
    enough = threading.Event()
    producer = pipe.produce(mixed(Records(planted=0.05), enough), rate=4000)
    last = watch(tap, watcher, 4, name)
    tap.ok(last["prae_records_received_total"] > 1000 / SLACK, name + ": it flows",
           last["prae_records_received_total"])
    facts = watcher.facts()
    tap.ok(facts["rate"] > 500 / SLACK, name + ": the rate is told", facts["rate"])
    enough.set()
    producer.wait_sent()
    pipe.wait_all()
    pipe.check(tap, name)


def case_windows(tap, stage):
    run_watched(tap, stage, "--emit=window")


def case_now(tap, stage):
    run_watched(tap, stage, "--emit=now", "--emit=now")


def case_stall(tap, stage):
    """An output that stalls stalls nobody who looks."""
    pipe = Pipe(stage, *SMALL, "--hwm=50", hwm=50)
    watcher = Watcher(pipe.filter)
    producer = pipe.produce(messages(Records().some(6000)))
    wait_until(lambda: pipe.oracle.total() > 500, 20, "a start")
    pipe.inliers.stall()
    pipe.outliers.stall()
    wait_until(lambda: producer.blocked_s > 1, 30, "a stall")
    clogged = 'prae_output_clogged{output="inliers"}'
    name = "prae_output_blocked_seconds_total"
    first = wait_until(lambda: next(
        (m for m in [watcher.metrics()] if m[clogged] == 1), None), 10,
        "the output to be clogged")
    began = time.monotonic()
    last = watch(tap, watcher, 2, "stalled")
    passed = time.monotonic() - began
    risen = last[name] - first[name]
    tap.ok(1 < risen < passed + 1, "blocked seconds rise as seconds pass",
           "%g in %g s" % (risen, passed))
    tap.same(watcher.status("/healthz"), 200, "a stall is no illness")
    facts = watcher.facts()
    tap.ok(facts["outputs"][0]["clogged"] and facts["blocked_seconds"] > 0,
           "stats.json shows it", facts["outputs"])
    pipe.inliers.resume()
    pipe.outliers.resume()
    producer.wait_sent()
    pipe.wait_all()
    pipe.check(tap, "stalled and watched")


def case_files(tap, stage):
    """A pipe in and out, nobody reading; then the end."""
    count = 20000
    took, gives = os.pipe()
    sees, puts = os.pipe()
    running = stage.start("--http=0", FIELDS, "--window=64", ready=False,
                          stdin=took, stdout=puts)
    os.close(took)
    os.close(puts)
    watcher = Watcher(running)
    data = b"".join(Records().some(count))
    feeder = threading.Thread(target=feed, args=(gives, data), daemon=True)
    feeder.start()
    wait_until(lambda: watcher.facts()["blocked_seconds"] > 0.5, 20,
               "the pipe to be full")
    watch(tap, watcher, 1, "a full pipe")
    size = 0
    while True:
        block = os.read(sees, 65536)
        if not block:
            break
        size += len(block)
    feeder.join(20)
    ended = running.wait()
    os.close(sees)
    tap.ok(ended.status == 0 and ended.count("received") == count
           and 0 < size <= len(data), "all of it comes out, and it ends",
           (ended.status, ended.account, size))
    try:
        watcher.status("/healthz")
        tap.ok(False, "then nobody answers")
    except OSError:
        tap.ok(True, "then nobody answers")


def feed(gives, data):
    with os.fdopen(gives, "wb") as file:
        file.write(data)


def case_freeze(tap, stage):
    """What is only judged is watched as well."""
    model = stage.path("model")
    data = stage.path("data.msgpack")
    with open(data, "wb") as file:
        file.write(b"".join(Records().some(2000)))
    stage.run("-o", "null:", "-m", model, FIELDS, data)
    pipe = Pipe(stage, *SMALL, "--freeze", "--model=" + model)
    watcher = Watcher(pipe.filter)
    tap.same(watcher.status("/readyz"), 200, "a snapshot is ready at once")
    pipe.produce(messages(Records(source=1).some(3000), 5)).wait_sent()
    pipe.wait_all()
    metrics = watcher.metrics()
    tap.same(metrics['prae_state{state="frozen"}'], 1.0, "it is frozen")
    tap.ok(metrics["prae_score_count"] > 0, "and records have scores")
    pipe.check(tap, "frozen and watched")


if __name__ == "__main__":
    main(Stage, [case_windows, case_now, case_stall, case_files, case_freeze],
         150)
