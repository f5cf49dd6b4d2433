"""From what is chosen at each size to what a library reads (openmpi.py, mpich.py), and environment variables."""

import shlex

from .openmpi import OWN


def message_size(choice, result):
    """As the library counts it, of a measured point."""
    how = choice.library.counts(choice.rules)
    size = result.record.get("bytes") or 0
    return 0 if how == "none" else size * result.pes if how == "all" else size


def table(choice, ranges, largest):
    """{PEs: [(size, row)]} with the library's own decision wherever nothing was measured: for other numbers of PEs, smaller
    and larger messages. ranges: {PEs: [(first size, candidate)]}; largest: {PEs: the largest measured size}."""
    found = {}
    for pes, own in sorted(ranges.items()):
        rows = [(size, candidate.row(choice) if candidate.number else OWN) for size, candidate in own]
        if choice.library.counts(choice.rules) != "none":
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


def rule_count(tables):
    """Rows that begin what is not the library's own decision."""
    return sum(row != OWN for sizes in tables.values() for rows in sizes.values() for _, row in rows)


def environment_text(environment):
    return "# Settings that skampi-tune has found: . this file in a job script.\n" + "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


def ucx_text(environment):
    """ucx.conf of the variables of UCX among these; "": there are none."""
    lines = [f"{name}={value}\n" for name, value in environment.items() if name.startswith("UCX_")]
    return "".join(["# Settings of UCX that skampi-tune has found.\n", *lines]) if lines else ""
