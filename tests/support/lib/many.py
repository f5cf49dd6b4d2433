"""skampi's own communication on very many PEs: what a real run calls, played in one process (../many_pes.c)."""

import collections
import os
import re

import harness

SOURCES = ["tests/support/many_pes.c", "src/base/memory.c", "src/base/hash.c", "src/base/process.c", "src/comm/pe_group.c"]
STEPS = ("start", "engine", "synchronization", "point", "end")
RECORDED_PES = 4
PER_NODE = 64
CALL = re.compile(r"^collective: (\w+) of (\d+) bytes, (all )?(\d+) PEs$|^shared: .* (\d+) messages, (\d+) bytes$", re.MULTILINE)
# What sync_synchronize() calls on one node whose PEs have one clock.
SYNCHRONIZATION = ["broadcast 8 all", "reduction 0 all", "reduction 8 all", "reduction 32 all"]
SCRIPT = """set_min_repetitions(8)
set_max_repetitions(8)
set_controls(0)
begin measurement "point"
  for i = 1 to 3 do
    measure MPI_COMM_WORLD : Shmem_Barrier()
  od
end measurement
"""

Step = collections.namedtuple("Step", "messages bytes most_sent most_got seconds")


def build():
    """The path of the simulator. What it does not call of the product stays unresolved."""
    path = os.path.join(harness.scratch_directory(), "many_pes")
    built = harness.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Wno-unused-parameter",
                         "-Isrc", "-Itests", "-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-o", path, *SOURCES, "-lm"],
                        cwd=harness.ROOT)
    if built.status != 0:
        raise RuntimeError(str(built))
    return path


class Recording:
    """What PE 0 of a real run calls: {step: [call, ...]}, of the last of some equal points; messages and bytes of all PEs in
    that point, as they were counted."""

    def __init__(self, pes=RECORDED_PES, wrapper=()):
        script = os.path.join(harness.scratch_directory(), "many.ski")
        harness.write_text(script, SCRIPT)
        done = harness.run(harness.launch_line(pes, [*wrapper, harness.program(), "-d", str(8 + 64 + 256), "-i", script]),
                           harness.launch_environment(), timeout=120)
        self.said = done.err
        parts = [[]]
        for what, size, world, members, messages, moved in CALL.findall(done.err):
            if messages:
                self.counted = int(messages), int(moved)
                parts.append([])
            else:
                parts[-1].append(f"{what} {size} {'all' if world else 'nodes' if int(members) < pes else 'set'}")
        if done.status != 0 or len(parts) != 4:
            raise RuntimeError(str(done))
        first, point, end = parts[0], parts[2][:-1], parts[3]  # without the call that counts
        at = next(i for i in range(len(first)) if first[i:i + len(SYNCHRONIZATION)] == SYNCHRONIZATION)
        self.calls = {"engine": first[:at], "point": point, "end": end[1:]}

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"step {step}\n" + "".join(f"{call}\n" for call in made) for step, made in self.calls.items())


def simulate(program, path, pes, per_node=PER_NODE, timeout=300):
    """{step: Step} of so many PEs."""
    done = harness.run([program, path, str(pes), str(per_node)], timeout=timeout)
    if done.status != 0:
        raise RuntimeError(str(done))
    found = {}
    for line in done.out.splitlines():
        name, *numbers, seconds = line.split()
        found[name] = Step(*map(int, numbers), float(seconds))
    return found
