#!/usr/bin/env python3
# TIMEOUT: 900
"""The scripts in inputs/ run on any number of PEs, to the end and with all results, several one after the other; each is right
by itself."""

import glob
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import BOUND, FEW, ROOT, Tap, read_text, skampi, with_few_repetitions

# On more PEs than cores, each synchronization takes milliseconds: few and small messages then.
FAST = {"iterations": 2, "FLOOD": 64, "REPETITIONS": 8, "POINT_TIME": 0.05, "LATE": 1e-5}
SMALL = {"MAXSIZE": 8, **FAST}
# Sizes as users have them are measured on one PE, where the same takes an eighth of the time.
MIDDLING = {"MAXSIZE": "1kb", **FAST}
SOON = {"seconds": 0.5}  # over which a script spreads its rounds
MANY = 5  # odd, and more PEs than cores; what does not run on so many runs on 3
NUMBERS = (2,) if harness.SAMPLE else (1, 2, 3, MANY)
AT_ONCE = 8  # scripts: a launch takes as long as many of them
PRECISION = re.compile(r"^set_max_relative_standard_error\(.*?\)", re.MULTILINE)
# Clocks on which all start are waited for the longer the more PEs share a core, and so is everybody.
MOST_ON_TIME = 3
YIELD = {"OMPI_MCA_mpi_yield_when_idle": "1"}
# Windows that are as long as the last repetitions took: a PE that finds its core taken misses each of them.
SHORT_WINDOWS = 'set_window_rule("mpiperf")'
INPUTS = os.path.join(ROOT, "inputs")
INCLUDE = re.compile(r'^@include "(.*)"$', re.MULTILINE)
# Functions of one PE on another have nothing to do on one PE.
NEED_TWO = re.compile(r"get_np\(\) > 1")
# Where the PEs of such blocks have to be; this test has one node.
ONE_CALL = ("connecting",)  # blocks that measure what happens once in a process
PLACES = re.compile(r"(one node|two nodes)$")
NEED_LIBRARY = re.compile(r"Shmem_|First_Call|Memory_Footprint|[Ss]end|Bcast|MPI_|is_supported")
# What happens once in a process has one repetition, and is first in it.
ONCE = ("startup.ski", "selfcheck.ski", "inputs/figures/first_call.ski", "mpi_comm.ski",
        # These change timer, windows, repetitions, and rounds for what comes after them.
        "load.ski", "inputs/figures/wait_patterns.ski", "inputs/figures/bcast_windows.ski",
        "inputs/figures/barrier_spread.ski")
LIMITED = re.compile(r"set_(precision|max_time)\(")  # ends points early, also those of scripts after it
ROUNDS = " (rounds)"


def blocks_of(text):
    """(name, text) of the blocks of a script."""
    return re.findall(r'^begin measurement "(.*?)"\n(.*?)^end measurement', text,
                      re.MULTILINE | re.DOTALL)


def is_possible(name, text, pes):
    """Whether a block can be measured on so many PEs of one node."""
    place = PLACES.search(name)
    if harness.has("SHMEM"):  # what is done without it has conditions of its own
        text = text.split("\n  else\n")[0]
    if place and place.group(1) == "two nodes":
        return False
    return pes > 1 or not (place or NEED_TWO.search(text))


def settings(text, values):
    """Options that set those of the variables that the script has."""
    return [word for name, value in values.items() if re.search(rf"^{name} =", text, re.MULTILINE)
            for word in ("--set", f"{name}={value}")]


def crowded(text, pes):
    """The script, told that PEs share cores, with each other or with other tests."""
    if (pes > MOST_ON_TIME or pes > 2 and "mpiperf" in text) and "_synchronization()" not in text:
        text = PRECISION.sub(r"\g<0> choose_barrier_synchronization()", text)
    return with_few_repetitions(text)


def functions_in(text):
    return set(re.findall(r"^\s*measure [^:\n]+: (\w+)\(", text, re.MULTILINE))


def read(path):
    """A script's text, with those that it includes."""
    return INCLUDE.sub(lambda match: read(os.path.join(INPUTS, match[1])), read_text(path))


