"""What a history says: where points changed and together with what, and which are slower now than before."""

import bisect
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from ..cli import Error
from ..statistics import median
from ..style import count_text
from . import changes as search
from .reading import date_of
from .series import Segment, Series, series_of

NEAR = 1  # launches between changes of different points that are shown as one
LATE = 2  # launches around a change where the environment is looked at


class Level(NamedTuple):
    """A change of a series."""
    before: int   # indices of the last launch before it, and of the first one after it
    after: int
    old: float    # medians of the segments on both sides
    new: float
    p: float
    ratio: float  # new / old


class Difference(NamedTuple):
    """A difference of the environment near a change."""
    name: str
    old: str
    new: str
    late: int    # launches after the change; negative: before it
    times: int   # at how many launches of the series it differs from the launch before

    @property
    def text(self):
        words = []
        if self.late:
            words.append(f"{count_text(abs(self.late), 'launch', 'launches')} {'later' if self.late > 0 else 'earlier'}")
        if self.times > 1:
            words.append(f"it changes at {self.times} launches in all")
        return f"{self.name}: {self.old} -> {self.new}" + (f" ({'; '.join(words)})" if words else "")


class Member(NamedTuple):
    series: Series
    change: Level


@dataclass
class Group:
    """Changes at the same time."""
    before: int
    after: int
    members: list  # Member, the largest change first
    differences: list = field(default_factory=list)


class Verdict(NamedTuple):
    """On the newest segment of a series."""
    old: float     # what it is compared with; None: there is nothing
    new: float
    since: int     # index of the first launch of the newest segment
    over: bool     # slower by more than the limit
    judged: bool   # no: too few launches

    @property
    def ratio(self):
        return self.new / self.old if self.old else 1.0


@dataclass
class History:
    launches: list
    series: list
    groups: list      # the newest first
    verdicts: list    # of each series
    alpha: float
    least: int
    seed: int
    orders: int
    complete: bool
    limit: float = None      # of fail_over
    baseline: str = ""       # as given
    left_out: list = field(default_factory=list)

    @property
    def over(self):
        return [(one, verdict) for one, verdict in zip(self.series, self.verdicts) if verdict.over]

    @property
    def changed(self):
        return [one for one in self.series if one.changes]

    @property
    def judged(self):
        return sum(verdict.judged for verdict in self.verdicts)

    @property
    def useless(self):
        return sum(launch.useless for launch in self.launches)


def look_back(launches, alpha, least, seed, limit=None, baseline=None, states=True):
    """The History of these launches. limit: a share, from which on slower points are over; None: none is. baseline:
    index of the launch whose segments the newest ones are compared with; None: the ones before."""
    series = series_of(launches, states)
    found = search.find_changes([one.logarithms() for one in series], alpha, least, seed)
    for one, changes in zip(series, found.changes):
        _divide(one, changes)
    groups = _groups(series)
    for group in groups:
        group.differences = _differences_of(group, launches)
    verdicts = [_verdict(one, least, limit, baseline) for one in series]
    return History(launches, series, groups, verdicts, alpha, least, seed, found.orders, found.complete, limit)


def _divide(one, changes):
    there = one.there
    cuts = [bisect.bisect_left(there, change.at) for change in changes]
    ends = [0, *cuts, len(there)]
    for a, b in zip(ends, ends[1:]):
        own = there[a:b]
        one.segments.append(Segment(own[0], own[-1], len(own), median([one.values[i] for i in own])))
    one.changes = [Level(old.last, new.first, old.level, new.level, change.p, new.level / old.level)
                   for old, new, change in zip(one.segments, one.segments[1:], changes)]


# ---- What belongs together ----


def _groups(series):
    """Changes of different points belong together if they are at the same launch or one next to it; where most change
    comes first."""
    open_members = [Member(one, change) for one in series for change in one.changes]
    groups = []
    while open_members:
        count = Counter(member.change.after for member in open_members)
        at = max(count, key=lambda after: (count[after], after))
        own = [m for m in open_members if m.change.before - NEAR < at <= m.change.after + NEAR]
        open_members = [m for m in open_members if not m.change.before - NEAR < at <= m.change.after + NEAR]
        own.sort(key=lambda member: -max(member.change.ratio, 1 / member.change.ratio))
        groups.append(Group(max(m.change.before for m in own if m.change.after == at), at, own))
    return sorted(groups, key=lambda group: -group.after)


def _differences_of(group, launches):
    """Differences of the environment around the changes of a group. Rare differences come first, then those nearest to the
    change."""
    found, seen = {}, set()
    for member in group.members:
        where = (member.change.before, member.change.after, member.series.point.script)
        if where not in seen:
            seen.add(where)
            for difference in _differences(member, launches):
                found.setdefault(difference.name, difference)
    return sorted(found.values(), key=lambda d: (d.times, abs(d.late), d.late, d.name))


def _differences(member, launches):
    there = member.series.there
    facts = [launches[i].facts for i in there]
    place = there.index(member.change.after)
    for name in sorted({name for near in facts[max(0, place - LATE - 1):place + LATE + 1] for name in near}):
        steps = [i for i in range(1, len(facts)) if facts[i].get(name) != facts[i - 1].get(name)]
        near = [i for i in steps if abs(i - place) <= LATE]
        if near:
            at = min(near, key=lambda i: abs(i - place))
            yield Difference(name, facts[at - 1].get(name, "not stated"), facts[at].get(name, "not stated"),
                             at - place, len(steps))


# ---- Slower than before ----


def _verdict(one, least, limit, baseline):
    newest = one.segments[-1]
    judged = len(one.there) >= 2 * least
    if baseline is None:
        old = one.segments[-2].level if len(one.segments) > 1 else None
    else:
        old = next((segment.level for segment in reversed(one.segments) if segment.first <= baseline), None)
    over = limit is not None and old is not None and newest.level / old > 1 + limit
    return Verdict(old, newest.level, newest.first, over, judged)


def baseline_index(launches, text):
    """Index of the launch that --baseline names: a file of the history, or the last launch of a day or before a
    time."""
    by_path = {os.path.realpath(launch.path): i for i, launch in enumerate(launches)}
    if os.path.exists(text):
        if os.path.realpath(text) not in by_path:
            raise Error(f"{text}: the baseline cannot be used: it is one of the files that are left out")
        return by_path[os.path.realpath(text)]
    when = date_of(text)
    if when is None:
        raise Error(f"{text}: neither a file nor a date: give a result file, or a date such as 2026-11-23 or "
                    f"2026-11-23T14:00")
    if len(text.strip()) == len("2026-11-23"):
        when += timedelta(days=1)
    earlier = [i for i, launch in enumerate(launches) if launch.when < when]
    if not earlier:
        raise Error(f"--baseline {text}: there is no launch before; the first one is of "
                    f"{launches[0].when:%Y-%m-%d %H:%M} (UTC)")
    return earlier[-1]
