"""What Open MPI says of itself: algorithms of its collectives and values of its parameters (ompi_info --all --parsable)."""

import functools
import re
import shutil
import subprocess

from ..cli import Error

PREFIX = "OMPI_MCA_"
SECONDS = 60

# Number in rules files (enum of coll_base_functions.h) of the collectives of which the component tuned reads rules, and
# how it counts the size of a message: "block" is what one process gives or gets from each other; "all" is the block
# times the processes; "none": it asks for the rule of size 0 whatever the size. Found out by rules files that change the
# algorithm at 1024 B, and a look at which algorithm Open MPI 4.1.4 then calls; tests/e2e/test_tune.py repeats it.
COLLECTIVES = {
    "allgather": (0, "all"), "allgatherv": (1, "block"), "allreduce": (2, "block"), "alltoall": (3, "all"),
    "alltoallv": (4, "none"), "barrier": (6, "none"), "bcast": (7, "block"), "gather": (9, "all"), "reduce": (11, "block"),
    "reduce_scatter": (12, "block"), "reduce_scatter_block": (13, "all"), "scatter": (15, "all"),
}
ON = {PREFIX + "coll_tuned_use_dynamic_rules": "1"}
FILE = PREFIX + "coll_tuned_dynamic_rules_filename"


def parameter(collective, what):
    return f"coll_tuned_{collective}_{what}"


@functools.lru_cache(None)
def _said():
    """{parameter: {"value": text, "names": {name: number}}}"""
    program = shutil.which("ompi_info")
    if not program:
        raise Error("there is no ompi_info, which says what algorithms Open MPI has: put that of your Open MPI on the PATH")
    try:
        done = subprocess.run([program, "--all", "--parsable"], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Error(f"{program} has not ended after {SECONDS} s") from None
    found = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        if match := re.fullmatch(r"mca:[^:]*:[^:]*:param:(\w+):(value|enumerator:value:(-?\d+)):(.*)", line):
            name, kind, number, text = match.groups()
            own = found.setdefault(name, {"value": "", "names": {}})
            if kind == "value":
                own["value"] = text
            else:
                own["names"][text] = int(number)
    if not found:
        raise Error(f"{program} says nothing of parameters (exit status {done.returncode})")
    return found


def values_of(name):
    """The names of a parameter's values, without what stands for no choice; []: it lists none, or is unknown."""
    return [text for text in _said().get(name, {"names": {}})["names"] if text != "ignore"]


def default_of(name):
    return _said().get(name, {"value": ""})["value"]


def number_of(name, value):
    """Of a value, which may be given by its name."""
    return _said().get(name, {"names": {}})["names"].get(value, value)
