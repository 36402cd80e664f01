"""planted.py - a copy of the sources, built within itself, in which a defect
is planted and mended again. The sources themselves are never touched."""
import os
import shutil
import subprocess

from trial import Unfit

# What a build leaves beside its sources, or would be taken for theirs.
LEFT_OUT = shutil.ignore_patterns(
    ".git", "autom4te.cache", "__pycache__", ".deps", ".libs", "*.o", "*.lo",
    "*.la", "*.log", "*.trs", "Makefile", "config.h", "config.status",
    "libtool", "stamp-h1", "web.c")


def ignored(place):
    """Builds that are in a directory of their own are left out, too."""
    def some(directory, names):
        left = set(LEFT_OUT(directory, names))
        for name in names:
            path = os.path.join(directory, name)
            if (os.path.exists(os.path.join(path, "config.status"))
                    or os.path.abspath(path) == place):
                left.add(name)
        return left
    return some


def targets(test):
    """What has to be made for TEST."""
    name = test.split()[0]
    if name.startswith("tests/unit/"):
        return {name}
    programs = {"prae-filter", "praectl"}
    if name.startswith("tests/cli/"):
        programs.add("examples/sensors")
    if name.startswith("tests/torture/"):
        programs |= {"tests/torture/prae-filter", "tests/torture/praectl"}
    return programs


class Plantation:
    def __init__(self, sources, place):
        self.sources = os.path.abspath(sources)
        self.place = os.path.abspath(place)
        self.tree = os.path.join(self.place, "tree")
        self.whole = {}  # by path, as it was

    def run(self, *command):
        done = subprocess.run(command, cwd=self.tree, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Unfit("%s:\n%s" % (" ".join(command), done.stdout[-4000:]))

    def make(self):
        """Without the shared library each file is compiled once, and a
        program is itself and no script that starts it."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.sources, self.tree, symlinks=True,
                        ignore=ignored(self.place))
        compiler = os.environ.get("CC", "")
        self.run("./configure", "--quiet", "--disable-shared", "CFLAGS=-O2",
                 *(["CC=" + compiler] if compiler else []))

    def build(self, tests):
        wanted = set().union(*(targets(test) for test in tests))
        self.run("make", "-s", "-j%d" % os.cpu_count(), *sorted(wanted))

    def write(self, path, text):
        # As a new file, so that make sees it whatever the clock does.
        with open(path + ".part", "w") as file:
            file.write(text)
        os.replace(path + ".part", path)

    def plant(self, defect):
        path = os.path.join(self.tree, defect.file)
        with open(path) as file:
            whole = file.read()
        if whole.count(defect.old) != 1:
            raise Unfit("%s: not one place for it in %s" % (defect.what,
                                                            defect.file))
        self.whole[path] = whole
        self.write(path, whole.replace(defect.old, defect.new))

    def mend(self, defect):
        path = os.path.join(self.tree, defect.file)
        self.write(path, self.whole.pop(path))
