#!/usr/bin/env python3
"""stop.py - signals, stops and a clock that jumps: what was received is
delivered, or the exit status says how much was not."""
import array
import contextlib
import ctypes
import fcntl
import itertools
import math
import os
import pty
import re
import resource
import signal
import socket
import subprocess
import termios
import threading
import time
import tty

from collector import Collector
from peers import (FIELDS, STOP_S, Filter, Stage, account_of, adds_up,
                   ipc_bytes, preload, program, zmq)
from oracle import Oracle, Records
from raw import Raw, listen, reach
from tap import SLACK, SOAK, main, wait_until
from traffic import (Pipe, Producer, endless, hand_over, messages, odd,
                     settle)

FROZEN_S = 60 if SOAK else 2
NEVER = ("--max-wait=never", FIELDS)


def case_term(tap, stage):
    """11: in the middle of a window."""
    for number in (signal.SIGTERM, signal.SIGINT):
        place = Stage()
        try:
            pipe = Pipe(place, "--window=512", *NEVER)
            pipe.produce(messages(Records().some(1300), 7)).wait_sent()
            pipe.filter.wait_received(1300)
            start = time.monotonic()
            ended = pipe.filter.stop(number)
            seconds = time.monotonic() - start
            pipe.wait_all()
            name = "11: " + signal.Signals(number).name
            tap.ok(seconds < 5 * SLACK, name + " ends it in time",
                   "after %.1f s" % seconds)
            pipe.check(tap, name, ended)
        finally:
            place.close()


def case_term_flooded(tap, stage):
    """11: while more is coming; a second filter takes over."""
    pipe = Pipe(stage, "--window=256", "--tight", "--max-wait=300ms", FIELDS,
                hwm=100)
    enough = threading.Event()
    producer = pipe.produce(endless(Records(), enough), sndbuf=8192)
    wait_until(lambda: pipe.oracle.total() > 2000, 20, "a start")
    first = pipe.filter.stop()
    settle(pipe.oracle)
    counts = pipe.oracle.counts
    tap.ok(first.status == 0
           and first.account == {"received": pipe.oracle.total(),
                                 "inliers": counts["inlier"],
                                 "outliers": counts["outlier"],
                                 "rejected": counts["reject"]},
           "11: under load, all that was received is delivered",
           "%r, came out %r" % (first.account, dict(counts)))
    pipe.start()
    before = pipe.oracle.total()
    wait_until(lambda: pipe.oracle.total() > before + 1000, 20, "more")
    enough.set()
    producer.wait_sent()
    settle(pipe.oracle)
    second = pipe.filter.stop()
    settle(pipe.oracle)
    found = pipe.oracle.report()
    tap.same(second.status, 0, "11: the next filter goes on")
    # What was sent to the old one, and not yet received by it.
    limit = ipc_bytes() // len(Records().one()) + 100
    tap.ok(found.lost <= limit, "11: the change of filters costs little",
           "lost %d, at most %d" % (found.lost, limit))
    tap.note("a change of filters under load lost %d" % found.lost)
    tap.ok(found[1:] == (0, 0, 0, 0),
           "11: and nothing doubled, moved or changed", found)


def dead_end(stage, *options):
    """A filter with records in its hands that nobody takes."""
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", FIELDS, *options,
                consume=False)
    pipe.produce([odd(b"\xc1")] * 5
                 + messages(Records().some(300))).wait_sent()
    pipe.filter.wait_received(64)
    return pipe


def case_dead_end(tap, stage):
    """12: nobody ever connected."""
    pipe = dead_end(stage, "--drain=2s")
    start = time.monotonic()
    ended = pipe.filter.stop()
    seconds = time.monotonic() - start
    tap.same(ended.status, 75, "12: undelivered records are a failure")
    tap.ok(re.search(r"error: %d records" % ended.count("received"),
                     ended.stderr), "12: with their number", ended.stderr)
    tap.ok(1.9 < seconds < 3.5 * SLACK,
           "12: told when the budget is spent, neither before nor long after",
           "after %.1f s" % seconds)
    tap.ok(ended.account is not None and ended.count("received") ==
           sum(ended.account.values()) - ended.count("received"),
           "12: the account adds up", ended.stderr)
    tap.same(ended.stats["undelivered"], ended.count("received"),
             "12: all that was received is counted as undelivered")
    tap.same((ended.count("inliers"), ended.count("outliers"),
              ended.count("rejected")), (0, 0, 0),
             "12: and nothing as anything else")
    tap.same(ended.count("received"), 305,
             "12: and what still waited in its queues was received, too")


