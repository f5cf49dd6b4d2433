"""What changed from one set of result files to another, with a stated chance of false alarms.

    comparison = compare_files(reading.launches(["old/"]), reading.launches(["new/"]))
    for row in comparison.rows:
        print(row.label, row.ratio, row.verdict)

Files are ResultFile objects, one a launch. All points are tested at once, by relabelling (Westfall
& Young, "Resampling-Based Multiple Testing", 1993, algorithm 4.1): complete launches are given
to the two sides in all possible ways, or in many drawn ones, and the largest statistic over all
points is looked up among those. So no distribution is assumed, points of one launch may depend on
each other, and the chance that any point of a comparison in which nothing changed is called
changed is at most alpha. Holm's correction of a test a point would need the p-value of a point
to be alpha / points, which 5 and 5 launches, whose smallest p-value is 2/252, cannot reach for more
than 6 points.

Where the launches of a point were in several states of the machine, its values in each state are
tested, in the same test as all others (by_state.py). States come from controls that what is compared cannot
change (states/independent.py). Whatever they say, a point of which every launch of one side is slower than every one of
the other is slower (separation.py).

Needs numpy: scripts call cli.need("numpy") before they import this module.
"""

import fnmatch
import functools
import itertools
import math
import os
import sys
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from .. import doubt, results
from ..cli import Error
from ..configuration import facts_of, stated
from ..points import missing_label, told_apart
from ..records import Keeper
from ..states.common import CommonStates
from ..states.independent import states_to_compare
from ..statistics import known, median
from . import application, by_state, factors, hand_over, separation
from .rows import (CANNOT_TELL, FASTER, LAUNCH_SPREAD, NAN, NO_RATIO, ONLY_NEW, ONLY_OLD, SLOWER, UNCHANGED, Comparison,
                   MissingPoint, Row)

# Members of points that comparisons do not look at.
UNUSED = frozenset("""number arguments at error time_low time_high time_confidence kept mean deviation bandwidth bus_bandwidth
    rate min max p5 p25 p75 p95 p99 p999 invalid late overruns warm_up autocorrelation effective iterations window copy repeated
    unit notes levels counters per_pe samples next_low next_high between within launch_difference""".split())
SAME_WITHIN = 0.10
EXACT_LABELLINGS = 2000  # up to this many labellings are all tested; of more, this many are drawn
FENCE = 3                 # Tukey's far fences, in interquartile ranges
LEAST_MINORITY = 0.3  # share of launches that the smaller side needs for fences: a smaller side might be the outliers
LOW_QUANTILE = 0.1
WIDE = 2  # an interval may reach to this many times the ratio if one launch decides it
LEAST_ROUNDS = 5
CONFIDENCE = 0.95  # confidence of intervals of ratios
DEPENDENCE = 0.99         # confidence at which rounds are called dependent


def _missing(old_files, new_files, old, new, chosen):
    """[MissingPoint]. old, new: the points of each launch."""
    found = {}
    for files, points, place in ((old_files, old, 0), (new_files, new, 1)):
        there = {key for launch in points for key in launch}
        for file in files:
            for key, record in file.missing_by_key().items():
                if key not in there and chosen(results.Result({"function": record["call"].partition("(")[0], **record})):
                    found.setdefault(key, ({}, record))[0][place] = True
    return [MissingPoint(key, missing_label(record), str(record.get("reason") or "no reason is known"), 0 in sides, 1 in sides,
                    record["kind"] not in ("skipped", "time_limit")) for key, (sides, record) in found.items()]


def _rows(old, new):
    """A Row for each point. old, new: the points of each launch."""
    rows = []
    for key in dict.fromkeys(key for points in old + new for key in points):
        mine, theirs = ([points[key] for points in side if key in points] for side in (old, new))
        some = (mine or theirs)[0]
        rows.append(Row(
            key, some, str(some.block), str(some.function), some.quantity or "time",
            _median([r.best() for r in mine]), _median([r.best() for r in theirs]), count_old=len(mine), count_new=len(theirs),
            doubts_old=doubt.of_launches(mine) or (), doubts_new=doubt.of_launches(theirs) or (),
            verdict=CANNOT_TELL if mine and theirs else ONLY_OLD if mine else ONLY_NEW))
    # Labels that are equal get what is stated of their points and differs.
    labels = [hash((row.block, row.label)) for row in rows]  # which takes less memory than all texts at once
    for row, text in zip(rows, told_apart([row.result for row in rows], labels)):
        row.apart = f", {text}" if text else ""
    return rows


