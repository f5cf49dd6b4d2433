#!/usr/bin/env python3
# TIMEOUT: 120
# BOUND
"""Put, get and their relatives are measured right: arguments that make no sense, wrong data, sizes, and what is timed
where the timer is read inside the loop; waits and ping-pongs on odd sets."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, measuring, refused, skampi, skip_all
from quiet import Beside

FEW = """set_unit(1.0e9)
set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""

# Call, words of the message.
REFUSED = [
    ("Shmem_Put_Elements_Round(8, 3, 1)", "1, 2, 4, 8 or 16"),
    ("Shmem_Get_Elements_Nonblocking_Post(8, 32, 1)", "element_bytes is 32, but may be at most 16"),
    ("Shmem_Iget_Elements_Round(8, 2, 12, 1)", "1, 2, 4, 8 or 16"),
    ("Shmem_Put_Elements_Full(8, 0, 1)", "element_bytes"),
    ("Shmem_Put_Elements_Full(0, 8, 1)", "count"),
    ("Shmem_Iput_Round(8, 0, 1)", "stride"),
    ("Shmem_Iget_Round(8, -2, 1)", "stride"),
    ("Shmem_Iput_Round(-1, 2, 1)", "count"),
    # More than 2^63 and more than 2^64 bytes: the product wraps to something small.
    ("Shmem_Iput_Round(4611686018427387904, 2, 1)", "more than can be addressed"),
    ("Shmem_Iget_Elements_Round(1152921504606846977, 1, 16, 1)", "more than can be addressed"),
    ("Shmem_Put_Static_Full(65537, 1)", "65536"),
    ("Shmem_Get_Static_Round(65537, 1)", "65536"),
    ("Shmem_Pingpong_Put_Put(-1, 1)", "count"),
    ("Shmem_Wait_Until(-1)", "iterations"),
]

# Routines that lose what they should move, and who notices: so this function calls that routine.
LOST = {
    "void shmem_char_iput() {}": "Shmem_Iput_Round(8, 2, 1)",
    "void shmem_char_iget() {}": "Shmem_Iget_Round(8, 2, 1)",
    "void shmem_iput32() {}": "Shmem_Iput_Elements_Round(8, 2, 4, 1)",
    "void shmem_iget64() {}": "Shmem_Iget_Elements_Round(8, 2, 8, 1)",
    "void shmem_put16() {}": "Shmem_Put_Elements_Round(8, 2, 1)",
    "void shmem_get128_nbi() {}": "Shmem_Get_Elements_Nonblocking_Full(8, 16, 1)",
    "int shmem_int_g() { return 0; }": "Shmem_G_Round(1)",
    "void shmem_int_p() {}": "Shmem_P_Round(1)",
    "int shmem_int_test() { return 0; }": "Shmem_Test(1)",
}


def test_refusals(tap):
    runs = in_parallel(REFUSED, lambda case: refused(measuring("b", case[0])))
    for (call, words), run in runs:
        errors = [line for line in run.err.splitlines() if ": error: " in line]
        tap.ok(run.status == 2 and not run.rows and len(errors) == 1 and words in errors[0]
               and re.match(r"test\.ski:2:\d+: ", errors[0]), f"{call} is refused", run)
    run = skampi(measuring("b", "Shmem_Put_Full_Single(8, 1, 2)"), np=2)
    tap.ok(run.status == 3 and not run.rows and "test.ski:2:" in run.err and "therank" in run.err,
           "a rank that the set does not have leaves out this measurement", run)


def test_wrong_data(tap):
    library = preloadable("\n".join(LOST))
    calls = list(LOST.values())
    run = skampi("".join(measuring(str(i), call) for i, call in enumerate(calls)), np=2,
                 env={"LD_PRELOAD": library})
    tap.equal(run.status, 3, "wrong data: exit status", run)
    for i, call in enumerate(calls):
        found = run.block(str(i))
        tap.ok(found and not found.rows and any(
            re.search(r"wrong data: |returned false", line)
            for line in found.comments), f"{call}: data that do not arrive are noticed", run)


