"""The state of the machine over the time of a run, for each set of PEs: what a strip of it shows."""

import fnmatch
import functools
import math
from dataclasses import dataclass, field

from ..cli import Error
from ..states import WORDS, common, controls_for, told_by
from . import curves as cv

NO_CONTROLS = ("no controls record says how the state changed: draw the JSON file of the run (skampi -o "
               "NAME.json), or measure again if it has none")


@dataclass
class Strip:
    """One set of PEs of one file. Where there is no state, its number is 0."""
    source: object
    members: str
    told: tuple     # names of the controls in which its states differ
    at: list        # seconds since the run began
    controls: dict  # {name: values at these times, seconds}; NaN: not known
    numbers: list   # of the states at these times, those that several files share
    states: list    # (named state, State), ascending by number
    points: list = field(default_factory=list)  # none: it shows no results

    def selector(self, several_files, control):
        file = {"file": self.source.index + 1} if several_files else {}
        shown = {"control": WORDS[control]} if len(self.told) > 1 else {}
        return {**file, "members": cv.escape(self.members), **shown}

    def control_of(self, selector):
        """The control that the selector asks for, or else the first control in which the states differ."""
        return selector["control"].replace("-", "_") if "control" in selector else self.told[0]

    def dots(self, control):
        """(seconds since the run began, value, number of the state) where this control is known."""
        return [dot for dot in zip(self.at, self.controls[control], self.numbers) if dot[1] > 0]

    def bands(self, control):
        """(number, low, high) of each range of this control that a state has; number 0: several states have it,
        in part at least, which other controls tell apart."""
        ranges = [(named.number, state.controls[control]) for named, state in self.states
                  if control in state.controls]
        found = [(0 if any(number != other and _overlap(own, others) for other, others in ranges) else number,
                  own.low, own.high) for number, own in ranges]
        return list(dict.fromkeys(found))

    @property
    def name(self):
        return f"PEs {self.members}, {self.source.label}"


def _overlap(a, b):
    (low, high), (other_low, other_high) = [
        (-math.inf if own.low is None else own.low, math.inf if own.high is None else own.high) for own in (a, b)]
    return low < other_high and other_low < high


def strips(sources):
    """The strips of these files; cli.Error where one has none."""
    known = common.CommonStates([source.file for source in sources])
    found = []
    for place, source in enumerate(sources):
        made = strips_of(source, functools.partial(known.of, place))
        if not made:
            raise Error(f"nothing to draw as states: in {source.file.path} {NO_CONTROLS}")
        found += made
    return found


def strips_of(source, state_of):
    """The strips of a file. state_of: gives the named state of a set's state."""
    made = [_strip(source, record, state_of) for record in source.file.controls]
    return [strip for strip in made if strip.told]


def _strip(source, record, state_of):
    members = record.get("members") or ""
    mine = [state for state in source.file.states if state.members == members]
    ordered = sorted(((named, state) for state in mine if (named := state_of(members, state.number))),
                     key=lambda pair: pair[0].number)
    times = [(place, at) for place, at in enumerate(record.get("at") or []) if at is not None and math.isfinite(at)]
    controls = {name: [_at(record[name], place) for place, _ in times] for name in WORDS if record.get(name)}
    controls = {name: values for name, values in controls.items() if any(value > 0 for value in values)}
    told = tuple(name for name in told_by(mine) or controls_for(record.get("pes")) if name in controls)
    numbers = []
    for place in range(len(times)):
        known = {name: values[place] for name, values in controls.items() if values[place] > 0}
        numbers.append(next((named.number for named, state in ordered if state.holds(known)), 0))
    return Strip(source, members, told, [at for _, at in times], controls, numbers, ordered)


def _at(values, place):
    value = values[place] if place < len(values) else None
    return value if value is not None and 0 < value < math.inf else math.nan


def selects(selector, strip):
    """Whether the selector of a series takes this strip."""
    return (cv.selects_file(selector, strip.source)
            and fnmatch.fnmatchcase(strip.members, selector.get("members", "*"))
            and strip.control_of(selector) in strip.controls)
