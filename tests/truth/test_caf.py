#!/usr/bin/env python3
# LONG
# TIMEOUT: 400
"""What a runtime of Coarray Fortran does on OpenSHMEM costs what its calls are programmed to cost, by a simulated clock: order,
locks of images, random access under them, symmetric memory and a hash table. A contended queue lock: test_costs_real.py."""

import re

import truth
import hash_model
from harness import Tap

TOLERANCE = 0.03
K = 20  # iterations
N = 40  # keys of each PE
PREAMBLE = "set_unit(1e9)\nset_min_repetitions(4)\nset_max_repetitions(8)\n"
POST, WIRE, QUIET, HOLD = 200, 1500, 300, 2000
OTHERS = {"fetch": 2000, "set_lock": 2500, "clear_lock": 1800, "allocate": 20000, "free": 18000,
          "barrier": 9000}

tap = Tap()


def network(progress, **others):
    return truth.Network(POST, WIRE, QUIET, progress=progress, clock="simulated", **{**OTHERS, **others})


def script(calls):
    return PREAMBLE + "".join(
        f'begin measurement "{call}"\n  measure MPI_COMM_WORLD : {call}\nend measurement\n'
        for call in calls)


def measured(calls, pes, net):
    """Row by call."""
    path = truth.Path(truth.harness.scratch_directory()) / "caf.ski"
    path.write_text(script(calls))
    run = truth.launch(pes, [truth.harness.program(), "-i", path, "--timer", "clock_gettime"], net.environment())
    if run.status != 0:
        tap.note(run)
    return {row.block: row for row in run.rows}


def expected_of_order(post, wire, quiet):
    rmw = 2 * post + 2 * wire + quiet
    return {
        "Shmem_Put_Call": post,
        "Shmem_Put_Full": post + wire + quiet,
        "Shmem_Quiet_Get": quiet + post + wire,
        "Shmem_Put_Quiet_Get": rmw,
        "Shmem_Rmw_Local": 2 * post + wire,
        "Shmem_Rmw_Put_Quiet": rmw,
        # Nothing is outstanding in front of the first get, and nothing completes the last put.
        "Shmem_Rmw_Quiet_Get": rmw - wire / K,
        "Shmem_Rmw_Quiet_Both": rmw + quiet,
    }


def expected_of_one(post, wire, quiet, fetch, set_lock, clear_lock):
    """Hash tables on one PE: nobody else wants its lock."""
    met = hash_model.met(1, N) / N
    found = (1 + met) * (post + wire) + post + wire + quiet
    return {
        f"Shmem_Hash_Mcs_Insert({N})": found + 2 * fetch,
        f"Shmem_Hash_Mcs_Update({N})": found + 2 * fetch,
        f"Shmem_Hash_Lock({N})": found + set_lock + clear_lock,
        f"Shmem_Hash_Atomic({N})": (2 + met) * fetch,
    }


def check_row(name, row, value):
    tap.ok(row and truth.close(row.time, value, TOLERANCE * value), name,
           f"{row and row.line.strip()}: should be {value:g}")


def check_simulated(pes, progress):
    net = network(progress)
    post, wire, quiet, fetch = net.post, net.wire, net.quiet, OTHERS["fetch"]
    expected = {f"{name}(64, {K})": cost
                for name, cost in expected_of_order(post, wire, quiet).items()}
    expected |= {"Shmem_Mcs_Set()": fetch, "Shmem_Mcs_Clear()": quiet + fetch,
                 "Shmem_Mcs_Test_Free()": fetch,
                 "Shmem_Malloc_Sequence(4096, 16, 100)": OTHERS["allocate"] + OTHERS["free"],
                 "Shmem_Segment_Sequence_Barrier(4096, 16, 100)": 2 * OTHERS["barrier"]}
    if pes > 1:
        expected |= {"Shmem_Mcs_Test_Busy()": fetch, "Shmem_Mcs_Test_Busy_All()": fetch}
    if pes <= 2:  # no two PEs want the same lock
        under = post + wire + quiet
        for direction in ("Put", "Get"):
            expected |= {
                f"Shmem_Mcs_Random_{direction}(64, {K})": 2 * fetch + under,
                f"Shmem_Lock_Random_{direction}(64, {K})":
                    OTHERS["set_lock"] + under + OTHERS["clear_lock"]}
    if pes == 1:
        expected |= expected_of_one(post, wire, quiet, fetch, OTHERS["set_lock"],
                                    OTHERS["clear_lock"])
    rows = measured(expected, pes, net)
    for call, value in expected.items():
        check_row(f"{pes} PEs, progress by {progress}: {call}", rows.get(call), value)


def check_atomics(pes):
    """Which PE meets how many taken places depends on who comes first; all together meet as many."""
    calls = [f"Shmem_Hash_Atomic_{part}({N})" for part in ("Insert", "Update")]
    rows = measured(calls, pes, network("self"))
    value = (2 + hash_model.met(pes, N) / (pes * N)) * OTHERS["fetch"]
    for call in calls:
        row = rows.get(call)
        mean = sum(row.per_pe) / pes if row else float("nan")
        tap.ok(truth.close(mean, value, TOLERANCE * value), f"{pes} PEs: {call}, the mean of all PEs",
               f"{row and row.line.strip()}: mean {mean:g}, should be {value:g}")


def check_queues():
    """One lock that both PEs want."""
    handed = QUIET + POST + WIRE
    library = OTHERS["set_lock"] + OTHERS["clear_lock"]
    expected = {"Shmem_Mcs_Handed_Over(20)": handed, "Shmem_Lock_Handed_Over(20)": library,
                "Shmem_Lock_Contended(200)": library}
    for fetch in (1000, 6000):
        rows = measured(expected, 2, network("self", fetch=fetch))
        for call, value in expected.items():
            check_row(f"fetching takes {fetch} ns: {call}", rows.get(call), value)


def check_busy():
    """Rank 0 holds a lock for 2 us and the time of a put and a quiet, of which rank 1 needs some to ask; then come the calls
    of both."""
    least = HOLD + OTHERS["set_lock"]
    most = least + POST + WIRE + QUIET + OTHERS["clear_lock"]
    found = [row.time for row in measured(["Shmem_Lock_Set_Busy()"], 2, network("self")).values()]
    tap.ok(len(found) == 1 and least <= found[0] <= most, f"a lock that is held: {least} to {most} ns", found)


def check_descriptions():
    """What --describe states is what is expected here."""
    for name, formula in {"Shmem_Quiet_Get": "quiet + post + wire",
                          "Shmem_Mcs_Clear": "quiet + fetch",
                          "Shmem_Mcs_Handed_Over": "quiet + post + wire",
                          "Shmem_Segment_Sequence_Barrier": "2 * barrier"}.items():
        text = truth.harness.run([truth.harness.program(), "--describe", name]).out
        model = re.search(r"^\s*cost:[ \t]*(\S.*)$", text, re.MULTILINE)
        tap.equal(model and model.group(1).strip(), formula, f"{name}: its cost formula")


def main():
    truth.require()
    check_descriptions()
    for pes in (1, 2, 3, 7):
        check_simulated(pes, "self")
    check_simulated(2, "quiet")
    for pes in (2, 3, 7):
        check_atomics(pes)
    check_queues()
    check_busy()
    tap.done()


main()