def case_asked_end(tap, stage):
    """12: nor does it take longer where much is left to count, and somebody
    asks for the counts as fast as he can."""
    control, where = stage.ipc("control"), stage.ipc("in")
    filter_ = stage.start("--format=jsonl", "--in=pull:@" + where,
                          "--inliers=push:@" + stage.ipc("good"),
                          "--control=" + control, "--drain=2s")
    with stage.context.socket(zmq.PUSH) as sender, \
            stage.context.socket(zmq.DEALER) as asker:
        sender.linger = asker.linger = 0
        sender.connect(where)
        asker.connect(control)
        for _ in range(60 // SLACK):
            sender.send(b'{"a":%d,"b":[2,3.5]}\n' % (7 << 40) * 40000)
        time.sleep(1)
        start = time.monotonic()
        filter_.send(signal.SIGTERM)
        while not filter_.has_ended() and time.monotonic() < start + STOP_S:
            with contextlib.suppress(zmq.Again):
                asker.send_multipart([b"", b"STATS"], zmq.DONTWAIT)
            while asker.poll(1):
                asker.recv_multipart()
        seconds = time.monotonic() - start
    ended = filter_.wait()
    tap.ok(1.9 < seconds < 3.5 * SLACK,
           "12: who asks for counts does not hold it up",
           "after %.1f s" % seconds)
    tap.same((ended.status, ended.stats["undelivered"]),
             (75, 60 // SLACK * 40000),
             "12: and all that is left was counted")


def case_stalled_end(tap, stage):
    """12: somebody is connected, but does not read."""
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", "--drain=1s",
                "--tight", "--hwm=5", FIELDS, hwm=5, consume=False)
    readers = [pipe.consumer(name, stalled=True, rcvbuf=8192)
               for name in ("good", "odd")]
    producer = pipe.produce(messages(Records().some(5000, 1000)))
    wait_until(lambda: producer.blocked_s > 1, 30, "it to be stuck")
    ended = pipe.filter.stop()
    tap.same(ended.status, 75, "12: a stalled reader is a failure, too")
    for reader in readers:
        reader.resume()
    settle(pipe.oracle)
    received, came = ended.count("received"), pipe.oracle.total()
    tap.ok(came + ended.stats["undelivered"] >= received,
           "12: no loss is kept quiet",
           "received %d, came out %d, undelivered %d"
           % (received, came, ended.stats["undelivered"]))
    found = pipe.oracle.report()
    tap.ok(found[1:] == (0, 0, 0, 0), "12: what did come is as it was", found)


def case_unread_scores(tap, stage):
    """12: all records are out, but nobody reads their scores."""
    pipe = Pipe(stage, "--window=64", "--max-wait=never", "--drain=1s",
                "--scores=push:@" + stage.ipc("rows"), FIELDS)
    pipe.produce(messages(Records().some(64), 64))
    wait_until(lambda: pipe.oracle.total() == 64, 30, "all records")
    ended = pipe.filter.stop()
    tap.same(ended.status, 75, "12: scores that nobody reads are a failure")
    tap.ok("error: 64 rows of --scores" in ended.stderr
           and "records were not delivered" not in ended.stderr,
           "12: which is told of them alone", ended.stderr)
    tap.same(ended.stats["undelivered"], 0, "12: no record is undelivered")


def case_gone_end(tap, stage):
    """12: the reader was there, and went."""
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", "--drain=1s",
                FIELDS, consume=False)
    alone = pipe.filter.descriptors()
    readers = [pipe.consumer("good"), pipe.consumer("odd")]
    producer = pipe.produce(messages(Records().some(300)))
    pipe.wait_all()
    for peer in (producer, *readers):
        peer.end()
    wait_until(lambda: pipe.filter.descriptors() <= alone, 10,
               "it to notice")
    pipe.produce(messages(Records(source=1).some(300))).wait_sent()
    pipe.filter.wait_received(364)
    ended = pipe.filter.stop()
    tap.same(ended.status, 75, "12: a reader that went is a failure")
    tap.same(ended.stats["undelivered"], ended.count("received") - 300,
             "12: of those that came after it")


