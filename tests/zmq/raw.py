"""raw.py - a peer that speaks ZMTP by hand, and may say what libzmq never
would."""
import socket
import struct
import threading

from tap import SLACK

MORE, LONG, COMMAND = 1, 2, 4


def frame(body, flags=0):
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | LONG]) + struct.pack(">Q", len(body)) + body


def greeting(mechanism=b"NULL"):
    return (b"\xff" + bytes(8) + b"\x7f\x03\x01" + mechanism.ljust(20, b"\0")
            + bytes(32))


def old_greeting(number):
    """Of ZMTP 2, by a socket whose kind has NUMBER."""
    return b"\xff" + bytes(8) + b"\x7f\x01" + bytes([number])


def ready(kind):
    return frame(b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind))
                 + kind, COMMAND)


def reach(endpoint):
    scheme, _, place = endpoint.partition("://")
    if scheme == "ipc":
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(10 * SLACK)
        sock.connect(place)
        return sock
    host, _, port = place.rpartition(":")
    return socket.create_connection((host, int(port)), 10 * SLACK)


def listen(endpoint):
    scheme, _, place = endpoint.partition("://")
    listener = socket.socket(socket.AF_UNIX if scheme == "ipc"
                             else socket.AF_INET)
    listener.settimeout(10 * SLACK)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    host, _, port = place.rpartition(":")
    listener.bind(place if scheme == "ipc" else (host, int(port)))
    listener.listen()
    return listener


def take(sock, count):
    found = b""
    while len(found) < count:
        some = sock.recv(count - len(found))
        if not some:
            raise EOFError("hung up on while greeting")
        found += some
    return found


def take_frame(sock):
    head = take(sock, 2)
    if head[0] & LONG:
        head += take(sock, 7)
    return head + take(sock, int.from_bytes(head[1:], "big"))


def initiate(stage, endpoint, kind, options):
    """A connection to ENDPOINT of somebody with keys, which a socket of
    libzmq's has by OPTIONS; and INITIATE, which is yet to be said there."""
    sock = reach(endpoint)
    with listen("tcp://127.0.0.1:0") as listener, \
            stage.context.socket(kind) as client:
        for name, value in {"linger": 0, **options}.items():
            setattr(client, name, value)
        client.connect("tcp://127.0.0.1:%d" % listener.getsockname()[1])
        with listener.accept()[0] as own:
            own.settimeout(10 * SLACK)
            for each in (own, sock):
                each.sendall(greeting(b"CURVE"))
                take(each, 64)
            sock.sendall(take_frame(own))
            own.sendall(take_frame(sock))
            return sock, take_frame(own)


class Raw:
    """A connection to ENDPOINT as a socket of KIND, past its greeting; or
    the next from there, where that is somebody who listens. LATE: READY is
    yet to be said, and has been heard."""

    def __init__(self, endpoint, kind, late=False):
        if isinstance(endpoint, socket.socket):
            self.sock = endpoint.accept()[0]
            self.sock.settimeout(10 * SLACK)
        else:
            self.sock = reach(endpoint)
        self.sock.sendall(greeting())
        self.read(64)
        self.ready = ready(kind)
        if not late:
            self.say_ready()
        self.read(self.read(2)[1])

    def say_ready(self, more=b""):
        """With MORE behind it in one piece, where that was to be late."""
        self.sock.sendall(self.ready + more)

    def read(self, count):
        return take(self.sock, count)

    def close(self):
        self.sock.close()


class Flood(threading.Thread):
    """A Raw that sends what MAKE gives, again and again, up to MOST bytes."""

    def __init__(self, endpoint, kind, make, most):
        super().__init__(daemon=True)
        self.raw = Raw(endpoint, kind)
        self.make = make
        self.most = most
        self.hung_up = False
        self.start()

    def run(self):
        sent = 0
        try:
            while sent < self.most:
                some = self.make()
                self.raw.sock.sendall(some)
                sent += len(some)
            # All may have gone to buffers before it was looked at.
            while self.raw.sock.recv(4096):
                pass
            self.hung_up = True
        except socket.timeout:
            pass
        except OSError:
            self.hung_up = True
