"""Points of which every launch of one side is slower than every launch of the other.

Such a point is slower, or faster, whatever the states of its launches, and however few of its neighbours a test finds,
as long as so wide a gap is rare by chance. How rare is counted exactly: if launches are given to the sides at random, a
point is separated in two ways only, its fastest launches on the one side or on the other. So the chance that any point
of the comparison is separated by a gap as wide is the number of different such ways among all points whose gap is as
wide, over the number of all ways.
"""

import math
from dataclasses import dataclass

from .rows import CANNOT_TELL, FASTER, SLOWER


@dataclass(frozen=True)
class _Split:
    """A way to give launches to the sides that separates them."""
    old: frozenset   # indices of launches
    ways: int        # of all, with as many launches a side
    gap: float       # logarithm of the ratio of the values next to it

    def chance(self):
        return 1 / self.ways


def _splits(values, border):
    """Both splits of a point. Launches without a value take no part."""
    there = sorted((value, index) for index, value in enumerate(values) if value > 0)
    old = sum(index < border for _, index in there)
    ways = math.comb(len(there), old)
    for count, first_is_old in ((old, True), (len(there) - old, False)):
        if 0 < count < len(there):
            first = frozenset(index for _, index in there[:count])
            own = first if first_is_old else frozenset(index for _, index in there[count:])
            yield _Split(own, ways, math.log(there[count][0] / there[count - 1][0]))


def _own(splits, values, border):
    """The split that agrees with the real sides; None: the sides overlap."""
    real = frozenset(index for index, value in enumerate(values) if value > 0 and index < border)
    return next((split for split in splits if split.old == real and split.gap > 0), None)


def decide(comparison, columns, border):
    """Judges separated rows that no test could judge. columns: (row, one value a launch) pairs; border: the
    number of old launches."""
    splits = {id(row): list(_splits(values, border)) for row, values in columns}
    separated = [(row, own) for row, values in columns if row.verdict == CANNOT_TELL
                 and (row.overall or row).ratio > 0 and (own := _own(splits[id(row)], values, border))]
    if not separated:
        return
    every = [split for own in splits.values() for split in own]
    for row, own in separated:
        ways = {split.old: split for split in every if split.gap >= own.gap}
        p = min(1.0, sum(split.chance() for split in ways.values()))
        if p <= comparison.alpha:
            _judge(comparison, row, own.gap, p)


def _judge(comparison, row, gap, p):
    row.take(row.overall or row)
    before, slower = row.reason, row.ratio > 1
    row.verdict, row.p = SLOWER if slower else FASTER, p
    row.over_margin = slower and gap > math.log1p(comparison.margin)
    if comparison.margin > 0:
        row.p_margin = p if row.over_margin else 1.0
    row.reason = f"each launch of new is {row.verdict} than each of old"
    if row.states:
        row.reason += f", although {before}"
