"""chances_trouble.py - what disturbs the filter of a scene of chances.py, and
must not cost a record: signals, strangers, those who look and those who
command."""
import contextlib
import http.client
import re
import signal
import socket as sockets
import struct
import threading
import time

from desk import Desk
from peers import START_S
from raw import Raw, greeting, reach
from tap import SLACK, Failed, wait_until


def tell(play, words):
    """A command, which has to be answered."""
    desk = Desk(play.stage, play.stage.ipc("control"))
    answer = desk.ask(words, seconds=20)
    desk.close()
    if answer is None:
        raise Failed("no answer to " + words)


class Trouble(threading.Thread):
    """Until all of it has happened, or the play is over."""

    def __init__(self, play):
        super().__init__(daemon=True)
        self.play = play
        self.scene = play.scene
        self.filter = play.filter
        self.start()

    def run(self):
        began = time.monotonic()
        ways = {"signal": self.signal, "stop": self.pause, "http": self.poll,
                "knock": self.knock,
                "control": lambda words: tell(self.play, words)}
        for at, what, how in self.scene.disturbances:
            if self.play.over.wait(max(0.0, began + at - time.monotonic())):
                return
            try:
                ways[what](how)
            except (Failed, OSError, EOFError) as error:
                self.play.wrong.append("%s %r: %s" % (what, how, error))

    def signal(self, name):
        self.filter.send(getattr(signal, name))

    def pause(self, seconds):
        self.filter.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.filter.send(signal.SIGCONT)

    def poll(self, page):
        if not any("--http" in each for each in self.filter.command):
            return
        found = wait_until(lambda: re.search(
            r"http://127\.0\.0\.1:(\d+)", self.filter.stderr()), START_S,
            "the port of --http")
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(found.group(1)), timeout=20 * SLACK)
        connection.request("GET", page)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status not in (200, 503, 404):
            raise Failed("status %d" % answer.status)

    def knock(self, how):
        """Strangers who connect, and go without a word or with some."""
        kind, times, which = how
        ends = [each for each in (*self.scene.inputs,
                                  *self.scene.outputs.values())
                if each.net and each.bind]
        if not ends:
            return
        end = ends[int(which * len(ends))]
        for _ in range(times):
            # Hung up on, or nobody there yet: as strangers find it.
            with contextlib.suppress(OSError, EOFError):
                self.knock_once(kind, end)

    def knock_once(self, kind, end):
        if kind == "unfit" and not (self.play.keys and end.net == "tcp"):
            # A push is no peer of a push, nor a sub that wants nothing.
            raw = Raw(self.play.where(end),
                      b"SUB" if end.kind in ("pub", "pull")
                      else b"PUSH")
            time.sleep(0.01)
            raw.close()
            return
        sock = reach(self.play.where(end))
        with sock:
            if kind == "noise":
                sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
                time.sleep(0.01)
            elif kind == "half":
                sock.sendall(greeting()[:11])
                time.sleep(0.03)
            elif kind == "greet":
                sock.sendall(greeting(b"CURVE" if self.play.keys
                                      and end.net == "tcp" else b"NULL"))
                time.sleep(0.03)
            elif kind == "reset":
                sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER,
                                struct.pack("ii", 1, 0))
