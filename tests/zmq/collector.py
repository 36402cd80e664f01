#!/usr/bin/env python3
"""collector.py - a consumer that is a process of its own, so that it can be
stopped and killed as processes are.

    collector.py [@]ENDPOINT HWM

reads a PULL socket, bound where there is an @, and writes the last frame of
each message to standard output with its length before it. Collector, in the
test, starts it and reads that: what was written survives a kill.
"""
import os
import struct
import subprocess
import sys
import threading

import peers
from peers import Stage, zmq
from tap import wait_until

HEAD = struct.Struct("<I")


def collect(where, hwm):
    socket = zmq.Context().socket(zmq.PULL)
    socket.rcvhwm = hwm
    socket.rcvbuf = 8192
    if where.startswith("@"):
        socket.bind(where[1:])
    else:
        socket.connect(where)
    output = sys.stdout.fileno()  # unbuffered
    os.write(output, HEAD.pack(0))  # says that it is ready
    while True:
        last = socket.recv_multipart()[-1]
        data = HEAD.pack(len(last)) + last
        while data:
            data = data[os.write(output, data):]


class Collector:
    def __init__(self, stage, where, take, hwm=100):
        self.where = where
        self.take = take
        self.hwm = hwm
        self.count = 0  # messages, and one that says it is ready
        self.command = ["collector", where]
        self.process = None
        stage.filters.append(self)  # to be killed with the stage
        self.start()

    def start(self):
        """Also once more after kill()."""
        self.count = 0
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(peers.HERE, "collector.py"),
             self.where, str(self.hwm)], stdout=subprocess.PIPE)
        Stage.live.add(self.process)
        self.reader = threading.Thread(target=self.read, daemon=True,
                                       args=(self.process.stdout,))
        self.reader.start()
        wait_until(lambda: self.count, peers.START_S, "a collector")

    def read(self, pipe):
        """A message that a kill cut short is none."""
        while True:
            head = pipe.read(HEAD.size)
            if len(head) < HEAD.size:
                return
            size = HEAD.unpack(head)[0]
            data = pipe.read(size)
            if len(data) < size:
                return
            if size:
                self.take(data)
            self.count += 1

    def send(self, number):
        self.process.send_signal(number)

    def stderr(self):
        return ""

    def kill(self):
        """Returns when all it had written was taken."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(10)
        self.process.stdout.close()
        Stage.live.discard(self.process)


if __name__ == "__main__":
    collect(sys.argv[1], int(sys.argv[2]))
