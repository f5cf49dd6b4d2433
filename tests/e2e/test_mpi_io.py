#!/usr/bin/env python3
# TIMEOUT: 300
"""Files of MPI-IO: each pattern by each routine has its data verified, faults are found, bad requests are
refused, and no file is left."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, skampi, skip_all
from skampi_tools import results

FEW = "set_max_repetitions(2)\nset_min_repetitions(2)\nset_io_file_sync(0)\n"
TYPES = "MPI_INT, MPI_INT, MPI_INT"
# Calls, and how many there are.
PATTERNS = f"""begin measurement "patterns"
  gaps = mpi_type_vector(5, 1, 2, MPI_INT)
  for a in data_access_routines(0x333) do
    measure all : MPI_IO_write_segmented(2000, 600, 640, {TYPES}, a)
    measure all : MPI_IO_read_segmented(2000, 600, 640, {TYPES}, a)
    measure all : MPI_IO_write_strided(2000, 600, 0, MPI_INT, MPI_INT, gaps, a)
    measure all : MPI_IO_read_strided(2000, 600, 0, gaps, MPI_INT, MPI_INT, a)
    measure all : MPI_IO_write_random({{400, 1000}}, {{100, 1000}}, {TYPES}, a)
    measure all : MPI_IO_read_random({{400, 1000}}, {{100, 1000}}, {TYPES}, a)
    measure all : MPI_IO_write_noncontiguous(2000, 600, MPI_INT, MPI_INT, gaps, a)
    measure all : MPI_IO_read_noncontiguous(2000, 600, {TYPES}, a)
    measure all : MPI_IO_write_separate(2000, 0, 0, {TYPES}, a)
    measure all : MPI_IO_read_separate(2000, 600, 0, {TYPES}, a)
    measure all : MPI_IO_write_once(500, {TYPES}, 0, a)
    measure all : MPI_IO_read_once(500, {TYPES}, 1, a)
  od
  for a in data_access_routines(0x334) do
    measure all : MPI_IO_write_sequential(2000, 500, {TYPES}, a)
    measure all : MPI_IO_read_sequential(2000, 500, {TYPES}, a)
  od
  measure all : MPI_IO_file_seek(2000, 500, {TYPES})
  measure all : MPI_IO_file_seek_shared(2000, 500, {TYPES})
  measure all : MPI_IO_write_segmented(0, 0, 0, {TYPES}, 0x111)
end measurement
"""
PATTERN_COUNT = 8 * 12 + 4 * 2 + 3
FILES = """begin measurement "files"
  for i in [0, 1] do
    measure all : MPI_IO_open(i)
    measure all : MPI_IO_close(i)
    measure all : MPI_IO_open_close(i)
    if is_supported("MPI_IO_preallocate") then measure all : MPI_IO_preallocate(5000, i) fi
    measure all : MPI_IO_read_and_distribute(5001, 1 + i)
    for api in ["MPI", "POSIX"] do
      measure all : MPI_IO_write_file_once(5000, api, i, 0)
      measure all : MPI_IO_read_file_once(5000, api, 0)
    od
    measure all : MPI_IO_write_large_file_once(21, i)
  od
  measure all : MPI_IO_read_large_file_once(21)
  measure all : MPI_IO_delete(5000)
  measure all : MPI_IO_delete_on_close(5000)
  measure all : MPI_IO_read_file(5000)
  measure all : MPI_IO_write_and_read(5000, 700)
end measurement
"""
FILE_COUNT = 2 * 10 + 5
# Ways to make files, each with what can be measured so.
WAYS = ("set_io_atomicity(1)", "set_io_preallocation(1)", "set_io_unique_open(1)", "set_io_file_sync(1)",
        'set_io_datarep("external32")', 'set_file_info("cb_buffer_size", "65536")')
WAY = f"""begin measurement "%d"
  measure all : MPI_IO_write_strided(2000, 500, 0, {TYPES}, 0x211)
  measure all : MPI_IO_read_strided(2000, 500, 0, {TYPES}, 0x111)
