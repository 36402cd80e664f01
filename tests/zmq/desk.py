"""desk.py - somebody who tells a filter what to do, over --control."""
import json
import os
import random
import subprocess
import time

import zmq

from peers import FIELDS, is_listening, program
from oracle import Records, mark, msgpack
from tap import SLACK, wait_until
from traffic import Feed, Pipe, messages

WINDOW = 128
USUAL = ("--window=%d" % WINDOW, FIELDS, "--context=off", "--smooth=off")


PRAECTL = os.path.join(os.path.dirname(program()), "praectl")


def tell(*words):
    """praectl with WORDS, when it has ended."""
    return subprocess.run(
        [PRAECTL, *words],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
        check=False, text=True)


class Desk:
    """Somebody who asks. One that gets no answer says None."""

    def __init__(self, stage, endpoint, **options):
        self.socket = stage.context.socket(zmq.REQ)
        self.socket.linger = 0
        self.socket.req_relaxed = 1
        self.socket.req_correlate = 1
        for name, value in options.items():
            setattr(self.socket, name, value)
        self.socket.connect(endpoint)

    def ask(self, *frames, seconds=10):
        self.socket.send_multipart(
            [f if isinstance(f, bytes) else f.encode() for f in frames])
        if not self.socket.poll(1000 * seconds * SLACK):
            return None
        word, *rest = self.socket.recv_multipart()
        return word.decode(), *(text.decode() for text in rest)

    def does(self, *frames):
        answer = self.ask(*frames)
        if answer is None or answer[0] != "OK":
            raise AssertionError("%r: %r" % (frames, answer))
        return answer[1]

    def stats(self):
        return json.loads(self.does("STATS"))

    def close(self):
        self.socket.close(0)


class Steered(Pipe):
    """A pipe whose filter can be told."""

    def __init__(self, stage, *options, **how):
        self.at = stage.ipc("control")
        super().__init__(stage, "--control=@" + self.at, *options, **how)
        wait_until(lambda: is_listening(self.at), 15, "the control endpoint")
        self.desk = Desk(stage, self.at)
        self.feed = Feed()
        self.producer = self.produce(self.feed)
        self.sent = 0

    def pass_on(self, records):
        """Sends RECORDS and waits until they are out."""
        self.sent += len(records)
        for message in messages(records, WINDOW):
            self.feed.put(message)
        wait_until(lambda: self.ledger.count >= self.sent, 20, "all sent")
        self.wait_all()

    def learn(self, maker, windows):
        """The same, of WINDOWS windows, none of which comes too fast to be
        learned."""
        for _ in range(windows):
            before = self.desk.stats()["training"]["count"]
            self.pass_on(maker.some(WINDOW))
            until = time.monotonic() + 0.3 * SLACK
            while (self.desk.stats()["training"]["count"] == before
                   and time.monotonic() < until):
                time.sleep(0.002)

    def wait_saved(self, path, before=None):
        wait_until(lambda: os.path.exists(path)
                   and os.stat(path).st_mtime_ns != before, 20, "a snapshot")
        # It is there a moment before the worker says so.
        wait_until(lambda: self.desk.ask("REVERT", "98")[1].find("being") < 0,
                   10, "the snapshot to be over")

    def snapshot(self, path):
        before = (os.stat(path).st_mtime_ns if os.path.exists(path)
                  else None)
        self.desk.does("SNAPSHOT")
        self.wait_saved(path, before)
        with open(path, "rb") as file:
            return file.read()


class Poison(Records):
    """Records that hang together in another way."""

    def one(self, size=0):
        fields = msgpack.unpackb(super().one(size))
        number = fields["i"]
        draw = random.Random(number)
        u = draw.gauss(0, 1)
        values = {"a": 40 + u, "b": -40 - u, "c": 40 - u, "d": -90 + u}
        return msgpack.packb({"i": number, "h": mark(number, values),
                              **values})


def switch(maker, kind):
    """MAKER's numbers go on, but as KIND makes them."""
    made = kind(source=0)
    made.next, made.draw = maker.next, maker.draw
    return made
