"""terminal.py - a program on a terminal, until it has shown what it should,
and how it left the terminal."""
import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import rig
from tap import SLACK

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
MORE_S = 0.15  # after what it should show came, and q is typed
ENOUGH_S = 1.0  # without that, and it is typed all the same


class Screen:
    """A terminal of 80 by 24, and what was written to it."""

    def __init__(self):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.bytes = b""

    def read(self, seconds):
        if select.select([self.ours], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self.bytes += os.read(self.ours, 65536)

    def type(self, keys):
        os.write(self.ours, keys)

    def is_left(self):
        """Whether the other screen is not shown any more."""
        return self.bytes.rfind(ENTER) <= self.bytes.rfind(LEAVE)

    def is_set_back(self):
        return termios.tcgetattr(self.theirs) == self.before

    def close(self):
        os.close(self.ours)
        os.close(self.theirs)


def run(directory, command, fault, words):
    """COMMAND until it has shown WORDS for a while, and then q; a Run that
    has its SCREEN, and whether q was TYPED and the words were SEEN."""
    screen = Screen()
    errors = os.path.join(directory, "errors")
    env = rig.environment(directory, fault, TERM="xterm")
    with open(errors, "wb") as stderr:
        process = subprocess.Popen(command, cwd=directory, env=env,
                                   stdin=screen.theirs, stdout=screen.theirs,
                                   stderr=stderr, start_new_session=True)
    start, seen, typed = time.monotonic(), False, False
    due = start + ENOUGH_S * SLACK
    status = None
    while time.monotonic() < start + rig.LIMIT_S * SLACK:
        screen.read(0.005)
        status = process.poll()
        if status is not None:
            break
        if not seen and words in screen.bytes:
            seen, due = True, time.monotonic() + MORE_S
        if not typed and time.monotonic() > due:
            screen.type(b"q")
            typed = True
    if status is None:
        process.send_signal(signal.SIGABRT)
        process.wait()
    screen.read(0)
    ended = rig.Run(directory, status, rig.read_text(errors))
    ended.screen, ended.typed, ended.seen = screen, typed, seen
    return ended
