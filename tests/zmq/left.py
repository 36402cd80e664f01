#!/usr/bin/env python3
"""left.py - what senders had sent when they hung up, and a stop came: it is
received, or the exit status and a line say that it was not."""
import signal
import time

from doors import Keys
from peers import FIELDS, Stage, adds_up, preload, zmq
from oracle import Oracle, Records
from raw import Raw, frame
from tap import SLACK, main
from traffic import Consumer, Producer, messages

TOLD = "some of what senders had sent was not read"


class Left:
    """A filter that is slow by POLL_MS, and what somebody sent who has gone;
    ASLEEP: while it was stopped, so that all of that waits."""

    def __init__(self, tap, stage, poll_ms, sent, *options, asleep=False):
        self.env = preload(tap, stage, "slow_poll", PRAE_POLL=str(poll_ms))
        if self.env is None:
            return
        where = stage.tcp()
        self.filter = stage.start("--in=pull:@" + where, "--inliers=null:",
                                  "--outliers=null:", "--window=100",
                                  "--hwm=1", FIELDS, *options, env=self.env)
        self.oracle = Oracle()
        records = iter(sent)
        producer = Producer(stage, where, self.oracle.ledger, self.first(
            records, asleep), hwm=0)
        producer.wait_sent()
        producer.end(-1)

    def first(self, records, asleep):
        yield next(records)
        if asleep:
            self.filter.wait_received(1)
            self.filter.send(signal.SIGSTOP)
        yield from records

    def check(self, tap, name, ended):
        """Whether all of it was received, or that is told."""
        sent = self.oracle.ledger.count
        whole = ended.count("received") == sent
        tap.ok(whole or (ended.status == 75 and TOLD in ended.stderr),
               "11: %s is received, or a failure" % name,
               "%d sent\n%s" % (sent, ended.stderr))
        tap.ok(adds_up(ended.account), "11: and the account adds up",
               ended.stderr)
        return whole


def case_kernel(tap, stage):
    """11: more than can be read in time, all of it in our kernel."""
    left = Left(tap, stage, 10, messages(Records().some(900)), "--drain=4s")
    if left.env is None:
        return
    time.sleep(1)
    since = time.monotonic()
    ended = left.filter.stop(seconds=40)
    took = time.monotonic() - since
    tap.ok(not left.check(tap, "what our kernel has", ended),
           "11: it was not all read", ended.stderr)
    tap.ok(2.8 < took < 4.5 * SLACK,
           "11: it was read as long as there was time", "%.1f s" % took)


def case_behind(tap, stage):
    """11: the sender's kernel has most of it, and that it hung up stands
    behind that."""
    left = Left(tap, stage, 10, messages(Records().some(300, 10000)),
                "--drain=6s", asleep=True)
    if left.env is None:
        return
    left.filter.send(signal.SIGTERM)
    left.filter.send(signal.SIGCONT)
    left.check(tap, "what the sender's kernel has", left.filter.wait(40))


def case_ahead(tap, stage):
    """11: no kernel has any of it: libzmq does, ahead of a short queue."""
    left = Left(tap, stage, 20, messages(Records().some(900)), "--drain=2s")
    if left.env is None:
        return
    left.filter.wait_received(2)
    ended = left.filter.stop(seconds=40)
    tap.ok(not left.check(tap, "what libzmq has", ended),
           "11: it was not all taken", ended.stderr)


def case_asleep(tap, stage):
    """11: all of --drain passes while nobody has a processor."""
    left = Left(tap, stage, 20, messages(Records().some(900)), "--drain=1s")
    if left.env is None:
        return
    left.filter.wait_received(2)
    left.filter.send(signal.SIGTERM)
    time.sleep(0.1)
    left.filter.send(signal.SIGSTOP)
    time.sleep(1.2)
    left.filter.send(signal.SIGCONT)
    ended = left.filter.wait(40)
    tap.ok(not left.check(tap, "what nobody looked at", ended),
           "11: it was not all taken", ended.stderr)


def case_between(tap, stage):
    """11: libzmq has taken it up again, and is held up before it is in the
    queue."""
    env = preload(tap, stage, "slow_listen", PRAE_LISTEN="200")
    if env is None:
        return
    for hwm in (1, 4, 10):
        where, oracle = stage.ipc("between%d" % hwm), Oracle()
        filter_ = stage.start("--in=pull:@" + where, "--inliers=null:",
                              "--outliers=null:", "--window=8",
                              "--max-wait=100ms", "--drain=20s",
                              "--hwm=%d" % hwm, FIELDS, env=env)
        records = Records().some(40)
        for record in records:
            oracle.ledger.add(record)
        peer = Raw(where, b"PUSH")
        peer.sock.sendall(b"".join(frame(record) for record in records))
        time.sleep(0.03)
        ended = filter_.stop(seconds=60)
        peer.close()
        tap.ok(ended.status == 0 and ended.count("received") == 40,
               "11: held up in between, --hwm=%d" % hwm, ended.stderr)


def case_amid(tap, stage):
    """12: with keys the rest of a long record is libzmq's, and the kernel's
    buffers are empty whenever the reader was quicker."""
    env = preload(tap, stage, "slow_poll", PRAE_POLL="5")
    if env is None or not zmq.has("curve"):
        return
    keys, got, where, to = Keys(stage), [], stage.ipc("amid"), stage.tcp()
    filter_ = stage.start(
        "--in=pull:@" + where, "--inliers=push:@" + to, "--drain=60s",
        "--wait-peers=1", "--tight", "--max-message=4000000",
        "--max-record=2000000", "--window=8", "--threshold=-1",
        "--max-wait=100ms", FIELDS, *keys.options(), env=env)
    Consumer(stage, to, lambda frames: got.append(frames[-1]), rcvbuf=8192,
             **keys.client("friend"))
    sent = Records().some(3, 1000000)
    Producer(stage, where, Oracle().ledger, messages(sent)).wait_sent()
    filter_.wait_received(3)
    ended = filter_.stop(seconds=90)
    time.sleep(1)
    tap.ok(ended.status == 0 and len(got) == 3,
           "12: a long record is delivered when its last byte is",
           "%d came\n%s" % (len(got), ended.stderr))


main(Stage, [case_kernel, case_behind, case_ahead, case_asleep, case_between,
             case_amid], 180)
