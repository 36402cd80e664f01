#!/usr/bin/env python3
"""torture_zmq.py - the filter between ZeroMQ peers, again and again, each time
with another call that fails.

What torture.py says of samples and of choosing holds here, too. Peers live
through it: they are not the ones that are tried.
"""
import signal
import sys
import time

import campaign
import lines
import rig
from doors import Keys
from oracle import Oracle, Records
from onlooker import Onlooker
from peers import FIELDS, Stage, adds_up, is_listening, zmq
from tap import Failed, SLACK, Tap, Watchdog, wait_until
from traffic import Consumer, Peer, Producer, messages

COUNT = 120  # records
LEAD = (b"topic", b"")
MOST = 2  # calls of a class in each way, of a sample
LIMIT_S = 15 * SLACK
PATIENCE_S = 8 * SLACK  # for what takes some 0.3 s
JOBS = 3
OPTIONS = ("--window=32", "--max-wait=100ms", "--cold-epochs=4", "--epochs=1",
           "--drain=2s", FIELDS)


class Publisher(Producer):
    """Speaks when somebody has subscribed."""

    def __init__(self, *args, **how):
        super().__init__(*args, kind=zmq.XPUB, xpub_nodrop=1, **how)

    def work(self, socket):
        while not self.ended.is_set() and not socket.poll(20):
            pass
        super().work(socket)


class Play:
    """One run of a filter, and those around it."""

    def __init__(self, fault, keys):
        self.stage = Stage()
        self.fault = fault
        self.keys = keys
        self.oracle = Oracle()
        self.input = self.stage.ipc("in")
        self.good = self.stage.ipc("good")
        self.odd = self.stage.ipc("odd")
        self.sent = messages(Records().some(COUNT), 3, LEAD)
        self.count = COUNT  # that have to come out
        self.filter = None
        self.onlooker = None

    def speak(self, oracle):
        """Lines of text instead of MessagePack."""
        self.oracle = oracle
        self.sent = lines.messages(oracle, COUNT, 3, LEAD)
        self.count = COUNT + 1

    def start(self, *options):
        self.filter = self.stage.start(
            *options, *OPTIONS, ready=False,
            command=[rig.program("prae-filter")],
            env=rig.environment(self.stage.dir, self.fault))

    def consume(self, **how):
        Consumer(self.stage, self.good,
                 lambda f: self.oracle.inliers(f[-1]), **how)
        Consumer(self.stage, self.odd,
                 lambda f: self.oracle.flagged(f[-1]), **how)

    def produce(self, kind=Producer, **how):
        return kind(self.stage, self.input, self.oracle.ledger, self.sent,
                    **how)

    def is_over(self):
        """Whether all came out, and who looks on has seen enough."""
        return self.oracle.total() >= self.count and not (
            self.onlooker and self.onlooker.is_alive())

    def go(self):
        """Until it is over, or it ended by itself; then to its end."""
        until = time.monotonic() + PATIENCE_S
        while not (self.is_over() or self.filter.has_ended()
                   or time.monotonic() > until):
            time.sleep(0.005)
        try:
            ended = (self.filter.wait() if self.filter.has_ended()
                     else self.filter.stop())
        except Failed as error:
            return rig.Run(self.stage.dir, None, str(error))
        return rig.Run(self.stage.dir, ended.status, ended.stderr)

    def close(self):
        self.stage.close()


