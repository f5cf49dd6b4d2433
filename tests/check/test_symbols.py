#!/usr/bin/env python3
"""Every external name is defined once in all programs together, so that searching for it finds one place."""

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
tap.done()
