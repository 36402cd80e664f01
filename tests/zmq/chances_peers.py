"""chances_peers.py - those who send to and receive from the filter of a scene
of chances.py.

They must not lose anything themselves. A sender that leaves has a context of
its own, whose end says that all is with the kernel; one that publishes waits
for the subscriptions first; a reader stays until all is over.
"""
import os
import signal
import subprocess
import threading

from peers import zmq
from chances_records import compose
from collector import Collector
from desk import PRAECTL
from tap import SLACK
from traffic import Consumer

import zmq.auth

LINGER_MS = 120000  # where all has to arrive
SLOW_S = 0.002  # after each message


class Keys:
    """The filter's pair and that of all others."""

    def __init__(self, stage):
        self.allow = stage.path("allow")
        os.mkdir(self.allow)
        self.ours, self.theirs = stage.path("our.key"), stage.path("their.key")
        for path in (self.ours, self.theirs):
            subprocess.run([PRAECTL, "keygen", path], check=True,
                           capture_output=True)
        os.link(self.theirs, os.path.join(self.allow, "their.key"))
        self.options = ("--curve-secret=" + self.ours + "_secret",
                        "--curve-allow=" + self.allow,
                        "--curve-server=" + self.theirs)
        public, secret = zmq.auth.load_certificate(self.theirs + "_secret")
        self.pair = {"curve_publickey": public, "curve_secretkey": secret}
        self.client = {**self.pair, "curve_serverkey":
                       zmq.auth.load_certificate(self.ours)[0]}
        self.server = {**self.pair, "curve_server": True}


class Sending(threading.Thread):
    """Somebody who sends, visit after visit."""

    def __init__(self, play, sender):
        super().__init__(daemon=True)
        self.play = play
        self.input = play.scene.inputs[int(sender.input[2:])]
        self.visits = sender.visits
        self.enough = threading.Event()  # stop where you are
        self.leave = threading.Event()  # all has come out
        self.sent = threading.Event()
        self.error = None
        self.messages = 0
        self.start()

    def run(self):
        try:
            for visit in self.visits:
                self.enough.wait(visit.after)
                if self.enough.is_set():
                    break
                self.visit(visit, visit is self.visits[-1])
        except Exception as error:  # told by whoever waits for it
            self.error = error
        finally:
            self.sent.set()

    def visit(self, visit, is_last):
        context = zmq.Context()
        socket = context.socket(zmq.PUSH if self.input.kind == "pull"
                                else zmq.XPUB)
        try:
            socket.sndhwm = visit.hwm
            socket.linger = LINGER_MS if self.play.scene.is_whole else 500
            socket.reconnect_ivl = 20
            if self.input.kind == "sub":
                socket.xpub_nodrop = 1
            self.play.attach(socket, self.input, not self.input.bind)
            self.hear(socket)
            self.send_all(socket, visit)
            if is_last and visit.stays and not self.enough.is_set():
                self.sent.set()
                while not (self.leave.is_set() or self.enough.is_set()):
                    self.leave.wait(0.02)
            if self.enough.is_set() or self.leave.is_set():
                socket.linger = 0
        finally:
            if self.enough.is_set():
                socket.linger = 0
            socket.close()
            context.term()

    def hear(self, socket):
        """What is published before all subscriptions are there is gone."""
        wanted = max(len(self.input.topics), 1) \
            if self.input.kind == "sub" else 0
        while wanted and not self.enough.is_set():
            if socket.poll(20):
                wanted -= socket.recv()[:1] == b"\1"

    def send_all(self, socket, visit):
        for number, message in enumerate(compose(self.play.scene, visit)):
            if visit.pause and number % visit.every == 0:
                self.enough.wait(visit.pause)
            if visit.others and number % 3 == 0:
                self.send(socket, [b"zz", b"nobody asked for this"])
            self.play.ledger.add_message(message)
            last = b"".join(message.records) + (message.odd or b"")
            if not self.send(socket, [*message.lead, last]):
                self.play.ledger.take_back(message)
                return
            self.messages += 1

    def send(self, socket, frames):
        while not self.enough.is_set():
            try:
                socket.send_multipart(frames, zmq.DONTWAIT)
                return True
            except zmq.Again:
                socket.poll(20, zmq.POLLOUT)
        return False


class Reading:
    """Somebody who receives from OUTPUT, and what he has of it."""

    def __init__(self, play, output, reader, number):
        self.play = play
        self.output = output
        self.reader = reader
        self.name = "%s%d" % (output.name, number)
        self.leads = (output.kind, reader.pace) != ("push", "process")
        self.count = 0  # messages
        self.kept = None
        self.peer = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        """Comes, and stops now and then; `over` ends that."""
        over = self.play.over
        if self.reader.pace == "nobody" or over.wait(self.reader.after):
            return
        if self.reader.pace == "process":
            at = ("" if self.output.bind else "@") + self.play.where(
                self.output)
            self.peer = Collector(self.play.stage, at,
                                  lambda data: self.take([data]),
                                  self.reader.hwm)
        else:
            # A subscription that nobody is there for any more would linger.
            how = dict(self.play.security(self.output, not self.output.bind),
                       reconnect_ivl=20, linger=0)
            if self.reader.rcvbuf:
                how["rcvbuf"] = self.reader.rcvbuf
            self.peer = Consumer(
                self.play.stage, self.play.where(self.output), self.take,
                bind=not self.output.bind, hwm=self.reader.hwm,
                kind=zmq.SUB if self.output.kind == "pub" else zmq.PULL,
                pause_s=SLOW_S if self.reader.pace == "slow" else 0, **how)
        for after, lasts in self.reader.stops:
            if not over.wait(after):
                self.stop()
                over.wait(lasts)
                self.go_on()

    def stop(self):
        if isinstance(self.peer, Collector):
            self.peer.send(signal.SIGSTOP)
        else:
            self.peer.stall()

    def go_on(self):
        if isinstance(self.peer, Collector):
            self.peer.send(signal.SIGCONT)
        elif self.peer is not None:
            self.peer.resume()

    def hurry(self):
        """Nobody waits for what is slow any more."""
        self.thread.join(30 * SLACK)
        self.go_on()
        if isinstance(self.peer, Consumer):
            self.peer.pause_s = 0

    def take(self, frames):
        self.count += 1
        for each in self.slip(frames):
            self.play.judge.take(self, each)

    def slip(self, frames):
        """What a reader makes of a message who is planted to be found out."""
        plant = self.play.planted
        if plant is None or self.name != "inliers0":
            return [frames]
        if plant == "swap" and self.count == 5:
            self.kept = frames
            return []
        if plant == "swap" and self.count == 15:
            return [frames, self.kept]
        if self.count != 5:
            return [frames]
        last = bytearray(frames[-1])
        last[len(last) // 2] ^= 1
        return {"lose": [], "double": [frames, frames],
                "alter": [[*frames[:-1], bytes(last)]]}.get(plant, [frames])
