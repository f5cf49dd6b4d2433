#!/usr/bin/env python3
# TIMEOUT: 900
"""The scripts in inputs/ run on any number of PEs, to the end and with all results."""

import glob
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness
from harness import ROOT, Tap, skampi

# On more PEs than cores, each synchronization takes milliseconds: few and small messages then.
SMALL = {"MAXSIZE": 8, "iterations": 2}
RUNS = [(1, {}), (2, {}), (3, SMALL), (7, SMALL), (16, SMALL)]
# Every process of MPI waits busily for every other: on 16 there are minutes of that.
MPI_RUNS = [(1, {}), (2, {}), (3, SMALL), (7, SMALL)]
ALL_RUNS = [(2, SMALL)]  # what it includes runs on other numbers of PEs by itself
# Where PEs share cores, with each other or with other tests, times never agree: then there are as few
# repetitions as there can be. On one PE a script runs as it is.
PRECISION = re.compile(r"^set_max_relative_standard_error\(.*?\)", re.MULTILINE)
# Clocks on which all start are waited for the longer the more PEs share a core.
MOST_ON_TIME = 3
YIELD = {"OMPI_MCA_mpi_yield_when_idle": "1"}
INPUTS = os.path.join(ROOT, "inputs")
INCLUDE = re.compile(r'^@include "(.*)"$', re.MULTILINE)
# Functions of one PE on another have nothing to do on one PE.
NEED_TWO = re.compile(r"get_np\(\) > 1")
# Where the PEs of such blocks have to be; this test has one node.
PLACES = re.compile(r"(one node|two nodes)$")
NEED_LIBRARY = re.compile(r"Shmem_|First_Call|Memory_Footprint|[Ss]end|Bcast|MPI_|is_supported")
# What happens once in a process has one repetition.
ONCE = ("startup.ski", "selfcheck.ski", "inputs/figures/first_call.ski", "mpi_comm.ski")


def blocks_of(text):
    """(name, text) of the blocks of a script."""
    return re.findall(r'^begin measurement "(.*?)"\n(.*?)^end measurement', text,
                      re.MULTILINE | re.DOTALL)


def is_possible(name, text, pes):
    """Whether a block can be measured on so many PEs of one node."""
    place = PLACES.search(name)
    if place and place.group(1) == "two nodes":
        return False
    return pes > 1 or not (place or NEED_TWO.search(text))


def settings(text, values):
    """Options that set those of the variables that the script has."""
    return [word for name, value in values.items() if re.search(rf"^{name} =", text, re.MULTILINE)
            for word in ("--set", f"{name}={value}")]


def crowded(text, pes):
    """The script, told that PEs share cores."""
    told = "set_max_relative_standard_error(1.0)"
    if pes > MOST_ON_TIME and "_synchronization()" not in text:
        told += " choose_barrier_synchronization()"
    return PRECISION.sub(told, text)


def functions_in(text):
    return set(re.findall(r"^\s*measure [^:\n]+: (\w+)\(", text, re.MULTILINE))


def read(path):
    """A script's text, with those that it includes."""
    with open(path, encoding="utf-8") as file:
        return INCLUDE.sub(lambda match: read(os.path.join(INPUTS, match[1])), file.read())


def check_result(tap, what, run, blocks, unsupported, pes):
    if not tap.equal(run.status, 0, f"{what}: exit status", run):
        return
    tap.equal([block.name for block in run.blocks], [name for name, _ in blocks],
              f"{what}: all blocks are there")
    tap.ok(all(block.ended for block in run.blocks), f"{what}: all blocks end", run)
    tap.equal(run.unparsed, [], f"{what}: nothing but results and comments")
    tap.ok(any(line.startswith("# Finished at") for line in run.comments), f"{what}: it finishes")
    # Clocks can be read everywhere.
    empty = [name for name, text in blocks if functions_in(text) and functions_in(text) <= unsupported
             or NEED_LIBRARY.search(text) and not is_possible(name, text, pes)]
    without = [block.name for block in run.blocks if not block.rows]
    tap.equal(without, empty, f"{what}: what can be measured here has results")
    least = 1 if what.startswith(ONCE) else 8
    tap.ok(all(math.isfinite(row.time) and row.reps >= least
               and (len(row.per_pe) == pes or PLACES.search(row.block) and len(row.per_pe) > 1
                    or row.block.endswith("on every other PE")
                    and len(row.per_pe) == (pes + 1) // 2)
               for row in run.rows), f"{what}: every result has its numbers", run)


def check_head(tap, name, text):
    """The comment at the top tells a user what there is to know."""
    head = re.match(r"(?:#.*\n)+", text)
    words = head.group(0) if head else ""
    knobs = ("MAXSIZE",) if "MAXSIZE =" in text else ()
    for word in (f"oshrun -np 2 skampi -i {name}", " s at 2 PEs", *knobs):
        tap.ok(word in words, f"{name}: its head says \"{word}\"")


def main():
    tap = Tap()
    texts = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "inputs", "**", "*.ski"), recursive=True)):
        texts[path] = read(path)
    tap.ok(texts, "there are scripts")

    shown = skampi(args=["--list"], launch=False).out
    listed = set(re.findall(r"^(\w+)\(", shown, re.MULTILINE))
    unsupported = set(re.findall(r"^(\w+)\(.*\n.*\n +unsupported: ", shown, re.MULTILINE))
    called = functions_in("".join(texts.values()))
    tap.equal(sorted(listed - called - {"wtime"}), [], "every function is in some script")

    for path, text in texts.items():
        # Scripts in folders are not found by their names.
        name = os.path.relpath(path, os.path.join(ROOT, "inputs"))
        name = os.path.join("inputs", name) if os.path.dirname(name) else name
        check_head(tap, name, text)
        if not harness.has("SHMEM") and "is_supported" not in text:
            tap.skip(name, "it needs OpenSHMEM")
            continue
        runs = MPI_RUNS if "mpi" in name or "Bcast(" in text else RUNS
        for pes, values in ALL_RUNS if name == "all.ski" else runs:
            # Known waits need a processor for each PE, as the script's head says.
            if name == "selfcheck.ski" and pes > 2:
                continue
            run = skampi(crowded(text, pes) if pes > 1 else path, np=pes,
                         args=settings(text, values), env=YIELD, timeout=240)
            check_result(tap, f"{name} on {pes} PEs", run, blocks_of(text), unsupported, pes)

    if os.path.dirname(harness.program()) == ROOT:
        run = skampi("ordering.ski", np=1, args=["--set", "MAXSIZE=8"])
        tap.equal(run.status, 0, "a script is found by its name alone", run)
    tap.done()


main()