def _chooser(blocks, functions):
    def chosen(result):
        return ((not blocks or any(fnmatch.fnmatchcase(str(result.block), p) for p in blocks)) and
                (not functions or any(fnmatch.fnmatchcase(str(result.function), p)
                                      for p in functions)))
    return chosen


# ---- Configurations ----


def configuration_differences(old_files, new_files):
    """Lines that say in what the files differ besides the times."""
    old, new = ([facts_of(file.header) for file in files] for files in (old_files, new_files))
    lines = []
    names = dict.fromkeys(name for facts in old + new for name in facts)
    for name in names:
        a, b = (stated(facts.get(name) for facts in side) for side in (old, new))
        if a != b:
            lines.append(f"{name}: {a} | {b}")
        elif " or " in a:
            lines.append(f"{name} differs between launches: {a}")
    return lines


# ---- Statistics ----


def _labellings(old, new, alpha, points, seed):
    """(array of labellings x launches: true where a launch is taken for an old one; the first is
    the true one), and whether these are all."""
    count = old + new
    if math.comb(count, old) <= EXACT_LABELLINGS:
        chosen = np.zeros((math.comb(count, old), count))
        for number, combination in enumerate(itertools.combinations(range(count), old)):
            chosen[number, list(combination)] = 1
        return chosen, True
    wanted = max(EXACT_LABELLINGS if points < 5000 else 1000, math.ceil(20 / alpha))
    return _drawn(old, count, wanted, seed), False


@functools.lru_cache(2)
def _drawn(old, count, wanted, seed):
    """As many labellings as wanted. They are kept, since points with states are tested twice."""
    generator = np.random.default_rng(seed)
    chosen = np.zeros((wanted, count))
    chosen[0, :old] = 1
    for row in chosen[1:]:
        row[generator.permutation(count)[:old]] = 1
    return chosen


def _fenced(values, old):
    """Far outliers pulled to Tukey's fences of both sides together, without a look at the labels.
    Where one side is much the smaller, it might be the outliers: nothing is done then."""
    count = len(values)
    if min(old, count - old) < LEAST_MINORITY * count:
        return values
    q1, q3 = np.nanquantile(values, [0.25, 0.75], axis=0)
    width = np.where(q3 > q1, FENCE * (q3 - q1), np.inf)
    return np.clip(values, q1 - width, q3 + width)


def _statistics(values, old, labels):
    """Labellings x points: difference of the means, new less old, over its standard error and a
    constant that keeps points whose values happen to lie close together from deciding alone (Tusher,
    Tibshirani & Chu, PNAS 98, 2001). That is the median over points of their least standard error in
    any labelling, or, where larger, what the point itself has in a tenth of the labellings: the same in
    all labellings, for what some points have in a wrong labelling, where they differ, would else make
    all others look steady there, and changed in the right one."""
    there = ~np.isnan(values)
    x = _fenced(values - np.nanmedian(values, axis=0), old)
    x = np.where(there, x, 0)
    n_old = labels @ there
    n_new = there.sum(axis=0) - n_old
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_old = labels @ x
        mean_old = sum_old / n_old
        mean_new = (x.sum(axis=0) - sum_old) / n_new
        inside = (x * x).sum(axis=0) - n_old * mean_old**2 - n_new * mean_new**2
        degrees = np.maximum(there.sum(axis=0) - 2, 1)
        error = np.sqrt(np.maximum(inside, 0) / degrees * (1 / n_old + 1 / n_new))
        usable = (n_old > 0) & (n_new > 0)
        error = np.where(usable, error, 0)
        least = np.where(usable, error, np.inf).min(axis=0)
        least = np.where(np.isfinite(least), least, 0)
        constant = np.maximum(np.median(least), np.quantile(error, LOW_QUANTILE, axis=0, keepdims=True))
        return np.where(usable, (mean_new - mean_old) / (error + constant + 1e-12), 0)


def _corrected(statistics):
    """p-values of the first labelling, corrected for all points, stepping down from the largest."""
    order = np.argsort(-statistics[0], kind="stable")
    ordered = statistics[:, order]
    largest = np.maximum.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]
    close = 1e-9 * (1 + np.abs(ordered[0]))
    p = np.maximum.accumulate((largest >= ordered[0] - close).mean(axis=0))
    corrected = np.empty_like(p)
    corrected[order] = p
    return corrected


