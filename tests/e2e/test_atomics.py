#!/usr/bin/env python3
"""Atomic operations and contexts do what is documented: which there are, what their results are made of, what is refused,
and what becomes of operations that are known to be wrong in the library here."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, measuring, skampi, skip_all

FETCHING = ("Fetch", "Fetch_Inc", "Swap", "Fetch_Add", "Fetch_And", "Fetch_Or", "Fetch_Xor",
            "Compare_Swap_Yes", "Compare_Swap_No")
POSTED = ("Inc", "Set", "Add", "And", "Or", "Xor")
ANY_TYPE = ("Fetch", "Swap", "Set")
KINDS = ("Serialized", "Private", "Nostore")
QUICK = "set_min_repetitions(4)\nset_max_repetitions(8)\nset_max_relative_standard_error(1.0)\n"


def names():
    """All atomic operations that there should be, and what they cost."""
    wanted = {}
    for operations, cost in ((FETCHING, "fetch"), (POSTED, "post + wire")):
        for operation in operations:
            suffixes = ["", "_Long", "_Contended", "_Long_Contended"]
            suffixes += ["_Float", "_Double"] if operation in ANY_TYPE else []
            for prefix in ("Shmem_", "Shmem_Ctx_"):
                for suffix in suffixes:
                    wanted[f"{prefix}Atomic_{operation}{suffix}"] = cost
    return wanted


def listed():
    """Name -> (parameters, reason why it is not supported or None)."""
    text = harness.signatures()
    return {name: (parameters, reason or None) for name, parameters, reason in
            re.findall(r"^(\w+)\((.*)\)\n.*\n(?: +unsupported: (.*)\n)?", text, re.MULTILINE)}


def facts(name):
    out = skampi(args=["--describe", name], launch=False).out
    return dict(re.findall(r"^(\w+): (.*)$", out, re.MULTILINE))


def test_names(tap, functions):
    atomics = {name: value for name, value in functions.items()
               if re.match("Shmem_(Ctx_)?Atomic_", name) and not name.endswith(("_Target_Computes", "_Under_Load"))}
    tap.equal(set(atomics), set(names()), "every operation, type, pattern and kind of context")
    tap.equal({parameters for parameters, _ in atomics.values()}, {"int iterations"},
              "they take the iterations")
    for operations, timed, subtracted in ((FETCHING, "", "nothing"),
                                          (POSTED, " + quiet", "an empty quiet")):
        for operation in operations:
            said = facts(f"Shmem_Ctx_Atomic_{operation}_Long")
            tap.ok(said["timed"].endswith(" + quiet") == bool(timed)
                   and said["subtracted"] == subtracted
                   and said["cost"] == names()[f"Shmem_Atomic_{operation}"],
                   f"{operation}: says what is timed", said)
    tap.equal([functions.get(f"Shmem_Ctx_{verb}_{kind}") for verb in ("Create", "Destroy")
               for kind in KINDS], 6 * [("", None)], "all kinds of context, without arguments")


def library():
    """Version of Open MPI as the output states it; None on another library."""
    found = re.search(r"^# library: .*\(Open MPI (\d+)\.(\d+)\.(\d+)\)$",
                      skampi(QUICK, np=1).out, re.MULTILINE)
    return tuple(map(int, found.groups())) if found else None


def test_defects(tap, functions):
    """Short compare-and-swap crashes in Open MPI up to 4.1.4: it is never called there."""
    version = library()
    crashing = {name for name in names() if "Compare_Swap" in name and "_Long" not in name}
    unsupported = {name for name in names() if functions[name][1]}
    expected = crashing if version and version <= (4, 1, 4) else set()
    tap.equal(unsupported, expected, f"Open MPI {version}: what it crashes in is not supported")
    tap.ok(all("4.1.4" in functions[name][1] for name in unsupported), "the reason is told")
    crashing = sorted(crashing)
    asked = skampi('begin measurement "asked"\n' + "".join(
        f'print "{name} ", is_supported("{name}")\n' for name in crashing) + "end measurement\n",
        np=1)
    tap.equal(re.findall(r"(Shmem_\w+) ([01])$", asked.out, re.MULTILINE),
              [(name, "01"[name not in expected]) for name in crashing], "is_supported() knows",
              asked)
    run = skampi(QUICK + "".join(measuring(name, f"{name}(3)") for name in crashing)
                 + measuring("after", "Shmem_Atomic_Compare_Swap_Yes_Long(3)"))
    tap.equal(run.status, 3 if expected else 0, "they are left out, and the job ends with 3", run)
    told = [name for name in crashing
            if any(line.startswith(f"# unsupported: {name}(") for line in run.comments)]
    tap.equal(told, sorted(expected), "a comment stands for each of them", run)
    tap.equal([len(run.block("after").rows), run.err], [1, ""], "the script goes on", run)


def test_values(tap):
    """Wrong values are failures, but for those that are known to be the library's, which are told
    behind the result. The same operation is right where messages do what shared memory does here."""
    known = [name for name in names()
             if re.search("Fetch_(And|Or|Xor)", name) and "Contended" not in name]
    other = [name for name in names() if name.endswith(("_Long", "_Double", "_Long_Contended"))
             and not re.search("Fetch_(And|Or|Xor)", name)]
    text = QUICK + "".join(measuring(name, f"{name}(3)") for name in known + other)
    run = skampi(text, timeout=100)
    tap.equal([run.status, run.err], [0, ""], "no operation leaves or fetches wrong values", run)
    notes = {row.block: [note for note in row.notes if "defect" in note] for row in run.rows}
    tap.equal(sorted(notes), sorted(known + other), "all have a result")
    tap.equal([name for name in other if notes.get(name)], [], "no defect is told without reason")
    tap.equal({len(notes.get(name, ())) for name in known} - {0, 1}, set(),
              "a defect is told once in a result")


# Arguments that are refused, and the word that says why.
REFUSED = {
    "Shmem_Atomic_Fetch(-1)": "iterations",
    "Shmem_Ctx_Atomic_Add_Long_Contended(-1)": "iterations",
    "Shmem_Ctx_Put_Round(-1, 1)": "count",
    "Shmem_Ctx_Get_Nonblocking_Full(1, -1)": "iterations",
    "Shmem_Ctx_Quiet_Put(1, -1)": "nb",
    "Shmem_Ctx_Put_Nonblocking_Several(8, 0, 1)": "contexts",
    "Shmem_Ctx_Get_Nonblocking_Several(8, 65, 1)": "may be at most 64",
    "Shmem_Ctx_Create_Private(1)": "Shmem_Ctx_Create_Private",
}


def test_refusals(tap):
    runs = harness.in_parallel(REFUSED, lambda call: harness.refused(measuring("refused", call), np=1))
    for call, run in runs:
        tap.equal(run.status, 2, f"{call} is refused", run)
        tap.ok(not run.rows and REFUSED[call] in run.err, f"{call}: the reason is told", run)


PRELUDE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <shmem.h>
#define REAL(type, name, parameters) \
    type (*real) parameters; \
    *(void **)&real = dlsym(RTLD_NEXT, #name)
"""

