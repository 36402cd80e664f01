#!/usr/bin/env python3
"""reset.py - what cannot be saved is little: kill -9 of the filter, and TCP
connections that are reset. The loss stays within what was on its way."""
import fcntl
import re
import socket
import struct
import termios
import threading
import time

import msgpack

from peers import FIELDS, Filter, Stage, adds_up, ipc_bytes
from oracle import Oracle, Records
from proxy import Proxy
from tap import SOAK, main, wait_until
from traffic import (Consumer, Pipe, Producer, check, endless, messages,
                     settle)

KILLS = 50 if SOAK else 4
RESETS = 60 if SOAK else 8
RESET_EVERY_S = 1.0 if SOAK else 0.4

WINDOW = 64
HWM = 20
SIZE = 1000  # bytes of a record: makes the kernel's share small

# Of the filter: a window that trains, one that waits, one that leaves; on
# each side its queue, and what is on its way. The peers' queues survive.
KILL_LIMIT = 3 * WINDOW + 2 * HWM + 2 * ipc_bytes() // SIZE


def case_kill(tap, stage):
    """15: kill -9 while the output is stalled and the input held back."""
    worst = 0
    for run in range(KILLS):
        place = Stage()
        try:
            lost, others = kill_once(place, run)
        finally:
            place.close()
        worst = max(worst, lost)
        if lost > KILL_LIMIT or others != (0, 0, 0, 0):
            tap.ok(False, "15: run %d" % run, "lost %d of at most %d, %r"
                   % (lost, KILL_LIMIT, others))
    tap.ok(worst <= KILL_LIMIT, "15: kill -9 costs a bounded number, "
           "in %d runs" % KILLS)
    tap.note("at most %d lost, the limit is %d" % (worst, KILL_LIMIT))


def kill_once(stage, seed):
    pipe = Pipe(stage, "--window=%d" % WINDOW, "--hwm=%d" % HWM, "--tight",
                "--max-wait=200ms", FIELDS, hwm=HWM, consume=False)
    good = pipe.consumer("good", stalled=True, rcvbuf=8192)
    pipe.consumer("odd", rcvbuf=8192)
    records = Records(seed=seed)
    producer = pipe.produce(messages(records.some(1500, SIZE)), sndbuf=8192)
    wait_until(lambda: producer.blocked_s > 0.2, 30, "it to be held back")
    pipe.filter.kill()
    good.resume()
    settle(pipe.oracle)  # or the new connection overtakes the old one
    pipe.start()
    producer.wait_sent()
    # The end of the stream, which cannot be lost any more.
    last = pipe.ledger.count - 1
    wait_until(lambda: len(pipe.oracle.seen[0]) > last
               and pipe.oracle.seen[0][last], 20, "the last record")
    pipe.filter.stop()
    found = pipe.oracle.report()
    return found.lost, tuple(found[1:])


