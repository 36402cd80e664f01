"""traffic.py - those who talk to the filter: producers and consumers.

Each is a thread that owns its socket. Whatever it does can be interrupted,
so that no case hangs: it never waits in a send or a receive.
"""
import collections
import queue
import random
import threading
import time

import zmq
from zmq.utils.monitor import recv_monitor_message

from oracle import Oracle
from tap import Failed, SLACK, wait_until

# A message: frames before the last one, the records of the last one, or
# bytes there that are none.
Message = collections.namedtuple("Message", "lead records odd",
                                 defaults=((), (), None))


def messages(records, each=1, lead=()):
    """RECORDS in messages of EACH, all with the same leading frames."""
    return [Message(tuple(lead), tuple(records[at:at + each]))
            for at in range(0, len(records), each)]


def endless(records, enough, each=1, size=0):
    """Messages of RECORDS' next ones until ENOUGH is set."""
    while not enough.is_set():
        yield Message((), tuple(records.some(each, size)))


def odd(data):
    return Message((), (), data)


def ragged(records, seed=3, most=40):
    """Messages of 1 to MOST records, each with its number in front."""
    draw = random.Random(seed)
    at, made = 0, []
    while at < len(records):
        each = draw.randint(1, most)
        lead = (b"topic", b"%d" % len(made), b"")
        made.append(Message(lead, tuple(records[at:at + each])))
        at += each
    return made


class Feed:
    """Messages that a case hands over one by one."""

    def __init__(self):
        self.queue = queue.SimpleQueue()

    def put(self, message):
        self.queue.put(message)

    def __iter__(self):
        while True:
            try:
                yield self.queue.get(timeout=0.02)
            except queue.Empty:
                yield None  # so that whoever waits here can be ended


class Peer(threading.Thread):
    """What producers and consumers share: a socket, and an end."""

    def __init__(self, stage, kind, endpoint, bind, options):
        super().__init__(daemon=True)
        self.stage = stage
        self.kind = kind
        self.endpoint = endpoint
        self.bind = bind
        self.options = options  # of the socket, by name
        self.ended = threading.Event()
        self.open = threading.Event()
        self.monitor = None
        self.events = collections.Counter()
        self.error = None
        stage.peers.append(self)
        self.start()
        self.open.wait(10)

    def run(self):
        socket = self.stage.context.socket(self.kind)
        try:
            for name, value in self.options.items():
                setattr(socket, name, value)
            self.monitor = socket.get_monitor_socket()
            if self.bind:
                socket.bind(self.endpoint)
            else:
                socket.connect(self.endpoint)
            self.prepare(socket)
            self.open.set()
            self.work(socket)
            self.take_events()
        except Exception as error:
            self.error = error
            if not self.ended.is_set():
                raise
        finally:
            self.open.set()
            socket.disable_monitor()
            self.monitor.close(linger=0)
            socket.close()

    def prepare(self, socket):
        pass

    def take_events(self):
        while self.monitor.poll(0):
            found = recv_monitor_message(self.monitor)
            self.events[found["event"]] += 1

    def lost_connections(self):
        return self.events[zmq.EVENT_DISCONNECTED]

    def ask_to_end(self):
        self.ended.set()

    def end(self, linger_ms=0):
        """Closes the socket; what is queued may linger."""
        self.options["linger"] = linger_ms
        self.ask_to_end()
        self.join(30)


class Producer(Peer):
    """Sends what MESSAGES holds or yields, and notes it in LEDGER."""

    def __init__(self, stage, endpoint, ledger, what, bind=False,
                 kind=zmq.PUSH, rate=0, hwm=1000, **options):
        self.ledger = ledger
        self.messages = iter(what)
        self.rate = rate  # records a second; 0: as fast as it goes
        self.sent = 0  # records
        self.blocked_s = 0.0
        self.all_sent = threading.Event()
        super().__init__(stage, kind, endpoint, bind,
                         {"sndhwm": hwm, "linger": 0, **options})

    def note(self, message):
        for record in message.records:
            self.ledger.add(record)
        if message.odd is not None:
            self.ledger.add_odd(message.odd)

    def try_send(self, socket, message):
        """Whether it went before we were to end."""
        last = (b"".join(message.records) if message.odd is None
                else message.odd)
        frames = [*message.lead, last]
        start = time.monotonic()
        while not self.ended.is_set():
            try:
                socket.send_multipart(frames, zmq.DONTWAIT)
                return True
            except zmq.Again:
                self.take_events()
                socket.poll(20, zmq.POLLOUT)
                self.blocked_s += time.monotonic() - start
                start = time.monotonic()
        return False

    def work(self, socket):
        start = time.monotonic()
        for message in self.messages:
            if self.ended.is_set():
                break
            if message is None:
                self.take_events()
                continue
            if self.rate:
                due = start + self.sent / self.rate
                self.ended.wait(max(0.0, due - time.monotonic()))
            self.note(message)
            if not self.try_send(socket, message):
                self.ledger.withdraw(message.records)
                break
            self.sent += len(message.records)
        self.all_sent.set()
        while not self.ended.wait(0.02):
            self.take_events()
        socket.linger = self.options["linger"]

    def wait_sent(self, seconds=30):
        wait_until(self.all_sent.is_set, seconds, "all to be sent")


