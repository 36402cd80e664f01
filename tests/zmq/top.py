#!/usr/bin/env python3
"""top.py - praectl top: printed once, and on a terminal, which is tmux."""
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from peers import Stage, program, zmq
from doors import UNAVAILABLE, Keys
from top_facts import HOSTILE, Desk, Facts, Page, make
from tap import SLACK, main, wait_until

import zmq.auth

DATA, USAGE = 65, 2  # exit statuses
CTL = os.path.join(os.path.dirname(program()), "praectl")
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}


def run(*words, env=None):
    return subprocess.run([CTL, "top", *words], env=env or UTF8, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)


def case_once(tap, stage):
    """Where standard output is no terminal it is printed."""
    for chunked in (False, True):
        page = Page(Facts(), chunked=chunked)
        done = run(page.url)
        text = done.stdout.decode()
        tap.same(done.returncode, 0, "a page %s is printed" % (
            "in chunks" if chunked else "of a length"))
        tap.ok("received 1234567 = inliers 1221707 + outliers 12345" in text
               and "limit 0.105" in text and "█" in text
               and "malformed" in text, "with what it says", text)
        tap.ok("\x1b" not in text and "\r" not in text and "\0" not in text
               and "\u202e" not in text and "\\x1b]0;owned" in text,
               "and nothing that drives a terminal", text)
        tap.same(run("--once", page.url[:-1]).returncode, 0,
                 "the slash may be left out")
        done = run(page.url, env={**os.environ, "LC_ALL": "C"})
        tap.ok(done.stdout.isascii() and b"####" in done.stdout,
               "without UTF-8 it is ASCII", done.stdout)
        page.close()


def case_faults(tap, stage):
    """What is wrong is told, and the status tells of it, too."""
    closed = stage.tcp()
    evil = ("<html>" + HOSTILE).encode()
    bad = Page(Facts(lambda step: evil))
    other = Page(Facts(lambda step: make(version=2)))
    mute = socket.create_server(("127.0.0.1", 0))
    for where, status, words in (
            (closed.replace("tcp", "http"), UNAVAILABLE, "cannot reach"),
            (bad.url, DATA, "not JSON: line 1, column 1"),
            (bad.url + "other/", UNAVAILABLE, "HTTP status 404"),
            (other.url, DATA, "facts are of version 2"),
            ("http://127.0.0.1:%d/" % mute.getsockname()[1], UNAVAILABLE,
             "does not answer in time"),
            ("https://127.0.0.1/", USAGE, "only http://"),
            ("localhost:80", USAGE, "neither http://HOST:PORT/ nor"),
            ("http://no host/", USAGE, "this is not http://HOST:PORT/")):
        done = run(where)
        tap.same(done.returncode, status, "the status tells: " + words)
        tap.ok(words.encode() in done.stderr and b"\x1b" not in done.stderr
               and not done.stdout, "and so do words", done)
    for words in ([], ["a", "b"], ["--interval=0", closed], ["-i1", closed],
                  ["--interval=2h", closed], ["--nce", closed], ["-i"]):
        tap.same(run(*words).returncode, USAGE, "refused: %s" % words)
    bad.close()
    other.close()
    mute.close()


def case_endpoint(tap, stage):
    """STATS over a REP socket."""
    desk = Desk(stage.context, stage.ipc("control"), Facts())
    done = run(desk.endpoint)
    tap.same(done.returncode, 0, "an endpoint is asked")
    tap.ok(b"received 1234567" in done.stdout, "and answers", done)
    desk.refuse = [b"ERROR", HOSTILE.encode() + b"not now"]
    done = run(desk.endpoint)
    tap.same(done.returncode, UNAVAILABLE, "an error is told")
    tap.ok(b"not now" in done.stderr and b"\x1b" not in done.stderr
           and b"\\x1b]0;owned" in done.stderr, "in its own words", done)
    for frames in ([b"HELLO", b"{}"], [b"OK"], [b""], [b"OK", b"{"]):
        desk.refuse = frames
        tap.same(run(desk.endpoint).returncode, DATA,
                 "no filter says %s" % frames)
    desk.refuse = [b"OK", Facts().answer(), b"and", b"more"]
    tap.same(run(desk.endpoint).returncode, 0, "frames to come are no fault")
    desk.close()
    started = time.monotonic()
    done = run(desk.endpoint)
    tap.ok(done.returncode == UNAVAILABLE and b"nobody answers at" in done.stderr
           and time.monotonic() - started < 8 * SLACK,
           "nobody there is told in time", done)


