"""chances_scene.py - plays a scene of chances.py: starts the filter and those
around it, waits for the end that was drawn, and asks it to stop."""
import contextlib
import os
import random
import re
import signal
import socket as sockets
import subprocess
import threading
import time

from peers import (FIELDS, START_S, Stage, adds_up, is_listening,
                   preloaded, program, zmq)
from chances_peers import Keys, Reading, Sending
from chances_records import FORMATS, compose_file
from chances_trouble import Trouble, tell
from tap import SLACK, Failed, wait_until

HELD_S = 3  # that senders have, where nobody reads
PATIENCE_S = 15 * SLACK  # without any progress: what has not come is lost
PORTS = range(12000, 32000)  # none that the system gives to who connects

# What it was built without is left out of scenes.
HTTP = "libmicrohttpd" in subprocess.run(
    [program(), "--version"], capture_output=True, text=True,
    check=False).stdout
CURVE = zmq.has("curve")


class Void(Exception):
    """Somebody else has our port: the scene says nothing."""


def free_port(draw, taken):
    while True:
        port = draw.choice(PORTS)
        if port in taken:
            continue
        with sockets.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Play:
    """A scene while it is played. JUDGE is told of all that comes out."""

    def __init__(self, scene, judge_type, plant=None):
        self.scene = scene
        self.stage = Stage()
        self.form = FORMATS[scene.format]
        self.ledger = self.form.ledger()
        self.judge = judge_type(self)
        self.planted = plant
        self.patience_s = 3 if plant else PATIENCE_S
        self.over = threading.Event()
        self.ports = self.find_ports()
        self.keys = Keys(self.stage) if scene.curve and CURVE else None
        self.filter = None
        self.ended = None
        self.took_s = 0.0
        self.sendings, self.readings, self.writers = [], [], []
        self.wrong = []  # what was seen on the way

    # ---- addresses ----

    def find_ports(self):
        """By the names of inputs and outputs, before anybody asks. They are
        not a matter of the seed: somebody else may have them."""
        draw, ports = random.Random(), {}
        for end in (*self.scene.inputs, *self.scene.outputs.values()):
            if end.net == "tcp" and end.name != self.scene.wildcard:
                ports[end.name] = free_port(draw, ports.values())
        return ports

    def where(self, end):
        """The endpoint of an input or an output."""
        if end.net == "ipc":
            return self.stage.ipc(end.name)
        return "tcp://127.0.0.1:%s" % self.ports.get(end.name, "*")

    def learn_port(self):
        """The one that the filter was to choose."""
        fixed = set(self.ports.values())

        def others():
            return [int(port) for port in re.findall(
                r"bound tcp://\S*:(\d+)\n", self.filter.stderr())
                if int(port) not in fixed]
        self.ports[self.scene.wildcard] = wait_until(others, START_S,
                                                     "the port")[0]

    def security(self, end, bind):
        if self.keys is None or end.net != "tcp":
            return {}
        return self.keys.server if bind else self.keys.client

    def attach(self, socket, end, bind):
        for name, value in self.security(end, bind).items():
            setattr(socket, name, value)
        if not bind:
            socket.connect(self.where(end))
            return
        until = time.monotonic() + 10
        while True:
            try:
                socket.bind(self.where(end))
                return
            except zmq.ZMQError as error:
                if time.monotonic() > until:
                    raise Void("cannot bind: %s" % error) from None
                time.sleep(0.02)

    # ---- the filter ----

    def spec(self, end):
        if end.kind in ("file", "fifo"):
            return self.stage.path(end.name)
        if end.kind == "null":
            return "null:"
        return "%s:%s%s" % (end.kind, "@" if end.bind else "",
                            self.where(end))

    def command(self):
        scene = self.scene
        options = ["-v", "--format=" + scene.format, FIELDS, *scene.options]
        options += ["--in=" + self.spec(each) for each in scene.inputs]
        topics = {topic for each in scene.inputs for topic in each.topics}
        options += ["--topic=" + each.decode() for each in sorted(topics)]
        options += ["--%s=%s" % (name, self.spec(each))
                    for name, each in scene.outputs.items()
                    if each.kind not in ("none", "stdout")]
        if self.keys:
            options += self.keys.options
        if scene.model:
            options.append("--model=" + self.stage.path("model"))
        if scene.http and HTTP:
            options.append("--http=127.0.0.1:0")
        if scene.control:
            options.append("--control=" + self.stage.ipc("control"))
        return options

    def environment(self):
        """Where there is no compiler it is as quick as it can be."""
        drag = self.scene.drag
        if drag is None:
            return None
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            return preloaded(self.stage, drag.name, **{drag.env: str(drag.ms)})
        return None

    def start_filter(self):
        stdout = None
        if self.scene.outputs["inliers"].kind == "stdout":
            stdout = open(self.stage.path("stdout"), "wb")
        options = self.command()
        with contextlib.ExitStack() as stack:
            if stdout:
                stack.enter_context(stdout)
            started = self.stage.start(*options, ready=False, stdout=stdout,
                                       env=self.environment())
        try:
            started.wait_ready()
        except Failed:
            if started.process.poll() == 69:
                raise Void("a port was taken") from None
            raise
        self.filter = started
        if self.scene.wildcard:
            self.learn_port()
        if self.scene.control:
            wait_until(lambda: is_listening(self.stage.ipc("control")),
                       START_S, "the control endpoint")

    def start_senders(self):
        self.sendings = [Sending(self, each) for each in self.scene.senders]

    def start_readers(self):
        for output in self.scene.outputs.values():
            self.readings += [Reading(self, output, each, number)
                              for number, each in enumerate(output.readers)]

    # ---- files ----

    def make_files(self):
        """Before the filter, which opens them."""
        source = sum(len(each.visits) for each in self.scene.senders)
        for each in self.scene.inputs:
            if each.kind not in ("file", "fifo"):
                continue
            header, records = compose_file(self.scene, source, each.count)
            for record in records:
                self.ledger.add(record)
            path = self.stage.path(each.name)
            if each.kind == "fifo":
                os.mkfifo(path)
            writer = threading.Thread(target=self.write, daemon=True,
                                      args=(path, header, records))
            writer.start()
            if each.kind == "file":
                writer.join()
            self.writers.append(writer)

    @staticmethod
    def write(path, header, records):
        draw = random.Random(len(records))
        with open(path, "wb") as file:
            file.write(header)
            for record in records:
                file.write(record)
                if draw.random() < 0.02:
                    file.flush()
                    time.sleep(0.02)

    # ---- the play ----

    def play(self):
        scene = self.scene
        self.make_files()
        steps = {"filter": self.start_filter, "senders": self.start_senders,
                 "readers": self.start_readers}
        for step in scene.order:
            steps[step]()
        meanwhile = Trouble(self)
        ways = {"out": self.wait_out, "received": self.wait_received,
                "handed": self.wait_handed, "dragged": self.wait_handed,
                "swept": self.wait_held, "amid": self.wait_a_while,
                "flooded": self.wait_a_while, "stuck": self.wait_stuck}
        try:
            ways[scene.end]()
        except Failed as error:
            self.wrong.append(str(error))
        meanwhile.join(60 * SLACK)
        time.sleep(scene.stop_late)
        self.stop()
        self.end()

    def progress(self):
        return self.judge.total() + self.ledger.count

    def wait_for(self, condition, what, every=0.02):
        """As long as something goes on."""
        last, since = self.progress(), time.monotonic()
        while not condition():
            if self.filter.has_ended():
                raise Failed("the filter ended by itself")
            for each in self.sendings:
                if each.error:
                    raise each.error
            if self.progress() != last:
                last, since = self.progress(), time.monotonic()
            if time.monotonic() > since + self.patience_s:
                raise Failed("waited in vain for %s: %d sent, %d came, %r" % (
                    what, self.ledger.count, self.judge.total(),
                    self.filter.counters()))
            time.sleep(every)

    def wait_sent(self):
        self.wait_for(lambda: all(each.sent.is_set()
                                  for each in self.sendings),
                      "all to be sent")

    def told(self):
        account = self.filter.counters()
        if not adds_up(account):
            self.wrong.append("it does not add up: %r" % account)
        return account

    def is_out(self):
        if self.judge.sees_all:
            return self.judge.total() >= self.ledger.count
        account = self.told()
        return (account["received"] >= self.ledger.count
                and account.get("held", 0) == 0)

    def wait_out(self):
        self.wait_sent()
        self.wait_for(self.is_out, "all to come out")

    def wait_received(self):
        self.wait_sent()
        self.wait_for(lambda: self.told()["received"] >= self.ledger.count,
                      "all to be received", 0.05)

    def wait_handed(self):
        self.wait_for(lambda: not any(each.is_alive()
                                      for each in self.sendings),
                      "the senders to go")

    def stall(self):
        for each in self.readings:
            if each.peer is not None:
                each.stop()

    def wait_held(self):
        """The senders go, though nobody reads; if they can."""
        self.stall()
        until = time.monotonic() + HELD_S * SLACK
        while (any(each.is_alive() for each in self.sendings)
               and time.monotonic() < until):
            time.sleep(0.02)
        if time.monotonic() >= until:
            self.resume()
        self.wait_handed()

    def resume(self):
        for each in self.readings:
            each.go_on()

    def wait_a_while(self):
        time.sleep(self.scene.stop_at * SLACK)

    def wait_stuck(self):
        time.sleep(self.scene.stop_at * SLACK)
        for each in self.readings:
            if each.reader.pace == "stuck" and each.peer is not None:
                each.stop()
        time.sleep(self.scene.stop_at * SLACK)

    def stop(self):
        if self.scene.end == "flooded":
            self.before = self.told()["received"]
        start = time.monotonic()
        if self.scene.stop_by == "STOP":
            tell(self, "STOP")
        else:
            self.filter.send(getattr(signal, self.scene.stop_by))
        if self.scene.end == "swept":
            time.sleep(self.scene.read_at * self.scene.drain)
            self.resume()
        if self.scene.asleep:
            after_s, for_s = self.scene.asleep
            time.sleep(after_s)
            self.filter.send(signal.SIGSTOP)
            time.sleep(for_s)
            self.filter.send(signal.SIGCONT)
        self.ended = self.filter.wait(self.scene.drain + 30)
        self.took_s = time.monotonic() - start

    def end(self):
        """All who read have what they can get, and nobody sends."""
        for each in self.sendings:
            (each.leave if self.scene.is_whole else each.enough).set()
        self.over.set()
        for each in self.readings:
            each.hurry()
        since, last = time.monotonic(), -1
        quiet_s = (2 if not self.planted else 0.5) * SLACK
        while (not self.judge.has_all(self.ended.account)
               and time.monotonic() < since + quiet_s):
            if self.judge.total() != last:
                last, since = self.judge.total(), time.monotonic()
            time.sleep(0.01)
        for each in self.sendings:
            each.enough.set()
            each.join(10)

    def close(self):
        for each in self.sendings:
            each.enough.set()
        self.over.set()
        for each in self.readings:
            each.thread.join(10)
        self.stage.close()