FEW_CONTEXTS = PRELUDE + r"""
/* The last PE gets so many contexts. */
int shmem_ctx_create(long options, shmem_ctx_t *context)
{
    static int used;
    REAL(int, shmem_ctx_create, (long, shmem_ctx_t *));
    if (shmem_my_pe() == shmem_n_pes() - 1 && ++used > atoi(getenv("CONTEXTS")))
        return 1;
    return real(options, context);
}
"""

WRONG_VALUES = PRELUDE + r"""
void shmem_long_atomic_add(long *target, long value, int pe)
{
    (void)target, (void)value, (void)pe;
}

int shmem_int_atomic_fetch_inc(int *target, int pe)
{
    REAL(int, shmem_int_atomic_fetch_inc, (int *, int));
    return real(target, pe) + 1;
}

/* The first ones are those of the set-up. */
long shmem_long_atomic_compare_swap(long *target, long comparand, long value, int pe)
{
    static int calls;
    REAL(long, shmem_long_atomic_compare_swap, (long *, long, long, int));
    return real(target, calls++ < 1 ? comparand : comparand - 1, value, pe);
}

/* Of two it loses one. */
void shmem_ctx_long_atomic_inc(shmem_ctx_t context, long *target, int pe)
{
    static int calls;
    REAL(void, shmem_ctx_long_atomic_inc, (shmem_ctx_t, long *, int));
    if (calls++ < 1 || shmem_my_pe() == 0)
        real(context, target, pe);
}

void shmem_ctx_putmem_nbi(shmem_ctx_t context, void *target, const void *source, size_t n, int pe)
{
    (void)context, (void)target, (void)source, (void)n, (void)pe;
}
"""


def check_failures(tap, library, env, calls):
    """Each call (call: words of the reason) fails on the library, and the script goes on."""
    run = skampi(QUICK + "".join(measuring(call, call) for call in calls)
                 + measuring("after", "Shmem_Quiet(3)"), env={"LD_PRELOAD": library, **env})
    tap.equal(run.status, 3, f"{', '.join(calls)}: the job ends with 3", run)
    reasons = [line for line in run.err.splitlines() if ": error: " in line]
    for call, words in calls.items():
        tap.ok(any(call.split("(")[0] in line and words in line for line in reasons),
               f"{call}: the reason is told", run)
    tap.equal([row.block for row in run.rows], ["after"], "the script goes on", run)


def test_wrong_library(tap):
    library = preloadable(WRONG_VALUES)
    if tap.ok(library, "a library with wrong operations is built"):
        check_failures(tap, library, {}, {
            "Shmem_Atomic_Add_Long(3)": "holds 6 and should hold 9 after 1 operations",
            "Shmem_Atomic_Fetch_Inc(3)": "fetched 7, which its target did not hold",
            "Shmem_Atomic_Compare_Swap_Yes_Long(3)": "but its target should have held",
            "Shmem_Ctx_Atomic_Inc_Long_Contended(3)": " and should hold ",
            "Shmem_Ctx_Put_Nonblocking_Full(8, 3)": "is 0xa5 and should be",
        })


def test_failing_creation(tap):
    """A context that cannot be created is a failed measurement, no crash and no hang, wherever it
    happens: with none left in the set-up, with some behind it."""
    library = preloadable(FEW_CONTEXTS)
    if not tap.ok(library, "a library with few contexts is built"):
        return
    for contexts, call, words in (
            (0, "Shmem_Ctx_Atomic_Add(3)", "only 0 of 1 contexts"),
            (1, "Shmem_Ctx_Put_Nonblocking_Several(8, 2, 3)", "only 1 of 2 contexts"),
            (3, "Shmem_Ctx_Create_Private()", "could not create a context"),
            (3, "Shmem_Ctx_Destroy_Nostore()", "could not create a context")):
        check_failures(tap, library, {"CONTEXTS": str(contexts)}, {call: words})


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    functions = listed()
    test_names(tap, functions)
    test_defects(tap, functions)
    test_values(tap)
    test_refusals(tap)
    test_wrong_library(tap)
    test_failing_creation(tap)
    tap.done()


main()
