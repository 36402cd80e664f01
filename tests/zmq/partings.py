#!/usr/bin/env python3
"""partings.py - who hangs up, breaks down or never says a word costs nobody
else a record, and what had come by then none of its own."""
import contextlib
import os
import socket as sockets
import struct
import threading
import time

from peers import FIELDS, Stage, preload, zmq
from oracle import Oracle, Records
from raw import COMMAND, Raw, frame, listen, reach
from tap import SLACK, main, wait_until
from traffic import Consumer, Pipe, Producer, check, messages

SMALL = ("--window=8", FIELDS, "--max-wait=100ms")

# Of 1000 bytes: more than is queued, and no more than a kernel has. Of those
# that come one by one over ipc it has 23 before their sender has to wait.
COUNT = 60


def held_back(stage, kind):
    """A filter that has nobody to send to."""
    pipe = Pipe(stage, consume=False, start=False, hwm=10)
    if kind == "tcp":
        pipe.input = stage.tcp()
    pipe.options = ("--in=pull:@" + pipe.input,
                    "--inliers=push:@" + pipe.good,
                    "--outliers=push:@" + pipe.odd, "--hwm=30", *SMALL)
    pipe.start()
    return pipe


def go_on(tap, pipe, name):
    time.sleep(1)  # for all of it to be in the kernel, and known to be
    pipe.consumer("good")
    pipe.consumer("odd")
    pipe.wait_all()
    pipe.check(tap, name)


def case_leaving(tap, stage):
    """A producer that hangs up while the filter is held back: by itself
    libzmq forgets what it has not read of it by then (libzmq#4660)."""
    for kind in ("tcp", "ipc"):
        pipe = held_back(stage if kind == "tcp" else Stage(), kind)
        try:
            producer = pipe.produce(messages(Records().some(COUNT, 1000)))
            producer.wait_sent()
            producer.end(-1)
            go_on(tap, pipe, "a producer that leaves, " + kind)
        finally:
            if pipe.stage is not stage:
                pipe.stage.close()


def case_broken(tap, stage):
    """One whose connection breaks, as it does when keepalive finds nobody."""
    pipe = held_back(stage, "tcp")
    raw = Raw(pipe.input, b"PUSH")
    for record in Records().some(COUNT, 1000):
        pipe.ledger.add(record)
        raw.sock.sendall(frame(record))
    time.sleep(1)  # for the kernel to have them all
    raw.sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER,
                        struct.pack("ii", 1, 0))
    raw.close()
    go_on(tap, pipe, "a producer that is reset")


def case_brief(tap, stage):
    """The filter connects to one who says all at once, and is gone."""
    for kind in ("ipc", "tcp"):
        where = stage.ipc("brief") if kind == "ipc" else stage.tcp()
        oracle, out = Oracle(), stage.ipc("out-" + kind)
        Consumer(stage, out, lambda f, o=oracle: o.inliers(f[-1]), bind=True)
        with listen(where) as listener:
            filter_ = stage.start("--in=pull:" + where, "--inliers=push:" + out,
                                  "--threshold=-1", *SMALL)
            for source in range(20):
                records = Records(source=source).some(20)
                for record in records:
                    oracle.ledger.add(record)
                raw = Raw(listener, b"PUSH", late=True)
                raw.say_ready(b"".join(frame(record) for record in records))
                raw.close()
        wait_until(lambda o=oracle: o.total() >= 400, 20, "all of them")
        check(tap, "short visits, " + kind, oracle, filter_.stop())


def case_short(tap, stage):
    """Senders that are there for a moment, and say more than the queue has
    room for: libzmq stops reading while it still wants to write to them."""
    env = preload(tap, stage, "slow_hear", PRAE_HEAR="20")
    if env is None:
        return
    pipe = Pipe(stage, "--hwm=4", *SMALL, env=env)
    for source in range(4):
        records = Records(source=source).some(120)
        for record in records:
            pipe.ledger.add(record)
        raw = Raw(pipe.input, b"PUSH")
        raw.sock.sendall(b"".join(frame(record) for record in records))
        raw.close()
    pipe.wait_all()
    pipe.check(tap, "senders that come and go, and a short queue")


