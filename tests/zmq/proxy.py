"""proxy.py - a TCP proxy that can reset what runs through it.

One thread moves the bytes of all connections. Its buffers are small, so that
a reset costs little, and what it costs at most can be said: limit_bytes.
"""
import contextlib
import selectors
import socket
import struct
import threading

BUFFER = 8192  # asked for; the kernel doubles it, and needs some room more
CHUNK = 4096


def tight(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    return sock


class Link:
    """One connection: two sockets, and what is on its way between them."""

    def __init__(self, left, right):
        self.other = {left: right, right: left}
        self.rest = {left: b"", right: b""}  # to be written there

    def close(self, reset):
        for sock in self.other:
            if reset:
                # No lingering: the peer gets a reset instead of an end.
                with contextlib.suppress(OSError):
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                    struct.pack("ii", 1, 0))
            sock.close()


class Proxy(threading.Thread):
    # Four of the kernel's buffers, what one direction holds, and what libzmq
    # has taken from its queue or from the kernel at either end.
    limit_bytes = 4 * 4 * BUFFER + CHUNK + 2 * 8192

    def __init__(self, stage, target):
        super().__init__(daemon=True)
        host, _, port = target.partition("://")[2].rpartition(":")
        self.target = (host, int(port))
        self.listener = tight(socket.socket())
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(16)
        self.endpoint = "tcp://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.links = {}
        self.resets = 0  # connections that were reset
        self.ended = threading.Event()
        self.reset_asked = threading.Event()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        stage.peers.append(self)
        self.start()

    def run(self):
        while not self.ended.is_set():
            if self.reset_asked.is_set():
                for link in set(self.links.values()):
                    self.drop(link, True)
                    self.resets += 1
                self.reset_asked.clear()
            for key, events in self.selector.select(0.02):
                if key.fileobj is self.listener:
                    self.accept()
                elif key.fileobj in self.links:
                    self.move(key.fileobj, events)
        for link in set(self.links.values()):
            self.drop(link, False)
        self.listener.close()

    def accept(self):
        left, _ = self.listener.accept()
        tight(left)
        right = tight(socket.socket())
        try:
            right.connect(self.target)
        except OSError:
            left.close()
            right.close()
            return
        link = Link(left, right)
        for sock in (left, right):
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.links[sock] = link
            self.selector.register(sock, selectors.EVENT_READ)

    def move(self, sock, events):
        link = self.links[sock]
        other = link.other[sock]
        try:
            if events & selectors.EVENT_WRITE:
                sent = sock.send(link.rest[sock])
                link.rest[sock] = link.rest[sock][sent:]
            if events & selectors.EVENT_READ and not link.rest[other]:
                data = sock.recv(CHUNK)
                if not data:
                    self.drop(link, False)
                    return
                link.rest[other] = data
        except BlockingIOError:
            pass
        except OSError:
            self.drop(link, False)
            return
        self.choose(link)

    def choose(self, link):
        """Reads from a socket only while the other has nothing to write."""
        for sock, other in link.other.items():
            events = (0 if link.rest[other] else selectors.EVENT_READ) | (
                selectors.EVENT_WRITE if link.rest[sock] else 0)
            with contextlib.suppress(KeyError):
                self.selector.unregister(sock)
            if events:
                self.selector.register(sock, events)

    def drop(self, link, reset):
        for sock in link.other:
            self.links.pop(sock, None)
            with contextlib.suppress(KeyError):
                self.selector.unregister(sock)
        link.close(reset)

    def reset(self):
        """Cuts all connections; returns when that is done."""
        self.reset_asked.set()
        while self.reset_asked.is_set() and self.is_alive():
            self.ended.wait(0.005)

    def ask_to_end(self):
        self.ended.set()
