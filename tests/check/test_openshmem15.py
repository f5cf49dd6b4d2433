#!/usr/bin/env python3
# LONG
"""What calls OpenSHMEM compiles against 1.5, of which tests/support/stub/openshmem-1.5 has the declarations,
without warnings, although it deprecates active sets, and then calls what 1.5 brought; built on an older
library it calls nothing of that."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, read_text, scratch_directory, skip_all, tracked_files

COMPILE = ["-std=gnu11", "-O0", "-Werror", "-Isrc", "-I.", "-Itests/support/stub/openshmem-1.5",
           "-DSKAMPI_SHMEM=1", "-DSKAMPI_MPI=0", "-DSKAMPI_PAPI=0"]

COLLECTIVES = ("broadcast", "collect", "fcollect", "alltoall", "alltoalls")
WAYS = ("all", "any", "some", "all_vector", "any_vector", "some_vector")
NEW = {  # in 1.5, and called by measurement functions
    *(f"shmem_team_{name}" for name in ("split_strided", "split_2d", "destroy", "sync")),
    *(f"shmem_{name}mem" for name in COLLECTIVES),
    *(f"shmem_int_{name}" for name in COLLECTIVES),
    *(f"shmem_int_{name}_reduce" for name in ("sum", "prod", "min", "max")),
    *(f"shmem_uint_{name}_reduce" for name in ("and", "or", "xor")),
    "shmem_putmem_signal", "shmem_putmem_signal_nbi", "shmem_signal_fetch",
    "shmem_signal_wait_until",
    *(f"shmem_int_{what}_{way}" for what in ("wait_until", "test") for way in WAYS),
}


def uses_library(path):
    return re.search(r"#\s*include\s*[<\"](shmem|measurements/common/\w+)\.h[>\"]", read_text(ROOT, path))


def warnings():
    """Those that make compiles with."""
    return [flag for flag in read_text(harness.build_directory(), "flags").split() if flag.startswith("-W") and "," not in flag]


def symbols(path):
    """What an object file or an archive calls of OpenSHMEM."""
    listed = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True)
    return set(re.findall(r"\bU (shmem_\w+)", listed.stdout))


def main():
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler or not shutil.which("nm"):
        skip_all("no compiler, or no nm")
    tap = Tap()
    files = [path for path in tracked_files("src/*.c", "measurements/*.c") if uses_library(path)]
    tap.ok("src/comm/comm_shmem.c" in files and len(files) > 5, f"{len(files)} files call OpenSHMEM")
    called, folder = set(), scratch_directory()
    for path in files:
        compiled = os.path.join(folder, path.replace("/", "-") + ".o")
        done = subprocess.run([compiler, *warnings(), *COMPILE, "-c", "-o", compiled, path], cwd=ROOT,
                              capture_output=True, text=True, check=False, timeout=60)
        if tap.ok(done.returncode == 0, f"{path} compiles against OpenSHMEM 1.5", done.stderr):
            called |= symbols(compiled)
    tap.equal(sorted(NEW - called), [], "what 1.5 brought is called")

    version = re.search(r"OpenSHMEM (\d+)\.(\d+)", harness.build_config().get("CONFIG_SUMMARY", ""))
    if version and tuple(map(int, version.groups())) >= (1, 5):
        tap.skip("calls of an older library", "the library here has 1.5")
    else:
        archive = os.path.join(harness.build_directory(), "libskampi.a")
        tap.equal(sorted(NEW & symbols(archive)), [], "an older library is not asked for it")
    tap.done()


main()
