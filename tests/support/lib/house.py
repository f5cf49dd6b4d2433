"""Who uses whom among the files and folders of src and measurements: by #include, and by the symbols that
one object defines and another needs. A module is NAME.c with NAME.h."""

import collections
import os
import re
import subprocess

from harness import ROOT, build_directory, tracked_files

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = ("src/*.c", "src/*.h", "measurements/*.c", "measurements/*.h")


def folder_of(path):
    """The folder of a file: "ski", "trace/read", "measurements"."""
    folder = os.path.dirname(path)
    return "measurements" if folder.startswith("measurements") else folder.removeprefix("src/")


def included(path, text, exists=lambda name: os.path.isfile(os.path.join(ROOT, name))):
    """The project's files that the text of a file includes, as paths; a name that is none is left out."""
    beside = os.path.dirname(path)
    for name in INCLUDE.findall(text):
        for candidate in (f"src/{name}", name, f"{beside}/{name}"):
            if exists(candidate):
                yield candidate
                break


def by_include():
    """{module: {modules that it includes}}"""
    uses = collections.defaultdict(set)
    for path in tracked_files(*SOURCES):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for other in included(path, file.read()):
                uses[path[:-2]].add(other[:-2])
    return uses


def symbols():
    """({name: {modules that define it}}, {module: {names that it needs}}), from the objects that were built. main is
    left out."""
    modules = [path[:-2] for path in tracked_files("src/*.c", "measurements/*.c")]
    defined, needed = {}, collections.defaultdict(set)
    for module in modules:
        path = os.path.join(build_directory(), module + ".o")
        if not os.path.exists(path):  # as of the tracer's library
            path = os.path.join(build_directory(), "pic", module + ".o")
        listing = subprocess.run(["nm", "-g", path], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            *_, kind, name = line.split()
            if kind == "U":
                needed[module].add(name)
            elif name != "main":
                defined.setdefault(name, set()).add(module)
    return defined, needed


def by_symbol():
    """{module: {modules that define what it needs}}, from the objects that were built."""
    defined, needed = symbols()
    uses = collections.defaultdict(set)
    for module, names in needed.items():
        for name in names:
            # A name that several define belongs to programs that are linked of different files; the
            # tracer's library takes the place of functions that everybody calls, such as exit().
            found = {other for other in defined.get(name, ())
                     if "trace/runtime" not in other or "trace/runtime" in module}
            if len(found) == 1:
                uses[module] |= found
    return uses


def circles(uses):
    """The groups of modules that depend on each other in circles (Tarjan's strongly connected
    components), each as the edges inside of it."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(uses.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = set(stack[stack.index(node):])
            del stack[stack.index(node):]
            edges = sorted((a, b) for a in group for b in uses.get(a, ()) if b in group and a != b)
            if edges:
                found.append(edges)

    for node in sorted(uses):
        if node not in index:
            visit(node)
    return found
