"""peers.py - the filter as a process, and the place where a case plays.

A Stage is a scratch directory with ipc:// endpoints, a ZeroMQ context, and
everything that was started on it; closing it ends all of that. A Filter is
the program: started, waited for until it listens, signalled, and asked for
its account. traffic.py has those who talk to it.

To be imported before whatever needs pyzmq or msgpack: where they are missing
this skips the test, or goes on with the Python that has them.
"""
import atexit
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from tap import Failed, SLACK, skip_all, wait_until

try:
    import msgpack  # noqa: F401 - the oracle needs it
    import zmq
except ImportError:
    # Often another Python is first in the path than the one of the packages.
    USUAL = "/usr/bin/python3"
    if (os.path.exists(USUAL) and "PRAE_PYTHON" not in os.environ
            and not os.path.samefile(USUAL, sys.executable)):
        os.environ["PRAE_PYTHON"] = "tried"
        os.execv(USUAL, [USUAL, *sys.argv])
    skip_all("pyzmq is not installed")

HERE = os.path.dirname(os.path.abspath(__file__))
START_S = 15  # a start is slow where the machine is busy
STOP_S = 20

# Bytes that may be on their way over one ipc connection: the kernel's buffer,
# whose size libzmq leaves alone, and what libzmq takes at once at each end.
BATCH = 8192


def ipc_bytes():
    with open("/proc/sys/net/core/wmem_default", encoding="ascii") as file:
        return int(file.read()) + 2 * BATCH


# What a filter of the cases judges by.
FIELDS = "--fields=a,b,c,d"


def program():
    build = os.environ.get("top_builddir",
                           os.path.join(HERE, "..", "..", "build"))
    return os.path.abspath(os.environ.get(
        "FILTER", os.path.join(build, "prae-filter")))


def preloaded(stage, name, **env):
    """The environment, with ENV, in which NAME.c takes the place of some of
    the system's functions."""
    shim = stage.path(name + ".so")
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-o",
                    shim, os.path.join(HERE, name + ".c")], check=True,
                   capture_output=True)
    quiet = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return {"LD_PRELOAD": shim, "ASAN_OPTIONS": quiet, **env}


def preload(tap, stage, name, **env):
    """The same, or None where that cannot be had, and it is skipped."""
    try:
        return preloaded(stage, name, **env)
    except (OSError, subprocess.CalledProcessError) as error:
        tap.skip(name, "no shim: %s" % error)
        return None


def is_listening(endpoint):
    """Whether somebody accepts connections there, without making one."""
    kind, _, place = endpoint.partition("://")
    if kind == "ipc":
        with open("/proc/net/unix", encoding="utf-8",
                  errors="replace") as file:
            rows = [line.split() for line in file]
        # Flags have 0x10000 where it was listened on.
        return any(len(row) == 8 and row[7] == place
                   and int(row[3], 16) & 0x10000 for row in rows[1:])
    port = "%04X" % int(place.rpartition(":")[2])
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(name, encoding="ascii") as f:
            for row in map(str.split, f):
                if row[1].endswith(":" + port) and row[3] == "0A":
                    return True
    return False


def account_of(text):
    """The last account in TEXT, as a dict with received, inliers, ..."""
    found = re.findall(r"received (\d+) = ([^;\n]*)", text)
    if not found:
        return None
    received, parts = found[-1]
    account = {"received": int(received)}
    for part in parts.split(" + "):
        name, number = part.rsplit(" ", 1)
        account[name.strip()] = int(number)
    return account


def adds_up(account):
    return account is not None and account["received"] == sum(
        number for name, number in account.items() if name != "received")


class Ended:
    """How a filter ended."""

    def __init__(self, status, stderr, stats):
        self.status = status
        self.stderr = stderr
        self.stats = stats  # of --stats, or None
        self.account = account_of(stderr)

    def count(self, name):
        return (self.account or {}).get(name, 0)