def _smallest_p(old, new, two_sided=True):
    """The smallest p-value that relabelling can give."""
    return (2 if two_sided and old == new else 1) / math.comb(old + new, old)


def ratio_interval(old, new):
    """(estimate, low, high, reached) of new/old: the median of all ratios of a new to an old value,
    and the interval that belongs to the test of Mann & Whitney (Hodges & Lehmann 1963; Hollander &
    Wolfe, Nonparametric Statistical Methods, 4.3). Values above 0. reached: the confidence of the
    interval, less than asked for with few values."""
    ratios = np.sort(np.divide.outer(np.asarray(new), np.asarray(old)), axis=None)
    rank, reached = _rank(len(old), len(new))
    return (float(np.median(ratios)), float(ratios[rank - 1]), float(ratios[len(ratios) - rank]),
            max(0.0, reached))


def _rank(n, m):
    """Which of the ordered ratios, from either end, are the ends of the interval, and the confidence
    that this reaches."""
    tail = (1 - CONFIDENCE) / 2
    if n * m > 2500:
        width = NormalDist().inv_cdf(1 - tail) * math.sqrt(n * m * (n + m + 1) / 12)
        return max(1, math.floor(n * m / 2 - width)), CONFIDENCE
    below = np.cumsum(_mann_whitney(n, m))
    rank = max(1, int(np.searchsorted(below, tail, side="right")))
    return rank, 1 - 2 * float(below[rank - 1])


def _one_decides(n, m):
    """Whether a single value, which is in n or m of the ratios, can move an end of the interval as
    far as it likes."""
    return _rank(n, m)[0] <= max(n, m)


def _least(fits):
    """The least number of launches on each side for which the condition holds."""
    return next(count for count in itertools.count(2) if fits(count, count))


def _few(row, least, unit="launches"):
    """States no interval, since it would say nothing."""
    row.low = row.high = row.reached = NAN
    row.few = sys.intern(f"too few {unit} ({min(row.count_old, row.count_new)} of at least {least})")


@functools.lru_cache(None)
def _mann_whitney(n, m):
    """Probabilities of U = 0, 1, ..., n m where both sides are alike: the coefficients of Gauss'
    binomial."""
    counts = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for k in range(n * m, m + i - 1, -1):
            counts[k] -= counts[k - m - i]
        for k in range(i, n * m + 1):
            counts[k] += counts[k - i]
    total = math.comb(n + m, n)
    return [count / total for count in counts]


def _dependence(values):
    """The correlation of neighbouring rounds, over both runs (a list of arrays in the order of
    time), and the number of pairs."""
    pairs, products, squares = 0, 0.0, 0.0
    for run in values:
        run = run[~np.isnan(run)]
        if len(run) < 3:
            continue
        centred = run - run.mean()
        pairs += len(run) - 1
        products += float((centred[1:] * centred[:-1]).sum())
        squares += float((centred**2).sum())
    return (products / squares if squares > 0 else 0.0), pairs


# ---- Comparing ----


def keeper():
    """For reading large files of both sides, of which it keeps only what compare_files() looks at."""
    return Keeper(UNUSED)


