"""Open MPI: what it says of its algorithms and parameters (ompi_info --all --parsable), and the rules that it reads.

Grammar of the rules file of Open MPI 4: the number of collectives; for each its number, the number of sizes of
communicators; for each that size, the number of sizes of messages; for each that size, algorithm, fan-out, segment size.
# begins a comment. The library takes the last row whose size is not above the actual one, but the first size of
communicators also for smaller ones; algorithm 0 is its own decision. It silently ignores a whole file in which the first
size of messages is not 0.
"""

import collections
import functools
import json
import re
import shlex
import shutil
import subprocess

from ..cli import Error

PREFIX = "OMPI_MCA_"
OWN = None   # instead of a row: the library decides
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
TWO_PROCESSES = "two_proc"   # algorithms of this name are made for 2 processes, and fail on others


def switches(settings):
    """What is needed for these environment variables to be heeded."""
    return ON if any(name.startswith(f"{PREFIX}coll_tuned_") for name in settings) else {}


def counts(collective):
    return COLLECTIVES[collective][1]


def variables(collective):
    """[(kind, name)] of what a rule says: first of all the algorithm."""
    return [("mca", f"coll_tuned_{collective}_algorithm{more}") for more in ("", "_segmentsize", "_chain_fanout")]


def ask(library, name, *arguments):
    """What a program of a library says."""
    program = shutil.which(name)
    if not program:
        raise Error(f"there is no {name}, which says what algorithms {library} has: put that of your {library} on the PATH")
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Error(f"{program} has not ended after {SECONDS} s") from None
    return done.stdout.decode(errors="replace")


@functools.lru_cache(None)
def _said():
    """{parameter: {"value": text, "names": {name: number}}}; of an unknown one both are empty."""
    found = collections.defaultdict(lambda: {"value": "", "names": {}})
    for line in ask("Open MPI", "ompi_info", "--all", "--parsable").splitlines():
        if match := re.fullmatch(r"mca:[^:]*:[^:]*:param:(\w+):(value|enumerator:value:(-?\d+)):(.*)", line):
            name, kind, number, text = match.groups()
            if kind == "value":
                found[name]["value"] = text
            else:
                found[name]["names"][text] = int(number)
    if not found:
        raise Error("ompi_info says nothing of parameters")
    return found


def values_of(name, pes):
    """The names of a parameter's values, without what stands for no choice; []: it lists none, or is unknown."""
    return [text for text in _said()[name]["names"] if text != "ignore" and (pes == 2 or text != TWO_PROCESSES)]


def number_of(name, value):
    """Of a value, which may be given by its name."""
    return _said()[name]["names"].get(value, value)


def describe(values):
    """For people; of a collective's algorithm only what differs from other candidates."""
    algorithm, segment, fanout = values
    return algorithm + (f", segments of {segment} B" if segment not in (None, "0") else "") + \
        (f", fan-out {fanout}" if fanout else "")


def row(collective, values):
    """(algorithm, fan-out, segment size) as a forced algorithm has them: without a fan-out of its own the default one."""
    (_, name), _, (_, fanouts) = variables(collective)
    algorithm, segment, fanout = values
    return (int(number_of(name, algorithm)), int(fanout or _said()[fanouts]["value"] or 0), int(segment or 0))


def files(tables, stem):
    """{path: text} of what the library reads. tables: {collective: {PEs: [(size, row or OWN)]}}"""
    lines = [f"{len(tables)} # collectives; written by skampi-tune"]
    for collective, sizes in sorted(tables.items(), key=lambda item: COLLECTIVES[item[0]][0]):
        lines += [f"{COLLECTIVES[collective][0]} # {collective}", f"{len(sizes)} # sizes of communicators"]
        for pes, rows in sorted(sizes.items()):
            lines += [f"{pes} # processes", f"{len(rows)} # sizes of messages"]
            lines += [f"{size} 0 0 0 # the library decides" if own == OWN else " ".join(map(str, (size, *own)))
                      for size, own in rows]
    return {f"{stem}.conf": "\n".join(lines) + "\n"}


def environment(stem):
    return {**ON, FILE: f"{stem}.conf"}


def json_of(tables):
    """The same as the JSON that Open MPI 6 reads (its documentation, "Tuning Collectives"): ranges include both ends, and
    what no rule names is the library's own decision."""
    collectives = {}
    for collective, sizes in tables.items():
        for pes, rows in sorted(sizes.items()):
            ends = [size - 1 for size, _ in rows[1:]] + ["inf"]
            rules = [{"msg_size_min": size, "msg_size_max": end, "alg": own[0], "faninout": own[1], "segsize": own[2]}
                     for (size, own), end in zip(rows, ends) if own != OWN]
            if rules:
                collectives.setdefault(collective, []).append({"comm_size_min": pes, "comm_size_max": pes, "rules": rules})
    return json.dumps({"rule_file_version": 3, "module": "tuned", "collectives": collectives}, indent=1) + "\n"


def launch_line(settings):
    """How a program is started with these environment variables."""
    words = []
    for name, value in settings.items():
        words += ["--mca", name[len(PREFIX):], value] if name.startswith(PREFIX) else ["-x", f"{name}={value}"]
    return shlex.join(["oshrun", "-np", "N", *words, "PROGRAM"])