def test_sizes(tap):
    """The memory of a strided operation has gaps, its size has none."""
    calls = ["Shmem_Iput_Round(100, 10, 1)", "Shmem_Iget_Elements_Round(50, 5, 4, 1)",
             "Shmem_Put_Elements_Full(250, 4, 1)"]
    run = skampi("set_skampi_buffer(1000)\n" + FEW + measuring("sizes", *calls), np=2)
    tap.equal([row.bytes for row in run.rows], [100, 200, 1000], "sizes are what is moved", run)
    loop = ('begin measurement "loop"\n  for stride = 1 to ... step *2 do\n'
            "    measure comm(2) : Shmem_Iput_Round(100, stride, 1)\n  od\nend measurement\n")
    run = skampi("set_skampi_buffer(1000)\n" + FEW + loop, np=2)
    tap.equal([row.vars["stride"] for row in run.rows], [1, 2, 4, 8],
              "a loop over strides ends with the buffer", run)
    # A product that fits in no int does not wrap to something that fits in the buffer.
    run = skampi(measuring("b", "Shmem_Iput_Round(65536, 65537, 1)"), np=2)
    tap.ok(not run.rows and "needs a buffer of 4295032832 bytes" in run.err,
           "more than an int can hold is too large", run)


def test_sets(tap):
    """Who works and reports, in a set that is no active set and not in ascending order."""
    all_but_root, root = [False, True, True, True], [True, False, False, False]
    calls = {"Shmem_Put_All_To_One_Full(9, 2)": all_but_root,
             "Shmem_Get_All_To_One(9, 2)": all_but_root,
             "Shmem_Put_One_To_All_Full(9, 2)": root,
             "Shmem_Get_One_To_All(9, 2)": root,
             "Shmem_Put_Static_Full(9, 2)": [True] * 4,
             "Shmem_Pingpong_Put_Put(9, 2)": root,
             "Shmem_Pingpong_P_P_Test(1)": root,
             "Shmem_Token_Round(2)": root}
    text = FEW + "".join(measuring(call, call, where="comm4(3, 0, 2, 1)") for call in calls)
    run = skampi(text, np=5, timeout=100)
    tap.equal(run.status, 0, "four of five PEs: exit status", run)
    for call, reporting in calls.items():
        rows = run.block(call).rows if run.block(call) else []
        tap.equal([[value is not None for value in row.per_pe] for row in rows], [reporting],
                  f"four of five PEs: {call}")
    # Cold memory: each iteration of a ping-pong has payloads in fresh places.
    cold = 'set_cache_state("cold")\n' + FEW
    run = skampi(cold + measuring("cold", "Shmem_Pingpong_Put_Put(100, 50)",
                              "Shmem_Put_All_To_One_Full(100, 50)", "Shmem_G_Round(50)",
                              "Shmem_Iget_Round(100, 7, 50)"), np=2)
    tap.ok(run.status == 0 and len(run.rows) == 4, "cold memory", run)


POST, WIRE, QUIET = 200000, 400000, 100000  # ns
INSIDE = {"Post": POST, "Full": POST + WIRE + QUIET, "Quiet": WIRE + QUIET, "Quiet_Delayed": QUIET,
          "Overlap": POST + QUIET}


def test_timer_inside(tap):
    """Costs so high that readings of the timer do not count: the same as with the timer outside."""
    library = os.path.join(harness.build_directory(), "tests", "libnetwork.so")
    if not os.path.isfile(library):
        tap.skip("timer inside the loop", "the programmed network is not built")
        return
    off = {part: "no result" for part in INSIDE}
    # The machine may be busy: a quarter of the repetitions is undisturbed once. (Not the shortest one: of parts that begin
    # after the post, a PE that loses its processor sees less.)
    attempts = Beside(tap, wanted=5, seconds=60)
    for _ in attempts:
        text = "set_min_repetitions(16)\n" + "".join(
            measuring(part, f"Shmem_Put_Nonblocking_{part}_IterationTimer(8, 3)") for part in off)
        run = skampi(text, np=2, args=["-o", "out.json"], env={
            "LD_PRELOAD": library, "SKAMPI_TRUTH": f"post={POST},wire={WIRE},quiet={QUIET}"})
        records = run.records("out.json")
        for result in records:
            if result["record"] != "result":
                continue
            part, time = result["block"], result["p25"] * 1e9
            off[part] = result
            if abs(time - INSIDE[part]) <= 0.05 * INSIDE[part]:
                del off[part]
        if not off:
            break
    for part, cost in INSIDE.items():
        attempts.decide(part not in off, f"{part}_IterationTimer times its part",
                        f"{cost} ns, but: {off.get(part)}")


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_refusals(tap)
    test_wrong_data(tap)
    test_sizes(tap)
    test_sets(tap)
    test_timer_inside(tap)
    tap.done()


main()