def check_result(tap, what, run, texts, unsupported, pes):
    """texts: of the scripts that it ran, one behind the other."""
    blocks = [block for text in texts for block in blocks_of(text)]
    if not tap.equal(run.status, 0, f"{what}: exit status", run):
        return
    measured = [block for block in run.blocks if not block.name.endswith(ROUNDS)]
    growing = {name for name, text in blocks if "measure comm(n) " in text}
    tap.equal([block.name for block in measured], [name for name, _ in blocks],
              f"{what}: all blocks are there")
    tap.ok(all(block.ended for block in run.blocks), f"{what}: all blocks end", run)
    tap.equal(run.unparsed, [], f"{what}: nothing but results and comments")
    tap.ok(any(line.startswith("# Finished at") for line in run.comments), f"{what}: it finishes")
    # Clocks can be read everywhere.
    empty = [name for name, text in blocks if functions_in(text) and functions_in(text) <= unsupported
             or NEED_LIBRARY.search(text) and not is_possible(name, text, pes)]
    without = [block.name for block in measured if not block.rows]
    tap.equal(without, empty, f"{what}: what can be measured here has results")
    least = 1 if what.startswith(ONCE) or LIMITED.search(texts[0]) else FEW
    tap.ok(all(math.isfinite(row.time) and row.reps >= (1 if row.block in ONE_CALL else least)
               and (len(row.per_pe) == pes or row.block in growing
                    or PLACES.search(row.block) and len(row.per_pe) > 1
                    or row.block.endswith("on every other PE")
                    and len(row.per_pe) == (pes + 1) // 2)
               for row in run.rows if not row.block.endswith(ROUNDS)),
           f"{what}: every result has its numbers", run)


def groups(texts, pes):
    """Names of the scripts that run together on so many PEs."""
    included = INCLUDE.findall(read_text(INPUTS, "all.ski"))

    def runs_on(name, number):
        return not (
            # One PE waits for nobody.
            name == "all.ski" and number > 1 or name in included and number == 1
            # Known waits need a processor for each PE, as the script's head says.
            or name in ("selfcheck.ski", "inputs/figures/wait_patterns.ski") and number > 2
            or name == "inputs/figures/barrier_spread.ski" and number > 4
            or number > MOST_ON_TIME and "_Under_Load(" in texts[name])  # aggressors never wait

    runnable = [name for name in texts if runs_on(name, pes) and not (pes == 3 and runs_on(name, MANY))]
    alone = [name for name in runnable if name.startswith(ONCE) or LIMITED.search(texts[name])]
    together = [name for name in runnable if name not in alone]
    return [[name] for name in alone] + [together[at:at + AT_ONCE]
                                         for at in range(0, len(together), AT_ONCE)]


def start(names, texts, pes):
    """Runs scripts, as one on more than one PE: those that PEs share cores in are told so."""
    files = {name: crowded(texts[name], pes) for name in names}
    small = FAST if pes == 1 else SMALL if pes > 2 or harness.SAMPLE else MIDDLING
    bound = BOUND if any(SHORT_WINDOWS in texts[name] for name in names) else {}
    return skampi("".join(f'@include "{name}"\n' for name in names), np=pes, files=files, env={**YIELD, **bound},
                  args=settings("".join(files.values()), SOON | small), timeout=240)


def check_head(tap, name, text):
    """The comment at the top tells a user what there is to know."""
    head = re.match(r"(?:#.*\n)+", text)
    words = head.group(0) if head else ""
    knobs = ("MAXSIZE",) if "MAXSIZE =" in text else ()
    tap.ok(re.search(rf"oshrun -np \d+ skampi -i {re.escape(name)}\b", words), f"{name}: its head says how it is started")
    for word in (" s at 2 PEs", *knobs):
        tap.ok(word in words, f"{name}: its head says \"{word}\"")


def main():
    tap = Tap()
    texts = {}
    for path in sorted(glob.glob(os.path.join(INPUTS, "**", "*.ski"), recursive=True)):
        # Scripts in folders are not found by their names.
        name = os.path.relpath(path, INPUTS)
        texts[os.path.join("inputs", name) if os.path.dirname(name) else name] = read(path)
    tap.ok(texts, "there are scripts")

    shown = harness.signatures()
    listed = set(re.findall(r"^(\w+)\(", shown, re.MULTILINE))
    unsupported = set(re.findall(r"^(\w+)\(.*\n.*\n +unsupported: ", shown, re.MULTILINE))
    called = functions_in("".join(texts.values()))
    tap.equal(sorted(listed - called - {"wtime"}), [], "every function is in some script")

    for name, text in texts.items():
        check_head(tap, name, text)
        checked = skampi(os.path.join(INPUTS, os.path.relpath(name, "inputs") if os.path.dirname(name) else name), args=["-n"],
                         launch=False)
        tap.equal(checked.status, 0, f"{name}: needs no other script before it", checked)
    if not harness.has("SHMEM"):
        for name in [name for name, text in texts.items() if "is_supported" not in text]:
            del texts[name]
            tap.skip(name, "it needs OpenSHMEM")
    for pes in NUMBERS:
        for names in groups(texts, pes):
            check_result(tap, f"{', '.join(names)} on {pes} PEs", start(names, texts, pes),
                         [texts[name] for name in names], unsupported, pes)

    if os.path.dirname(harness.program()) == ROOT:
        run = skampi("ordering.ski", np=1, args=["--set", "MAXSIZE=8"])
        tap.equal(run.status, 0, "a script is found by its name alone", run)
    tap.done()


main()
