"""From what is chosen at each size to what a library reads (openmpi.py, mpich.py), and environment variables."""

import math
import shlex
from dataclasses import dataclass, field

from .openmpi import OWN


@dataclass
class Size:
    """What is known of all points of one size: of each choice by how much it is slower than what is best there."""
    size: int
    losses: dict = field(default_factory=dict)   # {choice: logarithm; the largest of the points}
    weight: float = 1.0


def losses_of(points):
    """{choice: loss} of (times by choice, the chosen one) pairs. What a point lacks is no choice there. Chosen ones come
    first, and are taken where others lose no more."""
    order = dict.fromkeys([*(chosen for _, chosen in points), *points[0][0]])
    return {choice: max(max(0.0, math.log(times[choice] / times[chosen])) for times, chosen in points)
            for choice in order if all(choice in times for times, _ in points)}


def ranges(sizes, tolerance):
    """[(first size, choice)], ascending: one choice for neighbouring sizes, where nothing is lost by it. Of all ways the one
    with the fewest ranges, and of these the one that loses least. sizes: ascending. Each has a choice whose loss is within
    the tolerance, or keeps the one that loses least."""
    limit = math.log1p(tolerance)
    best = {None: (0, 0.0, ())}   # {choice of the last size: (ranges, loss, their beginnings)}
    for row in sizes:
        allowed = [choice for choice, loss in row.losses.items() if loss <= limit] or \
            [min(row.losses, key=row.losses.get)]
        following = {}
        for choice in allowed:
            own = []
            for last, (count, loss, begun) in best.items():
                same = last == choice
                own.append((count + (not same), loss + row.weight * row.losses[choice],
                            begun if same else (*begun, (row.size, choice))))
            following[choice] = min(own, key=lambda way: way[:2])
        best = following
    return list(min(best.values(), key=lambda way: way[:2])[2]) if sizes else []


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
    return "# Settings that skampi tune has found: . this file in a job script.\n" + "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


def ucx_text(environment):
    """ucx.conf of the variables of UCX among these; "": there are none."""
    lines = [f"{name}={value}\n" for name, value in environment.items() if name.startswith("UCX_")]
    return "".join(["# Settings of UCX that skampi tune has found.\n", *lines]) if lines else ""
