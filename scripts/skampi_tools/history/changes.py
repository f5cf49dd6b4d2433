"""At which launches series of values change their level, with a stated chance of any false alarm in all series.

    found = find_changes([[0.1, 0.2, None, ...], ...], alpha=0.05)
    found.changes[0]  # of the first series: [Change(at=17, p=0.005)]: launch 17 is the first one after it

Values are logarithms of times, one a launch, in the order of time; None: the launch has none. Segments are divided
where the means of both parts differ most, again and again, as long as that is significant (hierarchical division:
Matteson & James, JASA 109, 2014, section 3.1; used on performance tests by Daly et al., ICPE 2020). The difference
counts in units of its standard error, from the differences of neighbours (von Neumann 1941), which changes of the
level hardly touch. It is significant if it is larger than the largest one of all segments of all series in
1 - alpha of the random orders of the launches (Westfall & Young 1993, as in compare.py: launches are moved with all
their series, so that these may depend on each other). Random orders come from a seed: the same input gives the same
output.
"""

import functools
import math
import random
from itertools import accumulate, islice
from operator import itemgetter, mul, sub
from typing import NamedTuple

from ..statistics import interquartile, median, quantile

LEAST = 4  # launches that a segment has at least
FENCE = 3             # Tukey's far fences, in interquartile ranges
NARROWEST = 0.01  # smallest interquartile range for the fences: that of a coarse timer's values may be 0
FLOOR = 0.001         # added to the standard deviation: differences far below 0.1 % never count
ORDERS = (199, 999)   # random orders: at least, at most
EFFORT = 40_000_000   # values in all random orders, where ORDERS allow that
MOST_PASSES = 30
MOST_CORRELATION = 0.8
CORRELATION_VALUES = 100  # fewer say nothing about correlation
CORRELATION_ORDERS = 39  # random orders that say how large a correlation is by chance
FROM_ABSOLUTE = math.sqrt(math.pi) / 2  # standard deviation of normal values over the mean |difference| of two


class Change(NamedTuple):
    at: int   # index of the first launch after it
    p: float  # of so large a difference in any series, if nothing changed where it was looked for


class FoundChanges(NamedTuple):
    changes: list  # of each series: Changes, ascending
    orders: int    # random orders that were tried
    complete: bool # no: there were still changes after MOST_PASSES


@functools.lru_cache(4096)
def _weights(n, least):
    """Times a sum of the first k of n values around their mean: the difference of the parts' means over its
    standard error, if the standard deviation is 1."""
    return tuple(math.sqrt(n / (k * (n - k))) for k in range(least, n - least + 1))


def _heights(values, least):
    """(the statistic at each place where the values can be divided, from index `least` on, standard deviation)"""
    n = len(values)
    deviation = FROM_ABSOLUTE * sum(map(abs, map(sub, values[1:], values))) / (n - 1) + FLOOR
    sums = islice(accumulate(values), least - 1, n - least)
    return map(mul, map(abs, sums), _weights(n, least)), deviation


def _highest(values, least):
    heights, deviation = _heights(values, least)
    return max(heights) / deviation


def _best(values, least):
    """(statistic, index of the first value after the best place)"""
    heights, deviation = _heights(_centred(values), least)
    heights = list(heights)
    highest = max(heights)
    return highest / deviation, least + heights.index(highest)


def _centred(values):
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


