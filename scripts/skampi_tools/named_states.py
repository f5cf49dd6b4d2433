"""The states of the machine in several files, and what people call them.

    known = NamedStates(files)
    text_of([known.of(0, "0-1", 2)])  "state 2 (hand-over 164 ns)", the state 2 of PEs 0-1 in files[0]
    known.parts(0, result)            what a result of files[0] has in each of its states

States that states.match_states() finds to be one have one number here. Numbers count from 1 for sets of one
size: so those of a single file are its own, also if it has sets of several sizes.
"""

from dataclasses import dataclass, replace

from . import style
from .common_states import CommonStates
from .states import WORDS


@dataclass(frozen=True)
class NamedState:
    number: int
    control: str  # as in the records
    pes: int
    value: float  # of the control, seconds: the median over files


def control_text(control):
    return WORDS.get(control, str(control))


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
    """"below 100 ns": which values of the control are in a states.State; empty without bounds."""
    low, high = (None if end is None else style.time_text(end) for end in (state.low, state.high))
    if low and high:
        return f"{low} to {high}"
    return f"below {high}" if high else f"above {low}" if low else ""


class NamedStates(CommonStates):
    def __init__(self, files):
        super().__init__(files)
        sizes = {}
        self.named = {}  # by the number that match_states() gave
        for number, one in sorted(self.states.items()):  # ascending by value
            size = sizes[one.control, one.pes] = sizes.get((one.control, one.pes), 0) + 1
            self.named[number] = NamedState(size, one.control, one.pes, one.value)

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
        found.setdefault((one.control, one.pes), set()).add(one.number)
    return any(len(numbers) > 1 for numbers in found.values())
