"""rig.py - one run of a program in which one call fails.

The programs are those of tests/torture, linked with the layer that fault.h
describes. A Fault names the call; a Run is what came of it: status, messages,
which calls there were, and what was left behind.
"""
import collections
import errno
import functools
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "zmq"))

# pylint: disable=wrong-import-position
from peers import account_of  # noqa: E402
from tap import SLACK, skip_all  # noqa: E402

LIMIT_S = 20  # for a run that takes some 0.1 s
ALL = os.environ.get("PRAE_TORTURE", "") == "all"
SEED = int(os.environ.get("PRAE_SEED", "1"))

# Of each class: how it fails, and the statuses that a run may end with then.
# After a call that was cut short or interrupted nothing is different.
SHORT = 0
ALWAYS = "+"  # the calls behind it fail, too
AGAIN = (errno.EINTR, SHORT)
WAYS = {
    "memory": ((errno.ENOMEM, ""), (errno.ENOMEM, ALWAYS)),
    "open": ((errno.EMFILE, ""), (errno.EIO, ALWAYS)),
    "copy": ((errno.EMFILE, ""),),
    "read": ((errno.EIO, ""), (errno.EINTR, ""), (SHORT, "")),
    "write": ((errno.ENOSPC, ""), (errno.EIO, ALWAYS), (errno.EINTR, ""),
              (SHORT, "")),
    "pipe_read": ((errno.EINTR, ""),),
    "pipe_write": ((errno.EINTR, ""),),
    "sync": ((errno.EIO, ""), (errno.ENOSPC, ALWAYS)),
    "rename": ((errno.EIO, ""), (errno.ENOSPC, ALWAYS)),
    "link": ((errno.EPERM, ""),),
    "unlink": ((errno.EACCES, ""),),
    "stat": ((errno.EIO, ""),),
    "truncate": ((errno.EIO, ""),),
    "close": ((errno.EIO, ""), (errno.EINTR, ""), (errno.EIO, ALWAYS)),
    "close_file": ((errno.EIO, ""), (errno.EINTR, ""), (errno.EIO, ALWAYS)),
    "poll": ((errno.EINTR, ""), (errno.ENOMEM, "")),
    "pipe": ((errno.EMFILE, ""),),
    "thread": ((errno.EAGAIN, ""),),
    "entropy": ((errno.ENOSYS, ""),),
    "stream": ((errno.ENOMEM, ""), (errno.EIO, ALWAYS)),
    "socket": ((errno.ENOBUFS, ""), (errno.EMFILE, ALWAYS)),
    "listen": ((errno.ENOBUFS, ""),),
    "resolve": ((errno.ENOMEM, ""), (errno.EMFILE, "")),
    "connect": ((errno.ECONNREFUSED, ""), (errno.EINTR, "")),
    "send": ((errno.ECONNRESET, ""), (errno.EINTR, ""), (SHORT, "")),
    "recv": ((errno.ECONNRESET, ""), (errno.EINTR, ""), (SHORT, "")),
    "terminal": ((errno.EINTR, ""),),
    "http_start": ((errno.ENOMEM, ""),),
    "http_reply": ((errno.ENOMEM, ""), (errno.ENOMEM, ALWAYS)),
    "zmq_new": ((errno.EMFILE, ""),),
    "zmq_set": ((errno.EINVAL, ""),),
    "zmq_events": ((errno.EINTR, ""),),
    "zmq_bind": ((errno.EADDRINUSE, ""), (errno.EINTR, "")),
    "zmq_connect": ((errno.EINVAL, ""), (errno.EINTR, "")),
    "zmq_send": ((errno.EINTR, ""), (errno.EHOSTUNREACH, "")),
    "zmq_recv": ((errno.EINTR, ""),),
    "zmq_data": ((errno.ENOMEM, ""),),
    "zmq_keys": ((errno.ENOTSUP, ""),),
    "size": ((errno.EFBIG, ""),),
}
ENDS = {
    "memory": {1}, "open": {1, 66, 69, 74, 78}, "copy": {66, 74},
    "read": {66, 74, 78},
    "write": {74}, "pipe_read": set(), "pipe_write": set(), "sync": {74},
    "rename": {74}, "link": set(), "unlink": set(),
    "stat": {66, 69, 74, 78}, "truncate": {74}, "close": set(),
    "close_file": {74}, "poll": set(), "pipe": {1}, "thread": {1},
    "entropy": set(), "stream": {1, 66, 74, 78},
    "socket": {69}, "listen": {69}, "resolve": {69}, "connect": {69},
    "send": {69}, "recv": {69}, "terminal": set(),
    "http_start": {1}, "http_reply": set(),
    "zmq_new": {1}, "zmq_set": {1}, "zmq_events": set(),
    "zmq_bind": {1, 69}, "zmq_connect": {1, 69}, "zmq_send": {1},
    "zmq_recv": set(), "zmq_data": {1}, "zmq_keys": {1, 69, 78},
    "size": {74},
}

