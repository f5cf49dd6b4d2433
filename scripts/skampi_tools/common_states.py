"""What several files say together about the states of the machine: each state has one number in all of them.

    common = CommonStates(files)
    for number, value in common.values(0, result).items():  # result: of files[0]
        print(common.text(number), value.median)            # "state 2 (hand-over 164 ns)"
"""

import math

from . import style
from .cli import finite
from .states import WORDS, match_states, sets_of, states_for
from .statistics import median


def control_text(state):
    """What a state is known by, as "hand-over 164 ns"."""
    return f"{WORDS.get(state.control, state.control)} {style.time_text(state.value)}"


class CommonStates:
    def __init__(self, files):
        self.files = files
        self.numbers, found = match_states(files)
        self.states = {state.number: state for state in found}

    @staticmethod
    def _kind(state):
        """Only states of one kind are ever the same."""
        return state.control, state.pes

    def _of_set(self, index, result):
        """{number in this file: common number} of the states of the result's PEs."""
        return {own.number: self.numbers[index, own.members, own.number]
                for own in states_for(result.pe_set, self.files[index].states)
                if (index, own.members, own.number) in self.numbers}

    def values(self, index, result):
        """{common number: StateValue} of a result of this file; {} where it is not known."""
        numbers = self._of_set(index, result)
        return {numbers[number]: value for number, value in result.by_state().items() if number in numbers}

    def of_rounds(self, index, result):
        """The common number of each of the result's medians; None: several, or not known."""
        numbers = self._of_set(index, result)
        return [numbers.get(number) for number in result.round_states]

    def alone(self, number):
        """Whether there is no other state of as many PEs."""
        return sum(self._kind(state) == self._kind(self.states[number]) for state in self.states.values()) == 1

    def text(self, number):
        return f"state {number} ({control_text(self.states[number])})"

    def share(self, number, indices):
        """Of the time of these files, each counting alike: in the state; 0 to 1. Files whose PEs have other
        states, or none, do not count."""
        kind = self._kind(self.states[number])
        shares = []
        for index in indices:
            for members, states in sets_of(self.files[index].states).items():
                if self._kind(states[0]) == kind:
                    shares.append(sum(own.share for own in states if own.share > 0 and
                                      self.numbers.get((index, members, own.number)) == number))
        return sum(shares) / len(shares) if shares else 0.0


def combined(common, indices):
    """State records of these files together, as if they were one run, with the common numbers."""
    sets = {}
    for index in indices:
        for own in common.files[index].states:
            if (number := common.numbers.get((index, own.members, own.number))) is not None:
                sets.setdefault(own.members, {}).setdefault(number, []).append(own)
    records = []
    for members, states in sets.items():
        numbers = sorted(states)
        bounds = [_bound(states[a], states[b], common.states[a], common.states[b])
                  for a, b in zip(numbers, numbers[1:])]
        total = math.fsum(own.seconds for found in states.values() for own in found)
        runs = sum(any(own.members == members for own in common.files[index].states) for index in indices)
        for number, low, high in zip(numbers, [None, *bounds], [*bounds, None]):
            found, state = states[number], common.states[number]
            seconds = math.fsum(own.seconds for own in found)
            # NaN seconds: each run counts alike.
            share = seconds / total if total > 0 else math.fsum(own.share for own in found) / runs
            known = any(own.known for own in found)
            records.append({
                "record": "state", "state": number, "members": members, "pes": state.pes,
                "control": state.control, "value": state.value, "low": low, "high": high,
                "share": finite(share), "seconds": finite(seconds), "known": known,
                "new": not known and any(own.new for own in found)})
    return records


def _bound(below, above, lower, upper):
    """Between two neighbours: the median of the runs' bounds that are there, else half-way between the values,
    on a logarithmic scale."""
    bounds = [own.high for own in below] + [own.low for own in above]
    between = [bound for bound in bounds if bound is not None and lower.value < bound <= upper.value]
    return median(between) if between else math.sqrt(lower.value * upper.value)


def shares_of(launches):
    """{common number: share} of a point. launches: of each {common number: StateValue}; each counts alike,
    with its rounds or repetitions in the state."""
    shares, count = {}, 0
    for values in launches:
        counts = {number: value.count or 1 for number, value in values.items()}  # 1: the file does not say
        count += bool(counts)
        for number, own in counts.items():
            shares[number] = shares.get(number, 0) + own / sum(counts.values())
    return {number: share / count for number, share in shares.items()}
