#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""measurements/example.c becomes a family by a copy and a line in the registry, and is measured."""

import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import builds
import harness
from harness import ROOT, Tap, read_text, skampi, write_text

NAME = "Shmem_Swap_Long_Round"
FAMILY = "swap"
SCRIPT = f"""begin measurement "swap"
  measure MPI_COMM_WORLD : {NAME}(0)
end measurement
"""


def check_format(tap, path):
    if not shutil.which("clang-format"):
        tap.skip("the example is formatted", "clang-format is not installed")
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--style=file", path], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    tap.equal(done.returncode, 0, "the example is formatted", done.stderr)


def copy_example(top):
    text = read_text(top, "measurements", "example.c")
    write_text(os.path.join(top, "measurements", "shmem", f"{FAMILY}.c"), text.replace("measurements_example", f"measurements_{FAMILY}"))


def add_line(top):
    """Puts the family into the registry; returns whether one line did it."""
    path = os.path.join(top, "measurements", "registry.c")
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    first = [i for i, line in enumerate(lines) if line.lstrip().startswith("FAMILY(")][:1]
    for i in first:
        lines.insert(i, f"    FAMILY({FAMILY}) \\\n")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    return len(first) == 1


def main():
    tap = Tap()
    tap.ok(skampi(args=["--describe", NAME], launch=False).status == 2,
           "the example is not a function of the program")
    check_format(tap, os.path.join(ROOT, "measurements", "example.c"))
    top = builds.copy_tree(built=True)
    copy_example(top)
    tap.ok(add_line(top), "the registry takes a family in one line")
    made = builds.make(top, *builds.built_variables(), timeout=280)
    if not tap.equal(made.status, 0, "it compiles", made):
        tap.done()
    tap.ok("warning:" not in made.err, "it compiles without warnings", made)
    compiled = [line.split()[-1] for line in made.out.splitlines() if line.startswith("  CC ")]
    tap.equal({path for path in compiled if path.startswith("measurements/")},
              {f"measurements/shmem/{FAMILY}.c", "measurements/registry.c"},
              "only what changed is compiled")

    folder = os.path.relpath(harness.build_directory(), ROOT)
    program = os.path.join(top, "" if folder == "build" else folder, "skampi")
    described = skampi(args=["--describe", NAME], launch=False, executable=program)
    tap.equal(described.status, 0, "--describe knows it", described)
    tap.ok("timed: atomic swap" in described.out, "--describe says what is timed", described)
    listed = harness.signatures("Swap_Long", executable=program)
    tap.ok(f"{NAME}(int iterations)" in listed, "--list shows how it is called", listed)
    led = skampi(args=["--describe", "shmem_long_atomic_swap"], launch=False, executable=program)
    tap.ok(re.search(r"^shmem_long_atomic_swap is measured by .* and \d+ others", led.out)
           and "Swap_Long_Round" in harness.signatures("shmem_long_atomic_swap", executable=program),
           "the name of its routine leads to it", led)
    for pes in (1, 2, 3) if harness.has("SHMEM") else ():
        run = skampi(SCRIPT, np=pes, executable=program, args=["-o", "-", "-o", "a.json"])
        results = [json.loads(line) for line in open(run.path("a.json"), encoding="utf-8")]
        tap.ok([result["bandwidth"] > 0 for result in results if result["record"] == "result"] == [True],
               f"on {pes} PEs it has a bandwidth", results)
        tap.equal(run.status, 0, f"on {pes} PEs it is measured", run)
        tap.ok(len(run.rows) == 1 and run.rows[0].bytes == 8 and run.rows[0].time > 0
               and len(run.rows[0].per_pe) == pes, f"on {pes} PEs there is a result", run)
    tap.done()


main()