def compare_files(old_files, new_files, alpha=0.05, margin=0.0, same_within=None, blocks=None,
                  functions=None, launch_spread=LAUNCH_SPREAD, seed=1, states=True, weights=None):
    """A Comparison of two lists of ResultFile, one a launch.

    alpha: the chance of any false alarm in the comparison. margin: rows are over_margin when they are
    significantly slower by more than this (0.05: 5 %). same_within: a point that is not
    significantly changed is unchanged when the interval of its ratio stays within this; else one
    cannot tell (default: the margin, or 10 %). blocks, functions: patterns of what to compare.
    launch_spread: the standard deviation between launches to assume where there are too few of
    them to see it and rounds are compared. seed: of the labellings, where not all can be tried.
    states: compare points state by state where their launches were in several. weights: of an application, for which
    the sum of all points is compared, too."""
    chosen = _chooser(blocks, functions)
    every = old_files + new_files
    old, new = ([{result.key: result for result in file.points if chosen(result)} for file in files]
                for files in (old_files, new_files))
    comparison = Comparison(
        [], alpha, margin, same_within or margin or SAME_WITHIN, launch_spread, seed, "",
        [file.path for file in old_files], [file.path for file in new_files],
        differences=configuration_differences(old_files, new_files))
    paired, said = factors.pair(old, new)
    comparison.cautions += said
    comparison.rows = _rows(old, new)
    if not comparison.rows and (blocks or functions):
        raise Error("nothing to compare: no result has such a block and function")
    shared = [row for row in comparison.rows if row.count_old and row.count_new]

    comparison.missing = _missing(old_files, new_files, old, new, chosen)
    _check_sides(comparison, old_files, new_files)
    if differing := factors.cautions([row.key for row in shared if row.key not in paired], old, new):
        comparison.cautions += differing
    if comparison.cautions:
        comparison.cautions += factors.found(every)
    launches, rounds = [], []
    for row in shared:
        if _smallest_p(row.count_old, row.count_new) <= alpha:
            launches.append(row)
        elif _has_rounds(old + new, row.key):
            rounds.append(row)
        else:
            _within_runs(row, _least_launches(alpha))
    _by_launches(comparison, _launch_columns(launches, old + new), len(old))
    _by_rounds(comparison, _round_columns(rounds, old + new), len(old))
    if states:
        _by_state(comparison, shared, old, new, CommonStates(every, states_to_compare(every)))
    separation.decide(comparison, _launch_columns([row for row in shared if row.unit == "launches"], old + new),
                      len(old))
    if weights:
        comparison.application = _application(comparison, weights, shared, old, new)
    comparison.findings = hand_over.findings(old_files, new_files)
    units = dict.fromkeys(row.unit for row in shared)
    comparison.unit = ", ".join(units)
    if "rounds" in units:
        comparison.cautions.append(
            f"too few launches, so their rounds are compared: a change counts only beyond what launches "
            f"with a standard deviation of {100 * launch_spread:g} % explain, and real launches may differ "
            f"by more (campaigns of 5 launches a side show how much)")
    if "repetitions" in units:
        comparison.cautions.append(
            "points with too few launches and no rounds: their intervals hold within these runs only. "
            "Launches of the same program differ, by a factor of 2 to 4 where PEs wait for each other, so "
            "these points have no verdict: measure at least 4 launches a side (skampi campaign), or use "
            "--rounds 10")
    comparison.rows.sort(key=_importance)
    return comparison


def _application(comparison, weights, shared, old, new):
    """The sum for an application, judged alone as a single point would be."""
    found = application.of(weights, shared)
    if not found:
        raise Error(f"{weights.path}: nothing that both sides measure is what this application calls")
    by_key = {row.key: row for row in shared}
    row, own, files = found.row, replace(comparison), [*((points, "old") for points in old), *((points, "new") for points in new)]
    if _smallest_p(len(old), len(new)) <= comparison.alpha:
        totals = [application.of_launch(found.calls, points, {key: getattr(by_key[key], side) for key in found.calls})
                  for points, side in files]
        row.old, row.new = _median(totals[:len(old)]), _median(totals[len(old):])
        _by_launches(own, [(row, totals)], len(old))
    elif all(_has_rounds(old + new, key) for key in found.calls):
        _by_rounds(own, [(row, [application.of_rounds(found.calls, points) for points, _ in files])], len(old))
    else:
        _within_runs(row, _least_launches(comparison.alpha))
    return found


def _check_sides(comparison, old_files, new_files):
    comparison.cautions += doubt.cautions_of(old_files + new_files)
    for file in old_files + new_files:
        if file.of_launches():
            comparison.cautions.append(f"{file.path}: the summary of a campaign, so its launches count "
                                       f"as rounds: give the campaign's directory")
    both = {os.path.realpath(f.path) for f in old_files} & {os.path.realpath(f.path) for f in new_files}
    for path in sorted(both):
        comparison.cautions.append(f"{path} is on both sides")


def _importance(row):
    place = {SLOWER: 0, FASTER: 1, CANNOT_TELL: 2, UNCHANGED: 3, ONLY_OLD: 4, ONLY_NEW: 5}[row.verdict]
    if not row.over_margin and row.verdict == SLOWER:
        place = 0.5
    size = abs(math.log(row.ratio)) if row.ratio > 0 else 0
    return place, -size


def _median(values):
    return float(median(known(values)))


def _has_rounds(files, key):
    there = [points[key] for points in files if key in points]
    return bool(there) and all(result.is_rounds and result.medians for result in there)