def case_leaving_end(tap, stage):
    """12: those who do not read hang up as the time is over, amid messages of
    several frames, which libzmq does not bear where a socket is closed."""
    env = preload(tap, stage, "slow_poll", PRAE_POLL="2")
    if env is None:
        return
    found = []
    for _ in range(2):
        place = Stage()
        try:
            found.append(leaving_end(place, env))
        finally:
            place.close()
    tap.same(found, [75] * 2, "12: who hangs up at the end does no harm")


def leaving_end(stage, env):
    way = stage.tcp()
    pipe = Pipe(stage, consume=False, start=False, env=env)
    pipe.options = ("--in=pull:@" + pipe.input, "--inliers=push:@" + way,
                    "--outliers=null:", "--window=64", "--max-wait=50ms",
                    "--threshold=-1", "--drain=1s", "--tight", FIELDS)
    pipe.start()
    readers = [stage.context.socket(zmq.PULL) for _ in range(40)]
    for reader in readers:
        reader.rcvhwm, reader.rcvbuf, reader.linger = 1, 4096, 0
        reader.connect(way)
    time.sleep(0.3)
    lead = (b"a" * 5000, b"b" * 5000, b"c" * 5000)
    pipe.produce(messages(Records().some(800, 300), lead=lead))
    time.sleep(0.8)  # all wait for who does not read
    pipe.filter.send(signal.SIGTERM)
    over = time.monotonic() + 1
    for at, reader in enumerate(readers):
        time.sleep(max(over + 0.001 * (at - 12) - time.monotonic(), 0))
        reader.close()
    return pipe.filter.wait(20).status


def case_read_end(tap, stage):
    """12: nobody reads; what was read from a pipe is gone from there."""
    given, ours = os.pipe()
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    filter_ = stage.start("--window=64", "--drain=1s", "--outliers=null:",
                          FIELDS, stdin=given, stdout=writer)
    records = Records().some(20000, 100)
    data, sent = b"".join(records), 0
    os.set_blocking(ours, False)
    since = time.monotonic()
    while time.monotonic() - since < SLACK:
        try:
            sent += os.write(ours, data[sent:sent + 5000])
            since = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
    ended = filter_.stop()
    left = array.array("i", [0])
    fcntl.ioctl(given, termios.FIONREAD, left)
    for fd in (given, ours, reader, writer):
        os.close(fd)
    ends = itertools.accumulate(map(len, records))
    begun = 1 + sum(end < sent - left[0] for end in ends)
    tap.same(ended.status, 75, "12: nobody reads a pipe: a failure")
    tap.same(ended.count("received"), begun,
             "12: what was read from another is received")
    tap.ok(adds_up(ended.account)
           and ended.count("undelivered") == ended.stats["undelivered"] > 0,
           "12: and undelivered", ended.stderr)


def case_slow_end(tap, stage):
    """11: a reader that is slow, but reads, has all before the end."""
    for kind in ("ipc", "tcp"):
        place = Stage()
        try:
            slow_end(tap, place, kind)
        finally:
            place.close()


def slow_end(tap, stage, kind):
    pipe = Pipe(stage, consume=False, start=False)
    if kind == "tcp":
        pipe.good = stage.tcp()
    pipe.options = ("--in=pull:@" + pipe.input,
                    "--inliers=push:@" + pipe.good,
                    "--outliers=push:@" + pipe.odd, "--window=64",
                    "--max-wait=100ms", "--drain=20s", FIELDS)
    pipe.start()
    pipe.consumer("good", hwm=5, pause_s=0.005)
    pipe.consumer("odd")
    pipe.produce(messages(Records().some(400, 500)))
    pipe.filter.wait_received(400)
    ended = pipe.filter.stop(seconds=30)
    settle(pipe.oracle)
    pipe.check(tap, "11: a slow reader, " + kind, ended)


def case_late_end(tap, stage):
    """11: a reader that wakes up when half of the time has passed has what
    was in the input's queue, too."""
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", "--drain=6s",
                "--hwm=50", "--threshold=-1", FIELDS, consume=False)
    reader = pipe.consumer("good", hwm=50, stalled=True)
    producer = pipe.produce(messages(Records().some(2000, 2000)), hwm=1)
    wait_until(lambda: producer.blocked_s > 1, 30, "it to be stuck")
    before = pipe.filter.counters()["received"]
    pipe.filter.send(signal.SIGTERM)
    time.sleep(3.5)
    reader.resume()
    ended = pipe.filter.wait(20)
    settle(pipe.oracle)
    tap.ok(ended.status == 0
           and ended.count("received") == pipe.oracle.total(),
           "11: a reader that wakes up late has all",
           "%d came; %s" % (pipe.oracle.total(), ended.stderr))
    tap.ok(ended.count("received") > before + 10,
           "11: also what was in the queue",
           "%d received, then %d" % (before, ended.count("received")))


