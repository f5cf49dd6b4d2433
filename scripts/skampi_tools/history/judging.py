"""What a history says: where points changed and together with what, and which are slower now than before."""

import bisect
import math
import os
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace

from ..cli import Error
from ..states import state_of
from ..states.common import CommonStates, combined, joined, text_of
from ..states.independent import all_alike, restrict
from ..statistics import median
from . import changes as search
from .reading import date_of

AT_ONCE = 100  # files whose states are matched with each other: the time grows with the square of their number
NEAR = 1  # launches between changes of different points that are shown as one
LATE = 2  # launches around a change where the environment is looked at


@dataclass
class History:
    launches: list   # reading.Launch
    points: list     # reading.Point of each series
    found: dict      # as JSON has it

    @property
    def series(self):
        return self.found["points"]

    @property
    def names(self):
        """(the block with the script, label) of each series."""
        return [(": ".join(filter(None, [point.script, point.block])),
                 ", ".join(filter(None, [point.label, point.set_text, one.get("state_text")])))
                for point, one in zip(self.points, self.series)]

    @property
    def over(self):
        """Numbers of the series that are slower by more than the limit, the slowest first."""
        return sorted((number for number, one in enumerate(self.series) if one["over"]),
                      key=lambda number: -self.series[number]["ratio"])

    @property
    def judged(self):
        return sum(one["judged"] for one in self.series)


def look_back(launches, left_out, options):
    """The History of these launches, by the options of skampi history."""
    baseline = baseline_index(launches, options.baseline) if options.baseline else None
    known = series_of(launches, options.states)
    series = [one for _, one in known]
    logarithms = [[None if value is None else math.log(value) for value in one["values"]] for one in series]
    found = search.find_changes(logarithms, options.alpha, options.least, options.seed)
    for one, changes in zip(series, found.changes):
        _divide(one, changes)
        _judge(one, options.least, options.fail_over, baseline)
    return History(launches, [point for point, _ in known], {
        "history": 1, "alpha": options.alpha, "least": options.least, "seed": options.seed, "orders": found.orders,
        "complete": found.complete, "limit": options.fail_over, "baseline": options.baseline or None,
        "over": sum(one["over"] for one in series),
        "launches": [{"file": launch.path, "started": launch.when.isoformat()} for launch in launches],
        "left_out": [entry._asdict() for entry in left_out],
        "changes": [{"before": group["before"], "after": group["after"], "environment": _differences_of(group, series, launches),
                     "points": group["points"]} for group in _groups(series)],
        "points": series})


def there_of(one):
    """Indices of the launches that a series has."""
    return [i for i, value in enumerate(one["values"]) if value is not None]


def _divide(one, changes):
    """Finds the segments between changes: their first and last launches, and the median of their values."""
    there = there_of(one)
    cuts = [bisect.bisect_left(there, change.at) for change in changes]
    owns = [there[a:b] for a, b in zip([0, *cuts], [*cuts, len(there)])]
    segments = one["segments"] = [{"first": own[0], "last": own[-1], "count": len(own),
                                   "level": median([one["values"][i] for i in own])} for own in owns]
    one["changes"] = [{"before": old["last"], "after": new["first"], "old": old["level"], "new": new["level"], "p": change.p,
                       "ratio": new["level"] / old["level"]}
                      for old, new, change in zip(segments, segments[1:], changes)]


# ---- Series: of each point one, or one for each state of the machine that its launches were in ----


class StatesOverTime:
    """Gives states numbers that have one meaning in all launches, however many there are: it matches the states inside
    groups of neighbouring launches, then the groups. It looks only at controls that do not depend on the library, because
    another library, or version of it, is a change and not a state."""

    def __init__(self, launches):
        lists = restrict([launch.states for launch in launches], all_alike([launch.software for launch in launches]))
        self.groups = []
        for start in range(0, len(launches), AT_ONCE):
            own = lists[start:start + AT_ONCE]
            self.groups.append(CommonStates(launches[start:start + AT_ONCE], own))
        self.common = CommonStates([
            SimpleNamespace(states=[state_of(record) for record in combined(group, range(len(group.lists)))])
            for group in self.groups])

    def of(self, index, members, number):
        """The named state of a launch's state; None: not known."""
        group, place = divmod(index, AT_ONCE)
        common = self.groups[group].numbers.get((place, members, number))
        return None if common is None else self.common.of(group, members, common)