class Filter:
    def __init__(self, stage, options, name="filter", stdin=None, stdout=None,
                 env=None, command=None):
        self.stage = stage
        self.is_child = command is None
        self.stderr_path = stage.path(name + ".err")
        self.stats_path = stage.path(name + ".stats")
        self.command = [*(command or [program()]), *options,
                        "--stats=" + self.stats_path]
        with open(self.stderr_path, "wb") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=stdin or subprocess.DEVNULL,
                stdout=stdout or subprocess.DEVNULL, stderr=errors,
                env={**os.environ, **(env or {})}, start_new_session=True)
        Stage.live.add(self.process)

    def bound(self):
        """The endpoints it is told to bind."""
        for option in self.command:
            spec = option.partition("=")[2]
            found = re.match(r"(?:pull|sub|push|pub):@(.*)", spec)
            if found and option.startswith("--") and "*" not in spec:
                yield found.group(1)

    def hears_signals(self):
        """Before that they would end it."""
        try:
            with open("/proc/%d/status" % self.process.pid,
                      encoding="ascii") as file:
                caught = re.search(r"SigCgt:\s*(\w+)", file.read())
        except OSError:
            return False
        return bool(int(caught.group(1), 16) >> (signal.SIGUSR2 - 1) & 1)

    def wait_ready(self):
        for endpoint in self.bound():
            wait_until(lambda at=endpoint: self.has_ended()
                       or is_listening(at), START_S, endpoint)
        wait_until(lambda: not self.is_child or self.has_ended()
                   or self.hears_signals(), START_S, "signals to be heard")
        if self.has_ended():
            raise Failed("the filter ended with %d at once:\n%s"
                         % (self.process.returncode, self.stderr()))
        return self

    def has_ended(self):
        return self.process.poll() is not None

    def stderr(self):
        with open(self.stderr_path, encoding="utf-8",
                  errors="replace") as file:
            return file.read()

    def wait_said(self, pattern, seconds=10, since=0):
        """Waits for a line that matches, from the SINCE-th byte on."""
        return wait_until(lambda: re.search(pattern, self.stderr()[since:]),
                          seconds, "%r on stderr" % pattern)

    def send(self, number):
        self.process.send_signal(number)

    def counters(self):
        """What SIGUSR2 makes it say now."""
        since = len(self.stderr())
        self.send(signal.SIGUSR2)
        self.wait_said(r"received \d+ = .*\n", since=since)
        return account_of(self.stderr()[since:])

    def wait_received(self, count, seconds=20):
        """Until so many records are in its hands."""
        return wait_until(
            lambda: self.counters()["received"] >= count, seconds,
            "%d records to be received" % count)

    def status_kib(self, key):
        with open("/proc/%d/status" % self.process.pid,
                  encoding="ascii") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1])
        return 0

    def rss_mib(self):
        return self.status_kib("VmRSS") / 1024

    def peak_mib(self):
        return self.status_kib("VmHWM") / 1024

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def wait(self, seconds=STOP_S):
        """Until it ends by itself."""
        try:
            self.process.wait(seconds * SLACK)
        except subprocess.TimeoutExpired:
            raise Failed("the filter did not end within %g s:\n%s"
                         % (seconds * SLACK, self.stderr())) from None
        Stage.live.discard(self.process)
        stats = None
        with contextlib.suppress(OSError, ValueError):
            with open(self.stats_path, encoding="utf-8") as file:
                stats = json.load(file)
        text = self.stderr()
        if re.search(r"Sanitizer|runtime error:", text):
            raise Failed("a sanitizer reports:\n" + text)
        return Ended(self.process.returncode, text, stats)

    def stop(self, number=signal.SIGTERM, seconds=STOP_S):
        self.send(number)
        return self.wait(seconds)

    def kill(self):
        if not self.has_ended():
            self.process.kill()
        self.process.wait()
        Stage.live.discard(self.process)


def have_counted(process):
    """A coverage build writes its counts when asked (tests/coverage/dump.c),
    before it is killed."""
    if os.environ.get("PRAE_COVERAGE") and process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGPROF)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


class Stage:
    live = set()  # processes of all stages, for the watchdog
    dirs = set()

    def __init__(self):
        # Paths of sockets are short by law: 107 bytes.
        base = os.environ.get("TMPDIR", "/tmp")
        self.dir = tempfile.mkdtemp(prefix="prae.",
                                    dir=base if len(base) < 60 else "/tmp")
        Stage.dirs.add(self.dir)
        self.context = zmq.Context()
        self.filters = []
        self.peers = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def ipc(self, name):
        return "ipc://" + self.path(name)

    def tcp(self):
        """A port that was free a moment ago."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return "tcp://127.0.0.1:%d" % probe.getsockname()[1]

    def start(self, *options, ready=True, **how):
        """The filter with OPTIONS, listening."""
        name = "filter%d" % len(self.filters)
        started = Filter(self, options, name=name, **how)
        self.filters.append(started)
        return started.wait_ready() if ready else started

    def run(self, *options, seconds=START_S, **how):
        """A filter that is to end by itself."""
        return self.start(*options, ready=False, **how).wait(seconds)

    def tell(self, tap):
        for each in self.filters:
            tap.note(" ".join(each.command))
            tap.note(each.stderr()[-2000:])

    def close(self):
        # libzmq ends the process where a connection breaks while its socket
        # is being closed amid a message of several frames (libzmq#3442): what
        # has broken by now is seen first, and the rest stays until they went.
        time.sleep(0.02)
        for peer in self.peers:
            peer.ask_to_end()
        for peer in self.peers:
            peer.join(10)
        self.context.destroy(linger=0)
        for each in self.filters:
            have_counted(each.process)
            each.kill()
        shutil.rmtree(self.dir, ignore_errors=True)

    @staticmethod
    def kill_all():
        """Leaves nothing behind."""
        for process in list(Stage.live):
            with contextlib.suppress(OSError):
                process.kill()
        for each in Stage.dirs:
            shutil.rmtree(each, ignore_errors=True)


atexit.register(Stage.kill_all)


def is_socket(path):
    return stat.S_ISSOCK(os.lstat(path).st_mode)