def case_late_many(tap, stage):
    """11: and what several senders left there, who are quiet by then."""
    for kind in ("ipc", "tcp"):
        place = Stage()
        try:
            late_many(tap, place, kind)
        finally:
            place.close()


def late_many(tap, stage, kind):
    pipe = Pipe(stage, consume=False, start=False)
    if kind == "tcp":
        pipe.input = stage.tcp()
    pipe.options = ("--in=pull:@" + pipe.input,
                    "--inliers=push:@" + pipe.good,
                    "--outliers=push:@" + pipe.odd, "--window=64",
                    "--max-wait=100ms", "--drain=6s", "--hwm=50", FIELDS)
    pipe.start()
    for source in range(5):  # far more than one queue has room for
        pipe.produce(messages(Records(source=source).some(400))).wait_sent()
    time.sleep(0.5)
    pipe.filter.send(signal.SIGTERM)
    time.sleep(3.5)
    pipe.consumer("good")
    pipe.consumer("odd")
    ended = pipe.filter.wait(20)
    settle(pipe.oracle)
    pipe.check(tap, "11: five quiet senders, " + kind, ended)
    tap.same(ended.count("received"), 2000, "11: all of theirs, " + kind)


def case_late_slow(tap, stage):
    """11: it takes long to take it, and there is time: nothing leaves."""
    env = preload(tap, stage, "slow_receive", PRAE_RECEIVE="4")
    if env is None:
        return
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", "--drain=10s",
                "--hwm=5", FIELDS, consume=False, env=env)
    pipe.produce(messages(Records().some(400))).wait_sent()
    time.sleep(0.5)
    pipe.filter.send(signal.SIGTERM)
    ended = pipe.filter.wait(20)
    tap.same((ended.status, ended.count("received"),
              ended.count("undelivered")), (75, 400, 400),
             "11: what is taken slowly is counted, where no output takes it")


def late_ahead(tap, stage, name, poll_ms, sent, meanwhile):
    """A filter with a short queue, that comes late to what was SENT, is asked
    to stop; MEANWHILE there are other things."""
    env = preload(tap, stage, "slow_poll", PRAE_POLL=str(poll_ms))
    if env is None:
        return
    pipe = Pipe(stage, "--window=100", "--hwm=1", "--drain=40s", FIELDS,
                env=env)
    producer = pipe.produce(sent)
    wait_until(lambda: pipe.ledger.count >= 200, 20, "what is sent first")
    time.sleep(0.3)
    pipe.filter.send(signal.SIGTERM)
    meanwhile(pipe.filter)
    producer.wait_sent()
    ended = pipe.filter.wait(80)
    settle(pipe.oracle)
    pipe.check(tap, "11: " + name, ended)


def case_late_ahead(tap, stage):
    """11: a short queue, and what libzmq has read ahead of it."""
    late_ahead(tap, stage, "a short queue", 4, messages(Records().some(200)),
               lambda filter_: None)


def case_late_more(tap, stage):
    """11: when that is nearly taken libzmq reads on, and ahead again."""
    more = threading.Event()

    def send():
        records = Records()
        yield from messages(records.some(200))
        more.wait(60)
        yield from messages(records.some(70))

    def send_more(filter_):
        filter_.wait_received(185)
        more.set()
    late_ahead(tap, stage, "some more", 20, send(), send_more)


def case_late_asleep(tap, stage):
    """11, 16: while nobody gets a processor now and then."""
    def sleep(filter_):
        for _ in range(6):
            time.sleep(0.05)
            filter_.send(signal.SIGSTOP)
            time.sleep(0.6)
            filter_.send(signal.SIGCONT)
    late_ahead(tap, stage, "asleep", 4, messages(Records().some(200)), sleep)