class _Row:
    """A series during the search: its values without gaps, and where it has been divided."""

    def __init__(self, series, least):
        self.least = least
        self.places = [i for i, value in enumerate(series) if value is not None]
        self.count = len(series)
        values = [series[i] for i in self.places]
        q1, q3 = quantile(values, 0.25), quantile(values, 0.75)
        width = FENCE * max(interquartile(values), NARROWEST)
        self.values = [min(max(value, q1 - width), q3 + width) for value in values]  # outliers pulled to Tukey's fences
        self.cuts = []    # indices into values
        self.p = {}       # by cut

    def segments(self):
        ends = [0, *self.cuts, len(self.values)]
        return [(a, b) for a, b in zip(ends, ends[1:]) if b - a >= 2 * self.least]

    def residuals(self):
        """For each launch its value less the level of its segment; None where there is no value."""
        ends = [0, *self.cuts, len(self.values)]
        left = [value for a, b in zip(ends, ends[1:]) for value in _centred(self.values[a:b])]
        return self.spread(left)

    def spread(self, values):
        """One a launch."""
        if len(values) == self.count:
            return values
        spread = [None] * self.count
        for place, value in zip(self.places, values):
            spread[place] = value
        return spread

    def highest_of(self, permuted):
        """The largest statistic of any segment, were these its values."""
        if not self.cuts:
            return _highest(permuted, self.least)
        return max(_highest(_centred(permuted[a:b]), self.least) for a, b in self.segments())

    def divide(self, largest, limit, longer):
        """Where segments differ by more than the limit, in standard errors that are longer by this factor. Whether
        any does."""
        found = []
        for a, b in self.segments():
            statistic, at = _best(self.values[a:b], self.least)
            statistic /= longer
            if statistic > limit:
                found.append(a + at)
                self.p[a + at] = _p(statistic, largest)
        self.cuts = sorted(self.cuts + found)
        return bool(found)

    def settle(self, largest, limit, longer):
        """Moves each cut to where it fits best between its neighbours, which were not known when it was made, and
        removes cuts that the values no longer support."""
        for cut in list(self.cuts):
            place = self.cuts.index(cut)
            ends = [0, *self.cuts, len(self.values)]
            a, b = ends[place], ends[place + 2]
            statistic, at = _best(self.values[a:b], self.least)
            statistic /= longer
            if statistic > limit:
                self.cuts[place] = a + at
                self.p[a + at] = _p(statistic, largest)
            else:
                del self.cuts[place]

    def changes(self):
        return [Change(self.places[cut], self.p[cut]) for cut in self.cuts]


def _correlation(every):
    """Correlation of neighbouring launches. In an autoregressive process of order 1 with correlation r, launches that are two
    apart differ sqrt(1 + r) times as much as neighbours. Takes medians of differences, and of series, so that changes of
    the level do not count."""
    ratios = []
    for values in every:
        near, far = (median([abs(a - b) for a, b in zip(values, values[lag:])]) for lag in (1, 2))
        if near > 0:
            ratios.append(far / near)
    return median(ratios)**2 - 1 if ratios else 0.0


def _longer(rows, generator):
    """By what factor standard errors are longer because neighbouring launches are alike: a mean's, from differences of
    neighbours, sqrt(1 + r) / (1 - r). r is what the correlation is above the upper quartile of what it is in random
    orders: with few launches or points it may be anything by chance."""
    if sum(len(row.values) for row in rows) < CORRELATION_VALUES:
        return 1.0
    every = [(row.spread(row.values), len(row.places) == row.count) for row in rows]
    by_chance = [_correlation(values) for values in _permuted(every, CORRELATION_ORDERS, generator)]
    r = min(_correlation([row.values for row in rows]) - quantile(by_chance, 0.75), MOST_CORRELATION)
    return math.sqrt(1 + r) / (1 - r) if r > 0 else 1.0


def _permuted(every, orders, generator):
    """For each random order of the launches, an iterator over the series in this order. every: (series,
    whether it has no gaps)"""
    order = list(range(len(every[0][0])))
    for _ in range(orders):
        generator.shuffle(order)
        pick = itemgetter(*order)
        yield (pick(values) if full else [value for value in pick(values) if value is not None]
               for values, full in every)


def _p(statistic, largest):
    return (1 + sum(other >= statistic for other in largest)) / (1 + len(largest))


def find_changes(series, alpha=0.05, least=LEAST, seed=1):
    """Found. Series of fewer than twice `least` values have no changes. least: launches of a segment, at least
    2."""
    rows = [_Row(values, least) for values in series]
    # Many values get fewer orders, which bounds the time.
    orders = max(ORDERS[0], min(ORDERS[1], EFFORT // (sum(map(len, series)) or 1)))
    generator = random.Random(seed)
    open_rows = [row for row in rows if row.segments()]
    longer = _longer(open_rows, generator)
    complete = not open_rows
    for _ in range(MOST_PASSES):
        tested = [row for row in open_rows if row.segments()]
        if not tested:
            complete = True
            break
        every = [(row.residuals(), len(row.places) == row.count) for row in tested]
        largest = [max(map(_Row.highest_of, tested, permuted)) for permuted in _permuted(every, orders, generator)]
        limit = sorted(largest)[math.ceil((1 - alpha) * (orders + 1)) - 1]
        divided = [row for row in tested if row.divide(largest, limit, longer)]
        for row in divided:
            row.settle(largest, limit, longer)
        if not divided:
            complete = True
            break
    return FoundChanges([row.changes() for row in rows], orders, complete)
