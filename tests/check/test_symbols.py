#!/usr/bin/env python3
"""Every external name is defined once in all programs together, so that searching for it finds one place; and its prefix
tells the folder."""

import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import house
from harness import Tap

# In the tracer's library the second takes the place of the first: what ends skampi must not end an application.
REPLACED = {"src/base/memory", "src/trace/runtime/memory"}

tap = Tap()
defined, _ = house.symbols()
tap.ok(len(defined) > 1000 and defined.get("output_open") == {"src/output/output"}, "external names are found",
       len(defined))
twice = {name: sorted(modules) for name, modules in defined.items() if len(modules) > 1 and modules != REPLACED}
tap.equal(twice, {}, "no external name is defined twice")


def prefix(name, module):
    """What a name begins with: the name of its file, or else its first word."""
    stem = os.path.basename(module)
    return stem if name == stem or name.startswith(stem + "_") else name.split("_")[0]


# The registry defines what the engine declares for it; the tracer's library takes the place of functions of the C
# library, and of the base.
homes = collections.defaultdict(lambda: collections.defaultdict(set))
for name, modules in defined.items():
    for module in modules - {"measurements/registry", "src/trace/runtime/end", "src/trace/runtime/memory"}:
        parts = module.split("/")
        homes[prefix(name, module)]["/".join(parts[:1 if parts[0] == "measurements" else 2])].add(name)
del homes["measurements"]  # the families, by the names of their files
shared = {start: {folder: sorted(names) for folder, names in folders.items()} for start, folders in homes.items()
          if len(folders) > 1}
tap.equal(shared, {}, "a prefix of external names belongs to one folder of src, or to measurements")
bare = sorted(name for name, modules in defined.items() for module in modules - {"src/trace/runtime/end"}
              if "_" not in name and name != os.path.basename(module))
tap.equal(bare, [], "an external name of one word is that of its file")
tap.done()