def linger(path, kind):
    """Somebody who connects to an output, and reads nothing."""
    if kind == "silent":
        return reach(path)
    stranger = Raw(path, b"SUB")
    ping = frame(b"\4PING\0\0" + bytes(16), COMMAND)
    stranger.sock.settimeout(0.2)
    try:
        for _ in range(20000):
            stranger.sock.sendall(ping)
    except sockets.timeout:
        pass  # nobody reads that any more, either
    return stranger


def case_strangers(tap, stage):
    """Those who are sent no record are none to wait for at the end."""
    records = Records().some(600)
    path = stage.path("in")
    with open(path, "wb") as file:
        file.write(b"".join(records))
    for kind, out in (("silent", "push"), ("heartbeats", "pub")):
        where = stage.ipc(kind)
        got = []
        filter_ = stage.start(
            "--inliers=%s:@%s" % (out, where), "--threshold=-1",
            "--wait-peers=1", *SMALL, path)
        stranger = linger(where, kind)
        since = time.monotonic()
        Consumer(stage, where, lambda f, g=got: g.append(f[-1]),
                 **({"kind": zmq.SUB} if out == "pub" else {}))
        ended = filter_.wait(20)
        tap.ok(ended.status == 0 and ended.count("inliers") == 600 and
               time.monotonic() - since < 8 * SLACK,
               "%s: a file's end is the end" % kind, ended.stderr)
        stranger.close()


def chatter(peer, over):
    """Heartbeats, as many as go through, until it is OVER."""
    pings = frame(b"\4PING\0\0", COMMAND) * 1000
    peer.sock.settimeout(0.1)
    while not over.is_set():
        with contextlib.suppress(OSError):
            peer.sock.sendall(pings)
            peer.sock.recv(1 << 20)
        time.sleep(0)


def case_talk(tap, stage):
    """Who talks at an output without a pause holds up no end."""
    pipe = Pipe(stage, *SMALL, "--drain=30s")
    pipe.produce(messages(Records().some(64))).wait_sent()
    pipe.wait_all()
    over = threading.Event()
    peers = [Raw(pipe.good, b"PULL") for _ in range(2)]
    talks = [threading.Thread(target=chatter, args=(peer, over))
             for peer in peers]
    for each in talks:
        each.start()
    time.sleep(0.3)
    since = time.monotonic()
    ended = pipe.filter.stop(seconds=60)
    took = time.monotonic() - since
    over.set()
    for each, peer in zip(talks, peers):
        each.join()
        peer.close()
    pipe.check(tap, "talk at an output", ended)
    tap.ok(took < 10, "nor is the end held up", "%.1f s" % took)


def case_lookup(tap, stage):
    """libzmq asks for addresses on the thread that all connections have; while
    it does, what had come is judged, and the end comes in time."""
    env = preload(tap, stage, "slow_lookup", PRAE_LOOKUP="20")
    if env is None:
        return
    where, path = stage.ipc("in"), stage.path("asked")
    ledger = Oracle().ledger
    filter_ = stage.start(
        "--in=pull:@" + where, "--in=pull:tcp://nowhere.invalid:9",
        "--inliers=null:", "--outliers=null:", "--drain=2s", "--sandbox=off",
        *SMALL, env={**env, "PRAE_LOOKED": path})
    Producer(stage, where, ledger, messages(Records().some(64))).wait_sent()
    filter_.wait_received(64)
    with open(path, "wb"):
        pass  # from now on it takes long
    wait_until(lambda: os.path.exists(path + ".now"), 20, "a question")
    since = time.monotonic()
    ended = filter_.stop(seconds=60)
    took = time.monotonic() - since
    tap.ok(ended.status == 0 and ended.count("received") == 64,
           "while an address is asked for nothing is lost, nor said to be",
           ended.stderr)
    tap.ok(took < 2 + 4 * SLACK, "and it ends in time", "%.1f s" % took)


main(Stage, [case_leaving, case_broken, case_brief, case_short,
             case_strangers, case_talk, case_lookup], 240)
