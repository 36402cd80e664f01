"""doors.py - keys in files, and a filter at whose door one can knock."""
import os
import shutil

from peers import FIELDS, zmq
from oracle import Oracle, Records
from tap import wait_until
from traffic import Consumer, Feed, Producer, messages

import zmq.auth

SMALL = ("--window=16", "--max-wait=100ms", FIELDS)
CONFIG, UNAVAILABLE = 78, 69  # exit statuses


class Keys:
    """Pairs of keys in files, as pyzmq writes them, and a directory of those
    that are allowed."""

    def __init__(self, stage):
        self.dir = stage.path("keys")
        self.allow = stage.path("allow")
        os.mkdir(self.dir)
        os.mkdir(self.allow)
        for name in ("server", "friend", "stranger", "other"):
            zmq.auth.create_certificates(self.dir, name)
            os.chmod(self.secret(name), 0o600)
        self.let_in("friend")

    def public(self, name):
        return os.path.join(self.dir, name + ".key")

    def secret(self, name):
        return os.path.join(self.dir, name + ".key_secret")

    def let_in(self, name):
        shutil.copy(self.public(name), self.allow)

    def keep_out(self, name):
        os.unlink(os.path.join(self.allow, name + ".key"))

    def replace(self, name, other):
        """NAME has OTHER's pair from now on."""
        for path in (self.public, self.secret):
            shutil.copy(path(other), path(name))
        os.chmod(self.secret(name), 0o600)

    def options(self):
        return ("--curve-secret=" + self.secret("server"),
                "--curve-allow=" + self.allow)

    def client(self, name, server="server"):
        """Options of a socket that connects as NAME."""
        public, secret = zmq.auth.load_certificate(self.secret(name))
        return {"curve_publickey": public, "curve_secretkey": secret,
                "curve_serverkey":
                    zmq.auth.load_certificate(self.public(server))[0]}

    def serving(self, name):
        """Options of a socket that others connect to, as NAME."""
        public, secret = zmq.auth.load_certificate(self.secret(name))
        return {"curve_publickey": public, "curve_secretkey": secret,
                "curve_server": True}


class Door:
    """A filter with a tcp input, and what comes out of it."""

    def __init__(self, stage, *options):
        self.stage = stage
        self.oracle = Oracle()
        self.at = stage.tcp()
        good, odd = stage.ipc("good"), stage.ipc("odd")
        self.filter = stage.start(
            "--in=pull:@" + self.at, "--inliers=push:@" + good,
            "--outliers=push:@" + odd, *SMALL, *options)
        Consumer(stage, good, lambda f: self.oracle.inliers(f[-1]))
        Consumer(stage, odd, lambda f: self.oracle.flagged(f[-1]))
        self.source = 0

    def knock(self, **options):
        """Whether a producer with these options is let in."""
        feed = Feed()
        producer = Producer(self.stage, self.at, self.oracle.ledger, feed,
                            reconnect_ivl=50, handshake_ivl=2000, **options)
        bad = (zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_DISCONNECTED,
               zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL,
               zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL)
        wait_until(lambda: producer.events[zmq.EVENT_HANDSHAKE_SUCCEEDED]
                   or sum(producer.events[event] for event in bad) >= 2, 20,
                   "the door to open or not")
        if not producer.events[zmq.EVENT_HANDSHAKE_SUCCEEDED]:
            producer.end()
            return False
        self.pass_on(feed)
        producer.end()
        return True

    def pass_on(self, feed):
        """Forty more records go that way."""
        self.source += 1
        before = self.oracle.total()
        for message in messages(Records(source=self.source).some(40)):
            feed.put(message)
        wait_until(lambda: self.oracle.total() >= before + 40, 20,
                   "records through the door")

    def host(self, at, kind):
        """A producer that waits there for the filter to connect."""
        feed = Feed()
        producer = Producer(self.stage, at, self.oracle.ledger, feed,
                            bind=True, kind=kind)
        wait_until(lambda: producer.events[zmq.EVENT_HANDSHAKE_SUCCEEDED], 20,
                   "the filter to connect")
        self.pass_on(feed)
        producer.end()