def case_late_crowd(tap, stage):
    """11: many who only sit at many inputs take no time from those who have
    sent something."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] != resource.RLIM_INFINITY and limits[1] < 8000:
        tap.skip("a crowd", "no more than %d descriptors" % limits[1])
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (8000, limits[1]))
    places = [stage.ipc("in%d" % number) for number in range(16)]
    filter_ = stage.start(*("--in=pull:@" + place for place in places),
                          "--inliers=null:", "--outliers=null:", "--window=64",
                          "--max-wait=100ms", "--drain=%ds" % (5 * SLACK),
                          FIELDS)
    crowd = [Raw(places[number % 16], b"PUSH") for number in range(3000)]
    hand_over(places[0], Oracle().ledger, messages(Records().some(10000, 200)))
    ended = filter_.stop(seconds=60)
    for peer in crowd:
        peer.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    tap.ok(ended.status == 0 and ended.count("received") == 10000,
           "11: a crowd takes nobody's time", ended.stderr)


def case_overload(tap, stage):
    """11: more comes than is judged, or read: nothing is taken that could not
    be delivered in time, and who sends keeps it. What is slow here sleeps, so
    that it is no slower where the machine is busy; where all of it is, the
    pace may still change, and another play has to show it. The account is
    right in each."""
    env = preload(tap, stage, "slow_sync", PRAE_SYNC="40")
    if env is None:
        return
    saving = ("--model=" + stage.path("model"), "--save-every=1")
    for name, pause_s, options, env in (
            ("slow windows", 0.0, ("--hwm=20", *saving), env),
            ("a slow reader", 0.01, ("--hwm=50", "--drain=6s"), None),
            ("a slow reader, at once", 0.01,
             ("--hwm=50", "--drain=6s", "--emit=now"), None)):
        plays = []
        while len(plays) < 3 and 0 not in plays:
            plays.append(overload(tap, name, pause_s, options, env))
        tap.ok(0 in plays, "11: overloaded, " + name, "ended with %r" % plays)


def overload(tap, name, pause_s, options, env):
    """How it ended, with the status that is right for that, or None."""
    stage = Stage()
    try:
        pipe = Pipe(stage, "--window=64", FIELDS, *options, consume=False,
                    env=env)
        pipe.consumer("good", hwm=2, pause_s=pause_s)
        pipe.consumer("odd", hwm=2)
        enough = threading.Event()
        pipe.produce(endless(Records(), enough, 20, 300))
        wait_until(lambda: pipe.oracle.total() > 1000, 40, "a start")
        ended = pipe.filter.stop()
        settle(pipe.oracle)
        enough.set()
        left = ended.count("undelivered")
        told = left > 0 or "was not read" in ended.stderr
        # Of what counts as undelivered a kernel may have had some for them.
        came = ended.count("received") - pipe.oracle.total()
        if tap.ok(0 <= came <= left and ended.status == (75 if told else 0),
                  "11: the account, " + name, ended.stderr):
            return ended.status
        return None
    finally:
        stage.close()


def case_kept_waiting(tap, stage):
    """11: who has sent all and hung up, over tcp, while it was kept waiting:
    its own kernel has the rest, and nothing tells that it has gone. There is
    no time for all of that, which is told."""
    where = stage.tcp()
    pipe = Pipe(stage, consume=False, start=False)
    pipe.options = ("--in=pull:@" + where, "--inliers=push:@" + pipe.good,
                    "--outliers=null:", "--window=16", "--max-wait=300ms",
                    "--threshold=-1", "--drain=3s", "--hwm=300", FIELDS)
    pipe.start()
    pipe.consumer("good", pause_s=0.0005)
    hand_over(where, pipe.ledger, messages(Records().some(15000)))
    pipe.filter.wait_received(500)
    ended = pipe.filter.stop()
    settle(pipe.oracle)
    lost = pipe.ledger.count - pipe.oracle.total()
    told = ended.count("undelivered")
    tap.ok(ended.status == 75 and ("was not read" in ended.stderr
                                   or told >= lost > 0),
           "11: what who was kept waiting had left is told, if it is not read",
           "%d lost: %s" % (lost, ended.stderr))


def case_too_late(tap, stage):
    """11: who would send, and has no connection yet, gets none."""
    where, there = stage.tcp(), stage.tcp()
    filter_ = stage.start("-v", "--in=pull:@" + where, "--in=pull:" + there,
                          "--inliers=push:@" + stage.ipc("good"),
                          "--outliers=null:", "--window=16", "--max-wait=100ms",
                          "--threshold=-1", "--drain=4s", FIELDS)
    producer = Producer(stage, where, Oracle().ledger,
                        endless(Records(), threading.Event()))
    wait_until(lambda: producer.blocked_s > 0.5, 30, "it to be stuck")
    filter_.send(signal.SIGTERM)
    time.sleep(0.3)
    with contextlib.closing(reach(where)) as sock:
        try:
            heard = sock.recv(1)
        except ConnectionError:
            heard = b""
    tap.same(heard, b"", "11: nobody new may send to one who is to stop")
    with listen(there) as listener:
        listener.settimeout(1.0)
        try:
            listener.accept()[0].close()
            came = True
        except socket.timeout:
            came = False
    tap.ok(not came, "11: nor does it come to anybody for more")
    tap.same(filter_.wait(20).status, 75, "11: and ends as it would")


def case_steady(tap, stage):
    """11: what one died amid of is not waited for while another sends on."""
    pipe = Pipe(stage, "--window=16", "--max-wait=100ms", "--drain=40s",
                FIELDS)
    enough = threading.Event()
    producer = pipe.produce(endless(Records(), enough), rate=50)
    pipe.filter.wait_received(16)
    raw = Raw(pipe.input, b"PUSH")
    raw.sock.sendall(bytes((0, 100)) + b"some of it")
    time.sleep(0.3)
    raw.close()
    time.sleep(0.3)
    since = time.monotonic()
    pipe.filter.send(signal.SIGTERM)
    ended = pipe.filter.wait(60)
    took = time.monotonic() - since
    enough.set()
    producer.end()
    tap.ok(ended.status == 0 and took < 10, "11: it ends soon all the same",
           "%.1f s\n%s" % (took, ended.stderr))


def case_late_large(tap, stage):
    """11: windows so large that what waits already is more than is taken at
    the end."""
    pipe = Pipe(stage, "--window=32", "--max-wait=never", "--drain=10s",
                "--hwm=2", "--threshold=-1", "--max-record=4000000", FIELDS,
                consume=False)
    # A window that nobody takes, as much that waits, and what has no room.
    pipe.produce(messages(Records().some(71, 2200000))).wait_sent()
    time.sleep(2)  # for 150 MB to come
    ended = pipe.filter.stop(seconds=30)
    tap.same((ended.status, ended.count("received"),
              ended.count("undelivered")), (75, 71, 71),
             "11: large windows: what is in the queue is taken, too")


def trickle(sender, records, until):
    """Sends one every 20 ms until UNTIL() says so; how many."""
    count = 0
    while not until():
        with contextlib.suppress(zmq.Again):
            sender.send(records.one(), zmq.DONTWAIT)
            count += 1
        time.sleep(0.02)
    return count


def case_parting(tap, stage):
    """11: who sends on while the last window is learned keeps it, or sends it
    to others."""
    learning = ("--window=512", "--cold-epochs=12000", "--inliers=null:",
                "--outliers=null:", *NEVER)
    for name, where, ours in (("the sender binds", stage.tcp(), "pull:"),
                              ("it connects", stage.ipc("in"), "pull:@")):
        filters = [stage.start("--in=" + ours + where, *learning)]
        with stage.context.socket(zmq.PUSH) as sender:
            sender.linger = 0
            (sender.connect if "@" in ours else sender.bind)(where)
            if "@" not in ours:
                filters.append(stage.start("--in=" + ours + where, *learning))
            records, start = Records(), time.monotonic()
            count = trickle(sender, records,
                            lambda at=start: time.monotonic() > at + 2)
            filters[0].send(signal.SIGTERM)
            count += trickle(sender, records, filters[0].has_ended)
            if "@" in ours:
                filters.append(stage.start("--in=" + ours + where, *learning))
            start = time.monotonic()
            count += trickle(sender, records,
                             lambda at=start: time.monotonic() > at + 1)
            got = [filter_.stop(seconds=30).count("received")
                   for filter_ in filters]
        # What was on the way in that very moment.
        tap.ok(min(got) > 0 and count - 3 <= sum(got) <= count,
               "11: who sends on loses nothing, %s" % name,
               "%d sent, %r received" % (count, got))


def case_twice(tap, stage):
    """13: the second signal."""
    pipe = dead_end(stage, "--drain=60s")
    pipe.filter.send(signal.SIGTERM)
    wait_until(lambda: not os.path.exists(stage.path("in")), 10,
               "the input to be unbound")
    tap.ok(not pipe.filter.has_ended(), "13: it drains")
    start = time.monotonic()
    ended = pipe.filter.stop()
    seconds = time.monotonic() - start
    tap.ok(seconds < 3 * SLACK, "13: the second signal ends it at once",
           "after %.1f s" % seconds)
    tap.ok(ended.status != 0, "13: and not as a success", ended.status)


def case_twice_in_container(tap, stage):
    """13: as the first process of a container, which the system spares."""
    name = "13: also in a container"
    try:
        subprocess.run(["unshare", "-pf", "true"], check=True,
                       capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        tap.skip(name, "no unshare: %s" % error)
        return
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", "--drain=60s",
                FIELDS, consume=False, start=False)
    outside = pipe.filter = Filter(stage, pipe.options, command=[
        "unshare", "-pf", "--kill-child", program()]).wait_ready()
    stage.filters.append(outside)
    pid = outside.process.pid
    with open("/proc/%d/task/%d/children" % (pid, pid),
              encoding="ascii") as file:
        inside = int(file.read())
    pipe.produce(messages(Records().some(300))).wait_sent()
    os.kill(inside, signal.SIGTERM)
    wait_until(lambda: not os.path.exists(stage.path("in")), 10,
               "the input to be unbound")
    os.kill(inside, signal.SIGTERM)
    tap.ok(outside.wait(10).status != 0, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def case_hangup(tap, stage):
    """14: SIGHUP reloads and does not end it."""
    log = stage.path("log")
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", FIELDS,
                "--log-file=" + log)
    pipe.produce(messages(Records().some(200))).wait_sent()
    pipe.wait_all()
    wait_until(lambda: os.path.exists(log) and os.path.getsize(log), 10,
               "a line in the log")
    os.rename(log, log + ".1")
    pipe.filter.send(signal.SIGHUP)
    wait_until(lambda: os.path.exists(log), 10, "a new log")
    tap.ok(True, "14: SIGHUP opens the log anew")
    os.rename(log, log + ".2")
    os.mkdir(log)
    pipe.filter.send(signal.SIGHUP)
    wait_until(lambda: "cannot open %s again" % log in
               read(log + ".2") + pipe.filter.stderr(), 10, "a complaint")
    os.rmdir(log)
    os.mkfifo(log)
    pipe.filter.send(signal.SIGHUP)
    wait_until(lambda: "%s again: nobody reads it" % log in
               read(log + ".2") + pipe.filter.stderr(), 10, "another")
    os.unlink(log)
    os.rename(log + ".2", log)
    tap.ok(True, "14: where that cannot be done it says so, and goes on")
    pipe.produce(messages(Records(source=1).some(200))).wait_sent()
    pipe.wait_all()
    ended = pipe.filter.stop()
    found = pipe.oracle.report()
    tap.ok(ended.status == 0 and not any(found), "14: and nothing is lost",
           "%r %r" % (ended.status, found))
    with open(log, encoding="utf-8") as file:
        text = file.read()
    tap.ok("received 400 = " in text + ended.stderr,
           "14: the account is told at the end", text + ended.stderr)


def case_snapshot(tap, stage):
    """14: SIGUSR1 saves, SIGUSR2 tells; neither disturbs."""
    model = stage.path("model")
    pipe = Pipe(stage, "--window=64", "--max-wait=100ms", FIELDS,
                "--model=" + model)
    pipe.produce(messages(Records().some(200))).wait_sent()
    pipe.wait_all()
    pipe.filter.send(signal.SIGUSR1)
    wait_until(lambda: os.path.exists(model), 10, "a snapshot")
    tap.ok(True, "14: SIGUSR1 saves")
    account = pipe.filter.counters()
    tap.same(account["received"], 200, "14: SIGUSR2 tells the counters")
    pipe.produce(messages(Records(source=1).some(200))).wait_sent()
    pipe.wait_all()
    pipe.check(tap, "14: both")


def case_pipe(tap, stage):
    """14: a reader that has had enough, as head(1)."""
    reader, writer = os.pipe()
    where = stage.ipc("in")
    filter_ = stage.start("--in=pull:@" + where, "--window=64",
                          "--max-wait=100ms", FIELDS, stdout=writer)
    os.close(writer)
    os.close(reader)
    enough = threading.Event()
    Producer(stage, where, Pipe(stage, start=False, consume=False).ledger,
             endless(Records(), enough), rate=2000)
    ended = filter_.wait()
    enough.set()
    tap.same(ended.status, -signal.SIGPIPE, "14: it ends as SIGPIPE does")
    tap.ok("error" not in ended.stderr, "14: without noise", ended.stderr)


def not_ours():
    """What was opened for us cannot be opened once more: not by root, either,
    who is asked for permission then."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def standard_outputs():
    """Of each kind: its name, who reads, who writes."""
    yield ("a pipe", *os.pipe())
    reader, writer = os.pipe()
    os.fchmod(writer, 0)
    yield "a pipe of somebody else's", reader, writer
    reader, writer = pty.openpty()
    tty.setraw(writer)
    yield "a terminal", reader, writer


