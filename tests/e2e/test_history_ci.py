#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 180
"""The examples of docs/ci.md: YAML is read, its commands run on a made history and end as the page says, and the class
for ReFrame compiles and has what it says, with a stand-in for ReFrame."""

import os
import re
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, scratch_directory
from made_results import point, records, write, write_records

tap = Tap()
PAGE = read_text(ROOT, "docs/ci.md")
YAML = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
tap.equal((len(YAML), len(PYTHON)), (2, 1), "two services and a class")


def commands(text):
    """Commands of a step or list entry in the YAML above, without reading YAML, which not every Python can."""
    block = re.search(r"- name: Look back\n +run: \|\n((?: {10}.*\n)+)", text)
    if block:
        return re.sub("^ {10}", "", block[1], flags=re.MULTILINE)
    return "\n".join(re.findall(r"^    - (skampi-history .*)$", text, re.MULTILINE))


def look_back(script, slower, cut=False, options="-e"):
    """The run of these commands by a shell in a folder with a history, and the files there."""
    folder = scratch_directory()
    os.mkdir(os.path.join(folder, "history"))
    for number in range(12):
        time = 1e-6 * (1 + 0.001 * (number % 3)) * (1.2 if slower and number > 5 else 1)
        write(os.path.join(folder, "history", f"{number}.json"), [point("put", "F", {"count": 8}, time)],
              header={"started": f"2026-03-{number + 1:02}T02:00:00+00:00"})
    if cut:
        write_records(os.path.join(folder, "history", "cut.json"), records([], whole=False))
    path = os.path.join(ROOT, "scripts") + os.pathsep + os.environ["PATH"]
    made = run(["sh", f"{options}c", script], cwd=folder, env={**os.environ, "PATH": path})
    return made, sorted(os.listdir(folder))


for name, text, left_out in (("GitHub", YAML[0], 0), ("GitLab", YAML[1], 3)):
    script = commands(text)
    for slower, cut, status in ((False, False, 0), (True, False, 1), (False, True, left_out)):
        made, files = look_back(script, slower, cut)
        tap.ok(made.status == status and files == ["history", "history.html", "history.xml"],
               f"{name}: status {status} if slower is {slower} and a file is cut is {cut}", (made, files))

try:
    import yaml
except ImportError:
    tap.skip("the YAML is read", "needs python3-yaml")
else:
    github, gitlab = map(yaml.safe_load, YAML)
    steps = github["jobs"]["measure"]["steps"]
    tap.ok(all(("uses" in step) != ("run" in step) for step in steps) and
           [step["run"] for step in steps if step.get("name") == "Look back"] == [commands(YAML[0])],
           "GitHub: each step uses or runs something", steps)
    tap.ok(all(isinstance(line, str) for line in gitlab["measure"]["script"]) and
           gitlab["measure"]["script"][-1] == commands(YAML[1]) and
           gitlab["measure"]["artifacts"]["reports"]["junit"] == "history.xml" and
           gitlab["measure"]["allow_failure"]["exit_codes"] == [3], "GitLab: a script, a report, warnings", gitlab)


# ---- ReFrame ----


def stand_in():
    """As much of ReFrame as the class uses. What it has in classes without import are builtins here."""
    package, utility, sanity = (types.ModuleType(name) for name in (
        "reframe", "reframe.utility", "reframe.utility.sanity"))
    package.simple_test = lambda cls: cls
    package.RunOnlyRegressionTest = type("RunOnlyRegressionTest", (), {"stdout": "output", "stagedir": "."})
    package.utility, utility.sanity = utility, sanity
    sanity.assert_found = lambda pattern, text: (pattern, text)
    sanity.defer = lambda value: value
    sanity.make_performance_function = lambda value, unit: (value, unit)
    sys.modules.update({module.__name__: module for module in (package, utility, sanity)})


stand_in()
space = {"__name__": "skampi_history", "variable": lambda kind, value: value, "run_before": lambda stage: lambda f: f,
         "sanity_function": lambda f: f}
exec(compile(PYTHON[0], "skampi_history.py", "exec"), space)
test = space["SkampiHistory"]()
test.set_commands()
after = "\n".join(test.postrun_cmds[1:]).replace(os.path.abspath("history"), "history")
made, files = look_back(after, True, options="-")
pattern, _ = test.not_slower()
tap.ok("status of the history: 1" in made.out and not re.search(pattern, made.out, re.MULTILINE),
       "ReFrame: a slower point fails", made)
made, files = look_back(after, False, options="-")
tap.ok(re.search(pattern, made.out, re.MULTILINE), "... and none passes", made)
test.stagedir = scratch_directory()
write(os.path.join(test.stagedir, "result.json"), [{**point("put", "F", {"count": 8}, 2e-6), "record": "rounds"}])
test.set_points()
tap.equal(test.perf_variables, {"put: F(count=8)": (2.0, "us")}, "... points are performance variables")
tap.done()
