"""Points of which every launch of one side is slower than every launch of the other.

Such a point is slower, or faster, whatever the states of its launches, and however few of its neighbours a test finds,
as long as so wide a gap is rare by chance. How rare is counted exactly: if launches are given to the sides at random, a
point is separated in two ways only, its fastest launches on the one side or on the other. So the chance that any point
of the comparison is separated by a gap as wide is the number of different such ways among all points whose gap is as
wide, over the number of all ways.
"""

import math

from .rows import CANNOT_TELL, FASTER, SLOWER


def _splits(values, border):
    """Both splits of a point, by the launches that are the old side then: the logarithm of the ratio of the values next to
    it; how rare each of them is; and the real old side. Launches without a value take no part."""
    there = sorted((value, index) for index, value in enumerate(values) if value > 0)
    order = [index for _, index in there]
    real = frozenset(index for index in order if index < border)
    gaps = {}
    for count, old in ((len(real), order[:len(real)]), (len(there) - len(real), order[len(there) - len(real):])):
        if 0 < count < len(there):
            gaps[frozenset(old)] = math.log(there[count][0] / there[count - 1][0])
    return gaps, 1 / math.comb(len(there), len(real)), real


def decide(comparison, columns, border):
    """Judges separated rows that no test could judge. columns: (row, one value a launch) pairs; border: the
    number of old launches."""
    splits = [_splits(values, border) for _, values in columns]
    for (row, _), (gaps, _, real) in zip(columns, splits):
        own = gaps.get(real, 0)
        if own > 0 and row.verdict == CANNOT_TELL and (row.overall or row).ratio > 0:
            ways = {old: chance for other, chance, _ in splits for old, gap in other.items() if gap >= own}
            p = min(1.0, sum(ways.values()))
            if p > comparison.alpha:
                continue
            row.take(row.overall or row)
            before, slower = row.reason, row.ratio > 1
            row.verdict, row.p = SLOWER if slower else FASTER, p
            row.over_margin = slower and own > math.log1p(comparison.margin)
            if comparison.margin > 0:
                row.p_margin = p if row.over_margin else 1.0
            row.reason = f"each launch of new is {row.verdict} than each of old"
            if row.states:
                row.reason += f", although {before}"
