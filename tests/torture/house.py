"""house.py - a filter that is well, and to which things are said by somebody
who is not: records pass through it all the while."""
import json
import re
import threading

import rig
from desk import Steered
from oracle import Records
from tap import wait_until
from traffic import messages

OPTIONS = ("--window=32", "--max-wait=100ms", "--cold-epochs=4", "--epochs=1",
           "--fields=a,b,c,d", "--keep=1")
EACH = 8  # records with each thing that is said


class House(Steered):
    """A filter that has learned something and saved it."""

    def __init__(self, stage):
        self.model = stage.path("model")
        super().__init__(stage, *OPTIONS, *rig.http(),
                         "--model=" + self.model)
        self.lock = threading.Lock()
        self.maker = Records()
        self.pass_on(self.maker.some(100))
        self.snapshot(self.model)
        self.url = self.filter.wait_said(
            r"http://\S+/\n").group().strip() if rig.http() else None

    def bring(self):
        """Some records more."""
        with self.lock:
            self.sent += EACH
            self.feed.put(messages(self.maker.some(EACH), EACH)[0])

    def wrong(self):
        """What is the matter with it, in words; None: nothing."""
        with self.lock:
            if self.filter.has_ended():
                return "the filter has ended: " + self.filter.stderr()[-500:]
            told = self.desk.ask("STATS")
        if told is None or told[0] != "OK":
            return "the filter answers %r" % (told,)
        totals = json.loads(told[1])["totals"]
        if totals["received"] != sum(totals[name] for name in (
                "inliers", "outliers", "rejected", "held")):
            return "the filter's account does not add up: %r" % totals
        found = re.search(r"^prae-filter: (error|warning): .*",
                          self.filter.stderr(), re.M)
        return found and found.group()

    def end(self, tap, name):
        """Stops it; everything that was brought is out."""
        wait_until(lambda: self.ledger.count >= self.sent, 20, "all sent")
        self.wait_all()
        self.desk.close()
        return self.check(tap, name)
