#!/usr/bin/env python3
"""service.py - what a service manager is told, and what is done in time
although nothing comes: signs of life, and snapshots."""
import os
import signal
import socket
import time

from peers import Stage, zmq
from oracle import Records
from tap import SLACK, main, wait_until
from traffic import Peer, Pipe, messages
from doors import SMALL


class Manager:
    """Listens where NOTIFY_SOCKET says, and keeps what it heard, and when."""

    def __init__(self, stage):
        self.path = stage.path("manager")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.setblocking(False)
        self.heard = []

    def listen(self):
        while True:
            try:
                text = self.socket.recv(4096).decode()
            except BlockingIOError:
                return self.heard
            self.heard += [(time.monotonic(), word)
                           for word in text.splitlines()]

    def words(self):
        return [word for _, word in self.listen()]

    def listen_for(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.listen()
            time.sleep(0.01)


def case_watchdog(tap, stage):
    """An idle filter shows that it lives, twice as often as it has to."""
    manager = Manager(stage)
    every = 0.5 * SLACK
    pipe = Pipe(stage, *SMALL, env={
        "NOTIFY_SOCKET": manager.path,
        "WATCHDOG_USEC": "%d" % (1e6 * every)})
    wait_until(lambda: "READY=1" in manager.words(), 10, "READY=1")
    manager.listen_for(6 * every)
    signs = [at for at, word in manager.heard if word == "WATCHDOG=1"]
    gaps = sorted(b - a for a, b in zip(signs, signs[1:]))
    tap.ok(len(signs) >= 8, "an idle filter shows that it lives", len(signs))
    # On a busy machine one or the other is late, or heard of late.
    tap.ok(gaps and gaps[len(gaps) // 2] < 0.75 * every,
           "in good time for the manager", gaps)
    pipe.filter.send(signal.SIGTERM)
    pipe.filter.wait()
    tap.ok("STOPPING=1" in manager.words(), "and that it is about to end",
           manager.words()[-3:])


class Flood(Peer):
    """Binds, and sends DATA for as long as somebody takes it."""

    def __init__(self, stage, endpoint, data):
        self.data = data
        super().__init__(stage, zmq.PUSH, endpoint, True,
                         {"sndhwm": 5, "linger": 0})

    def work(self, socket):
        while not self.ended.is_set():
            try:
                socket.send(self.data, zmq.DONTWAIT, copy=False)
            except zmq.Again:
                socket.poll(20, zmq.POLLOUT)


def case_sweep(tap, stage):
    """It shows so, too, while it takes what comes to the end from somebody
    whom it cannot cut off; and does not take all of that."""
    manager, where = Manager(stage), stage.ipc("in")
    filter_ = stage.start(
        "--in=pull:" + where, "--inliers=push:@" + stage.ipc("nobody"),
        "--hwm=10", "--drain=10s", *SMALL, "--max-wait=never", env={
            "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"})
    flood = Flood(stage, where, Records().some(1, 1 << 18)[0])
    filter_.wait_received(16)
    time.sleep(0.5)
    before = filter_.counters()["received"]
    manager.listen()
    filter_.send(signal.SIGTERM)
    since = time.monotonic()
    manager.listen_for(6.5)
    came = filter_.counters()["received"] - before
    # From half of --drain on, for a twentieth of it.
    signs = sum(word == "WATCHDOG=1" and 5.03 < at - since < 5.5
                for at, word in manager.heard)
    tap.ok(signs >= 2, "it lives while inputs are swept", signs)
    # Up to 64 MiB of what is on its way, and a queue.
    tap.ok(0 < came <= 4 * 64 + 2 * 10, "what waits then has an end",
           "%d of 256 KiB" % came)
    flood.end()
    filter_.stop()


def case_not_ours(tap, stage):
    """A watchdog that was set for another process."""
    manager = Manager(stage)
    pipe = Pipe(stage, *SMALL, env={
        "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000",
        "WATCHDOG_PID": "1"})
    wait_until(lambda: "READY=1" in manager.words(), 10, "READY=1")
    manager.listen_for(0.5)
    tap.ok("WATCHDOG=1" not in manager.words(),
           "somebody else's watchdog is not fed")
    pipe.filter.stop()


def case_save_every(tap, stage):
    """What was learned is saved in time, although nothing more comes."""
    model = stage.path("model")
    pipe = Pipe(stage, *SMALL, "--model=" + model, "--save-every=1s")
    pipe.produce(messages(Records().some(64))).wait_sent()
    pipe.wait_all()
    wait_until(lambda: os.path.exists(model), 20, "a snapshot")
    before = os.stat(model)
    tap.ok(before.st_size > 0, "a snapshot is there before it ends")
    pipe.produce(messages(Records(source=1).some(64))).wait_sent()
    pipe.wait_all()
    wait_until(lambda: os.stat(model).st_ino != before.st_ino, 20,
               "another snapshot")
    tap.ok(True, "and another one, after more was learned")
    pipe.check(tap, "saved in time")


main(Stage, [case_watchdog, case_sweep, case_not_ours, case_save_every], 60)
