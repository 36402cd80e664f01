#!/usr/bin/env python3
"""routes.py - what --http answers, to whom, and where."""
import os
import re
import shutil
import subprocess

from watcher import Watcher
from peers import FIELDS, Stage
from oracle import Records
from tap import SLACK, main, wait_until
from traffic import Pipe, messages, odd

SMALL = ("--window=64", FIELDS, "--max-wait=300ms", "--http=0")


def case_pages(tap, stage):
    """Each route, and nothing else."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    for path, kind in (("/", "text/html; charset=utf-8"),
                       ("/metrics", "text/plain; version=0.0.4"),
                       ("/stats.json", "application/json"),
                       ("/healthz", "text/plain")):
        answer = watcher.ask(path)
        tap.ok(answer.status == 200
               and answer.headers["Content-Type"].startswith(kind)
               and answer.headers["Cache-Control"] == "no-store"
               and answer.headers["X-Content-Type-Options"] == "nosniff",
               path + " is there", (answer.status, str(answer.headers)))
        head = watcher.ask(path, "HEAD")
        tap.ok(head.status == 200 and head.body == b""
               and int(head.headers["Content-Length"]) > 0,
               path + " has a head", (head.status, str(head.headers)))
    tap.ok("Content-Security-Policy" in watcher.ask("/").text,
           "the page says what it may do")
    tap.same(watcher.status("/?a=b&c"), 200, "a query is ignored")
    for path in ("/metric", "/metrics/", "//", "/../etc/passwd", "/%2e",
                 "/index.html"):
        tap.same(watcher.status(path), 404, path + " is not there")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FOO"):
        answer = watcher.ask("/metrics", method)
        tap.ok(answer.status == 405 and answer.headers["Allow"] == "GET, HEAD",
               method + " is not allowed", answer.status)
    tap.same(watcher.ask("/metrics", body=b"x" * 10).status, 400,
             "GET has no body")


def case_kept(tap, stage):
    """A connection serves more than once."""
    connection = Watcher(Pipe(stage, *SMALL).filter).connect()
    for path in ("/healthz", "/metrics", "/nowhere", "/stats.json"):
        connection.request("GET", path)
        sock = connection.sock
        connection.getresponse().read()
        tap.ok(connection.sock is sock, "the connection outlives " + path)
    connection.close()


def case_names(tap, stage):
    """A page from elsewhere cannot have a browser read us."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    for host, status in (("evil.example", 403), ("evil.example:80", 403),
                         ("localhost.evil.example", 403),
                         ("localhost", 200), ("localhost:1", 200),
                         ("127.0.0.1", 200), ("[::1]:80", 200)):
        answer = watcher.ask("/healthz", headers={"Host": host})
        tap.same(answer.status, status, "Host: " + host)


def case_ready(tap, stage):
    """Ready is who has learned, and does not end."""
    pipe = Pipe(stage, *SMALL, "--drain=10s", "--hwm=1", hwm=1, consume=False)
    watcher = Watcher(pipe.filter)
    training = watcher.facts()["training"]
    tap.same([training["count"], training["last"], training["longest"]],
             [0, None, None], "where none was learned there is no last")
    answer = watcher.ask("/readyz")
    tap.ok(answer.status == 503 and answer.text.endswith("learned yet\n"),
           "at first it is not ready", answer.text)
    pipe.inliers = pipe.consumer("good")
    pipe.outliers = pipe.consumer("odd", stalled=True, rcvbuf=4096)
    producer = pipe.produce(messages(Records(planted=0.1).some(9000)))
    wait_until(lambda: watcher.status("/readyz") == 200, 20, "it to be ready")
    tap.ok(True, "then it is")
    wait_until(lambda: producer.blocked_s > 0.5, 60, "a stall")
    producer.end()
    pipe.filter.send(15)
    answer = wait_until(
        lambda: next((a for a in [watcher.ask("/readyz")]
                      if a.status == 503), None), 5, "it not to be ready")
    tap.same(answer.text, "it is ending\n", "while it ends it is not")
    tap.same(watcher.status("/healthz"), 200, "but well")
    tap.ok(watcher.metrics().adds_up(), "and its sums add up")
    pipe.outliers.resume()
    ended = pipe.filter.wait(30)
    tap.same(ended.status, 0, "it ends as it should")


