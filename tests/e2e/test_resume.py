#!/usr/bin/env python3
"""--resume: a run that was cut anywhere, killed, crashed or out of disk is finished by another one, which measures only what
is missing; what the script asks about earlier times is answered alike; runs that differ, and files that are none, are refused"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from builds import preloadable
from harness import (Tap, has, launch_environment, launch_line, program, read_records, read_text, run, scratch_directory,
                     write_text)

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
        write_text(place, text)
    return place


def measured(*args, script="resume.ski", np=2, prefix=(), **settings):
    line = launch_line(np, [program(), "-i", path(script), *args])
    return run([*prefix, *line], {**launch_environment(), **settings}, timeout=60)


def records(name, kinds=("result", "missing")):
    return [record for record in read_records(path(name)) if record["record"] in kinds]


def points(name):
    return [(record["record"], record["point"]) for record in records(name)]


# ---- Runs that were cut ----

path("resume.ski", SCRIPT)
whole = measured("-o", path("whole.json"))
tap.ok(whole.status == 0 and len(points("whole.json")) == 13, "a run to resume", whole)
TEXT = read_text(path("whole.json"))
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

# ---- Runs that came to a bad end ----

# The library ends a PE in its last measurement, by the signal and on the PE that ENDING names.
ENDING = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <shmem.h>
void shmem_int_p(int *target, int value, int pe)
{
    int number = 0, rank = -1;
    sscanf(getenv("ENDING") ? getenv("ENDING") : "", "%d %d", &number, &rank);
    if (shmem_my_pe() == rank)
        raise(number);
    pshmem_int_p(target, value, pe);
}
"""
PUTS = """set_min_repetitions(4)
set_max_repetitions(4)
begin measurement "puts"
  for count = 8 to 16 step *2 do
    measure comm(2) : Shmem_Put_Full(count, 5)
  od
  measure comm(2) : Shmem_P_Full(5)
end measurement
"""
FULL = ("unshare", "-m", "sh", "-c", 'mkdir -p "$0" && mount -t tmpfs -o size=8k none "$0" || exit 77; shift 0; "$@"; '
        'status=$?; cp "$0/cut.json" "$0.json"; exit $status', path("full"))


def check_finished(name, ended, cut, script, wanted, more_were_there):
    """What the first run has measured is kept, and the second one measures the rest."""
    before = points(cut)
    again = measured("--resume", path(cut), "-o", path("again.json"), "--force", script=script)
    tap.ok(ended.status != 0 and len(before) >= more_were_there and again.status == 0
           and points("again.json") == wanted and records(cut)[:len(before)] == records("again.json")[:len(before)],
           f"{name}: finished", f"{before}\n{ended}\n{again}")


def whole_lines(name):
    """Leaves out a last line without its end, which other readers would stumble over."""
    text = read_text(path(name))
    path(name, text[:text.rfind("\n") + 1])
    return text.endswith("\n")


if has("SHMEM") and tap.ok(library := preloadable(ENDING), "a library that ends a PE is built"):
    path("puts.ski", PUTS)
    complete = measured("-o", path("complete.json"), script="puts.ski")
    tap.ok(complete.status == 0, "puts can be measured", complete)
    for name, ending in (("a crash of PE 1", "11 1"), ("kill -9 of PE 0", "9 0")):
        ended = measured("-o", path("ended.json"), "--force", script="puts.ski", LD_PRELOAD=library, ENDING=ending)
        check_finished(name, ended, "ended.json", "puts.ski", points("complete.json"), 2)
full = measured("-o", path("full/cut.json"), prefix=FULL)
if full.status == 77 or "unshare" in full.err:
    tap.skip("a disk that is full", "no file system of its own can be mounted here")
else:
    tap.ok(full.status == 1 and "No space left" in full.err, "a disk that is full: said", full)
    cut = not whole_lines("full.json")
    check_finished(f"a full disk{', in the middle of a line' if cut else ''}", full, "full.json", "resume.ski",
                   points("whole.json"), 1)

# ---- What is refused ----


def refused(name, words, *args, **more):
    out = path("never.json")
    there = measured("--resume", path("cut.json"), *(args or ("-o", out)), **more)
    tap.ok(there.status == 2 and all(word in there.err for word in words) and there.err.count("error:") == 1
              and not os.path.exists(out), f"refused: {name}", there)


path("other.ski", SCRIPT + "\n# another one\n")
refused("another script", ["--resume", "script", "checksum"], script="other.ski")
refused("other options", ["other options (none)", "(--verify every)"], "-o", path("never.json"), "--verify", "every")
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
