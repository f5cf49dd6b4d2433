"""What the library reads: a rules file of Open MPI 4, and environment variables.

Grammar of the rules file: the number of collectives; for each its number, the number of sizes of communicators; for each
that size, the number of sizes of messages; for each that size, algorithm, fan-out, segment size. # begins a comment. The
library takes the last row whose size is not above the actual one, but the first size of communicators also for smaller
ones; algorithm 0 is its own decision. It silently ignores a whole file in which the first size of messages is not 0.
"""

import os
import shlex

from . import library

OWN = (0, 0, 0)   # the library decides


def message_size(collective, result):
    """As the library counts it, of a measured point."""
    how = library.COLLECTIVES[collective][1]
    size = result.record.get("bytes") or 0
    return 0 if how == "none" else size * result.pes if how == "all" else size


def row_of(collective, candidate):
    """(algorithm, fan-out, segment size) as a forced algorithm has them: without a fan-out of its own the default one."""
    if not candidate.number:
        return OWN
    algorithm, segment, fanout = (library.parameter(collective, what) for what in
                                  ("algorithm", "algorithm_segmentsize", "algorithm_chain_fanout"))
    return (int(library.number_of(algorithm, candidate.value(algorithm))),
            int(candidate.value(fanout) or library.default_of(fanout) or 0), int(candidate.value(segment) or 0))


def table(collective, ranges, largest):
    """{PEs: [(size, row)]} with the library's own decision wherever nothing was measured: for other numbers of PEs, smaller
    and larger messages. ranges: {PEs: [(first size, candidate)]}; largest: {PEs: the largest measured size}."""
    found = {}
    for pes, own in sorted(ranges.items()):
        rows = [(size, row_of(collective, candidate)) for size, candidate in own]
        if library.COLLECTIVES[collective][1] != "none":
            rows.append((largest[pes] + 1, OWN))
        kept, last = [], OWN
        for size, row in rows:
            if row != last:
                kept.append((size, row))
            last = row
        if kept and kept[0][0] > 0:
            kept.insert(0, (0, OWN))
        found[pes] = kept
    if not any(found.values()):
        return {}
    complete = {1: [(0, OWN)]}
    for pes, rows in found.items():
        complete[pes] = rows or [(0, OWN)]
        if pes + 1 not in found:
            complete[pes + 1] = [(0, OWN)]
    return complete


def text_of(tables):
    """The rules file. tables: {collective: table()}, without empty ones."""
    lines = [f"{len(tables)} # collectives; written by skampi-tune"]
    for collective, sizes in sorted(tables.items(), key=lambda item: library.COLLECTIVES[item[0]][0]):
        lines += [f"{library.COLLECTIVES[collective][0]} # {collective}", f"{len(sizes)} # sizes of communicators"]
        for pes, rows in sorted(sizes.items()):
            lines += [f"{pes} # processes", f"{len(rows)} # sizes of messages"]
            lines += [" ".join(map(str, (size, *row))) + (" # the library decides" if row == OWN else "")
                      for size, row in rows]
    return "\n".join(lines) + "\n"


def rule_count(tables):
    """Rows that begin what is not the library's own decision."""
    return sum(row != OWN for sizes in tables.values() for rows in sizes.values() for _, row in rows)


def environment_text(environment):
    return "# Settings that skampi-tune has found: . this file in a job script.\n" + "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


def launch_line(environment, sets):
    """How a program is started with the settings: of a launcher of Open MPI."""
    words = []
    for name, value in environment.items():
        mca = name.startswith(library.PREFIX)
        words += ["--mca", name[len(library.PREFIX):], value] if mca else ["-x", f"{name}={value}"]
    return " ".join(shlex.quote(word) for word in ["oshrun", "-np", "N", *words, "PROGRAM"]) + \
        "".join(f" --set {shlex.quote(item)}" for item in sets)


def complete(environment, path):
    """The environment, with what makes Open MPI read the rules file at this path; "": there are no rules."""
    return {**environment, **library.ON, library.FILE: os.path.abspath(path)} if path else dict(environment)
