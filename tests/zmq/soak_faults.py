"""soak_faults.py - the pipeline that soak.py runs, and what can happen to it.

Each fault gives the number of records that it may cost.
"""
import signal
import threading
import time

from peers import FIELDS, adds_up, ipc_bytes
from collector import Collector
from oracle import Oracle, Records
from proxy import Proxy
from tap import Failed, wait_until
from traffic import Consumer, Producer, endless, odd

WINDOW = 256
HWM = 50
EACH = 4  # records a message
SIZE = 300  # bytes of a record
IPC = ipc_bytes() // SIZE  # on their way between two processes
TCP = Proxy.limit_bytes // SIZE  # the same through the proxy

# These make another connection for the same producer, or the same consumer,
# while the old one may have something left.
RECONNECT = ("tcp_reset", "filter_restart")


class Happened:
    """A fault: where the stream was, what it may cost, what it did cost."""

    def __init__(self, name, start, at):
        self.name = name
        self.start = start  # place by source
        self.at = at  # seconds since the start
        self.limit = 0
        self.lost = []  # sources and places
        self.moved = []


class Soak:
    def __init__(self, stage, draw):
        self.stage = stage
        self.draw = draw
        self.oracle = Oracle()
        self.inputs = [stage.ipc("in"), stage.tcp()]
        self.good, self.odd = stage.ipc("good"), stage.ipc("odd")
        self.happened = []
        self.sources = 0  # every producer is a source of its own
        self.ended = set()  # of them
        self.enough = [None, None]
        self.producers = [None, None]
        self.accounts = []
        self.doing = "the start"
        self.collector = Collector(stage, "@" + self.good,
                                   self.oracle.inliers, HWM)
        self.start_filter()
        self.proxy = Proxy(stage, self.inputs[1])
        self.ways = [self.inputs[0], self.proxy.endpoint]
        Consumer(stage, self.odd, lambda f: self.oracle.flagged(f[-1]),
                 hwm=HWM)

    def start_filter(self):
        self.filter = self.stage.start(
            *("--in=pull:@" + at for at in self.inputs),
            "--inliers=push:" + self.good, "--outliers=push:@" + self.odd,
            "--tight", "--hwm=%d" % HWM, "--window=%d" % WINDOW, FIELDS,
            "--model=" + self.stage.path("model"))

    def start_producer(self, which, rate):
        self.enough[which] = threading.Event()
        records = Records(source=self.sources)
        self.sources += 1
        if self.happened:
            self.happened[-1].start[self.sources - 1] = 0
        self.producers[which] = Producer(
            self.stage, self.ways[which], self.oracle.ledger,
            endless(records, self.enough[which], EACH, SIZE),
            rate=rate, hwm=HWM, sndbuf=8192, reconnect_ivl=50)
        self.producers[which].source = self.sources - 1

    def stop_producer(self, which, linger_ms):
        producer = self.producers[which]
        self.enough[which].set()
        producer.wait_sent(60)
        producer.end(linger_ms)
        self.stage.peers.remove(producer)
        self.ended.add(producer.source)

    def wait_traffic(self, windows=3):
        before = self.oracle.counts["inlier"]
        wait_until(lambda: self.oracle.counts["inlier"]
                   > before + windows * WINDOW, 60, "traffic")

    def frontier(self):
        """By source, the place up to which inliers have come; what is behind
        by a window may still be on its way as an outlier. A source that has
        ended has nothing on its way any more, as three windows of others
        have come since: what it lost is the fault's that ended it."""
        return {source: self.oracle.last.get(("inliers", source), 0) - WINDOW
                for source in range(self.sources) if source not in self.ended}

    # The faults. SECONDS is how long one that lasts may last.

    def consumer_stall(self, seconds):
        self.collector.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.collector.send(signal.SIGCONT)
        return 0

    def consumer_kill(self, seconds):
        self.collector.kill()
        self.collector.start()
        return HWM * EACH + IPC

    def producer_restart(self, seconds):
        which = self.draw.randrange(2)
        rate = self.producers[which].rate
        self.stop_producer(which, -1)
        self.start_producer(which, rate)
        return 0

    def producer_cut(self, seconds):
        which = self.draw.randrange(2)
        rate = self.producers[which].rate
        self.stop_producer(which, 0)
        self.start_producer(which, rate)
        return HWM * EACH + IPC + TCP

    def filter_freeze(self, seconds):
        self.filter.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.filter.send(signal.SIGCONT)
        return 0

    def garbage(self, seconds):
        sent = [odd(self.draw.choice((b"", b"\xc1", b"\xc1" * 1000,
                                      b"\xc1" + self.draw.randbytes(50000))))
                for _ in range(20)]
        producer = Producer(self.stage, self.inputs[0], self.oracle.ledger,
                            sent)
        producer.wait_sent()
        producer.end(-1)
        self.stage.peers.remove(producer)
        return 0

    def hangup(self, seconds):
        self.filter.send(signal.SIGHUP)
        return 0

    def save(self, seconds):
        self.filter.send(signal.SIGUSR1)
        return 0

    def ask(self, seconds):
        account = self.filter.counters()
        if not adds_up(account):
            raise Failed("the counters do not add up: %r" % account)
        return 0

    def filter_restart(self, seconds):
        self.stop_filter()
        self.start_filter()
        return IPC + TCP

    def tcp_reset(self, seconds):
        self.proxy.reset()
        return TCP

    FAULTS = (consumer_stall, consumer_kill, producer_restart, producer_cut,
              filter_freeze, garbage, hangup, save, ask, filter_restart,
              tcp_reset)

    def stop_filter(self):
        ended = self.filter.stop(seconds=60)
        # Who was kept waiting by the fault before, and goes on, owes more.
        told = (ended.status == 75 and "was not read" in ended.stderr
                and not ended.count("undelivered"))
        if not (ended.status == 0 or told) or not adds_up(ended.account):
            raise Failed("the filter ended with %d:\n%s"
                         % (ended.status, ended.stderr))
        self.accounts.append(ended.account)
        self.stage.filters.remove(self.filter)
