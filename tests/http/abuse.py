#!/usr/bin/env python3
"""abuse.py - whatever is sent to the port, records go their way, memory stays
where it is, and who asks politely is answered again."""
import contextlib
import ctypes
import os
import socket
import threading
import time

from watcher import Watcher
from peers import FIELDS, Stage
from oracle import Records
from tap import SLACK, main, wait_until
from traffic import Pipe, endless

SMALL = ("--window=64", FIELDS, "--max-wait=300ms", "--http=0")
# The sanitizers keep what was freed, up to 256 MiB.
GROWTH_MIB = 16 if SLACK == 1 else 400
MOST_PER_PEER = 16  # connections


def dial(watcher):
    sock = socket.create_connection((watcher.host, watcher.port), 5 * SLACK)
    sock.settimeout(2 * SLACK)
    return sock


def send(watcher, data, seconds=2.0):
    """Sends DATA and reads to the end, or until nothing comes any more."""
    got = b""
    with contextlib.suppress(OSError), dial(watcher) as sock:
        with contextlib.suppress(OSError):
            sock.sendall(data)
        sock.settimeout(seconds)
        while True:
            block = sock.recv(65536)
            if not block:
                break
            got += block
    return got


def slow(watcher):
    """Two hundred who begin and do not end."""
    socks = []
    for i in range(200):
        with contextlib.suppress(OSError):
            sock = dial(watcher)
            sock.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: "[:i])
            socks.append(sock)
    for _ in range(10):
        for sock in socks:
            with contextlib.suppress(OSError):
                sock.send(b"x")
        time.sleep(0.1)
    for sock in socks:
        sock.close()


