#!/usr/bin/env python3
# TIMEOUT: 120
"""The recipes in docs/method.md (fences ```ski recipe), run as they are printed there; the examples
in docs/functions are right."""

import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness

if not harness.has("SHMEM"):
    harness.skip_all("built without OpenSHMEM")
tap = harness.Tap()
with open(os.path.join(harness.ROOT, "docs", "method.md"), encoding="utf-8") as file:
    recipes = re.findall(r"^```ski recipe\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
tap.ok(len(recipes) >= 1, "there are recipes")
for script in recipes:
    name = re.search(r'begin measurement "(.*)"', script).group(1)
    run = harness.skampi(script, np=2)
    printed = re.findall(r"^#P\[0\] (\d+) bytes: (-?[\d.e+]+) ns more", run.out, re.MULTILINE)
    tap.ok(run.status == 0 and len(run.rows) == 1 + len(printed) == 10, f"{name}: runs", run)
    more = {int(count): float(time) for count, time in printed}
    # 64 KiB take longer than a byte on any machine.
    tap.ok(more and more[65536] > 0, f"{name}: what it prints is a difference", more)

checked = 0
for page in sorted(glob.glob(os.path.join(harness.ROOT, "docs", "functions", "*.md"))):
    with open(page, encoding="utf-8") as file:
        found = re.findall(r"^```ski\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    for script in found:
        checked += 1
        run = harness.skampi(script, args=["-n"], launch=False)
        tap.ok(run.status == 0, f"{os.path.basename(page)}: its example is right", run)
tap.ok(checked > 20, "there are examples on functions")
tap.done()