def case_stuck_stdout(tap, stage):
    """12: standard output that nobody reads."""
    records = stage.path("records")
    with open(records, "wb") as file:
        for i in range(20000):
            file.write(b'{"a":%.4f,"b":%.4f,"pad":"%s"}\n' % (
                math.sin(i), math.cos(i), b"x" * (i * 7919 % 300)))
    for name, reader, writer in standard_outputs():
        with subprocess.Popen(
                [program(), "--format=jsonl", "--threshold=-1", "--drain=1s",
                 records], stdout=writer, stderr=subprocess.PIPE, text=True,
                preexec_fn=not_ours) as process:
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            start = time.monotonic()
            try:
                stderr = process.communicate(timeout=10 * SLACK)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                stderr = process.communicate()[1]
            seconds = time.monotonic() - start
        os.set_blocking(reader, False)
        came = b""
        try:
            while True:
                came += os.read(reader, 65536)
        except BlockingIOError:
            pass
        os.close(writer)
        os.close(reader)
        tap.ok(process.returncode == 75 and seconds < 5 * SLACK,
               "12: %s is waited for as long as --drain says" % name,
               "status %d after %.1f s: %s"
               % (process.returncode, seconds, stderr))
        tap.same((account_of(stderr) or {}).get("inliers"),
                 came.count(b"\n"), "12: %s has what is told" % name)