def deaf(watcher):
    """Some who ask for much and read nothing."""
    socks = []
    for _ in range(40):
        with contextlib.suppress(OSError):
            sock = dial(watcher)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.send(b"GET /stats.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      * 50)
            socks.append(sock)
    time.sleep(1)
    for sock in socks:
        sock.close()


def garbage(watcher):
    for seed in range(50):
        send(watcher, bytes((seed * 7 + i * i) % 256 for i in range(2000)),
             seconds=0.02)
    for data in (b"\0" * 100000, b"\r\n" * 50000, b"GET", b"GET / HTTP/9.9\r\n",
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 100,
                 b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
                 b"GET /%00%ff%zz HTTP/1.1\r\nHost: localhost\r\n"
                 b"Connection: close\r\n\r\n"):
        send(watcher, data, seconds=0.1)


def heads(watcher):
    """Heads of megabytes, in one line and in many."""
    start = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
    for data in (start + b"X: " + b"y" * 4000000 + b"\r\n\r\n",
                 start + b"X: y\r\n" * 500000 + b"\r\n",
                 b"GET /" + b"a" * 4000000 + b" HTTP/1.1\r\n\r\n",
                 b"GET /?" + b"a&" * 1000000 + b" HTTP/1.1\r\n\r\n",
                 b"A" * 4000000 + b" / HTTP/1.1\r\n\r\n"):
        for _ in range(3):
            send(watcher, data)


def bodies(watcher):
    """Bodies that are announced, endless, or a lie."""
    start = b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n"
    for head in (b"Content-Length: 100000000\r\n\r\n",
                 b"Content-Length: 99999999999999999999999\r\n\r\n",
                 b"Content-Length: -1\r\n\r\n",
                 b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"):
        for _ in range(5):
            send(watcher, start + head + b"z" * 1000000)


def hurry(watcher):
    """As many requests as one can make."""
    limit = time.monotonic() + 2
    while time.monotonic() < limit:
        for path in ("/metrics", "/stats.json", "/readyz"):
            with contextlib.suppress(OSError):
                watcher.status(path)


def case_abuse(tap, stage):
    pipe = Pipe(stage, *SMALL)
    watcher = Watcher(pipe.filter)
    enough = threading.Event()
    producer = pipe.produce(endless(Records(), enough, 5), rate=3000)
    wait_until(lambda: watcher.status("/readyz") == 200, 20, "a start")
    watcher.facts()
    rss, files = pipe.filter.rss_mib(), pipe.filter.descriptors()
    for harm in (slow, deaf, garbage, heads, bodies, hurry):
        before = pipe.oracle.total()
        harm(watcher)
        # Connections may be left in the queue of those to be accepted.
        wait_until(lambda: answers(watcher), 30, "an answer")
        # Some harm is over before the next window is full.
        wait_until(lambda was=before: pipe.oracle.total() > was, 2,
                   harm.__name__ + ": records to go on")
        tap.ok(True, harm.__name__ + ": records go on")
        grown = pipe.filter.rss_mib() - rss
        tap.ok(grown < GROWTH_MIB, harm.__name__ + ": memory stays",
               "it grew by %.1f MiB" % grown)
    wait_until(lambda: pipe.filter.descriptors() <= files + 2, 30,
               "connections to be closed")
    enough.set()
    producer.wait_sent()
    pipe.wait_all()
    pipe.check(tap, "abused")


def answers(watcher):
    try:
        return watcher.metrics().adds_up()
    except OSError:
        return False


class Held:
    """A process whose first thread, which moves records, stands still; its
    others go on. Not everywhere may processes be traced."""

    SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17

    def __init__(self, process):
        self.pid = process.pid
        self.libc = ctypes.CDLL(None)
        self.libc.ptrace.argtypes = [ctypes.c_long] * 4
        self.libc.ptrace.restype = ctypes.c_long
        self.stands = self.ask(self.SEIZE) and self.ask(self.INTERRUPT)
        if self.stands:
            os.waitpid(self.pid, 0)

    def ask(self, request):
        return self.libc.ptrace(request, self.pid, 0, 0) == 0

    def release(self):
        self.ask(self.DETACH)


def case_idle(tap, stage):
    """42: a hundred who connect and say nothing, while records stand still:
    both are known within 10 s."""
    pipe = Pipe(stage, *SMALL)
    watcher = Watcher(pipe.filter)
    time.sleep(0.5 * SLACK)  # its readers come
    files = pipe.filter.descriptors()
    socks = [dial(watcher) for _ in range(100)]
    wait_until(lambda: pipe.filter.descriptors() > files, 5,
               "some to be let in")
    time.sleep(0.5 * SLACK)
    more = pipe.filter.descriptors() - files
    tap.ok(more <= MOST_PER_PEER, "42: of a hundred some are kept", more)
    held = Held(pipe.filter.process)
    wait_until(lambda: pipe.filter.descriptors() <= files, 15,
               "idle connections to be closed")
    tap.ok(True, "42: and those not for long")
    for sock in socks:
        sock.close()
    if held.stands:
        wait_until(lambda: watcher.status("/healthz") == 503, 5,
                   "/healthz to tell that nothing moves")
        tap.ok(True, "/healthz tells that nothing moves")
        held.release()
    else:
        tap.skip("/healthz tells that nothing moves", "no ptrace")
    wait_until(lambda: watcher.status("/healthz") == 200, 5, "it to go on")
    tap.ok(True, "and that it does")


def case_head(tap, stage):
    """42: a head that is no more than somewhat too long."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    got = send(watcher, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
               + b"y" * 20000 + b"\r\n\r\n")
    tap.ok(got.startswith(b"HTTP/1.1 431"), "42: a head of 20 kB is refused",
           got[:100])


def case_pipelined(tap, stage):
    """Many requests before the first answer."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    count = 100
    got = send(watcher, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
               * (count - 1) + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
               b"Connection: close\r\n\r\n")
    tap.same(got.count(b"HTTP/1.1 200 OK"), count, "each is answered")


def case_old(tap, stage):
    """HTTP/1.0, and heads in pieces."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    got = send(watcher, b"GET /healthz HTTP/1.0\r\n\r\n")
    tap.ok(b" 200 OK\r\n" in got and got.endswith(b"ok\n"),
           "HTTP/1.0 is answered", got)
    with dial(watcher) as sock:
        for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n":
            sock.send(bytes([byte]))
            time.sleep(0.005)
        tap.ok(sock.recv(1000).startswith(b"HTTP/1.1 200"),
               "byte by byte as well")


if __name__ == "__main__":
    main(Stage, [case_abuse, case_idle, case_head, case_pipelined, case_old],
         150)