# Where 0 is right as well. Nothing hangs on these, or it is done otherwise:
SPARE = {"open", "link", "unlink", "stat", "close", "poll", "entropy", "size"}
# A snapshot or a report makes up for the one before it, and for what else was
# missing then; behind the last one nothing does. An old snapshot does for one
# that cannot be read.
MENDED = {"memory", "read", "write", "sync", "rename", "close_file", "stream"}
# Calls of its class that come with one that succeeds.
TAKES = {"sync": 2, "rename": 1, "close_file": 1}


class Fault(collections.namedtuple("Fault", "kind number error always")):
    __slots__ = ()

    def __str__(self):
        return "%s:%d%s:%d" % (self.kind, self.number, self.always,
                               self.error)

    def name(self):
        how = "short" if self.error == SHORT else errno.errorcode[self.error]
        return "%s %d%s %s" % (self.kind, self.number, self.always, how)

    def cuts_records(self):
        """Whether a file may end within one."""
        return self.error in (SHORT, errno.EFBIG)

    def is_harmless(self):
        """Whether it has to be taken as if nothing had happened; to
        records, if not to those who look on."""
        return self.kind == "http_reply" or (
            self.error in AGAIN and self.kind != "close_file")

    def statuses(self):
        return {0} if self.is_harmless() else {0} | ENDS[self.kind]

    def is_told(self, stderr):
        """Whether it cost an older snapshot and no more, and was told."""
        return self.kind == "rename" and "warning: cannot keep" in stderr

    def may_pass(self, saves, made):
        """Whether 0 is right where so many calls of its class were MADE
        before outputs were closed. SAVES: a scene has snapshots or reports,
        and looks for what others have left beside them."""
        if self.is_harmless() or self.kind in SPARE:
            return True
        if self.kind not in MENDED or not saves:
            return False
        if self.kind == "stream":
            return True
        return not self.always and (
            made >= self.number + TAKES.get(self.kind, 0))


def program(name):
    build = os.environ.get("top_builddir",
                           os.path.join(HERE, "..", "..", "build"))
    return os.path.abspath(os.path.join(build, "tests", "torture", name))


def need_programs():
    for name in ("prae-filter", "praectl"):
        if not os.path.exists(program(name)):
            skip_all("the linker has no --wrap")


@functools.cache
def http():
    """Options with which the filter can be looked at; none where it was built
    without."""
    built = "libmicrohttpd" in subprocess.run(
        [program("prae-filter"), "--version"], capture_output=True,
        text=True, check=False).stdout
    return ("--http=127.0.0.1:0",) if built else ()


def environment(directory, fault=None, **more):
    """For a run in DIRECTORY."""
    env = {**os.environ, "PRAE_FAULT_LOG": os.path.join(directory, ".fault"),
           **more}
    env.pop("PRAE_FAULT", None)
    if fault is not None:
        env["PRAE_FAULT"] = str(fault)
        # An answer about a key that lacks a frame is never sent but here;
        # libzmq leaks the frames behind that one.
        if fault.kind == "zmq_send":
            env["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + (
                os.path.join(HERE, "lsan.supp"))
    return env


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Run:
    """How a program ended."""

    def __init__(self, directory, status, stderr):
        self.dir = directory
        self.status = status  # -N: of signal N; None: it hung
        # Also what --log-file has, in whole lines.
        log = read_text(os.path.join(directory, "log"))
        self.stderr = stderr + log[:log.rfind("\n") + 1]
        self.account = account_of(self.stderr)
        self.counts, self.left, self.failed = {}, {}, []
        log = read_text(os.path.join(directory, ".fault"))
        for line in log.splitlines():
            word, _, rest = line.partition(" ")
            if word == "failed":
                self.failed.append(rest)
            else:
                name, _, number = rest.partition(" ")
                (self.counts if word == "count" else self.left)[name] = int(
                    number)

    def said_error(self):
        return re.search(r"^(\S+Z )?(prae-filter|praectl): error: .{8}",
                         self.stderr, re.M)

    def tell(self):
        return "status %s, failed %s, left %r\n%s" % (
            self.status, self.failed[:3], self.left, self.stderr[-1200:])


def run(directory, command, fault=None, stdin=None, stdout=None):
    """COMMAND in DIRECTORY, with files there for stdin and stdout."""
    streams = {}
    for name, path, mode in (("stdin", stdin, "rb"), ("stdout", stdout, "wb")):
        streams[name] = subprocess.DEVNULL if path is None else open(
            os.path.join(directory, path), mode)
    try:
        with subprocess.Popen(
                command, cwd=directory, stderr=subprocess.PIPE,
                env=environment(directory, fault), **streams) as process:
            try:
                stderr = process.communicate(timeout=LIMIT_S * SLACK)[1]
                status = process.returncode
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)  # a core tells where
                stderr = process.communicate()[1]
                status = None
    finally:
        for stream in streams.values():
            if stream is not subprocess.DEVNULL:
                stream.close()
    return Run(directory, status, stderr.decode("utf-8", "replace"))
