"""Statistics of samples, with the numbers that src/stats/stats.c and src/stats/rounds.c give.

In plain Python, since the machines on which campaigns run need have no numpy. Values are in
whatever unit they come in; NaN must be left out by the caller.
"""

import functools
import math
import statistics
from dataclasses import dataclass
from statistics import NormalDist

NAN = math.nan
FEWEST_ROUNDS = 5     # with fewer, nothing is said but the median
EXACT_RANKS = 1024    # up to here the binomial distribution is summed exactly
LARGEST_T = 1e6


def quantile(values, p):
    """The value below which a share p lies, on the line between the two next to it (Hyndman & Fan
    1996, type 7); NaN without values."""
    ordered = sorted(values)
    if not ordered:
        return NAN
    place = p * (len(ordered) - 1)
    below = int(place)
    if below + 1 >= len(ordered):
        return ordered[-1]
    return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])


def median(values):
    """NaN without values."""
    values = list(values)
    return statistics.median(values) if values else NAN


def known(values):
    """Without NaN."""
    return [value for value in values if value == value]


def interquartile(values):
    """Third quartile less the first; NaN without values."""
    return quantile(values, 0.75) - quantile(values, 0.25)


def deviation(values):
    """The standard deviation, with n - 1; NaN with fewer than two values."""
    values = list(values)
    if len(values) < 2:
        return NAN
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))


@functools.lru_cache(None)
def median_ranks(n, confidence):
    """Ranks, from 1, of the values between which the median of what they were drawn from lies with
    this confidence at least: the narrowest symmetric pair by the binomial distribution, beyond
    1024 values by its normal approximation (Hoefler & Belli, SC15, rule 6). (1, n) where n is too
    small for any pair to reach it."""
    tail = (1 - confidence) / 2
    if n > EXACT_RANKS:
        width = NormalDist().inv_cdf(1 - tail) * math.sqrt(n)
        return max(1, math.floor((n - width) / 2)), min(n, math.ceil(1 + (n + width) / 2))
    below, rank = 0.0, 0
    for k in range(n):
        below += math.comb(n, k) / 2 ** n
        if below > tail:
            break
        rank = k + 1
    return max(1, rank), n + 1 - max(1, rank)


def at_least(m, n, p):
    """The probability that at least m >= 1 of n independent events of probability p happen."""
    if p <= 0 or p >= 1:
        return float(p >= 1)
    term = math.exp(math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
                    + m * math.log(p) + (n - m) * math.log1p(-p))
    total = 0.0
    for k in range(m, n + 1):
        total += term
        term *= (n - k) / (k + 1) * p / (1 - p)
    return total


def _beta_fraction(a, b, x):
    """The continued fraction of the regularized incomplete beta function (Abramowitz & Stegun
    26.5.8), by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (tiny if abs(d) < tiny else d)
    value = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            d = 1 / (tiny if abs(d) < tiny else d)
            c = 1 + term / c
            c = tiny if abs(c) < tiny else c
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def _incomplete_beta(a, b, x):
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def student_tail(t, degrees):
    """The probability of more than t by Student's t distribution (Abramowitz & Stegun 26.7.1)."""
    tail = _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2
    return tail if t > 0 else 1 - tail


@functools.lru_cache(None)
def student_quantile(p, degrees):
    """Of Student's t distribution, 0 < p < 1, degrees > 0; by bisection."""
    low, high = -LARGEST_T, LARGEST_T
    for _ in range(100):
        t = (low + high) / 2
        if 1 - student_tail(t, degrees) < p:
            low = t
        else:
            high = t
    return (low + high) / 2


@functools.lru_cache(None)
def _bootstrap_place(n, probability):
    """The place among n sorted values, from 0, that the median of n values drawn from them is below
    with this probability; between two of them in proportion."""
    def drawn_below(rank):
        return at_least((n + 1) // 2, n, rank / n)

    rank = 1
    while rank < n and drawn_below(rank) < probability:
        rank += 1
    if rank == 1:
        return 0.0
    low, high = drawn_below(rank - 1), drawn_below(rank)
    return rank - 2 + (probability - low) / (high - low)


@dataclass
class Rounds:
    """What several rounds, or launches, say about the next: see src/stats/rounds.h."""
    count: int
    median: float             # of the rounds' medians
    low: float = NAN          # confidence interval of that median: where the true one lies
    high: float = NAN
    next_low: float = NAN     # prediction interval: where the median of as many later rounds will lie
    next_high: float = NAN
    confidence: float = 0.95  # of both, as asked for; the first has less with few rounds:
    reached: float = 0.0      # what its ranks reach
    between: float = NAN      # spread between rounds: interquartile range over the median
    within: float = NAN       # spread inside rounds: interquartile range over the median, median over rounds


def _over(range_, middle):
    """A relative spread; around a median that is not above 0 there is none."""
    return range_ / middle if middle > 0 else NAN


def rounds_of(medians, within=None, confidence=0.95):
    """Rounds of the rounds' medians, in any order. within: interquartile range of each round's
    samples, where known.

    Confidence: order statistics. Prediction: the exact bootstrap distribution of the median (Efron
    1979), with distances from the median made longer on a logarithmic scale, by sqrt(2) since seen
    and later median are both uncertain, and by the root of Student's t over the normal quantile
    for few rounds. NaN with fewer than 5 rounds; no prediction where medians are not above 0."""
    n = len(medians)
    rounds = Rounds(n, median(medians), confidence=confidence)
    if within:
        rounds.within = _over(median(within), rounds.median)
    if n < FEWEST_ROUNDS:
        return rounds
    ordered = sorted(medians)
    low, high = median_ranks(n, confidence)
    rounds.low, rounds.high = ordered[low - 1], ordered[high - 1]
    # The true median lies outside of them when as many coins fall on one side.
    rounds.reached = 1 - 2 * at_least(n - low + 1, n, 0.5)
    rounds.between = _over(interquartile(ordered), rounds.median)
    if ordered[0] > 0:
        half = (1 + confidence) / 2
        share = _bootstrap_place(n, (1 - confidence) / 2) / (n - 1)
        longer = math.sqrt(2 * student_quantile(half, n - 1) / student_quantile(half, 1e6))
        below = math.log(rounds.median / quantile(ordered, share)) * longer
        above = math.log(quantile(ordered, 1 - share) / rounds.median) * longer
        rounds.next_low = rounds.median * math.exp(-below)
        rounds.next_high = rounds.median * math.exp(above)
    return rounds


FEWEST_LAUNCHES = 5


def between_launches(launches):
    """Variance of the logarithm from launch to launch that rounds do not explain, as rounds_between_launches() of
    src/stats/rounds.h. launches: of each the medians of its rounds."""
    logs = [[math.log(median) for median in medians if 0 < median < math.inf] for medians in launches]
    logs = [own for own in logs if len(own) >= FEWEST_ROUNDS]
    if len(logs) < FEWEST_LAUNCHES:
        return NAN
    means = [math.fsum(own) / len(own) for own in logs]
    count, degrees = sum(map(len, logs)), len(logs) - 1
    middle = math.fsum(map(math.fsum, logs)) / count
    between = math.fsum(len(own) * (mean - middle) ** 2 for own, mean in zip(logs, means))
    within = math.fsum((value - mean) ** 2 for own, mean in zip(logs, means) for value in own)
    rounds = (count - sum(len(own) ** 2 for own in logs) / count) / degrees
    return (between / degrees / (1 - 2 / (9 * degrees)) ** 3 - within / (count - len(logs))) / rounds
