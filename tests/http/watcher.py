"""watcher.py - who looks at a running filter over HTTP.

To be imported first: it finds the peers of tests/zmq, and skips the test
where the program was built without a server.
"""
import http.client
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "zmq"))
# pylint: disable=wrong-import-position
from peers import program  # noqa: E402
from tap import SLACK, skip_all  # noqa: E402

if "libmicrohttpd" not in subprocess.run(
        [program(), "--version"], capture_output=True, text=True,
        check=False).stdout:
    skip_all("built without libmicrohttpd")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.body = response.read()
        self.headers = response.headers

    @property
    def text(self):
        return self.body.decode()


class Metrics:
    """Prometheus' text, taken apart: name{labels} to number."""

    def __init__(self, text):
        self.text = text
        self.values = {}
        self.kinds = {}
        for line in text.splitlines():
            found = re.fullmatch(r"# TYPE (\S+) (\S+)", line)
            if found:
                self.kinds[found.group(1)] = found.group(2)
            elif not line.startswith("#"):
                name, _, number = line.rpartition(" ")
                assert name not in self.values, name + " is there twice"
                self.values[name] = float(number)

    def __getitem__(self, name):
        return self.values[name]

    def total(self, family):
        return sum(number for name, number in self.values.items()
                   if name.partition("{")[0] == family)

    def counters(self):
        """What must never fall."""
        found = {}
        for name, number in self.values.items():
            family = name.partition("{")[0]
            base = re.sub(r"_(bucket|sum|count)$", "", family)
            if (self.kinds.get(family) == "counter"
                    or self.kinds.get(base) == "histogram"):
                found[name] = number
        return found

    def adds_up(self):
        return self["prae_records_received_total"] == (
            self.total("prae_records_emitted_total")
            + self.total("prae_records_rejected_total")
            + self["prae_records_held"])


class Watcher:
    def __init__(self, filter_, seconds=10):
        found = filter_.wait_said(r"http://([^/\s]+):(\d+)/\n")
        self.host = found.group(1).strip("[]")
        self.port = int(found.group(2))
        self.seconds = seconds * SLACK

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port,
                                          timeout=self.seconds)

    def ask(self, path, method="GET", **how):
        connection = self.connect()
        try:
            connection.request(method, path, **how)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def status(self, path):
        return self.ask(path).status

    def metrics(self):
        return Metrics(self.ask("/metrics").text)

    def facts(self):
        return json.loads(self.ask("/stats.json").text)