def case_reasons(tap, stage):
    """What has not happened is 0: else its first time goes unseen."""
    with open(os.path.join(os.environ["top_srcdir"], "man",
                           "prae-stream.7")) as file:
        codes = file.read().partition(".Ss Reject codes")[2]
    codes = re.findall(r"^\.It Li (\w+)$", codes.partition(".Sh ")[0], re.M)
    pipe = Pipe(stage, *SMALL)
    values = Watcher(pipe.filter).metrics().values
    family = "prae_records_rejected_total"
    tap.same({name: value for name, value in values.items()
              if name.startswith(family)},
             {'%s{reason="%s"}' % (family, code): 0.0 for code in codes},
             "every reason of the manual is there from the start")


def case_sums(tap, stage):
    """Page, metrics and account tell the same."""
    pipe = Pipe(stage, *SMALL)
    watcher = Watcher(pipe.filter)
    records = messages(Records(planted=0.05).some(3000), 7)
    pipe.produce(records + [odd(b"\xc1")] * 3).wait_sent()
    pipe.wait_all()
    wait_until(lambda: watcher.facts()["totals"]["held"] == 0, 10, "the end")
    metrics = wait_until(
        lambda: next((m for m in [watcher.metrics()]
                      if m["prae_records_held"] == 0), None), 10, "the same")
    facts = watcher.facts()
    counts = pipe.oracle.counts
    emitted = 'prae_records_emitted_total{verdict="%s"}'
    found = {"received": metrics["prae_records_received_total"],
             "inliers": metrics[emitted % "inlier"],
             "outliers": metrics[emitted % "outlier"],
             "rejected": metrics.total("prae_records_rejected_total")}
    tap.same(found, {"received": pipe.ledger.count,
                     "inliers": counts["inlier"],
                     "outliers": counts["outlier"],
                     "rejected": counts["reject"]},
             "metrics are what both sides counted")
    tap.same({name: facts["totals"][name] for name in found}, found,
             "and so is stats.json")
    tap.same(metrics.total("prae_state"), 1.0, "it is in one state")
    tap.same(metrics["prae_score_count"],
             found["inliers"] + found["outliers"], "each record has a score")
    tap.same(metrics["prae_window_train_seconds_count"],
             facts["training"]["count"], "each window was learned")
    tap.same(facts["live"], True, "it is live")
    lint(tap, metrics.text)
    ended = pipe.check(tap, "watched")
    tap.ok(0 < ended.stats["longest_window_seconds"] < 20 * SLACK,
           "--stats has how long a window took", ended.stats)


def lint(tap, text):
    if shutil.which("promtool") is None:
        tap.skip("promtool finds nothing", "no promtool")
        return
    found = subprocess.run(["promtool", "check", "metrics"], input=text,
                           capture_output=True, text=True, check=False)
    tap.ok(found.returncode == 0 and not found.stdout + found.stderr,
           "promtool finds nothing", found.stdout + found.stderr)


def case_places(tap, stage):
    """Where it listens, and where not."""
    first = stage.start("--in=pull:@" + stage.ipc("a"), "-o", "null:",
                        "--http=localhost:0")
    watcher = Watcher(first)
    tap.same(watcher.status("/healthz"), 200, "localhost is 127.0.0.1")
    for place, status, said in (
            ("127.0.0.1:%d" % watcher.port, 69, "in use"),
            ("192.0.2.1:0", 78, "--insecure"),
            ("*:0", 78, "--insecure"),
            ("[::]:0", 78, "--insecure"),
            ("example.org:0", 2, "no address"),
            ("65536", 2, "for a port")):
        ended = stage.run("--http=" + place, "/dev/null", "-o", "null:")
        tap.ok(ended.status == status and said in ended.stderr,
               "%s is refused" % place, (ended.status, ended.stderr))
    out = stage.path("kept")
    with open(out, "w", encoding="ascii") as file:
        file.write("x")
    stage.run("--http=%d" % watcher.port, "/dev/null", "-o", out)
    with open(out, encoding="ascii") as file:
        tap.same(file.read(), "x", "and outputs are left as they were")
    second = stage.start("--in=pull:@" + stage.ipc("b"), "-o", "null:",
                         "--http=*:0", "--insecure")
    answer = Watcher(second).ask("/healthz", headers={"Host": "any.example"})
    tap.same(answer.status, 200, "with --insecure anybody, by any name")
    tap.same((first.stop().status, second.stop().status), (0, 0),
             "both end well")


def case_idle(tap, stage):
    """Where nothing comes it is well all the same."""
    watcher = Watcher(Pipe(stage, *SMALL).filter)
    wait_until(lambda: watcher.facts()["written"] - watcher.facts()["started"]
               > 6, 20, "some seconds")
    tap.same(watcher.status("/healthz"), 200, "an idle filter is healthy")


if __name__ == "__main__":
    main(Stage,
         [case_pages, case_kept, case_names, case_ready,
          case_reasons, case_sums,
          case_places, case_idle], 120)
