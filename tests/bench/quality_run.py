"""quality_run.py - runs prae-filter and reads its verdicts.

A run that fails is told on stderr with what the program said, and counted:
the bench fails in the end, but goes through what else there is to do.
"""
import array
import contextlib
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

TIMEOUT_S = 600


class Failure(Exception):
    pass


class Found:
    """What the program said of each record of a run."""

    def __init__(self, score, flagged, stats):
        self.score = score
        self.flagged = flagged  # bytearray of 0 and 1
        self.stats = stats  # the program's counts
        self.rss = []  # MiB, where asked for
        self.seconds = 0.0  # the run took

    def context(self):
        return "yes" if self.stats.get("context") else "no"


def read_scores(path, is_json):
    score, flagged = array.array("d"), bytearray()
    with open(path, encoding="utf-8", newline="") as file:
        for row in map(json.loads, file) if is_json else csv.DictReader(file):
            if row["verdict"] == "reject":
                raise Failure("record %s was rejected" % row["seq"])
            if row["score"] in (None, ""):
                raise Failure("record %s has no score" % row["seq"])
            score.append(float(row["score"]))
            flagged.append(row["verdict"] == "outlier")
    return score, flagged


def resident_mib(pid):
    """Memory the process occupies now; None where /proc does not say."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    return None


class Runner:
    def __init__(self, program, options):
        # Runs happen elsewhere: a path must not depend on where.
        self.program = (os.path.abspath(program) if os.sep in program
                        else program)
        self.options = options
        self.failures = 0
        self.runs = 0

    def version(self):
        done = subprocess.run([self.program, "--version"],
                              stdout=subprocess.PIPE, check=False)
        return done.stdout.decode("utf-8", "replace").split("\n")

    def run(self, data, options=(), pieces=1):
        """Verdicts on DATA, or None after a failure. With more PIECES it is
        fed through a pipe, and the program's memory looked at after each."""
        with tempfile.TemporaryDirectory(prefix="quality-") as scratch:
            command = self.command(data, options, scratch)
            with self.attempting(data.name, len(data), command, scratch):
                return self.attempt(data, command, scratch, pieces)
        return None

    @contextlib.contextmanager
    def attempting(self, name, count, command, scratch):
        """Counts a run; one that fails is told, and goes no further."""
        self.runs += 1
        try:
            yield
        except (Failure, OSError, ValueError, KeyError,
                subprocess.TimeoutExpired) as error:
            self.failures += 1
            print("quality: FAILED: %s, %d records: %s\n"
                  "quality:   %s\n%s"
                  % (name, count, error, " ".join(command), said(scratch)),
                  file=sys.stderr)

    def command(self, data, options, scratch):
        return [self.program, "--quiet",
                "--format=" + ("csv" if data.header is not None else "jsonl"),
                "--inliers=" + os.devnull,
                "--scores=" + os.path.join(scratch, "scores"),
                "--stats=" + os.path.join(scratch, "stats"),
                *self.options, *options]

    def attempt(self, data, command, scratch, pieces):
        rss = []
        start = time.monotonic()
        with open(os.path.join(scratch, "stderr"), "wb") as errors:
            if pieces > 1:
                status = feed(data, command, errors, pieces, rss)
            else:
                path = os.path.join(scratch, "records")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(data.text())
                status = subprocess.run(
                    [*command, path], stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=errors,
                    timeout=TIMEOUT_S, check=False).returncode
        seconds = time.monotonic() - start
        if status != 0:
            raise Failure("exit status %d" % status)
        score, flagged = read_scores(os.path.join(scratch, "scores"),
                                     data.header is None)
        if len(score) != len(data):
            raise Failure("%d scores came back" % len(score))
        with open(os.path.join(scratch, "stats"), encoding="utf-8") as file:
            found = Found(score, flagged, json.load(file))
        found.rss = rss
        found.seconds = seconds
        return found


def feed(data, command, errors, pieces, rss):
    """Memory is read while the program lives and its input is open: what
    wait4 says of a child afterwards includes this process's own size."""
    with subprocess.Popen([*command, "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=errors) as child:
        for i in range(pieces):
            text = data.text(len(data) * i // pieces,
                             len(data) * (i + 1) // pieces)
            child.stdin.write(text.encode())
            child.stdin.flush()
            rss.append(resident_mib(child.pid))
        child.stdin.close()
        try:
            return child.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise


def said(scratch):
    """The last lines on stderr, indented."""
    try:
        with open(os.path.join(scratch, "stderr"), encoding="utf-8",
                  errors="replace") as file:
            lines = file.read().splitlines()[-10:]
    except OSError:
        lines = []
    return "\n".join("quality:   " + line for line in lines or ["(silence)"])