def case_keys(tap, stage):
    """CURVE: only who has the keys."""
    if not zmq.has("curve"):
        tap.skip("keys", "libzmq has no CURVE")
        return
    keys = Keys(stage)
    desk = Desk(stage.context, "tcp://127.0.0.1:*", Facts(),
                keys=zmq.auth.load_certificate(keys.secret("server")))
    secret = "--curve-secret=" + keys.secret("friend")
    done = run(desk.endpoint, secret, "--curve-server=" + keys.public("server"))
    tap.ok(done.returncode == 0 and b"received" in done.stdout,
           "with the filter's key it is asked", done)
    done = run(desk.endpoint, secret, "--curve-server=" + keys.public("other"))
    tap.ok(done.returncode == UNAVAILABLE and b"keys" in done.stderr,
           "with another it is not", done)
    done = run("http://127.0.0.1:1/", secret)
    tap.same(done.returncode, USAGE, "pages have no such keys")
    desk.close()


class Terminal:
    """A shell in a tmux of its own, COLS by ROWS."""

    def __init__(self, stage, cols, rows):
        self.socket = stage.path("tmux")
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(cols), "-y",
                 str(rows), "env PS1='prompt> ' ENV= sh -i")
        self.run("set", "-g", "status", "off")
        self.resize(cols, rows)
        self.wait("prompt>")

    def run(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], env=UTF8,
                              stdout=subprocess.PIPE, timeout=30,
                              check=True).stdout.decode()

    def resize(self, cols, rows):
        self.run("resize-window", "-x", str(cols), "-y", str(rows))

    def type(self, *keys):
        self.run("send-keys", *keys)

    def text(self, *options):
        return self.run("capture-pane", "-p", *options)

    def ask(self, name):
        return self.run("display-message", "-p", "#{%s}" % name).strip()

    def wait(self, words, seconds=15):
        return wait_until(lambda: words in self.text() and self.text(),
                          seconds, "%r, not\n%s" % (words, self.text()))

    def wait_back(self, seconds=15):
        """Until the terminal is the shell's, as it was."""
        wait_until(lambda: self.ask("alternate_on") == "0", seconds,
                   "the screen to be left")
        self.wait("prompt>")

    def close(self):
        self.run("kill-server")


def is_restored(terminal):
    """The cursor is seen, lines wrap, and what is typed is echoed."""
    terminal.type("clear; echo modes $(stty -a | tr -d ';' | tr ' ' '\\n' | "
                  "grep -cxe echo -e icanon)", "Enter")
    terminal.wait("modes 2")
    return (terminal.ask("cursor_flag") == "1"
            and terminal.ask("wrap_flag") == "1")


def case_screen(tap, stage):
    """In place, at any size, until q."""
    facts = Facts()
    page = Page(facts)
    terminal = Terminal(stage, 80, 24)
    terminal.type("echo before; %s top -i 100ms %s" % (CTL, page.url), "Enter")
    text = terminal.wait("peak")
    wait_until(lambda: facts.asked > 5, 15, "some looks")
    lines = text.rstrip("\n").split("\n")
    tap.ok(len(lines) == 24 and "live" in lines[0] and page.url in lines[0]
           and "q quit" in lines[23], "80x24 is filled", text)
    tap.ok(all(words in text for words in (
        "received", "bursts 1", "640 waiting clogged", "limit 0.105",
        "windows 0 to 99", "B", "temp 90.5, expected 20.125 (80 %)")),
        "with every part", text)
    tap.ok("\\x1b]0;own" in text and terminal.ask("pane_title") != "owned",
           "a record's text does nothing to it", text)
    tap.ok("\x1b[32m" in terminal.text("-e"), "it has colours")
    terminal.resize(40, 12)
    text = wait_until(lambda: "not 20.125" in terminal.text()
                      and terminal.text(), 15, "the small screen")
    lines = text.rstrip("\n").split("\n")
    tap.ok(len(lines) == 12 and "q quit" in lines[11] and "rate" in lines[1]
           and not any(len(line) > 40 for line in lines),
           "40x12 has what matters", text)
    terminal.resize(200, 60)
    text = terminal.wait("blamed")
    tap.ok(len(text.rstrip("\n").split("\n")) == 60
           and "malformed" in text and '"note":"fine"' in text,
           "200x60 has the rest", text)
    terminal.type("q")
    terminal.wait_back()
    tap.ok("before" in terminal.text() and "received" not in terminal.text(),
           "q gives back what was there", terminal.text())
    tap.ok(is_restored(terminal), "and the terminal as it was",
           terminal.text())
    terminal.type("clear; NO_COLOR=1 %s top %s" % (CTL, page.url), "Enter")
    terminal.wait("received")
    tap.ok("\x1b[" not in terminal.text("-e"), "NO_COLOR has none",
           repr(terminal.text("-e")))
    terminal.type("q")
    terminal.close()
    page.close()


