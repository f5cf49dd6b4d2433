"""Piecewise straight lines through times over sizes, as few pieces as the data support, with intervals.

    pieces = fit([(8, 1.01e-6), (16, 1.02e-6), ...])     # (bytes, seconds)
    pieces[0].start, pieces[0].intercept.value, pieces[0].slope.value, pieces[0].slope.error

Errors count relative to the times: 1 % of a microsecond weighs as much as 1 % of a millisecond.
"""

import math
from typing import NamedTuple

from .statistics import NAN, deviation, known, median, student_quantile

CONFIDENCE = 0.95
FEWEST = 4  # sizes that a piece has at least
MOST = 5  # pieces that a curve has at most
# Deviations that are no reason for another piece: the relative accuracy of a good measurement.
SMALLEST = 0.005


class Value(NamedTuple):
    """A fitted number and half the width of its interval of 95 %, in the same unit; NaN: not known."""
    value: float
    error: float = NAN

    @property
    def relative(self):
        return self.error / abs(self.value) if self.value else NAN


class Piece(NamedTuple):
    """time = intercept + bytes * slope, for sizes from start on; end is the largest one measured."""
    start: int
    end: int
    intercept: Value  # seconds
    slope: Value      # seconds a byte

    def time(self, size):
        return self.intercept.value + size * self.slope.value


class _Sums:
    """Sums for the normal equations of min sum (1 - (a + b n) / y)^2; u is 1 / y."""

    def __init__(self, points):
        self.count = len(points)
        inverse = [(size, 1 / time) for size, time in points]
        self.uu = math.fsum(u * u for _, u in inverse)
        self.nuu = math.fsum(n * u * u for n, u in inverse)
        self.nnuu = math.fsum((n * u) ** 2 for n, u in inverse)
        self.u = math.fsum(u for _, u in inverse)
        self.nu = math.fsum(n * u for n, u in inverse)

    def line(self):
        """(a, b), neither negative: no time begins below 0, and more bytes take no less time."""
        determinant = self.uu * self.nnuu - self.nuu ** 2
        if determinant > 1e-12 * self.uu * self.nnuu:
            a = (self.u * self.nnuu - self.nu * self.nuu) / determinant
            b = (self.uu * self.nu - self.nuu * self.u) / determinant
            if a >= 0 and b >= 0:
                return a, b
            if a < 0:
                return 0.0, self.nu / self.nnuu
        return self.u / self.uu, 0.0

    def errors(self, a, b, squares):
        """Half widths of the intervals of a and b."""
        determinant = self.uu * self.nnuu - self.nuu ** 2
        if self.count < 2 or (self.count < 3 and a > 0 and b > 0):
            return NAN, NAN
        if a > 0 and b > 0 and determinant > 0:
            variance = squares / (self.count - 2)
            t = student_quantile((1 + CONFIDENCE) / 2, self.count - 2)
            return (t * math.sqrt(variance * self.nnuu / determinant),
                    t * math.sqrt(variance * self.uu / determinant))
        variance = squares / (self.count - 1)
        t = student_quantile((1 + CONFIDENCE) / 2, self.count - 1)
        return ((t * math.sqrt(variance / self.uu), 0.0) if b == 0 else
                (0.0, t * math.sqrt(variance / self.nnuu)))


def _squares(points, a, b):
    return math.fsum((1 - (a + b * size) / time) ** 2 for size, time in points)


def _criterion(squares, count, pieces):
    """Schwarz' criterion (BIC) with McQuarrie's correction for small samples (Statistics & Probability Letters 44,
    1999): ln s^2 + k ln n / (n - k - 2), here times n. A piece has a line's two numbers, and a place."""
    numbers = 3 * pieces - 1
    room = count - numbers - 2
    if room <= 0:
        return math.inf
    return count * (math.log(squares / count + SMALLEST ** 2) + numbers * math.log(count) / room)


def _best_cuts(groups, fewest):
    """[(sum of squares, indices at which pieces begin)] of the best 1, 2, ... pieces. groups: points by size."""
    count = len(groups)
    costs = {}
    for begin in range(count):
        for end in range(begin + fewest, count + 1):
            points = [point for group in groups[begin:end] for point in group]
            costs[begin, end] = _squares(points, *_Sums(points).line())
    found, before = [], {0: (0.0, ())}
    for _ in range(min(MOST, count // fewest)):
        now = {}
        for end in range(fewest, count + 1):
            ways = [(squares + costs[begin, end], (*cuts, begin))
                    for begin, (squares, cuts) in before.items() if (begin, end) in costs]
            if ways:
                now[end] = min(ways)
        if count in now:
            found.append(now[count])
        before = now
    return found


def line(points, start=None):
    """One Piece through the points; None without any that are positive."""
    points = sorted((size, time) for size, time in points if time > 0)
    if not points:
        return None
    sums = _Sums(points)
    a, b = sums.line()
    a_error, b_error = sums.errors(a, b, _squares(points, a, b))
    return Piece(points[0][0] if start is None else start, points[-1][0], Value(a, a_error), Value(b, b_error))


def fit(points, fewest=FEWEST):
    """The Pieces, ascending; [] without points. The first one begins at 0. fewest: sizes in a piece."""
    by_size = {}
    for size, time in points:
        if time > 0 and math.isfinite(time):
            by_size.setdefault(size, []).append((size, time))
    groups = [by_size[size] for size in sorted(by_size)]
    if not groups:
        return []
    cuts = (0,)
    if len(groups) >= 2 * fewest:
        total = sum(map(len, groups))
        found = _best_cuts(groups, fewest)
        scores = [_criterion(squares, total, len(cuts)) for squares, cuts in found]
        cuts = found[scores.index(min(scores))][1]
    ends = [*cuts[1:], len(groups)]
    return [line([point for group in groups[begin:end] for point in group],
                 start=0 if begin == 0 else groups[begin][0][0])
            for begin, end in zip(cuts, ends)]


def piece_of(pieces, size):
    """The Piece that holds for a size."""
    return next((piece for piece in reversed(pieces) if piece.start <= size), pieces[0])


def middle(values):
    """The Value of a constant that was measured several times: their median, which bears outliers; its standard error is
    sqrt(pi / 2) times that of the mean. Of one measurement without an error."""
    values = list(values)
    if len(values) < 2:
        return Value(values[0])
    t = student_quantile((1 + CONFIDENCE) / 2, len(values) - 1)
    return Value(median(values), t * math.sqrt(math.pi / 2 / len(values)) * deviation(values))


def combined(value, *errors):
    """A Value from independent ones: their errors (already scaled) add up as squares; unknown ones count as 0
    unless all are unknown."""
    return Value(value, math.hypot(*known(errors)) if known(errors) else NAN)
