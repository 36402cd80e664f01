"""browser.py - a headless Chromium, and the pages in it.

A Stage is a scratch directory, a browser, and everything else that a case
started; closing it ends all of that. Where Chromium, its driver or selenium
are missing, the test is skipped.
"""
import atexit
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "zmq"))

from tap import SLACK, skip_all  # noqa: E402

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    # Often another Python is first in the path than the one of the packages.
    USUAL = "/usr/bin/python3"
    if (os.path.exists(USUAL) and "PRAE_PYTHON" not in os.environ
            and not os.path.samefile(USUAL, sys.executable)):
        os.environ["PRAE_PYTHON"] = "tried"
        os.execv(USUAL, [USUAL, *sys.argv])
    skip_all("selenium is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
BUILD = os.environ.get("top_builddir",
                       os.path.join(HERE, "..", "..", "build"))
# Where pictures are wanted, for somebody to look at.
PICTURES = os.environ.get("PRAE_PICTURES")

if CHROMIUM is None or DRIVER is None:
    skip_all("chromium or its driver is not installed")


def page(kind, text=""):
    """The page as the program has it, around the facts in TEXT."""
    program = os.path.join(BUILD, "tests", "web", "page")
    return subprocess.run([program, kind], input=text.encode(),
                          stdout=subprocess.PIPE, check=True).stdout


def tidy(path):
    """What tidy has to say against the file; None where it is not there."""
    if shutil.which("tidy") is None:
        return None
    done = subprocess.run(["tidy", "-q", "-e", "--show-info", "no", path],
                          stderr=subprocess.PIPE, check=False)
    return done.stderr.decode(errors="replace")


class Stage:
    all = []

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="prae-web.")
        self.driver = None
        self.swept = []
        Stage.all.append(self)

    def browser(self):
        if self.driver is None:
            options = webdriver.ChromeOptions()
            options.binary_location = CHROMIUM
            for flag in ("--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--force-device-scale-factor=1", "--no-proxy-server",
                         "--user-data-dir=" + os.path.join(self.dir, "user")):
                options.add_argument(flag)
            options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
            self.driver = webdriver.Chrome(options=options,
                                           service=Service(DRIVER))
            self.driver.set_page_load_timeout(60 * SLACK)
            self.driver.set_script_timeout(60 * SLACK)
        return self.driver

    def look(self, width, height=900, dark=False):
        """The size and the colours that the reader likes."""
        self.browser().execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1,
             "mobile": width < 600})
        self.browser().execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme",
                          "value": "dark" if dark else "light"}]})

    def report(self, text, name="report.html"):
        path = os.path.join(self.dir, name)
        with open(path, "wb") as file:
            file.write(page("report", text))
        self.browser().get("file://" + path)
        self.settle()
        return path

    def settle(self):
        """Charts are drawn once they have a width, in a later frame."""
        self.browser().execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => "
            "requestAnimationFrame(() => setTimeout(done, 50)));")

    def run(self, script):
        return self.browser().execute_script("return " + script)

    def text(self, css="main"):
        return self.run("[...document.querySelectorAll(%s)].map(e => "
                        "e.textContent).join('\\n')" % json.dumps(css))

    def count(self, css):
        return self.run("document.querySelectorAll(%s).length"
                        % json.dumps(css))

    def complaints(self):
        """What the console has; a server that is gone is meant to be."""
        return [row["message"] for row in self.browser().get_log("browser")
                if "ERR_CONNECTION_REFUSED" not in row["message"]]

    def overflow(self):
        """Pixels that the page is wider than the window."""
        return self.run("document.documentElement.scrollWidth - "
                        "window.innerWidth")

    def pictures(self, name, width):
        """The whole page, light and dark, where that is wanted."""
        for colours in ("light", "dark") if PICTURES is not None else ():
            self.look(width, dark=colours == "dark")
            height = self.run("document.documentElement.scrollHeight")
            self.look(width, min(height, 9000), colours == "dark")
            self.settle()
            self.picture("%s-%d-%s" % (name, width, colours))

    def picture(self, name):
        shot = self.browser().execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True})
        with open(os.path.join(PICTURES, name + ".png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def paper(self, path):
        """Printed, as PDF; the bytes are returned."""
        done = self.browser().execute_cdp_cmd("Page.printToPDF", {
            "printBackground": True, "paperWidth": 8.27, "paperHeight": 11.7})
        data = base64.b64decode(done["data"])
        with open(path, "wb") as file:
            file.write(data)
        return data

    def tell(self, tap):
        if self.driver is not None:
            tap.note("\n".join(self.complaints()))

    def close(self):
        for sweep in self.swept:
            sweep()
        self.swept = []
        if self.driver is not None:
            self.driver.quit()
            self.driver = None
        shutil.rmtree(self.dir, ignore_errors=True)

    @classmethod
    def kill_all(cls):
        for stage in cls.all:
            if stage.driver is not None:
                stage.driver.service.process.kill()
            shutil.rmtree(stage.dir, ignore_errors=True)


atexit.register(Stage.kill_all)