end measurement
"""
REFUSED = (
    (f"MPI_IO_write_segmented(2001, 600, 0, {TYPES}, 0x111)", "multiples of the size of memtype"),
    (f"MPI_IO_write_segmented(2000, 600, 500, {TYPES}, 0x111)", "stride must be 0 or at least block"),
    (f"MPI_IO_write_segmented(2000, 600, 0, {TYPES}, 0x131)", "daccess must be a sum"),
    (f"MPI_IO_write_segmented(2000, 600, 0, {TYPES}, 0x114)", "use the _sequential functions"),
    (f"MPI_IO_read_sequential(2000, 500, {TYPES}, 0x121)", "only a shared pointer"),
    (f"MPI_IO_read_sequential(2000, 600, {TYPES}, 0x114)", "memsize must be a multiple of block"),
    (f"MPI_IO_write_random({{-4}}, {{100, 100}}, {TYPES}, 0x111)", "must be from 0 to"),
    ("MPI_IO_write_segmented(2000, 500, 0, MPI_INT, MPI_DOUBLE, MPI_INT, 0x111)", "multiple of the size of etype"),
    ("MPI_IO_read_file_once(100, \"C\", 0)", "api must be"),
    ("MPI_IO_read_file_once(100, \"POSIX\", 1)", "multiple of 4096"),
)
# Each loses the last element of what it accesses.
FAULTS = """#include <mpi.h>
int MPI_File_write_at_all(MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    return PMPI_File_write_at_all(f, o, b, n > 0 ? n - 1 : 0, t, s);
}
int MPI_File_read_at_all(MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    return PMPI_File_read_at_all(f, o, b, n > 0 ? n - 1 : 0, t, s);
}
int MPI_File_write_shared(MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s)
{
    return PMPI_File_write_shared(f, b, n > 0 ? n - 1 : 0, t, s);
}
int MPI_File_set_view(MPI_File f, MPI_Offset o, MPI_Datatype e, MPI_Datatype t, const char *r, MPI_Info i)
{
    return PMPI_File_set_view(f, 0, e, t, r, i); /* all ranks see the first one's blocks */
}
"""
FAULTY = ((f"MPI_IO_write_segmented(2000, 500, 0, {TYPES}, 0x211)", "what is in the file"),
          (f"MPI_IO_read_segmented(2000, 500, 0, {TYPES}, 0x211)", "what was read"),
          (f"MPI_IO_write_sequential(2000, 500, {TYPES}, 0x114)", "blocks are missing"),
          (f"MPI_IO_write_noncontiguous(2000, 500, {TYPES}, 0x111)", "what is in the file"))


def left_in(folder):
    return [name for name in os.listdir(folder) if name.startswith("skampi-io.")]


def all_are_measured(tap, name, script, count, np=2):
    run = skampi(FEW + script, np=np, args=["-o", "a.json"], timeout=120)
    if not tap.ok(run.status == 0, f"{name}: runs", run):
        return
    tap.equal(len(results.read(run.path("a.json")).points), count, f"{name}: every call has a result", run)
    tap.equal(left_in(os.path.dirname(run.path("a.json"))), [], f"{name}: no file is left", run)


def main():
    if not harness.has("MPI"):
        skip_all("MPI-IO needs MPI")
    tap = Tap()
    world = "all = comm(get_np())\n"
    all_are_measured(tap, "patterns", world + PATTERNS, PATTERN_COUNT)
    absent = any(f["name"] == "MPI_IO_preallocate" and "unsupported" in f for f in harness.functions())
    all_are_measured(tap, "files", world + FILES, FILE_COUNT - (2 if absent else 0))
    ways = "".join(f"{way}\n{WAY % i}" for i, way in enumerate(WAYS))
    all_are_measured(tap, "settings", world + ways, 2 * len(WAYS))
    for call, words in REFUSED:
        run = skampi(f'begin measurement "b"\n  measure comm(2) : {call}\nend measurement\n', np=2)
        tap.ok(run.status != 0 and words in run.err and re.search(r":2:\d+: error", run.err),
               f"{call.split('(')[0]}: {words}", run)
    run = skampi(f'set_io_working_dir("nowhere")\nbegin measurement "b"\n  measure comm(2) : MPI_IO_open(1)\n'
                 f"  measure comm(2) : MPI_IO_read_file(8)\nend measurement\n", np=2)
    tap.ok(run.status != 0 and "nowhere/skampi-io" in run.err and "set_io_working_dir()" in run.err,
           "a folder that is not there is named, with the remedy", run)
    library = preloadable(FAULTS)
    if tap.ok(library, "the library with faults is built"):
        for call, words in FAULTY:
            run = skampi(FEW + f'begin measurement "b"\n  measure comm(2) : {call}\nend measurement\n', np=2,
                         env={"LD_PRELOAD": library})
            tap.ok(run.status != 0 and "wrong data" in run.err and words in run.err,
                   f"{call.split('(')[0]}: wrong data are found", run)
    tap.done()


main()
