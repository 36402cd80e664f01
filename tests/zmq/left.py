#!/usr/bin/env python3
"""left.py - what senders had sent when they hung up, and a stop came: it is
received, or the exit status and a line say that it was not."""
import signal
import time

from peers import FIELDS, Stage, adds_up, preload
from oracle import Oracle, Records
from tap import SLACK, main
from traffic import Producer, messages

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
    left = Left(tap, stage, 20, messages(Records().some(200)), "--drain=2s")
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


main(Stage, [case_kernel, case_behind, case_ahead, case_asleep], 120)
