"""The states of the machine in several files, and what people call them.

    known = NamedStates(files)
    text_of([known.of(0, "0-1", 2)])  "state 2 (hand-over 164 ns)", the state 2 of PEs 0-1 in files[0]
    known.parts(0, result)            what a result of files[0] has in each of its states

States that states.match_states() finds to be one have one number here. Numbers count from 1 for sets of one
size: so those of a single file are its own, also if it has sets of several sizes.
"""

from dataclasses import dataclass, field, replace

from .. import style
from . import ALL_WORDS
from .common import CommonStates


@dataclass(frozen=True)
class NamedState:
    number: int
    pes: int
    told: tuple   # names of the controls in which states of as many PEs differ
    values: dict = field(hash=False)  # of all controls, seconds: medians over files


UNKNOWN = NamedState(0, 0, (), {})  # of what has no state, between what has one


def text_of(named):
    """"state 1 (hand-over 61 ns, addition 285 ps)": states of one number, of sets of several sizes."""
    if named[0] == UNKNOWN:
        return "state not known"
    controls = []
    for name in ALL_WORDS:
        values = sorted(one.values[name] for one in named if name in one.told)
        ends = dict.fromkeys(style.short_time_text(value) for value in values[:1] + values[-1:])
        controls += [f"{ALL_WORDS[name]} {' to '.join(ends)}"] * bool(ends)
    return f"state {named[0].number} ({', '.join(controls)})"


def said_of(named, state):
    """"state 1 (hand-over 61 ns), 60 % of the time": a state of a file under its common number."""
    share = ("only in earlier runs" if not state.share and state.known else
             f"{style.percent_text(state.share)} of the time")
    return f"{text_of([replace(named, values=state.values)])}, {share}{', new' if state.new else ''}"


def bounds_text(control):
    """"below 100 ns": which values are in a states.Range; empty without bounds."""
    low, high = (None if end is None else style.short_time_text(end) for end in (control.low, control.high))
    if low and high:
        return f"{low} to {high}"
    return f"below {high}" if high else f"above {low}" if low else ""


class NamedStates(CommonStates):
    def __init__(self, files):
        super().__init__(files)
        sizes = {}
        self.named = {}  # by the number that match_states() gave
        for number, one in sorted(self.states.items()):  # ascending by values
            size = sizes[one.kind] = sizes.get(one.kind, 0) + 1
            self.named[number] = NamedState(size, one.pes, one.told, one.values)

    def of(self, index, members, number):
        """The NamedState of a file's state; None where it has no value."""
        return self.named.get(self.numbers.get((index, members, number)))

    def parts(self, index, result):
        """[(NamedState, StateValue, medians of its rounds)] of a result of this file."""
        rounds = self.of_rounds(index, result)
        return [(self.named[number], value,
                 [median for median, where in zip(result.medians, rounds) if where == number])
                for number, value in self.values(index, result).items()]


def several(named):
    """Whether these NamedStates are more than one state of a set of PEs."""
    found = {}
    for one in named:
        found.setdefault((tuple(one.values), one.pes), set()).add(one.number)
    return any(len(numbers) > 1 for numbers in found.values())