def bound(play):
    play.start("--in=pull:@" + play.input, "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd)
    play.consume()
    play.produce()


def connected(play):
    play.consume(bind=True)
    play.produce(bind=True)
    play.start("--in=pull:" + play.input, "--inliers=push:" + play.good,
               "--outliers=push:" + play.odd, "--tight",
               "--model=" + play.stage.path("model"))


def published(play):
    play.start("--in=sub:@" + play.input, "--topic=top", "--topic=other",
               "--inliers=pub:@" + play.good, "--outliers=pub:@" + play.odd,
               "--wait-peers=1", "--emit=now")
    play.consume(kind=zmq.SUB)
    play.produce(Publisher)


def curve(play):
    play.input = play.stage.tcp()
    play.start("--in=pull:@" + play.input, "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd, *play.keys.options())
    play.consume()
    play.produce(reconnect_ivl=50, **play.keys.client("friend"))


def client(play):
    """CURVE from the other side: the filter connects."""
    play.input = play.stage.tcp()
    public, secret = zmq.auth.load_certificate(play.keys.secret("server"))
    play.produce(bind=True, curve_server=1, curve_publickey=public,
                 curve_secretkey=secret)
    play.consume(bind=True)
    play.start("--in=pull:" + play.input, "--inliers=push:" + play.good,
               "--outliers=push:" + play.odd,
               "--curve-secret=" + play.keys.secret("friend"),
               "--curve-server=" + play.keys.public("server"))


def scored(play):
    """Every output is a socket, and two inputs."""
    rejects, scores = play.stage.ipc("rejects"), play.stage.ipc("scores")
    play.start("--in=pull:@" + play.input,
               "--in=pull:@" + play.stage.ipc("idle"),
               "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd, "--rejects=push:@" + rejects,
               "--scores=push:@" + scores)
    play.consume()
    Consumer(play.stage, rejects, lambda f: play.oracle.flagged(f[-1]))
    Consumer(play.stage, scores, lambda f: None)
    play.produce()


def jsonl(play):
    play.speak(lines.JsonOracle())
    play.start("--in=pull:@" + play.input, "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd, "--format=jsonl")
    play.consume()
    play.produce()


def csv(play):
    """Every output has a header of its own."""
    play.speak(lines.CsvOracle())
    rejects, scores = play.stage.ipc("rejects"), play.stage.ipc("scores")
    Consumer(play.stage, rejects,
             lambda f: play.oracle.flagged(f[-1], "rejects"), bind=True)
    Consumer(play.stage, scores, lambda f: None, bind=True)
    play.consume(bind=True)
    play.produce(bind=True)
    play.start("--in=pull:" + play.input, "--inliers=push:" + play.good,
               "--outliers=push:" + play.odd, "--rejects=push:" + rejects,
               "--scores=push:" + scores, "--format=csv", "--tight")


class Commander(Peer):
    """Asks for one thing after the other, answered or not; and signals."""

    def __init__(self, play, endpoint):
        self.play = play
        self.heard_last = False  # after all that was asked before
        super().__init__(play.stage, zmq.DEALER, endpoint, False,
                         {"linger": 0})

    def wrong(self, fault, ended):
        """What can be interrupted has an answer all the same, and the next."""
        if fault.is_harmless() and ended.status == 0 and not self.heard_last:
            return "commands are answered no more"
        return None

    def work(self, socket):
        # Before it listens a signal may end it.
        while not (self.ended.wait(0.005) or self.play.filter.has_ended()
                   or is_listening(self.endpoint)):
            pass
        orders = ("STATS", "PAUSE", "RESUME", "SNAPSHOT", "SET fpr 0.02",
                  "REVERT", "NONSENSE", "STATS")
        for number, order in enumerate(orders):
            if self.ended.wait(0.01) or self.play.filter.has_ended():
                return
            if number == 2:
                self.play.filter.process.send_signal(signal.SIGHUP)
            elif number == 4:
                self.play.filter.process.send_signal(signal.SIGUSR1)
            elif number == 6:
                self.play.filter.process.send_signal(signal.SIGUSR2)
            socket.send_multipart([b"", order.encode()], zmq.DONTWAIT)
            if socket.poll(100):
                socket.recv_multipart()
        while socket.poll(100):
            socket.recv_multipart()
        socket.send_multipart([b"", b"STATS"], zmq.DONTWAIT)
        until = time.monotonic() + PATIENCE_S
        while not (self.heard_last or self.ended.is_set()
                   or self.play.filter.has_ended()
                   or time.monotonic() > until):
            self.heard_last = bool(socket.poll(50))


def commanded(play):
    """--control, with all that is written besides records."""
    control = play.stage.ipc("control")
    play.start("--in=pull:@" + play.input, "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd, "--control=" + control,
               *rig.http(), "--model=" + play.stage.path("model"),
               "--save-every=2", "--report=" + play.stage.path("report.html"),
               "--log-file=" + play.stage.path("log"))
    play.consume()
    play.onlooker = Commander(play, control)
    play.produce()


def watched(play):
    """--http, and somebody who looks on while records pass."""
    play.start("--in=pull:@" + play.input, "--inliers=push:@" + play.good,
               "--outliers=push:@" + play.odd, *rig.http())
    play.consume()
    play.onlooker = Onlooker(play)
    play.produce(rate=600)


SCENES = {each.__name__: each for each in (
    bound, connected, published, curve, client, scored, jsonl, csv, commanded,
    watched)}


def wrong_flow(fault, oracle, ended):
    """What is wrong with the records, as far as the account goes. Who is not
    let in, as the answer was not sent, keeps what it has."""
    account = ended.account
    told = sum(account[name] for name in ("inliers", "outliers", "rejected"))
    try:
        wait_until(lambda: oracle.total() >= told, 3, "the last records")
    except Failed:
        return "%d records came out, the account says %d" % (oracle.total(),
                                                             told)
    found = oracle.report()
    if any(found[1:]):
        return "%r" % (found,)
    if ended.status == 0 and (oracle.total() != told or found.lost and (
            account["received"] or fault.is_harmless())):
        return "%d were lost, and status 0" % found.lost
    return None


def wrong(fault, baseline, oracle, ended):
    if ended.status is None:
        return "it hung"
    if ended.status < 0:
        return "it died of signal %d" % -ended.status
    if ended.status not in fault.statuses() | {69, 78}:
        return "status %d is wrong" % ended.status
    if ended.status == 0 and ended.failed and (
            fault.kind in (*rig.TAKES, "http_start")) and (
            not fault.is_told(ended.stderr)) and (
            not fault.may_pass(True, ended.counts.get(fault.kind, 0))):
        return "status 0 hides it"
    if fault.is_harmless() and ended.status != 0:
        return "status %d after what is harmless" % ended.status
    if ended.status != 0 and not ended.said_error():
        return "it failed and does not say why"
    if ended.account is None:
        if oracle.total() or ended.status == 0:
            return "the account is missing"
    elif not adds_up(ended.account):
        return "the account does not add up"
    for what, most in baseline.left.items():
        if ended.left.get(what, most + 1) > most:
            return "%r are left" % ended.left
    return wrong_flow(fault, oracle, ended) if ended.account else None


def play_once(scene, fault, keys, baseline=None):
    """How it ended, and what is wrong with that or None."""
    play = Play(fault, keys)
    try:
        scene(play)
        ended = play.go()
        if fault is None:
            return ended, play.oracle.report()
        found = wrong(fault, baseline, play.oracle, ended) or (
            play.onlooker and play.onlooker.wrong(fault, ended))
    finally:
        play.close()
    return ended, found


def try_fault(scene, fault, keys, baseline):
    ended, found = play_once(scene, fault, keys, baseline)
    return found and "%s: %s\n%s" % (fault.name(), found, ended.tell())


def main():
    rig.need_programs()
    if not rig.http():
        SCENES.pop("watched")
    tap = Tap()
    watchdog = Watchdog(36000 if rig.ALL else 300 * SLACK, Stage.kill_all)
    place = Stage()
    keys = Keys(place)
    baseline = {}
    for name in sys.argv[1:] or SCENES:
        baseline[name], found = play_once(SCENES[name], None, keys)
        tap.ok(baseline[name].status == 0
               and baseline[name].left.get("blocks") == 0,
               name + ": runs, and leaves no memory behind",
               baseline[name].tell())
        tap.ok(not any(found), name + ": and all records come out", found)
    campaign.run(
        tap, {name: each.counts for name, each in baseline.items()},
        lambda name, fault: try_fault(SCENES[name], fault, keys,
                                      baseline[name]), MOST, LIMIT_S, JOBS)
    place.close()
    watchdog.cancel()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