def series_of(launches, states=True):
    """[(Point, its series as JSON has it)] of all launches, in the order in which points are first seen: values has one a
    launch, None: it has none. states: points whose launches were in several states of the machine have a series for each."""
    points = dict.fromkeys(point for launch in launches for point in launch.values)
    known = StatesOverTime(launches) if states and any(launch.states for launch in launches) else None
    return [(point, {**point.as_json(), **own}) for point in points
            for own in (_by_state(point, launches, known) if known else []) or
            [{"values": [launch.values.get(point) for launch in launches]}]]


def _by_state(point, launches, known):
    """[] where there is one state, or none is known."""
    by_state = {}
    for index, launch in enumerate(launches):
        for (members, number), value in launch.parts.get(point, {}).items():
            if named := known.of(index, members, number):
                by_state.setdefault(named.number, (named, {}))[1].setdefault(index, []).append(value)
    if len(by_state) < 2:
        return []
    return [{"state": number, "state_text": text_of([named]),
             "values": [joined(values[index]).median if index in values else None for index in range(len(launches))]}
            for number, (named, values) in sorted(by_state.items())]


# ---- What belongs together ----


def _groups(series):
    """Changes of different points belong together if they are at the same launch or one next to it; where most change
    comes first. In a group the largest change is the first."""
    left = [{"point": number, **change} for number, one in enumerate(series) for change in one["changes"]]
    groups = []
    while left:
        count = Counter(change["after"] for change in left)
        at = max(count, key=lambda after: (count[after], after))
        own = [change for change in left if change["before"] - NEAR < at <= change["after"] + NEAR]
        left = [change for change in left if not change["before"] - NEAR < at <= change["after"] + NEAR]
        own.sort(key=lambda change: -max(change["ratio"], 1 / change["ratio"]))
        groups.append({"before": max(change["before"] for change in own if change["after"] == at), "after": at, "points": own})
    return sorted(groups, key=lambda group: -group["after"])


def _differences_of(group, series, launches):
    """Differences of the environment around the changes of a group. Rare differences come first, then those nearest to the
    change."""
    found, seen = {}, set()
    for change in group["points"]:
        one = series[change["point"]]
        where = (change["before"], change["after"], one["script"])
        if where not in seen:
            seen.add(where)
            for difference in _differences(one, change, launches):
                found.setdefault(difference["name"], difference)
    return sorted(found.values(), key=lambda d: (d["times"], abs(d["late"]), d["late"], d["name"]))


def _differences(one, change, launches):
    """late: launches after the change; negative: before it. times: at how many launches of the series it differs from the
    launch before."""
    there = there_of(one)
    facts = [launches[i].facts for i in there]
    place = there.index(change["after"])
    for name in sorted({name for near in facts[max(0, place - LATE - 1):place + LATE + 1] for name in near}):
        steps = [i for i in range(1, len(facts)) if facts[i].get(name) != facts[i - 1].get(name)]
        near = [i for i in steps if abs(i - place) <= LATE]
        if near:
            at = min(near, key=lambda i: abs(i - place))
            yield {"name": name, "old": facts[at - 1].get(name, "not stated"), "new": facts[at].get(name, "not stated"),
                   "late": at - place, "times": len(steps)}


# ---- Slower than before ----


def _judge(one, least, limit, baseline):
    """Compares the newest segment with the one before, or with that of the baseline; against: None: there is none."""
    segments, newest = one["segments"], one["segments"][-1]
    earlier = segments[:-1] if baseline is None else [segment for segment in segments if segment["first"] <= baseline]
    old = earlier[-1]["level"] if earlier else None
    ratio = newest["level"] / old if old else 1.0
    one.update(judged=len(there_of(one)) >= 2 * least, over=limit is not None and ratio > 1 + limit, against=old, ratio=ratio)


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
