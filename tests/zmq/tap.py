"""tap.py - just enough of the Test Anything Protocol for tests in Python.

A test file names its cases and hands them to main(): each runs on a stage of
its own (stage.py), which is swept when it ends. A case that raises is a test
that failed. Where all of it takes longer than its limit, a watchdog ends
every process and says where it hung. Names on the command line choose cases.
"""
import faulthandler
import os
import signal
import sys
import threading
import time
import traceback

# The whole length of the cases that are shortened otherwise.
SOAK = os.environ.get("PRAE_SOAK", "") not in ("", "0", "no")

# Everything takes longer under the sanitizers.
SLACK = 4 if os.environ.get("SANITIZERS", "no") not in ("", "no") else 1


class Failed(Exception):
    """What a case waited for did not happen."""


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0
        self.lock = threading.Lock()

    def ok(self, passed, name, why=None):
        """WHY, where it did not pass, is told below."""
        with self.lock:
            self.count += 1
            if not passed:
                self.failed += 1
            print("%s %d - %s" % ("ok" if passed else "not ok", self.count,
                                  name), flush=True)
        if not passed and why is not None:
            self.note(why)
        return bool(passed)

    def same(self, found, wanted, name):
        return self.ok(found == wanted, name,
                       "found %r, wanted %r" % (found, wanted))

    def skip(self, name, why):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, why), flush=True)

    def note(self, text):
        for line in str(text).splitlines():
            print("# " + line, flush=True)

    def done(self):
        print("1..%d" % self.count, flush=True)
        return 1 if self.failed else 0


def skip_all(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


def wait_until(condition, seconds, what):
    """Polls until CONDITION gives something true, and returns that."""
    limit = time.monotonic() + seconds * SLACK
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > limit:
            raise Failed("waited %g s for %s" % (seconds * SLACK, what))
        time.sleep(0.005)


class Watchdog:
    """Ends the test and all it started after LIMIT seconds."""

    def __init__(self, limit, sweep):
        self.limit = limit
        self.sweep = sweep
        self.timer = threading.Timer(limit, self.bark)
        self.timer.daemon = True
        self.timer.start()

    def bark(self):
        print("Bail out! not done within %d s" % self.limit, flush=True)
        faulthandler.dump_traceback(file=sys.stderr)
        self.sweep()
        os._exit(1)

    def cancel(self):
        self.timer.cancel()


def stop_by_signal(number, frame):
    raise SystemExit(128 + number)


def main(stage_type, cases, limit):
    """Runs CASES, functions of a tap and a stage whose names begin with
    case_, or those that the command line names."""
    signal.signal(signal.SIGTERM, stop_by_signal)
    signal.signal(signal.SIGINT, stop_by_signal)
    tap = Tap()
    watchdog = Watchdog(limit * SLACK, stage_type.kill_all)
    wanted = sys.argv[1:]
    for case in cases:
        name = case.__name__.replace("case_", "", 1)
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        stage = stage_type()
        try:
            case(tap, stage)
        except Exception as error:
            tap.ok(False, name + " runs to its end",
                   "%s\n%s" % (error, traceback.format_exc()))
            stage.tell(tap)
        finally:
            stage.close()
        tap.note("%s took %.1f s" % (name, time.monotonic() - start))
    watchdog.cancel()
    sys.exit(tap.done())
