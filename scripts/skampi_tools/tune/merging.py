"""One choice for neighbouring sizes, where nothing is lost by it: the fewest ranges of sizes, and of those ways the one
that loses least.

    ranges(rows, tolerance)        # [(first size, choice)], ascending
"""

import math
from dataclasses import dataclass, field


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
    """sizes: ascending. Each has a choice whose loss is within the tolerance, or keeps the one that loses least."""
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
