"""The states of the machine in several files, and what people call them.

    known = NamedStates(files)
    known.of(0, "0-1", 2).text       "state 2 (hand-over 164 ns)", the state 2 of PEs 0-1 in files[0]

States that states.match_states() finds to be one have one number. Numbers count from 1, ascending by
the control, for sets of one size.
"""

from dataclasses import dataclass, replace

from . import style
from .states import match_states

CONTROLS = {"hand_over": "hand-over", "addition": "addition"}


@dataclass(frozen=True)
class NamedState:
    number: int
    control: str  # as in the records
    pes: int
    value: float  # of the control, seconds: the median over files

    @property
    def text(self):
        return text_of([self])


def control_text(control):
    return CONTROLS.get(control, str(control))


def text_of(named):
    """"state 1 (hand-over 61 ns)": states of one number, of sets of several sizes."""
    first = named[0]
    values = sorted(one.value for one in named)
    ends = dict.fromkeys(style.time_text(value) for value in (values[0], values[-1]))
    return f"state {first.number} ({control_text(first.control)} {' to '.join(ends)})"


def said_of(named, state):
    """"state 1 (hand-over 61 ns), 60 % of the time": a state of a file under its common number."""
    share = ("only in earlier runs" if not state.share and state.known else
             f"{style.percent_text(state.share)} of the time")
    return f"{text_of([replace(named, value=state.value)])}, {share}{', new' if state.new else ''}"


def bounds_text(state):
    """"below 100 ns": which values of the control are in a results.State; empty without bounds."""
    low, high = (None if end is None else style.time_text(end) for end in (state.low, state.high))
    if low and high:
        return f"{low} to {high}"
    return f"below {high}" if high else f"above {low}" if low else ""


class NamedStates:
    def __init__(self, files):
        numbers, common = match_states(files)
        value_of = {one.number: one.value for one in common}
        groups = {}
        for index, file in enumerate(files):
            for state in file.states:
                number = numbers[index, state.members, state.number]
                groups.setdefault((state.control, state.pes), set()).add(number)
        self.groups = list(groups.values())
        self.named = {}
        for index, file in enumerate(files):
            for state in file.states:
                key = index, state.members, state.number
                place = sorted(groups[state.control, state.pes]).index(numbers[key]) + 1
                self.named[key] = NamedState(place, state.control, state.pes, value_of[numbers[key]])

    def of(self, index, members, number):
        """The NamedState of a file's state; None where the file has no such state."""
        return self.named.get((index, members, number))


def several(named):
    """Whether these NamedStates are more than one state of a set of PEs."""
    found = {}
    for one in named:
        found.setdefault((one.control, one.pes), set()).add(one.number)
    return any(len(numbers) > 1 for numbers in found.values())


def holding(states, members, value):
    """The one of these results.State of a set whose bounds hold this value of the control, or None."""
    for state in states:
        if (state.members == members and value is not None
                and (state.low is None or value >= state.low) and (state.high is None or value < state.high)):
            return state
    return None