class Consumer(Peer):
    """Hands each message's frames to TAKE, unless it is stalled."""

    def __init__(self, stage, endpoint, take, bind=False, kind=zmq.PULL,
                 hwm=1000, stalled=False, pause_s=0.0, topics=(b"",),
                 **options):
        self.take = take
        self.pause_s = pause_s  # after each message: a slow reader
        self.topics = topics
        self.count = 0  # messages
        self.flowing = threading.Event()
        if not stalled:
            self.flowing.set()
        super().__init__(stage, kind, endpoint, bind,
                         {"rcvhwm": hwm, **options})

    def prepare(self, socket):
        if self.kind == zmq.SUB:
            for topic in self.topics:
                socket.subscribe(topic)

    def work(self, socket):
        while not self.ended.is_set():
            if not self.flowing.wait(0.02) or not socket.poll(20):
                self.take_events()
                continue
            self.take(socket.recv_multipart(zmq.DONTWAIT))
            self.count += 1
            if self.pause_s:
                self.ended.wait(self.pause_s)

    def stall(self):
        self.flowing.clear()

    def resume(self):
        self.flowing.set()


class Kept:
    """All messages of an output, with their frames."""

    def __init__(self, stage, endpoint, take, **how):
        self.frames = []
        self.take_further = take
        self.consumer = Consumer(stage, endpoint, self.take, **how)

    def take(self, frames):
        self.frames.append(frames)
        self.take_further(frames[-1])


class Pipe:
    """The usual: a filter that binds an input and two outputs, and a consumer
    on each of these; what came out is for the oracle."""

    def __init__(self, stage, *options, hwm=1000, consume=True, start=True,
                 **how):
        self.stage = stage
        self.oracle = Oracle()
        self.ledger = self.oracle.ledger
        self.hwm = hwm
        self.input = stage.ipc("in")
        self.good = stage.ipc("good")
        self.odd = stage.ipc("odd")
        self.options = ("--in=pull:@" + self.input,
                        "--inliers=push:@" + self.good,
                        "--outliers=push:@" + self.odd, *options)
        self.how = how
        if start:
            self.start()
        if consume:
            self.inliers = self.consumer("good")
            self.outliers = self.consumer("odd")

    def start(self):
        self.filter = self.stage.start(*self.options, **self.how)

    def consumer(self, name, **how):
        how = {"hwm": self.hwm, **how}
        if name == "good":
            return Consumer(self.stage, self.good,
                            lambda f: self.oracle.inliers(f[-1]), **how)
        return Consumer(self.stage, self.odd,
                        lambda f: self.oracle.flagged(f[-1]), **how)

    def produce(self, what, **how):
        return Producer(self.stage, self.input, self.ledger, what,
                        **{"hwm": self.hwm, **how})

    def wait_all(self, seconds=20):
        """Until as many came out as went in."""
        try:
            wait_until(lambda: self.oracle.total() >= self.ledger.count,
                       seconds, "%d records to come out" % self.ledger.count)
        except Failed as error:
            raise Failed("%s: %r, came out %r" % (
                error, self.oracle.report(),
                dict(self.oracle.counts))) from None

    def check(self, tap, name, ended=None):
        """Stops the filter where it still runs; nothing may be wrong."""
        if ended is None:
            ended = self.filter.stop()
        check(tap, name, self.oracle, ended)
        return ended


def check(tap, name, oracle, ended, status=0):
    """Both sides' counts and the filter's own account say the same."""
    found = oracle.report()
    tap.ok(not any(found), name + ": nothing lost, doubled, moved or changed",
           "%r of %d\n%s" % (found, oracle.ledger.count, ended.stderr[-1500:]))
    counts = oracle.counts
    account = {"received": oracle.ledger.count, "inliers": counts["inlier"],
               "outliers": counts["outlier"], "rejected": counts["reject"]}
    tap.ok(ended.status == status and ended.account == account,
           name + ": the account is what both sides counted",
           "status %d, account %r, counted %r\n%s"
           % (ended.status, ended.account, account, ended.stderr[-1500:]))
    if ended.stats != dict(ended.stats or (), **account, exit=status):
        tap.ok(False, name + ": --stats says the same", ended.stats)


def hand_over(where, ledger, what, **options):
    """All of it is sent, and with a kernel, and the sender gone."""
    with zmq.Context() as context, context.socket(zmq.PUSH) as sender:
        sender.sndhwm, sender.linger = 0, -1
        for name, value in options.items():
            setattr(sender, name, value)
        sender.connect(where)
        for message in what:
            sender.send(b"".join(message.records))
            for record in message.records:
                ledger.add(record)


def settle(oracle, seconds=0.5):
    """Until nothing has come for a while, where how much will is unknown."""
    before = -1
    while before < oracle.total():
        before = oracle.total()
        time.sleep(seconds * SLACK)
