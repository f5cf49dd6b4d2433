#!/usr/bin/env python3
"""--resume: a run that was cut anywhere is finished by another one, which measures only what is missing; what the
script asks about earlier times is answered alike; runs that differ, and files that are none, are refused"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap, launch_environment, launch_line, program, run, scratch_directory

FOLDER = scratch_directory()
tap = Tap()
# Two points are stated alike, and the last block asks for a time that an earlier run may have measured.
SCRIPT = """set_min_repetitions(4)
set_max_repetitions(4)
begin measurement "readings"
  for count = 1 to 5 do
    measure comm(2) : wtime(count)
  od
end measurement
begin measurement "twice"
  measure comm(2) : wtime(7)
  measure comm(2) : wtime(7)
end measurement
begin measurement "sizes"
  for count = 8 to 64 step *2 do
    measure comm(2) : wtime(count)
  od
end measurement
begin measurement "as the time says"
  measure comm(2) : wtime(3)
  if last_time() < 1 then
    measure comm(2) : wtime(11)
  fi
end measurement
"""


def path(name, text=None):
    place = os.path.join(FOLDER, name)
    if text is not None:
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
    return place


def measured(*args, script="resume.ski", np=2, **settings):
    line = launch_line(np, [program(), "-i", path(script), *args])
    return run(line, {**launch_environment(), **settings}, timeout=60)


def records(name, kinds=("result", "missing")):
    with open(path(name), encoding="utf-8") as file:
        return [record for record in map(json.loads, file) if record["record"] in kinds]


def points(name):
    return [(record["record"], record["point"]) for record in records(name)]


# ---- Runs that were cut ----

path("resume.ski", SCRIPT)
whole = measured("-o", path("whole.json"))
tap.ok(whole.status == 0 and len(points("whole.json")) == 13, "a run to resume", whole)
with open(path("whole.json"), encoding="utf-8") as file:
    TEXT = file.read()
LINES = TEXT.splitlines(keepends=True)
ENDS = [i + 1 for i, line in enumerate(LINES) if line.startswith('{"record":"result"')]

for name, cut in (("after the header", LINES[0]), ("in the middle of a line", "".join(LINES[:ENDS[3]]) + LINES[ENDS[4] - 1][:90]),
                  ("between two equal points", "".join(LINES[:ENDS[5]])), ("nowhere", TEXT)):
    path("cut.json", cut)
    done = cut.count('\n{"record":"result"') - (not cut.endswith("\n"))
    again = measured("--resume", path("cut.json"), "-o", path("again.json"), "--force")
    tap.ok(again.status == 0 and points("again.json") == points("whole.json"),
              f"cut {name}: the same points", again)
    with open(path("again.json"), encoding="utf-8") as file:
        taken = [line for line in file if line.startswith('{"record":"result"') and line in LINES]
    tap.ok(len(taken) == max(done, 0), f"cut {name}: what was measured is copied, and nothing else",
              f"{len(taken)} copied, {done} were there")

path("again-cut.json", "".join(LINES[:ENDS[1]]))
second = measured("--resume", path("again-cut.json"), "-o", path("second.json"))
third = measured("--resume", path("second.json"), "-o", path("third.json"))
tap.ok(third.status == 0 and [r["at"] for r in records("second.json")] == [r["at"] for r in records("third.json")],
          "a file that was resumed can be resumed", f"{second}\n{third}")

# ---- What is refused ----


def refused(name, words, *args, **more):
    out = path("never.json")
    there = measured("--resume", path("cut.json"), *(args or ("-o", out)), **more)
    tap.ok(there.status == 2 and all(word in there.err for word in words) and there.err.count("error:") == 1
              and not os.path.exists(out), f"refused: {name}", there)


path("other.ski", SCRIPT + "\n# another one\n")
refused("another script", ["--resume", "script", "checksum"], script="other.ski")
refused("other PEs", ["had 2 PEs, this one has 3"], np=3)
refused("other settings of the library", ["settings", "UCX_LOG_LEVEL=error"], UCX_LOG_LEVEL="error")
refused("another format", ["JSON"], "-o", path("never.sko"))
refused("no file for the results", ["-o NEW.json"], "--seed", "1")
refused("the file itself", ["give a new name"], "-o", path("cut.json"))
os.symlink(path("cut.json"), path("link.json"))
refused("the file itself, by another name", ["give a new name"], "-o", path("link.json"), "--force")
refused("rounds", ["--rounds"], "-o", path("never.json"), "--rounds", "3")
for name, text, words in (("an empty file", "", ["no result in it"]), ("a script", SCRIPT, ["no header"]),
                          ("a damaged line", LINES[0] + "}{\n" + LINES[1], ["line 2", "damaged"]),
                          ("two runs", TEXT + TEXT, ["second header"])):
    path("cut.json", text)
    refused(name, words)
os.remove(path("cut.json"))
refused("no file", ["cannot be read"])

tap.done()