def _log(value):
    return math.log(value) if value > 0 else NAN


def _cannot(row, reason):
    row.verdict, row.reason = CANNOT_TELL, reason


def _above_zero(row, values):
    values = known(values)
    if not values or min(values) <= 0:
        _cannot(row, NO_RATIO)
        return False
    return True


def _least_launches(alpha):
    """The fewest launches on each side with which a test can find anything."""
    return _least(lambda old, new: _smallest_p(old, new) <= alpha)


def _within_runs(row, least):
    """One launch, or few: only a ratio. What their repetitions say of it holds within these launches,
    and may be a factor of 100 from what the next ones say."""
    row.unit = "repetitions"
    few = max(row.count_old, row.count_new) > 1
    _cannot(row, f"{row.count_old} and {row.count_new} launches are too few" if few
            else "one launch a side, without rounds")
    _few(row, least)
    if row.old > 0 and row.new > 0:
        row.ratio = row.new / row.old


def _launch_columns(rows, files):
    """(row, one value a launch) pairs; files: of each {key: Result}."""
    return [(row, [points[row.key].best() if row.key in points else NAN for points in files])
            for row in rows]


def _take_interval(row, estimate, low, high, reached):
    """The change is that of the medians beside it, where they are stated, and lies in the interval."""
    row.ratio = row.new / row.old if row.old > 0 and row.new > 0 else estimate
    row.low, row.high, row.reached = min(low, row.ratio), max(high, row.ratio), reached
    row.estimate = estimate


def _begin(row, unit):
    """Resets what an earlier test said of the row."""
    row.unit, row.verdict, row.reason, row.few = unit, CANNOT_TELL, "", ""


def _by_launches(comparison, columns, border):
    """columns: (row, values) pairs, NaN for a launch that has none. border: the number of old launches."""
    logarithms, tested = [], []
    for row, values in columns:
        _begin(row, "launches")
        if not _above_zero(row, values):
            continue
        mine, theirs = known(values[:border]), known(values[border:])
        row.count_old, row.count_new = len(mine), len(theirs)
        if not mine or not theirs or _smallest_p(len(mine), len(theirs)) > comparison.alpha:
            _cannot(row, f"{len(mine)} and {len(theirs)} launches are too few")
            _few(row, _least_launches(comparison.alpha))
            continue
        _take_interval(row, *ratio_interval(mine, theirs))
        logarithms.append([_log(v) for v in values])
        tested.append(row)
    if not tested:
        return
    values = np.array(logarithms).T
    labels, comparison.exact = _labellings(border, len(values) - border, comparison.alpha, len(tested),
                                           comparison.seed)
    comparison.labellings = len(labels)
    change = _statistics(values, border, labels)
    beyond = change if comparison.margin == 0 else _statistics(
        _shifted(values, border, comparison.margin), border, labels)
    p, p_margin = _corrected(np.abs(change)), _corrected(beyond)
    for row, *both in zip(tested, p, p_margin):
        _judge(comparison, row, *both)
    for row in tested:
        wide = max(row.high / row.ratio, row.ratio / row.low) > WIDE
        if wide and _one_decides(row.count_old, row.count_new):
            _few(row, _least(lambda old, new: not _one_decides(old, new)))
            if row.verdict == CANNOT_TELL:
                row.reason = row.few


def _shifted(values, old, margin):
    """The values as they would be if the new launches had been faster by the margin."""
    shifted = values.copy()
    shifted[old:] -= math.log1p(margin)
    return shifted


def _judge(comparison, row, p, p_margin):
    row.p, row.p_margin = min(1.0, float(p)), min(1.0, float(p_margin))
    significant, agree = row.p <= comparison.alpha, (row.ratio > 1) == (row.estimate > 1)
    changed, within = significant and agree, 1 + comparison.same_within
    if comparison.margin > 0:
        row.over_margin = agree and row.p_margin <= comparison.alpha and row.ratio > 1 + comparison.margin
    else:
        row.over_margin = changed and row.ratio > 1
    if significant and not agree:
        _cannot(row, "the medians of the sides differ in the other direction than most of their launches: these are on "
                     "several levels")
    elif changed or row.over_margin:
        row.verdict = SLOWER if row.ratio > 1 else FASTER
    elif row.low >= 1 / within and row.high <= within:
        row.verdict = UNCHANGED
    else:
        _cannot(row, f"the interval reaches beyond {100 * comparison.same_within:g} %")


