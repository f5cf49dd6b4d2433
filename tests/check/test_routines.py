#!/usr/bin/env python3
"""Descriptors name routines that OpenSHMEM or MPI has, and a search of the sources finds each function by its full
name."""

import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, build_directory, functions, read_text, tracked_files

WRAPPERS = os.path.join(ROOT, "src", "trace", "wrappers")
sys.path.insert(0, WRAPPERS)
from specification import Specification


def of_openshmem():
    """All that the tracer knows, and their names without types, as C11 has them: shmem_put."""
    known = Specification(os.path.join(WRAPPERS, "routines.xml"))
    names, types = set(known.routines), "|".join(known.types)
    return names | {re.sub(rf"^(shmem_(?:ctx_)?)(?:{types})_", r"\1", name) for name in names}


def of_mpi():
    """All that the header declares which skampi is built with."""
    compile_command = shlex.split(read_text(build_directory(), "flags"))
    seen = subprocess.run([*compile_command, "-E", "-x", "c", "-"], input="#include <mpi.h>\n",
                          capture_output=True, text=True, check=False)
    return set(re.findall(r"\b(MPI_\w+)\s*\(", seen.stdout))


def main():
    tap = Tap()
    openshmem, mpi = of_openshmem(), of_mpi()
    tap.ok({"shmem_putmem", "shmem_put", "shmem_ctx_double_g"} <= openshmem and "shmem_put9" not in openshmem,
           "the routines of OpenSHMEM are known")
    tap.ok(not mpi or "MPI_Allreduce" in mpi, "the routines of MPI are known")
    sources = "".join(read_text(ROOT, path) for path in tracked_files("measurements/*.c"))
    described = functions()
    tap.equal([function["name"] for function in described if f'"{function["name"]}"' not in sources], [],
              "each function's full name stands in measurements")
    for function in described:
        named = (function.get("routine", "") + " " + function.get("calls", "")).split()
        unknown = [name for name in named if name.startswith("shmem") and name not in openshmem]
        if mpi and "unsupported" not in function:
            unknown += [name for name in named if name.startswith("MPI") and name not in mpi]
        tap.equal(unknown, [], f"{function['name']} names routines that there are")
    tap.done()


main()
