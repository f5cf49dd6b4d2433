"""What programs use: seconds of a processor, and memory at most, which a child of this process would begin with (../used.c)."""

import os
import re
import subprocess
from typing import NamedTuple

import builds
from harness import ROOT

LINE = re.compile(r"^used (\S+) s (\d+) KiB$", re.MULTILINE)


class Usage(NamedTuple):
    seconds: float  # of processors
    peak: int       # bytes
    status: int
    said: str       # on standard error


def starter():
    """The program that starts another one, whose path and arguments follow, and writes LINE on standard error."""
    return [builds.compiled(os.path.join(ROOT, "tests", "support", "used.c")), "2"]


def used(argv, cwd=None):
    """What a program uses whose output goes nowhere."""
    done = subprocess.run([*starter(), *argv], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)
    line = LINE.search(done.stderr)
    return Usage(float(line[1]), 1024 * int(line[2]), done.returncode, LINE.sub("", done.stderr).strip())
