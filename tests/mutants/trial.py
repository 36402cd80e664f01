"""trial.py - runs a test and tells what of it failed first."""
import os
import signal
import subprocess
import threading
import time

LEAST_S = 60  # that a test may take, however quick it was
TIMES = 10  # what it took without a defect: longer, and it hangs


class Unfit(Exception):
    """The list, the tree or the tests are not such as can be tried."""


class Trial:
    """One run of a test. `failed` is what failed first, or None."""

    def __init__(self, command, environment, limit_s):
        self.failed = None
        self.skipped = None
        self.last = "its start"
        self.passed = 0
        self.planned = False
        began = time.monotonic()
        self.process = subprocess.Popen(
            command, env=environment, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True)
        self.timer = threading.Timer(limit_s, self.hangs)
        self.timer.start()
        self.read()
        self.timer.cancel()
        self.end()
        self.took_s = time.monotonic() - began

    def hangs(self):
        self.failed = self.failed or "hangs behind %s" % self.last
        self.signal(signal.SIGKILL)

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def read(self):
        for line in self.process.stdout:
            word = line.split(" - ", 1)[-1].strip()
            if line.startswith("not ok"):
                self.failed = word
                break
            if line.startswith("Bail out!"):
                self.failed = line.strip()
                break
            if line.startswith("1.."):
                self.planned = True
            if "# SKIP" in line:
                self.skipped = line.split("# SKIP", 1)[1].strip()
            elif line.startswith("ok"):
                self.passed += 1
                self.last = "'%s'" % word

    def end(self):
        """What has failed is not waited for: it sweeps up, and ends."""
        if self.failed is not None:
            self.signal(signal.SIGTERM)
            self.process.stdout.close()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            status = None
        self.signal(signal.SIGKILL)
        self.process.wait()
        if self.failed is None and (status != 0 or not self.planned):
            self.failed = "ends with status %s behind %s" % (status,
                                                             self.last)


class Trials:
    def __init__(self, tree):
        self.tree = tree
        self.took_s = {}  # by test, without a defect
        self.environment = dict(os.environ, top_srcdir=tree,
                                top_builddir=tree, SANITIZERS="no")
        self.environment.pop("PRAE_TORTURE", None)

    def run(self, test, limit_s):
        name, *cases = test.split()
        path = os.path.join(self.tree, name)
        command = [path, *cases]
        if name.endswith(".sh"):
            command = ["sh", *command]
        elif name.endswith(".py"):
            command = ["sh", os.path.join(self.tree, "tests/zmq/python.sh"),
                       *command]
        return Trial(command, self.environment, limit_s)

    def prove(self, test):
        """TEST passes, and does more than skip what it is for."""
        trial = self.run(test, 600)
        if trial.failed is not None:
            raise Unfit("%s fails without a defect: %s" % (test,
                                                           trial.failed))
        if trial.passed == 0:
            raise Unfit("%s is skipped: %s" % (test, trial.skipped))
        self.took_s[test] = trial.took_s

    def fails(self, test):
        """What TEST says, where it fails; and once more, so that no test is
        praised for a slow moment of the machine."""
        limit_s = max(LEAST_S, TIMES * self.took_s[test])
        first = self.run(test, limit_s)
        if first.failed is None or self.run(test, limit_s).failed is None:
            return None
        return first.failed
