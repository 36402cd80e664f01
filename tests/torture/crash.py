#!/usr/bin/env python3
"""crash.py - kill -9 at random moments, of a filter that saves its snapshot
after every window: from files, and between ZeroMQ peers that live on.

Each time the snapshot can be loaded and knows no less than the time before;
the next start goes on from it; what was lost is within what prae-filter(1)
says under "When somebody dies".
"""
import bisect
import json
import os
import random
import subprocess
import threading
import time

import rig
from checks import read, split
from oracle import Records
from peers import FIELDS, Stage, ipc_bytes
from scenes import OPTIONS, write_inputs
from tap import SLACK, main, wait_until
from traffic import Pipe, endless, settle

RUNS = 200 if rig.ALL else 12
WINDOW = 32
HWM = 10
SIZE = 1000  # bytes of a record: makes the kernel's share small
LONGEST_S = 0.25 * SLACK  # before a kill

# The window that is judged and one that leaves; as much again that waits; the
# queue of each input and output, and one record on its way into each; then
# the kernel's buffers. The last is of the producer, who may have taken a
# record out of its queue and not know what became of it.
LOSS_MOST = 3 * WINDOW + 3 * (HWM + 1) + 3 * (ipc_bytes() // SIZE) + HWM


class Snapshot:
    """The one file that all runs go on from."""

    def __init__(self, stage):
        self.path = stage.path("model")
        self.windows = 0
        self.seen = 0

    def wrong(self):
        """What is wrong with it after a kill, or None."""
        if not os.path.exists(self.path):
            return "it is gone" if self.seen else None
        ended = subprocess.run(
            [rig.program("prae-filter"), "--log=json",
             "--inspect=" + self.path], capture_output=True, check=False)
        if ended.returncode != 0:
            return "it cannot be loaded: %s" % ended.stderr.decode()
        self.seen += 1
        before, self.windows = self.windows, json.loads(
            ended.stdout)["windows"]
        if self.windows < before:
            return "it knows %d windows, and knew %d" % (self.windows, before)
        return None

    def litter(self):
        base = os.path.dirname(self.path)
        return [name for name in os.listdir(base) if name.endswith(".tmp")]


def case_files(tap, stage):
    """Killed somewhere in a file, then run to its end."""
    draw = random.Random(rig.SEED)
    write_inputs(stage.dir)
    snapshot = Snapshot(stage)
    command = [rig.program("prae-filter"), *OPTIONS, "--model=model",
               "--save-every=1", "-o", "good", "-O", "odd", "in.jsonl"]
    start = time.monotonic()
    first = rig.run(stage.dir, command[:-5] + ["-o", "/dev/null", "in.jsonl"])
    longest = 1.5 * (time.monotonic() - start)
    tap.same(first.status, 0, "files: a run to the end")
    source = split(read(stage.dir, "in.jsonl"), "jsonl")
    bad, killed = [], 0
    for run in range(RUNS):
        with subprocess.Popen(command, cwd=stage.dir,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(draw.random() * longest)
            process.kill()
        killed += process.returncode < 0
        found = snapshot.wrong() or wrong_lines(stage.dir, source)
        if found:
            bad.append("run %d: %s" % (run, found))
    tap.ok(not bad, "files: %d runs, the snapshot is whole after each" % RUNS,
           "\n".join(bad[:5]))
    tap.ok(killed > 0, "files: %d of them were killed" % killed)
    last = rig.run(stage.dir, command)
    tap.ok(last.status == 0 and not snapshot.litter()
           and snapshot.wrong() is None,
           "files: the next one goes on from it, and sweeps up", last.tell())


def wrong_lines(directory, source):
    """Whole lines have to be of the source, in order, each once."""
    good = (read(directory, "good") or b"").splitlines(True)
    good = [line for line in good if line.endswith(b"\n")]
    at = -1
    for line in good:
        try:
            at = source.index(line, at + 1)
        except ValueError:
            return "a line is altered, out of order or twice there"
    return None


def case_sockets(tap, stage):
    """Killed between peers that live on."""
    draw = random.Random(rig.SEED)
    snapshot = Snapshot(stage)
    pipe = Pipe(stage, "--window=%d" % WINDOW, "--hwm=%d" % HWM, "--tight",
                "--max-wait=100ms", "--cold-epochs=4", "--epochs=1",
                "--model=" + snapshot.path, "--save-every=1", FIELDS,
                hwm=HWM, consume=False, start=False,
                command=[rig.program("prae-filter")], ready=False)
    pipe.consumer("good", rcvbuf=8192, reconnect_ivl=20)
    pipe.consumer("odd", rcvbuf=8192, reconnect_ivl=20)
    enough = threading.Event()
    producer = pipe.produce(endless(Records(), enough, 1, SIZE),
                            sndbuf=8192, reconnect_ivl=20)
    kills, bad = [], []
    for run in range(RUNS):
        pipe.start()
        time.sleep(draw.random() * LONGEST_S)
        pipe.filter.kill()
        kills.append(pipe.ledger.count)
        found = snapshot.wrong()
        if found:
            bad.append("kill %d: %s" % (run, found))
    tap.ok(not bad, "sockets: %d kills, the snapshot is whole after each"
           % RUNS, "\n".join(bad[:5]))
    pipe.start()
    pipe.filter.wait_ready()
    before = pipe.oracle.total()
    wait_until(lambda: pipe.oracle.total() > before + 4 * WINDOW, 20,
               "it to go on")
    enough.set()
    producer.wait_sent()
    settle(pipe.oracle, 0.3)
    ended = pipe.filter.stop()
    tap.same(ended.status, 0, "sockets: the next one goes on")
    check_loss(tap, pipe.oracle, kills)
    tap.ok(not snapshot.litter(), "sockets: nothing is left beside it",
           snapshot.litter())
    tap.ok(snapshot.seen > RUNS / 2 and snapshot.wrong() is None,
           "sockets: %d snapshots were looked at" % snapshot.seen)


def check_loss(tap, oracle, kills):
    """Every lost record is charged to the kill after it was sent."""
    charged = [0] * (len(kills) + 1)
    for number in oracle.missing():
        charged[bisect.bisect_right(kills, number)] += 1
    found = oracle.report()
    tap.ok(max(charged) <= LOSS_MOST and charged[-1] == 0,
           "sockets: each costs a bounded number",
           "%r, at most %d each" % (charged, LOSS_MOST))
    tap.ok(not (found.duplicated or found.altered or found.strange),
           "sockets: nothing is doubled or altered", found)
    tap.note("%d of %d lost, at most %d by one kill, the limit is %d"
             % (found.lost, oracle.ledger.count, max(charged), LOSS_MOST))


if __name__ == "__main__":
    rig.need_programs()
    main(Stage, [case_files, case_sockets], 1800 if rig.ALL else 120)