def case_frozen(tap, stage):
    """16: SIGSTOP, of the filter and of who reads from it."""
    pipe = Pipe(stage, "--window=64", "--max-wait=300ms", "--hwm=50", FIELDS,
                hwm=50, consume=False)
    good = Collector(stage, pipe.good, pipe.oracle.inliers)
    pipe.consumer("odd")
    enough = threading.Event()
    producer = pipe.produce(endless(Records(), enough), rate=4000)

    total = pipe.oracle.total
    for name, who in (("filter", pipe.filter), ("downstream", good)):
        start = total()
        wait_until(lambda at=start: total() > at + 500, 20, "traffic")
        who.send(signal.SIGSTOP)
        time.sleep(FROZEN_S)
        who.send(signal.SIGCONT)
        start = total()
        wait_until(lambda at=start: total() > at + 500, 20, "traffic")
        tap.ok(True, "16: the %s sleeps and goes on" % name)
    enough.set()
    producer.wait_sent()
    wait_until(lambda: total() >= pipe.ledger.count, 20, "all to come out")
    tap.same(producer.lost_connections(), 0, "16: nobody is cut off")
    pipe.check(tap, "16: sleepers")


def case_clock(tap, stage):
    """18: the clock jumps an hour, there and back."""
    clock = stage.path("clock")
    env = preload(tap, stage, "clock_jump", PRAE_CLOCK=clock)
    if env is None:
        return
    # The shim reads its file from within the filter, which gives that up.
    pipe = Pipe(stage, "--window=512", "--max-wait=300ms", FIELDS,
                "--sandbox=off", env=env)
    for source, (name, seconds) in enumerate(
            (("", 0), ("forwards", 3600), ("backwards", -3600))):
        pipe.produce(messages(Records(source=source).some(50))).wait_sent()
        pipe.filter.wait_received(50 * (source + 1))
        with open(clock + "~", "w", encoding="ascii") as file:
            file.write("%d" % seconds)
        os.rename(clock + "~", clock)
        start = time.monotonic()
        pipe.wait_all()
        taken = time.monotonic() - start
        if name:
            tap.ok(taken < 3 * SLACK, "18: a jump %s delays nothing" % name,
                   "%.1f s" % taken)
    pipe.check(tap, "18: a clock that jumps")


main(Stage, [case_term, case_term_flooded, case_dead_end, case_asked_end,
             case_stalled_end, case_unread_scores, case_gone_end,
             case_leaving_end, case_read_end, case_slow_end, case_late_end,
             case_late_many, case_late_slow, case_late_ahead, case_late_more,
             case_late_asleep, case_late_crowd, case_overload,
             case_kept_waiting, case_too_late, case_steady, case_late_large,
             case_parting, case_twice, case_twice_in_container, case_hangup, case_snapshot, case_pipe,
             case_stuck_stdout, case_frozen, case_clock],
     1200 if SOAK else 240)
