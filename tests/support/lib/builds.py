"""For tests that build: copies of the tree, and make in them, untouched by the make that runs the
tests; libraries to be preloaded, and small programs of the tests themselves (compiled())."""

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import subprocess

from harness import ROOT, build_directory, read_text, run, scratch_directory, tracked_files
from programs import compiled  # noqa: F401

CLEAN = {name: None for name in (
    "MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CPPFLAGS CFLAGS LDFLAGS LDLIBS SHMEM MPI PAPI HWLOC JANSSON LAUNCH "
    "CI SANITIZE PREFIX DESTDIR V TESTS SKAMPI SKAMPI_BUILD SKAMPI_LAUNCH "
    "OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM").split()} | {"WERROR": "1"}


def compiling_once():
    """Environment in which what was compiled before, here or by another test, is not compiled again:
    for tests that build almost the same several times. Nothing where ccache is not installed. What is new takes half as long again
    unless the compiler's list of headers is trusted, which lacks those of the system: after these change, make clean."""
    places = ("/usr/lib/ccache", "/usr/lib64/ccache", "/usr/lib/ccache/bin")
    compilers = [place for place in places if os.path.exists(os.path.join(place, "gcc"))]
    if not compilers:
        return {}
    return {"PATH": f"{compilers[0]}:{os.environ['PATH']}", "CCACHE_NOHASHDIR": "1", "CCACHE_DEPEND": "1",
            "CCACHE_DIR": os.path.join(build_directory(), "tests", "ccache"),
            "CCACHE_MAXSIZE": "200M"}


def update_tree(tree):
    """Makes a folder hold the project's files."""
    for path in tracked_files():
        source, target = os.path.join(ROOT, path), os.path.join(tree, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or os.path.getmtime(target) != os.path.getmtime(source):
            shutil.copy2(source, target)


def copy_tree(built=False):
    """A copy of the project's files; built: also of what was built from them, so that little is
    compiled again."""
    tree = os.path.join(scratch_directory(), "tree")
    update_tree(tree)
    if built:
        build = build_directory()
        shutil.copytree(build, os.path.join(tree, os.path.relpath(build, ROOT)), symlinks=True,
                        ignore=shutil.ignore_patterns("tests", "sanitize-*", "*.sko", "*.tar.gz"))
    return tree


def built_variables():
    """The settings of the build under test: with others, everything would be compiled anew."""
    def built(name):
        return read_text(build_directory(), name).strip()

    wanted = ("CC", "SHMEM", "MPI", "PAPI", "HWLOC", "JANSSON", "SANITIZE", "CPPFLAGS", "CFLAGS", "LDFLAGS", "LDLIBS")
    found = dict(re.findall(r"(?:^| )([A-Z]+)=(.*?)(?= [A-Z]+=|$)", built("settings")))
    found["WERROR"] = "1" if "-Werror" in built("flags").split() else ""
    return [f"{name}={found.get(name, '')}" for name in (*wanted, "WERROR")
            if found.get(name) or name == "WERROR"]


def preloadable(source):
    """Path of a library to be preloaded, made from a file in tests/support/stub, or from the text of one, whose
    warnings nobody needs to see. Not instrumented: launchers load it, too, and the counters of gcov allocate before
    a malloc() of its own is ready. None when it cannot be built; the compiler says why."""
    flags = [flag for flag in shlex.split(read_text(build_directory(), "flags")) if not flag.startswith(("-fsanitize", "--coverage"))]
    library = os.path.join(scratch_directory(), "preloadable.so")
    text = source if "\n" in source else None
    code = ["-w", "-x", "c", "-"] if text else [os.path.join(ROOT, "tests", "support", "stub", source)]
    built = subprocess.run([*flags, "-fPIC", "-shared", "-o", library, *code, "-ldl"], cwd=ROOT,
                           input=text and text.encode(), check=False, timeout=60)
    return library if built.returncode == 0 else None


def make(tree, *arguments, env=None, timeout=300):
    """Where compilations are kept, one make after the other: of two at the same time, each would compile everything."""
    environment = {**CLEAN, **(env or {})}
    with contextlib.ExitStack() as held:
        if kept := environment.get("CCACHE_DIR"):
            os.makedirs(kept, exist_ok=True)
            lock = held.enter_context(open(os.path.join(kept, "tests.lock"), "w", encoding="utf-8"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        return run(["make", "-j2", *arguments], environment, timeout, tree)