def case_resets(tap, stage):
    """17: TCP resets, before and behind the filter."""
    ways = {name: stage.tcp() for name in ("in", "good", "odd")}
    filter_ = stage.start("--in=pull:@" + ways["in"],
                          "--inliers=push:@" + ways["good"],
                          "--outliers=push:@" + ways["odd"], "--tight",
                          "--hwm=%d" % HWM, "--window=%d" % WINDOW,
                          "--max-wait=200ms", FIELDS)
    proxies = {name: Proxy(stage, at) for name, at in ways.items()}
    oracle = Oracle()
    Consumer(stage, proxies["good"].endpoint,
             lambda f: oracle.inliers(f[-1]), hwm=HWM, rcvbuf=8192,
             reconnect_ivl=50)
    Consumer(stage, proxies["odd"].endpoint, lambda f: oracle.flagged(f[-1]),
             hwm=HWM, rcvbuf=8192, reconnect_ivl=50)
    enough = threading.Event()
    producer = Producer(stage, proxies["in"].endpoint, oracle.ledger,
                        endless(Records(), enough, 1, SIZE), hwm=HWM,
                        sndbuf=8192, reconnect_ivl=50)
    for _ in range(RESETS):
        before = oracle.total()
        wait_until(lambda at=before: oracle.total() > at + 2 * WINDOW, 20,
                   "traffic")
        time.sleep(RESET_EVERY_S)
        for proxy in proxies.values():
            proxy.reset()
    before = oracle.total()
    wait_until(lambda: oracle.total() > before + 2 * WINDOW, 20, "traffic")
    tap.ok(not filter_.has_ended(), "17: the run survives %d resets" % RESETS)
    enough.set()
    producer.wait_sent()
    settle(oracle)
    ended = filter_.stop()
    settle(oracle)
    found = oracle.report()
    resets = sum(proxy.resets for proxy in proxies.values())
    limit = resets * (Proxy.limit_bytes // SIZE + 1)
    tap.ok(resets >= 3 * RESETS, "17: connections were reset", resets)
    tap.ok(found.lost <= limit, "17: what is lost was on its way",
           "lost %d, at most %d" % (found.lost, limit))
    tap.note("%d of %d lost in %d resets, the limit is %d"
             % (found.lost, oracle.ledger.count, resets, limit))
    # Order is a connection's: what is left of an old one may be overtaken.
    tap.ok(not (found.duplicated or found.altered or found.strange),
           "17: nothing doubled or changed", found)
    tap.ok(ended.status == 0 and ended.count("received") ==
           sum(ended.account.values()) - ended.count("received"),
           "17: the account adds up", ended.stderr[-1500:])


def case_quiet(tap, stage):
    """17: through the proxy without resets, for comparison: no loss."""
    at = stage.tcp()
    good, odd = stage.ipc("good"), stage.ipc("odd")
    filter_ = stage.start("--in=pull:@" + at, "--inliers=push:@" + good,
                          "--outliers=push:@" + odd,
                          "--window=%d" % WINDOW, "--max-wait=200ms", FIELDS)
    oracle = Oracle()
    Consumer(stage, good, lambda f: oracle.inliers(f[-1]))
    Consumer(stage, odd, lambda f: oracle.flagged(f[-1]))
    producer = Producer(stage, Proxy(stage, at).endpoint, oracle.ledger,
                        messages(Records().some(1500, SIZE)))
    producer.wait_sent()
    wait_until(lambda: oracle.total() >= oracle.ledger.count, 20, "all")
    check(tap, "17: no resets", oracle, filter_.stop())


def case_restart(tap, stage):
    """A reader that the filter connects to ends, and comes back: what was
    queued for it is still there."""
    pipe = Pipe(stage, consume=False, start=False)
    pipe.options = ("--in=pull:@" + pipe.input, "--inliers=push:" + pipe.good,
                    "--outliers=push:" + pipe.odd, "--window=%d" % WINDOW,
                    "--max-wait=200ms", "--tight", "--hwm=2000", FIELDS)
    reader = pipe.consumer("good", bind=True, stalled=True, hwm=1, rcvbuf=8192)
    pipe.consumer("odd", bind=True)
    pipe.start()
    pipe.produce(messages(Records(planted=0.0).some(1500, SIZE))).wait_sent()
    pipe.filter.wait_received(1500)
    wait_until(lambda: pipe.filter.counters()["inliers"] > 1300, 20,
               "all to be judged")
    reader.end()
    reader = pipe.consumer("good", bind=True)
    limit = 2 * ipc_bytes() // SIZE + 10
    wait_until(lambda: pipe.oracle.total() >= 1500 - limit, 20,
               "what was queued")
    settle(pipe.oracle)
    found = pipe.oracle.report()
    tap.ok(found.lost <= limit and found[1:] == (0, 0, 0, 0),
           "a reader that restarts gets what was queued for it",
           "at most %d, %r" % (limit, found))


ROWS = [(i * 7 % 13, i * 5 % 11) for i in range(20)]  # counters are no use
GOOD = {
    "jsonl": b"".join(b'{"a":%d,"b":%d}\n' % row for row in ROWS),
    "csv": b"".join(b"%d,%d\n" % row for row in ROWS),
    "msgpack": b"".join(msgpack.packb({"a": a, "b": b}) for a, b in ROWS),
}
BATCH = msgpack.packb(["tag", [[1, {"a": 1, "b": 2}]] * 5])
ONE = msgpack.packb({"a": 1, "b": 2})
# Where it is reset, and what comes before: its records, rejects among them,
# and how many bytes from where on are given up.
BROKEN = (
    ("jsonl", "before a newline", b'{"a":1}\n{"a":2}\n{"a":3}', 3, 0, None),
    ("jsonl", "in a value", b'{"a":1,"b":2}\n{"a":7,"b":"xx', 2, 1, None),
    ("csv", "in the header", b"a,", 0, 0, (2, 0)),
    ("csv", "between rows", b"a,b\n1,2\n", 1, 0, None),
    ("csv", "in quotes", b'a,b\n1,2\n3,"xx', 1, 0, (5, 8)),
    ("csv", "behind a quote", b'a,b\n1,2\n3,"xx\n5,6\n7,8\n9,', 4, 1,
     (2, 22)),
    ("msgpack", "in a map", ONE + ONE[:5], 1, 0, (5, 7)),
    ("msgpack", "in an array", ONE + b"\xdc\xff\x00" + b"\x01" * 99, 1, 0,
     (102, 7)),
    ("msgpack", "in a batch", BATCH[:20], 1, 0, (5, 15)),
    ("msgpack", "before its options", b"\x93" + BATCH[1:], 5, 0, None),
)


def break_off(stage, number, kind, sent):
    """A filter whose first input is reset behind SENT, with a good file
    behind that: how it ended, and what it passed on."""
    good, out = stage.path("good.%d" % number), stage.path("out.%d" % number)
    with open(good, "wb") as file:
        file.write((b"a,b\n" if kind == "csv" else b"") + GOOD[kind])
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        taker = server.accept()[0]
    with sender, taker:
        filter_ = Filter(stage, ("--format=" + kind, "--in=-", "--in=" + good,
                                 "--threshold=-1", "--inliers=" + out),
                         name="filter.%d" % number, stdin=taker)
        sender.sendall(sent)
        # Or what was not read would be gone with the connection.
        wait_until(lambda: fcntl.ioctl(taker, termios.FIONREAD, b"\0" * 4)
                   == b"\0" * 4, 20, "it to be read")
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
        sender.close()
        ended = filter_.wait()
    with open(out, "rb") as file:
        return ended, file.read()


def case_input(tap, stage):
    """An input that cannot be read on: what came of it is judged, and the
    next file is as it was."""
    for number, (kind, where, sent, records, rejects,
                 torn) in enumerate(BROKEN):
        ended, passed = break_off(stage, number, kind, sent)
        name = "%s, reset %s: " % (kind, where)
        tap.ok(ended.status == 74 and "standard input: Connection reset"
               in ended.stderr, name + "it is an error", ended.stderr)
        tap.ok(adds_up(ended.account) and (
            ended.count("received"), ended.count("rejected")) == (
                records + 20, rejects), name + "what came is judged",
               ended.stderr)
        told = re.search(r"broke off within a record: (\d+) bytes from byte "
                         r"(\d+) on", ended.stderr)
        tap.same(told and tuple(map(int, told.groups())), torn,
                 name + "what is given up is told")
        tap.ok(passed.endswith(GOOD[kind]) and passed.count(b"a,b") ==
               (kind == "csv"), name + "the next file is as it was", passed)


if __name__ == "__main__":
    main(Stage, [case_kill, case_resets, case_quiet, case_restart, case_input],
         1800 if SOAK else 240)
