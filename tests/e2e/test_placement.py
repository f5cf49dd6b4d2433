#!/usr/bin/env python3
# TIMEOUT: 180
"""Buffers lie where set_buffer_placement() and the alignments want them, results say so, and what is impossible is
refused with the reason."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap, has, skampi
from skampi_tools import results

FEW = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""
MPI = "measure MPI_COMM_WORLD : MPI_Allreduce(1024, MPI_FLOAT, MPI_SUM)"
PUT = "measure MPI_COMM_WORLD : Shmem_Put_Full(1024, 5)"
COLLECT = "measure MPI_COMM_WORLD : Shmem_Fcollect_Synchro(64)"
BARRIER = "measure MPI_COMM_WORLD : Shmem_Barrier()"
EVERYWHERE = ["default", "heap", "malloc", "pages", "huge", "static", "mpi_alloc_mem", "node"]
HINTS = ["atomics_remote", "signal_remote"]  # of OpenSHMEM 1.5


def run_points(points):
    """{name: record of its result, or of what is missing} of (name, settings, measure) triples, in one launch."""
    blocks = [f'{settings}\nbegin measurement "{name}"\n  {measure}\nend measurement\n' for name, settings, measure in points]
    run = skampi(FEW + "".join(blocks), np=2, args=["-o", "a.json", "-o", "a.sko"])
    file = results.read(run.path("a.json"))
    return {record["block"]: record for record in file.records if record["record"] in ("result", "missing")}, run


def place(source, target=None):
    return f'set_buffer_placement("{source}"' + (f', "{target}")' if target else ")")


def huge_pages_are_missing(record):
    return record["record"] == "missing" and "there are no huge pages" in record["reason"]


def test_mpi(tap):
    """Everything serves MPI."""
    got, run = run_points([(where, place(where), MPI) for where in EVERYWHERE])
    for where in EVERYWHERE:
        record = got.get(where, {"record": "nothing"})
        if where == "huge" and huge_pages_are_missing(record):
            tap.skip("huge pages", record["reason"])
            continue
        tap.ok(record["record"] == "result", f"{where}: measured, with the right data", f"{record}\n{run}")
        stated = [place(where)] if where != "default" else []
        tap.equal(record.get("settings") or [], stated, f"{where}: the result says so")
    tap.equal({where: got[where]["buffers"] for where in ("heap", "malloc", "pages")},
              {"heap": "cycling", "malloc": "same", "pages": "cycling"}, "what malloc() returns is one place")
    tap.equal(got["pages"]["source_in_page"], 96, "pages of its own: the place depends on the alignment alone")


def test_alignment(tap):
    """An address is an odd multiple of the alignment, plus the offset."""
    cases = {"64 and 64": (64, 0, 64, 0), "4 and 16": (4, 0, 16, 0), "offset": (4096, 0, 4096, 16), "odd": (1, 2, 8, 3)}
    got, run = run_points([(name, f"set_send_buffer_alignment({a}, {b})\nset_recv_buffer_alignment({c}, {d})", MPI)
                           for name, (a, b, c, d) in cases.items()])
    for name, (send, send_offset, receive, receive_offset) in cases.items():
        for member, alignment, offset in (("source_in_page", send, send_offset), ("target_in_page", receive, receive_offset)):
            address = int(got[name][member] - offset) % 4096
            tap.ok(address % alignment == 0 and (alignment == 4096 or address % (2 * alignment) != 0),
                   f"{name}: {member}", f"{got[name]}\n{run}")
    tap.equal(got["64 and 64"]["settings"], ["set_send_buffer_alignment(64)", "set_recv_buffer_alignment(64)"],
              "an offset that is not used is not stated")
    tap.ok("set_recv_buffer_alignment(4096, 16)" in got["offset"]["settings"], "one that is, is", got["offset"])


def test_openshmem(tap):
    """Other PEs are reached in symmetric memory only."""
    points = [(f"{where} {name}", place(where), measure) for where in EVERYWHERE
              for name, measure in (("put", PUT), ("collect", COLLECT), ("barrier", BARRIER))]
    points += [(f"put to {hint}", place("heap", hint), PUT) for hint in HINTS]
    points += [("remote", place("heap", "pages"), PUT), ("apart", place("malloc", "static"), PUT)]
    got, run = run_points(points)
    for where in EVERYWHERE:
        if where == "huge" and huge_pages_are_missing(got["huge put"]):
            continue
        symmetric = where in ("default", "heap", "static")
        put, collect, barrier = (got[f"{where} {name}"] for name in ("put", "collect", "barrier"))
        tap.ok(put["record"] == "result", f"{where}: source of a put, with the right data", f"{put}\n{run}")
        tap.ok(collect["record"] == "result" if symmetric else
               collect["kind"] == "not_measurable" and '"heap" or "static"' in collect["reason"],
               f"{where}: collective routines want symmetric memory", collect)
        tap.equal(barrier["record"], "result", f"{where}: means nothing to what has no buffers")
    for hint in HINTS:
        record = got[f"put to {hint}"]
        tap.ok(record["record"] == "result" or "the library has no shmem_malloc_with_hints" in record["reason"],
               f"{hint}: measured, or the library has no hints", f"{record}\n{run}")
    tap.ok(got["remote"].get("kind") == "not_measurable" and "reaches other PEs" in got["remote"]["reason"],
           "the target is refused elsewhere", got["remote"])
    tap.equal(got["apart"]["record"], "result", "source and target apart")


def test_refused(tap):
    """What cannot be is left out with its reason, and the rest is measured."""
    large = "set_skampi_buffer(16mb)\n"
    got, run = run_points([
        ("node", place("node") + "\nset_buffer_node(127)", MPI),
        ("cold", place("malloc") + '\nset_cache_state("cold")', MPI),
        ("large", large + 'set_cache_state("warm")\n' + place("static"), MPI),
        ("after", place("default"), MPI)])
    for name, words in (("node", "no such NUMA node"), ("cold", "cold caches need many"), ("large", "4 MiB")):
        tap.ok(got[name].get("kind") == "not_measurable" and words in got[name]["reason"], f"{name}: left out", f"{got}\n{run}")
    tap.equal(got["after"]["record"], "result", "what follows is measured")
    wrong = skampi(f'set_buffer_placement("stack")\nbegin measurement "m"\n  {MPI}\nend measurement\n')
    tap.ok(wrong.status != 0 and "test.ski:1:" in wrong.err and "mpi_alloc_mem" in wrong.err, "a word that is none", wrong)


def main():
    tap = Tap()
    if has("MPI"):
        test_mpi(tap)
        test_alignment(tap)
        test_refused(tap)
    else:
        tap.skip("buffers of MPI", "built without MPI")
    if has("SHMEM"):
        test_openshmem(tap)
    else:
        tap.skip("buffers of OpenSHMEM", "built without OpenSHMEM")
    tap.done()


main()