def case_keyboard(tap, stage):
    """p, + and -."""
    facts = Facts()
    desk = Desk(stage.context, stage.ipc("control"), facts)
    terminal = Terminal(stage, 80, 24)
    terminal.type("%s top -i 200ms %s" % (CTL, desk.endpoint), "Enter")
    terminal.wait("every 200 ms")
    terminal.type("p")
    terminal.wait("display paused")
    time.sleep(0.5)
    asked = facts.asked
    time.sleep(1.0)
    tap.same(facts.asked, asked, "p asks no more")
    terminal.resize(60, 20)
    terminal.wait("p go on")
    terminal.type("p")
    terminal.wait("every 200 ms")
    wait_until(lambda: facts.asked > asked, 15, "another look")
    tap.ok(True, "and p goes on")
    terminal.type("+", "+")
    terminal.wait("every 1 s")
    terminal.type("-", "-", "-")
    terminal.wait("every 100 ms")
    tap.ok(True, "+ and - change the interval")
    terminal.type("q")
    terminal.wait_back()
    terminal.close()
    desk.close()


def case_outage(tap, stage):
    """A filter that goes away and comes back."""
    page = Page(Facts())
    terminal = Terminal(stage, 80, 24)
    terminal.type("%s top -i 100ms %s" % (CTL, page.url), "Enter")
    terminal.wait("received")
    page.close()
    terminal.wait("no answer")
    # What was asked meanwhile may be told to be cut off first.
    text = terminal.wait("cannot reach")
    tap.ok("no answer" in text and "received" in text and "as of " in text
           and "trying again" in text, "it is told beside what was known", text)
    port = page.port
    page = Page(Facts(lambda step: b"{"), port=port)
    text = terminal.wait("bad answer")
    tap.ok("not JSON" in text, "and so is what makes no sense", text)
    page.close()
    page = Page(Facts(), port=port)
    wait_until(lambda: "bad answer" not in terminal.text()
               and "no answer" not in terminal.text(), 15, "it to be back")
    tap.ok("live" in terminal.text(), "and then it goes on")
    page.close()
    # One that takes connections and says nothing holds up no key.
    mute = socket.create_server(("127.0.0.1", port))
    taken = threading.Event()

    def take():
        mute.accept()
        taken.set()

    threading.Thread(target=take, daemon=True).start()
    taken.wait(15)
    terminal.type("q")
    started = time.monotonic()
    terminal.wait_back()
    tap.ok(time.monotonic() - started < 3 * SLACK,
           "q does not wait for an answer")
    mute.close()
    terminal.close()


def case_signals(tap, stage):
    """Stopped, continued and ended, the terminal is always given back."""
    page = Page(Facts())
    terminal = Terminal(stage, 80, 24)
    command = "%s top -i 100ms %s; echo status $?" % (CTL, page.url)
    terminal.type(command, "Enter")
    terminal.wait("received")
    terminal.type("C-z")
    terminal.wait_back()
    tap.ok(is_restored(terminal), "^Z gives it back", terminal.text())
    terminal.type("fg", "Enter")
    terminal.wait("received")
    tap.same(terminal.ask("alternate_on"), "1", "fg takes it again")
    terminal.type("C-c")
    terminal.wait_back()
    tap.ok(is_restored(terminal), "^C gives it back", terminal.text())
    for number in (signal.SIGTERM, signal.SIGHUP):
        terminal.type("clear; sh -c 'echo $$ >%s; exec %s'; echo status $?" % (
            stage.path("pid"), "%s top %s" % (CTL, page.url)), "Enter")
        terminal.wait("received")
        with open(stage.path("pid"), encoding="ascii") as file:
            os.kill(int(file.read()), number)
        terminal.wait_back()
        text = terminal.wait("status %d" % (128 + number))
        tap.ok(is_restored(terminal), "and so does signal %d" % number, text)
    terminal.close()
    page.close()


CASES = [case_once, case_faults, case_endpoint, case_keys]
if shutil.which("tmux"):
    CASES += [case_screen, case_keyboard, case_outage, case_signals]
else:
    def case_terminal(tap, stage):
        tap.skip("top on a terminal", "tmux is not installed")
    CASES.append(case_terminal)

if __name__ == "__main__":
    main(Stage, CASES, 300)
