#!/usr/bin/env python3
"""same.py - the same records give the same verdicts, by whatever way they
come; and files, pipes and sockets mix."""
import json
import os
import random
import subprocess

from peers import FIELDS, Stage, program, zmq
from oracle import Oracle, Records, split
from tap import SLACK, main, wait_until
from traffic import Consumer, Kept, Pipe, Producer, messages, ragged

SOON = "--max-wait=200ms"
EXACT = ("--max-wait=never", "--seed=7", FIELDS)
WINDOW = 100


def by_stdin(stage, records, pieces=1):
    path = stage.path("stdin%d.scores" % pieces)
    child = subprocess.Popen(
        [program(), "-q", "--scores=" + path, "--inliers=null:",
         "--window=%d" % WINDOW, *EXACT], stdin=subprocess.PIPE)
    Stage.live.add(child)
    data = b"".join(records)
    step = len(data) // pieces + 1
    for at in range(0, len(data), step):
        child.stdin.write(data[at:at + step])
        child.stdin.flush()
    child.stdin.close()
    child.wait(60 * SLACK)
    Stage.live.discard(child)
    with open(path, "rb") as file:
        return file.read()


def by_socket(tap, records, sent, name):
    stage = Stage()
    try:
        path = stage.path("scores")
        pipe = Pipe(stage, "--window=%d" % WINDOW, *EXACT,
                    "--scores=" + path)
        pipe.produce(sent).wait_sent()
        pipe.filter.wait_received(len(records))
        ended = pipe.filter.stop()
        pipe.wait_all()
        pipe.check(tap, "35: " + name, ended)
        with open(path, "rb") as file:
            return file.read()
    finally:
        stage.close()


def case_same(tap, stage):
    """35: stdin, a socket, small messages, large ones: one result."""
    records = Records(planted=0.03).some(1230)
    wanted = by_stdin(stage, records)
    tap.ok(len(list(split(wanted))) == len(records), "35: a score a record")
    tap.ok(by_stdin(stage, records, 97) == wanted,
           "35: stdin in pieces, the same")
    for name, sent in (("one record a message", messages(records)),
                       ("37 a message", messages(records, 37)),
                       ("all in one message", messages(records, 10000)),
                       ("messages of all lengths", ragged(records)),
                       ("the same once more", ragged(records))):
        found = by_socket(tap, records, sent, name)
        tap.ok(found == wanted, "35: %s, the same verdicts" % name,
               "%d and %d bytes" % (len(found), len(wanted)))


def case_stdin_out(tap, stage):
    """From standard input to a socket: a message a record."""
    records = Records().some(500)
    where, oracle = stage.ipc("good"), Oracle()
    odd_at = stage.path("odd")
    for record in records:
        oracle.ledger.add(record)
    kept = Kept(stage, where, oracle.inliers, bind=True)
    reader, writer = os.pipe()
    filter_ = stage.start("--inliers=push:" + where, "--outliers=" + odd_at,
                          "--window=64", FIELDS, stdin=reader)
    os.close(reader)
    with open(writer, "wb") as file:
        file.write(b"".join(records))
    ended = filter_.wait()
    wait_until(lambda: oracle.counts["inlier"] >= ended.count("inliers"), 20,
               "all inliers")
    with open(odd_at, "rb") as file:
        oracle.flagged(file.read())
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "stdin to a socket: nothing is lost", "%d %r\n%s" % (
               ended.status, oracle.report(), ended.stderr))
    tap.same(len(kept.frames), oracle.counts["inlier"],
             "stdin to a socket: one record a message")


def case_files(tap, stage):
    """From a socket to files, and scores to a socket."""
    where, scores_at = stage.ipc("in"), stage.ipc("scores")
    good, bad = stage.path("good"), stage.path("odd")
    oracle = Oracle()
    rows = []
    filter_ = stage.start("--in=pull:@" + where, "--inliers=" + good,
                          "--outliers=" + bad, "--scores=push:@" + scores_at,
                          "--window=64", SOON, FIELDS)
    Consumer(stage, scores_at,
             lambda f: rows.extend(value for _, value in split(f[-1])))
    Producer(stage, where, oracle.ledger,
             messages(Records().some(1000), 9)).wait_sent()
    wait_until(lambda: len(rows) >= 1000, 20, "the scores")
    ended = filter_.stop()
    with open(good, "rb") as file:
        oracle.inliers(file.read())
    with open(bad, "rb") as file:
        oracle.flagged(file.read())
    tap.ok(ended.status == 0 and not any(oracle.report()),
           "a socket to files: nothing is lost", oracle.report())
    tap.ok([row["seq"] for row in rows] == list(range(1000)),
           "scores by a socket: one a record, in order")
    tap.same(sum(row["verdict"] == "inlier" for row in rows),
             oracle.counts["inlier"], "scores by a socket: the same verdicts")


def case_lines(tap, stage):
    """JSON Lines in messages, with and without the last newline."""
    where, good = stage.ipc("in"), stage.ipc("good")
    filter_ = stage.start("--format=jsonl", "--in=pull:@" + where,
                          "--inliers=push:@" + good, "--rejects=null:",
                          "--threshold=-1", "--window=64", SOON)
    came = []
    Consumer(stage, good, came.extend)
    draw = random.Random(1)
    lines = [json.dumps({"a": draw.gauss(0, 1), "b": draw.gauss(0, 1)})
             .encode() for _ in range(300)]
    with stage.context.socket(zmq.PUSH) as push:
        push.connect(where)
        for line in lines[:100]:
            push.send(line)
        for line in lines[100:200]:
            push.send(line + b"\n")
        push.send(b"\n".join(lines[200:]))
        wait_until(lambda: b"".join(came).count(b"{") >= 300, 20, "lines")
        push.linger = 0
    ended = filter_.stop()
    found = [line for data in came for line in data.splitlines()]
    tap.ok(found == lines, "jsonl: lines come out as they went in",
           "%d of %d" % (len(found), len(lines)))
    tap.same(ended.count("received"), 300, "jsonl: each is a record")


main(Stage, [case_same, case_stdin_out, case_files, case_lines], 240)
