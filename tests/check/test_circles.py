#!/usr/bin/env python3
"""No file depends on itself through others: neither by what it includes nor by the functions it calls."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import house
from harness import Tap

tap = Tap()

# The check itself must be able to fail.
tap.equal(house.circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}), [[("b", "c"), ("c", "b")]],
          "a circle is found, and what leads to it is not part of it")
tap.equal(house.circles({"a": {"b", "c"}, "b": {"c"}}), [], "two ways to the same file are no circle")
tap.equal(list(house.included("src/a/b.c", '#include "x/y.h"\n#include <z.h>\n', {"src/x/y.h"}.__contains__)),
          ["src/x/y.h"], "includes are found")

uses = house.by_symbol()
tap.ok("src/engine/measure" in uses and "src/stats/stats" in set().union(*uses.values()),
       "the objects that were built tell who calls whom")
for module, others in house.by_include().items():
    uses[module] |= others - {module}
found = house.circles(uses)
tap.equal(len(found), 0, "no file depends on itself through others", "\n\n".join(
    "\n".join(f"{a} -> {b}" for a, b in edges) for edges in found))
tap.done()
