"""onlooker.py - somebody who looks at a filter over HTTP while it is tried.

What he is answered is right, or he is hung up on; and where one answer could
not be made, all others are.
"""
import contextlib
import http.client
import json
import re
import threading

from tap import SLACK

READY = {200, 503}
# What is asked for, and the statuses that are right.
PATHS = (("GET", "/", {200}), ("GET", "/metrics", READY),
         ("GET", "/healthz", {200}), ("GET", "/readyz", READY),
         ("GET", "/stats.json", READY), ("GET", "/nowhere", {404}),
         ("DELETE", "/", {405}))


class Onlooker(threading.Thread):
    """Asks for all of it on one connection, then on one each."""

    def __init__(self, play):
        super().__init__(daemon=True)
        self.filter = play.filter
        self.ended = threading.Event()
        self.answers = []  # method, path, status, body; None: hung up on
        play.stage.peers.append(self)
        self.start()

    def ask_to_end(self):
        self.ended.set()

    def find(self):
        """Where to look, once that is told."""
        while not (self.ended.wait(0.005) or self.filter.has_ended()):
            found = re.search(r"http://([^/\s]+):(\d+)/\n",
                              self.filter.stderr())
            if found:
                return found
        return None

    def run(self):
        found = self.find()
        if found is None:
            return
        place = http.client.HTTPConnection(found.group(1),
                                           int(found.group(2)),
                                           timeout=3 * SLACK)
        for alone in (False, True):
            for method, path, _ in PATHS:
                if self.ended.is_set() or self.filter.has_ended():
                    return
                self.ask(place, method, path)
                if alone:
                    place.close()
        place.close()

    def ask(self, place, method, path):
        answer = None
        with contextlib.suppress(OSError, http.client.HTTPException):
            place.request(method, path)
            response = place.getresponse()
            answer = response.status, response.read()
        if answer is None:
            place.close()
        self.answers.append((method, path, answer))

    def wrong(self, fault, ended):
        """What is wrong with the answers, in words; None: nothing."""
        right = {each[:2]: each[2] for each in PATHS}
        for method, path, answer in self.answers:
            if answer is None:
                continue
            if answer[0] not in right[method, path]:
                return "%s is answered with %d" % (path, answer[0])
            if path == "/stats.json" and answer[0] == 200:
                totals = json.loads(answer[1])["totals"]
                if totals["received"] != sum(totals[name] for name in (
                        "inliers", "outliers", "rejected", "held")):
                    return "what is told does not add up: %r" % totals
        missing = sum(answer is None for _, _, answer in self.answers)
        most = len(PATHS) * 2 if fault.always else len(ended.failed)
        # The port is not known then.
        if fault.kind == "listen":
            return None
        if ended.status == 0 and (missing > most or len(self.answers)
                                  < 2 * len(PATHS)):
            return "%d of %d were not answered" % (missing,
                                                   len(self.answers))
        return None
