"""top_facts.py - a filter's facts without a filter: what praectl top is shown.

make() gives an object as prae-filter writes it, of a stream that has run for
STEP looks; HOSTILE is text that must never reach a terminal as it is. Page
serves facts by HTTP, Desk answers STATS as --control does.
"""
import http.server
import json
import math
import threading

import zmq

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\r\n\t\x00\x9b5n\u202eevil"


def span(window):
    """Windows 30 to 33 are a burst, and 60 begins a drift."""
    burst = 30 <= window < 34
    outliers = 240 if burst else 4 + window % 5
    return {"window": window, "windows": 1, "seq": 512 * window,
            "time": 1.7e9 + window, "inliers": 512 - outliers,
            "outliers": outliers, "rejected": 0,
            "state": "burst" if burst else "drift" if 60 <= window < 64
            else "live", "bursts": int(window == 30),
            "drifts": int(window == 60), "limit": 0.1}


def flagged(number):
    return {"seq": 51200 - 37 * number, "score": 9.5 / (number + 1),
            "p": 0.0001 * (number + 1), "gate": None, "window": 99 - number,
            "state": "burst" if number == 3 else "live", "time": 1.7e9,
            "record": '{"temp":%d,"温度":"熱い","note":"%s"}' % (
                90 + number, HOSTILE if number == 1 else "fine"),
            "cut": number == 2,
            "why": [{"field": "temp", "share": 0.8, "observed": 90.5 + number,
                     "expected": 20.125, "observed_text": None,
                     "expected_text": None},
                    {"field": "温度" if number % 2 else "note, rarest words",
                     "share": 0.15, "observed": None, "expected": None,
                     "observed_text": HOSTILE if number == 1 else "pump 熱い",
                     "expected_text": "cold"}]}


def scores(bins=48):
    edges = [10 ** (-4 + 6 * i / bins) for i in range(bins + 1)]
    inliers = [int(20000 * math.exp(-((i - 16) / 4.0) ** 2))
               for i in range(bins)]
    outliers = [int(120 * math.exp(-((i - 34) / 4.0) ** 2))
                for i in range(bins)]
    for i in range(24, bins):
        inliers[i] = 0
    return {"edges": edges, "inliers": inliers, "outliers": outliers,
            "sum": 12.5}


def make(step=0, **members):
    received = 1234567 + 12000 * step
    outliers = 12345 + 100 * step + (400 * (step - 10) if step > 10 else 0)
    facts = {
        "version": 1, "program": "prae-filter 0.1.0", "kernels": "v3",
        "live": True, "started": 1.7e9, "written": 1.7e9 + 3725 + step,
        "exit": None, "state": "live", "paused": False, "ready": True,
        "not_ready": None, "command": "prae-filter", "format": "msgpack",
        "totals": {"received": received, "outliers": outliers, "rejected": 3,
                   "held": 512, "inliers": received - outliers - 515,
                   "windows": 100, "bursts": 1, "drifts": 1, "rollbacks": 0,
                   "undelivered": 0, "dropped": 0, "turned_away": 0},
        "rejects": [{"reason": "malformed", "count": 3,
                     "text": "line 17: not a JSON value"}],
        "rate": 12000 + 3000 * math.sin(step / 3.0), "blocked_seconds": 1.5,
        "inputs": [{"name": "pull:@ipc:///run/prae/in", "waiting": 3,
                    "messages": 1234}],
        "outputs": [{"name": "inliers", "to": "push:@ipc:///run/prae/out",
                     "waiting": 640, "clogged": True, "peers": 1},
                    {"name": "outliers", "to": "/var/lib/odd.jsonl",
                     "waiting": 0, "clogged": False, "peers": None}],
        "training": {"count": 100, "seconds": 4.2, "longest": 0.11,
                     "last": 0.04, "edges": [0.01], "counts": [0, 100]},
        "limit": 0.105, "fpr": None, "scores": scores(),
        "p": {"edges": [0, 1], "inliers": [1], "outliers": [0]},
        "timeline": [span(window) for window in range(100)],
        "features": [{"name": "temp", "blame": 0.61, "named": 12},
                     {"name": "flow, change", "blame": 0.3, "named": 5},
                     {"name": HOSTILE, "blame": 0.09, "named": 1}],
        "features_total": 16, "model": {},
        "last": [flagged(number) for number in range(20)],
    }
    facts.update(members)
    return facts


class Facts:
    """What is served now: a function of the number of the question, giving
    an object or bytes."""

    def __init__(self, make_facts=make):
        self.make = make_facts
        self.asked = 0

    def answer(self):
        found = self.make(self.asked)
        self.asked += 1
        return found if isinstance(found, bytes) else json.dumps(
            found).encode()


class Page:
    """GET /stats.json; CHUNKED in pieces of an odd length."""

    def __init__(self, facts, chunked=False, port=0):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if self.path != "/stats.json":
                    self.send_error(404)
                    return
                body = facts.answer()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                if chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for at in range(0, len(body), 999):
                        part = body[at:at + 999]
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.write(b"0\r\n\r\n")
                else:
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port),
                                                      Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d/" % self.port
        threading.Thread(target=self.server.serve_forever,
                         kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Desk:
    """A REP socket that answers STATS; anything else is an error. KEYS: our
    pair, where CURVE is spoken."""

    def __init__(self, context, endpoint, facts, keys=None):
        self.socket = context.socket(zmq.REP)
        self.socket.linger = 0
        if keys is not None:
            self.socket.curve_server = True
            self.socket.curve_publickey, self.socket.curve_secretkey = keys
        self.socket.bind(endpoint)
        self.endpoint = self.socket.last_endpoint.decode().rstrip("\0")
        self.facts = facts
        self.refuse = None
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.stop.is_set():
            if not self.socket.poll(20):
                continue
            frames = self.socket.recv_multipart()
            if self.refuse is not None:
                self.socket.send_multipart(self.refuse)
            elif frames == [b"STATS"]:
                self.socket.send_multipart([b"OK", self.facts.answer()])
            else:
                self.socket.send_multipart([b"ERROR", b"no such command"])
        self.socket.close()

    def close(self):
        self.stop.set()
        self.thread.join()
