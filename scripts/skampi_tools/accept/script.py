"""The script that measures rounds of a tournament."""

import re

from ..cli import refuse
from .tournament import Tournament

LARGE_ITERATIONS = 4
REPETITIONS = 3     # of four the slowest would be left out (per_pe), and with it rare slow operations
UNITS = {"": 1, "kb": 1 << 10, "mb": 1 << 20}

HEAD = """\
# Rounds of a tournament of {pes} PEs: written by skampi-accept.
set_skampi_buffer({buffer})
set_min_repetitions({repetitions})
set_max_repetitions({repetitions})
choose_barrier_synchronization()
set_adaptive_warm_up(0)
set_controls(0)

all = comm(get_np())

begin measurement "places"
  print_all mpi_processor_names()
end measurement
"""
# By OpenSHMEM and, where it is built without, by MPI. Gets, since a quiet after puts may wait for PEs that have no part
# in them: UCX asks each one over TCP. Then a slow node slows all pairs.
FUNCTIONS = ("Shmem_Get_Pairs", "Get_Pairs_Flush")


def size(text):
    """Bytes of 8, 64kb, 1mb."""
    match = re.fullmatch(r"(\d{1,9})(kb|mb|)", text.lower())
    bytes_ = int(match[1]) * UNITS[match[2]] if match else 0
    if not 1 <= bytes_ <= 1 << 30:
        refuse(text, "a size from 1 to 1024mb, such as 8 or 256kb")
    return bytes_


def _block(stage, turn, tasks, given):
    name = f"re-test {stage}, pass {turn}" if stage else f"tournament, pass {turn}"
    branches = []
    for function in FUNCTIONS:
        lines = []
        for _, _, round_, seed, group in tasks:
            pattern = f'"{Tournament.pattern(round_, seed, group)}"'
            lines += [f"    measure all : {function}({size_}, {pattern}, 0, 2, {iterations})"
                      for size_, iterations in ((given.small, given.iterations), (given.large, LARGE_ITERATIONS))]
        branches.append("\n".join(lines))
    return (f'\nbegin measurement "{name}"\n  if is_supported("{FUNCTIONS[0]}") then\n{branches[0]}\n'
            f"  else\n{branches[1]}\n  fi\nend measurement\n")


def text(tasks, pes, given):
    """given: .small, .large, .iterations"""
    blocks = {}
    for task in tasks:
        blocks.setdefault(task[:2], []).append(task)
    buffer = 4 * (given.large + 64) + 65536
    head = HEAD.format(pes=pes, buffer=buffer, repetitions=REPETITIONS)
    return head + "".join(_block(*key, members, given) for key, members in blocks.items())
