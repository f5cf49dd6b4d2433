#!/usr/bin/env python3
"""Every header compiles alone, twice included, with the flags of the build."""

import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, build_directory, read_text, tracked_files

COMPILE = shlex.split(read_text(build_directory(), "flags"))


def problems(header):
    """What the compiler says about the header alone; empty when it is content."""
    text = f'#include "{header}"\n' * 2
    done = subprocess.run([*COMPILE, "-Werror", "-fsyntax-only", "-x", "c", "-"], cwd=ROOT,
                          input=text.encode(), capture_output=True, check=False)
    return done.stderr.decode(errors="replace") if done.returncode else ""


tap = Tap()
headers = tracked_files("src/*.h", "measurements/*.h", "tests/*.h")
tap.ok(headers, "there are headers")
tap.ok(problems("no/such/header.h"), "a header that does not compile is noticed")
for header in headers:
    found = problems(header)
    tap.ok(not found, f"{header} compiles alone", found)
tap.done()
