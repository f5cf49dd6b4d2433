"""The state of the machine over the time of a run, for each set of PEs: what a strip of it shows."""

import fnmatch
import functools
import math
from dataclasses import dataclass, field

from .. import named_states
from ..cli import Error
from ..states import control_of
from . import curves as cv

NO_CONTROLS = ("no controls record says how the state changed: draw the JSON file of the run (skampi -o "
               "NAME.json), or measure again if it has none")


@dataclass
class Strip:
    """One set of PEs of one file. Where there is no state, its number is 0."""
    source: object
    members: str
    control: str   # what states are derived from
    at: list       # seconds since the run began
    values: list   # of the control, seconds
    numbers: list  # of the states, those that several files share
    states: list   # (NamedState, State), ascending by number
    points: list = field(default_factory=list)  # none: it shows no results

    def selector(self, several_files):
        file = {"file": self.source.index + 1} if several_files else {}
        return {**file, "members": cv.escape(self.members)}

    @property
    def name(self):
        return f"PEs {self.members}, {self.source.label}"


def strips(sources):
    """The strips of these files; cli.Error where one has none."""
    known = named_states.NamedStates([source.file for source in sources])
    found = []
    for place, source in enumerate(sources):
        made = strips_of(source, functools.partial(known.of, place))
        if not made:
            raise Error(f"nothing to draw as states: in {source.file.path} {NO_CONTROLS}")
        found += made
    return found


def strips_of(source, state_of):
    """The strips of a file. state_of: gives the NamedState of a set's state."""
    made = [_strip(source, record, state_of) for record in source.file.controls]
    return [strip for strip in made if strip.at]


def _strip(source, record, state_of):
    members = record.get("members") or ""
    mine = [state for state in source.file.states if state.members == members]
    control = mine[0].control if mine else control_of(record.get("pes"))
    ordered = sorted(((named, state) for state in mine if (named := state_of(members, state.number))),
                     key=lambda pair: pair[0].number)
    strip = Strip(source, members, control, [], [], [], ordered)
    for at, value in zip(record.get("at") or [], record.get(control) or []):
        if at is None or value is None or not (math.isfinite(at) and value > 0):
            continue
        strip.at.append(at)
        strip.values.append(value)
        strip.numbers.append(next((named.number for named, state in ordered if state.holds(value)), 0))
    return strip


def selects(selector, strip):
    """Whether the selector of a series takes this strip."""
    return (cv.selects_file(selector, strip.source)
            and fnmatch.fnmatchcase(strip.members, selector.get("members", "*")))
