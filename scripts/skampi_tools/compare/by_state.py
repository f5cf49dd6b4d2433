"""Comparing state by state: which values of a point belong to which state of the machine, and what the
verdicts on its states say about the point.

A launch has one value in each state that it was in, and none (NaN) in the others. Relabelling moves
complete launches, so it does not matter how these values depend on each other. A state is judged only if
enough launches of both sides were in it; then the statistic, which is relative to its standard error,
hardly depends on how many those are. Where launches are spread over states, each has few of them: so what a
launch adds to the levels of its states is tested as well. More time in a slow state does not change that.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..states.common import shares_of
from ..statistics import known, median
from ..style import percent_text
from .rows import CANNOT_TELL, FASTER, NAN, ONLY_NEW, ONLY_OLD, SLOWER, UNCHANGED, SideState

RARE = 0.05  # states with a smaller share of a side's rounds do not decide whether a point is unchanged
TOGETHER = 0  # stands for the number of a state: all states that both sides have
TURNS = 20  # turns of the fit of launches and states; later ones change nothing visible
HUBER = 1.345  # values further away than this many standard deviations get less weight
NORMAL = 1.4826  # standard deviation of normal values over their median absolute error
# Share of the largest scatter of a point's states that each state has at least: few values may agree by chance.
LEAST_SCATTER = 0.3
TINY = 1e-12
MIXED = 0.02  # sides are called differently mixed if their shares of a state differ by more


def _common(parts):
    return [part for part in parts if part.state != TOGETHER and part.verdict not in (ONLY_OLD, ONLY_NEW)]


def _with_together(row, by_state, together):
    """(row of a state, values) pairs. by_state: {number: values}; together: a function of no arguments, the values of
    all states together."""
    return [(part, by_state[part.state] if part.state in by_state else together())
            for part in row.states if part.state in by_state or part.state == TOGETHER]


class StateSample(NamedTuple):
    """A value of a point: of which launch and in which state, from how many rounds or repetitions."""
    launch: int
    state: int
    value: float
    count: int


def launch_factors(seen, launches):
    """By how much each launch is above or below the levels of its states (NaN: it was in none of them): exp(a) of the
    model log(value) = a of the launch + b of the state, fitted by Huber's robust regression (Huber 1964) by weights
    that are computed anew in turns. It begins with the medians of states, so states that no launch connects keep
    these. Values count less in states in which they scatter more. Nobody looks at the sides, so relabelling is as valid
    as without the fit."""
    seen = [one for one in seen if one.value > 0]
    if not seen:
        return [NAN] * launches
    launch, state = (np.array(indices) for indices in ([one.launch for one in seen], [one.state for one in seen]))
    y, count = np.log([one.value for one in seen]), np.array([one.count for one in seen], dtype=float)
    count /= count.mean()
    states, state = np.unique(state, return_inverse=True)

    def means(values, weights, places, number):
        total = np.bincount(places, weights, number)
        return np.bincount(places, weights * values, number) / np.where(total > 0, total, 1)

    a = np.zeros(launches)
    b = np.array([np.median(y[state == place]) for place in range(len(states))])
    weights = count
    for _ in range(TURNS):
        a = means(y - b[state], weights, launch, launches)
        b = means(y - a[launch], weights, state, len(states))
        errors = np.abs(y - a[launch] - b[state]) * np.sqrt(count)
        scales = np.array([np.median(errors[state == place]) for place in range(len(states))]) * NORMAL
        scales = np.maximum(scales, LEAST_SCATTER * max(scales.max(), TINY))
        limit = HUBER * scales[state]
        weights = count / scales[state]**2 * np.minimum(1, limit / np.maximum(errors, limit))
    factors = np.full(launches, NAN)
    factors[launch] = np.exp(a)[launch]
    return factors.tolist()


class Parts:
    """The values of points by state. old, new: of each launch {key: Result}, in the order of the files that
    common (CommonStates) is of."""

    def __init__(self, common, old, new):
        self.common, self.files, self.border = common, old + new, len(old)
        without = sum(not file.states for file in common.files)
        self.lacking = "" if not without or len(common.states) < 2 else (
            f"{without} of {len(common.files)} files have no states of the machine: points of these files are "
            f"compared without them")

    def of(self, row):
        """Rows of the states in which launches of this point were; none where there is one state, or where a file
        does not say."""
        there = [i for i, points in enumerate(self.files) if row.key in points]
        if not all(self.common.files[i].states for i in there):
            return ()
        values = self._values(row)
        numbers = sorted({number for own in values for number in own})
        if len(numbers) < 2:
            return ()
        sides = (values[:self.border], values[self.border:])
        shares = [shares_of(side) for side in sides]
        parts = [self._part(row, number, sides, shares) for number in numbers]
        if len(_common(parts)) > 1 and row.unit != "repetitions":
            parts.append(replace(row, state=TOGETHER, text="all states together", states=[], old=NAN, new=NAN))
        return parts

    def _values(self, row):
        return [self.common.values(i, points[row.key]) if row.key in points else {}
                for i, points in enumerate(self.files)]

    def _part(self, row, number, sides, shares):
        old, new = ([own[number].median for own in side if number in own] for side in sides)
        before, after = median(known(old)), median(known(new))
        part = replace(row, state=number, text=self.common.text(number), states=[], old=before, new=after,
                       ratio=after / before if before > 0 and after > 0 else NAN, low=NAN, high=NAN,
                       reached=NAN, p=NAN, p_margin=NAN, over_margin=False,
                       share_old=shares[0].get(number, 0.0), share_new=shares[1].get(number, 0.0),
                       count_old=len(old), count_new=len(new))
        if not old or not new:
            part.verdict, part.reason, part.few = ONLY_OLD if old else ONLY_NEW, "", ""
        return part

    def launches(self, row, _):
        """(row of a state, a value for each launch) pairs of the states that both sides have."""
        values = self._values(row) if row.states else []
        numbers = [part.state for part in _common(row.states)]
        return _with_together(row, {
            number: [own[number].median if number in own else NAN for own in values] for number in numbers},
            lambda: launch_factors(self._seen(row, values, numbers), len(values)))

    def _seen(self, row, values, numbers):
        """Each StateSample of a point: its rounds and, where a launch has no complete round in a state, its value in that state."""
        for launch, (points, own) in enumerate(zip(self.files, values)):
            rounds = [pair for pair in zip(self.common.of_rounds(launch, points[row.key]), points[row.key].medians)
                      if pair[0] in numbers and not math.isnan(pair[1])] if row.key in points else []
            yield from (StateSample(launch, number, value, 1) for number, value in rounds)
            there = {number for number, _ in rounds}
            yield from (StateSample(launch, number, one.median, one.count or 1) for number, one in own.items()
                        if number in numbers and number not in there and not math.isnan(one.median))

    def rounds(self, row, runs):
        """Returns what launches() does, with a value for each round. runs: for each file the medians of all its rounds."""
        numbers = [self.common.of_rounds(i, points[row.key]) if row.key in points else []
                   for i, points in enumerate(self.files)]
        lengths = [len(run) for run in runs]
        by_state = {part.state: [value if place < len(states) and states[place] == part.state else NAN
                                 for run, states in zip(runs, numbers) for place, value in enumerate(run)]
                    for part in _common(row.states)}
        values = _with_together(row, by_state, lambda: launch_factors(
            (StateSample(place, number, value, 1) for number, own in by_state.items()
             for place, value in enumerate(own) if not math.isnan(value)), sum(lengths)))
        return [(part, [flat[sum(lengths[:i]):sum(lengths[:i + 1])] for i in range(len(lengths))])
                for part, flat in values]

    def sides(self, rows):
        """SideState of each state that rows were compared in."""
        old, new = range(self.border), range(self.border, len(self.files))
        return [SideState(number, self.common.text(number), self.common.share(number, old),
                          self.common.share(number, new))
                for number in sorted({part.state for row in rows for part in row.states} - {TOGETHER})]


def conclude(comparison, row):
    """Derives the verdict on a point from the verdicts on its states. The point shows the numbers of the state that decides,
    or, if none does, the numbers of all states together."""
    whole = row.overall
    changed = [part for part in row.states if part.verdict in (SLOWER, FASTER)]
    one_sided = [part for part in row.states if part.verdict in (ONLY_OLD, ONLY_NEW) and _matters(part)]
    unclear = [part for part in _common(row.states) if part.verdict == CANNOT_TELL and _matters(part)]
    same = [part for part in _common(row.states) if part.verdict == UNCHANGED]
    if changed:
        _changed(row, changed)
    elif one_sided:
        row.take(replace(whole, low=NAN, high=NAN, reached=NAN, p=NAN, p_margin=NAN, few=""))
        row.verdict, row.reason = CANNOT_TELL, f"states differ: {_only(one_sided)}"
    elif row.unit == "repetitions":
        row.take(whole)
        row.verdict, row.reason = CANNOT_TELL, "; ".join(filter(None, [whole.reason, mixture(row)]))
    else:
        decisive = max(unclear or same or row.states, key=_size)
        row.take(decisive if not math.isnan(decisive.ratio) else whole)
        reasons = [f"in {decisive.text}: {decisive.reason}"] if decisive.verdict == CANNOT_TELL else []
        if whole.verdict in (SLOWER, FASTER) or abs(_change(whole)) > math.log1p(comparison.same_within):
            reasons.append(mixture(row))  # the sides differ if states are ignored
        row.verdict = UNCHANGED if same and not unclear else CANNOT_TELL
        row.reason = "; ".join(filter(None, reasons))


def _matters(part):
    return max(part.share_old, part.share_new) >= RARE


def _size(part):
    return abs(math.log(part.ratio)) if part.ratio > 0 else -1


def _changed(row, changed):
    """The row of the state that decides: slower if any state is slower; of several, the one that changed most."""
    decisive = max(changed, key=lambda part: (part.over_margin, part.verdict == SLOWER,
                                              part.state != TOGETHER, _size(part)))
    row.take(decisive)
    row.verdict, row.over_margin = decisive.verdict, decisive.over_margin
    single = [part for part in changed if part.state != TOGETHER] or [decisive]
    alike = [part.text for part in single if part.verdict == row.verdict]
    others = [part for part in single if part.verdict != row.verdict]
    row.reason = "; ".join([f"in {' and '.join(alike)}",
                            *(f"{part.verdict} in {part.text}" for part in others)])


def _only(parts):
    words = []
    for part in parts:
        here, there = ("new", "old") if part.verdict == ONLY_NEW else ("old", "new")
        share = part.share_new if part.verdict == ONLY_NEW else part.share_old
        words.append(f"{here} spent {percent_text(share, 2)} of its time in {part.text}, {there} none")
    return "; ".join(words)


def _change(whole):
    """Logarithm of the ratio of the medians, new to old."""
    return math.log(whole.new / whole.old) if whole.old > 0 and whole.new > 0 else 0.0


def mixture(row):
    """How the sides differ in the time that they spent in states, as "new spent 70 % of its time in state 2
    (hand-over 164 ns), old 30 %"; "" where this does not explain how they differ."""
    states = [part for part in row.states if part.state != TOGETHER]
    part = max(states, key=lambda part: part.share_new - part.share_old)
    if part.share_new - part.share_old < MIXED:
        return ""
    levels = {other.state: median(known([other.old, other.new])) for other in states}
    # Whether more time in slower states is what the difference looks like.
    pull = sum((other.share_new - other.share_old) * math.log(levels[other.state])
               for other in states if levels[other.state] > 0)
    if pull * _change(row.overall) <= 0:
        return ""
    return (f"new spent {percent_text(part.share_new, 2)} of its time in {part.text}, old "
            f"{percent_text(part.share_old, 2)}")