def _round_columns(rows, files):
    """(row, medians of the rounds in each file) for each row. All rows have equally many rounds of a file: NaN stands for
    missing ones."""
    longest = [max([len(points[row.key].medians) for row in rows if row.key in points] or [0])
               for points in files]
    columns = []
    for row in rows:
        runs = []
        for points, length in zip(files, longest):
            medians = points[row.key].medians if row.key in points else []
            runs.append(list(medians) + [NAN] * (length - len(medians)))
        columns.append((row, runs))
    return columns


def _by_rounds(comparison, columns, old):
    """One launch a side, or few: rounds are relabelled, and half of alpha goes to the chance that
    launches, whose effects are assumed to be normal on a logarithmic scale, explain the change. columns:
    (row, one list a file of its rounds) pairs. old: the number of old files."""
    alpha, spread = comparison.alpha, comparison.launch_spread
    logarithms, tested, border = [], [], 0
    for row, runs in columns:
        _begin(row, "rounds")
        flat = [value for run in runs for value in run]
        if not _above_zero(row, flat):
            continue
        border = sum(map(len, runs[:old]))
        mine, theirs = known(flat[:border]), known(flat[border:])
        row.count_old, row.count_new = len(mine), len(theirs)
        if not mine or not theirs:
            _cannot(row, "no round has a median")
            continue
        ratio, low, high, reached = ratio_interval(mine, theirs)
        launch = NormalDist().inv_cdf(0.975) * math.sqrt(2) * spread
        _take_interval(row, ratio, ratio * math.exp(-math.hypot(math.log(ratio / low), launch)),
                       ratio * math.exp(math.hypot(math.log(high / ratio), launch)), reached)
        if 4 * _smallest_p(len(mine), len(theirs), two_sided=False) > alpha:
            _cannot(row, f"{len(mine)} and {len(theirs)} rounds are too few: at least "
                         f"{LEAST_ROUNDS} are needed")
            _few(row, LEAST_ROUNDS, "rounds")
            continue
        correlation, pairs = _dependence([np.log(run) for run in runs])
        if pairs and correlation > NormalDist().inv_cdf(DEPENDENCE) / math.sqrt(pairs):
            _cannot(row, f"rounds follow each other too closely: their correlation is "
                         f"{correlation:.2f}")
            continue
        logarithms.append([_log(v) for v in flat])
        tested.append(row)
    if not tested:
        return
    values = np.array(logarithms).T
    labels, comparison.exact = _labellings(border, len(values) - border, alpha, len(tested),
                                           comparison.seed)
    comparison.labellings = len(labels)
    two = math.sqrt(2) * spread * NormalDist().inv_cdf(1 - alpha / 4 / len(tested))
    one = math.sqrt(2) * spread * NormalDist().inv_cdf(1 - alpha / 2 / len(tested))

    def beyond(margin, sign):
        shifted = _shifted(values, border, math.expm1(sign * margin))
        return _corrected(sign * _statistics(shifted, border, labels))

    up, down = beyond(two, 1), beyond(two, -1)
    over = beyond(one + math.log1p(comparison.margin), 1)
    for row, p_up, p_down, p_over in zip(tested, up, down, over):
        _judge(comparison, row, 4 * min(p_up, p_down), 2 * p_over)


# ---- State by state ----


def _by_state(comparison, rows, old, new, common):
    """Judges rows once more whose launches were in several states: each state by itself, all pairs of a
    point and a state in one test, together with the rows that are in one state. So all of them share
    alpha."""
    parts = by_state.Parts(common, old, new)
    if parts.lacking:
        comparison.cautions.append(parts.lacking)
    for row in rows:
        row.states = parts.of(row)
    if not any(row.states for row in rows):
        return
    for row in rows:
        if row.states:
            row.overall = replace(row, states=[])
    files, border = old + new, len(old)
    for unit, columns_of, values_of, judge in (
            ("launches", _launch_columns, parts.launches, _by_launches),
            ("rounds", _round_columns, parts.rounds, _by_rounds)):
        whole = columns_of([row for row in rows if row.unit == unit], files)
        if any(row.states for row, _ in whole):
            judge(comparison, [column for row, values in whole
                               for column in (values_of(row, values) or [(row, values)])], border)
    for row in rows:
        if row.states:
            by_state.conclude(comparison, row)
    comparison.states = parts.sides(rows)
