"""What several files say together about the states of the machine: each state has one number in all of them.

    common = CommonStates(files)
    for number, value in common.values(0, result).items():  # result: of files[0]
        print(common.text(number), value.median)            # "state 2 (hand-over 164 ns)"
"""

from . import style
from .states import match_states

WORDS = {"hand_over": "hand-over", "addition": "addition"}


class CommonStates:
    def __init__(self, files):
        self.files = files
        self.numbers, found = match_states(files)
        self.states = {state.number: state for state in found}

    def values(self, index, result):
        """{common number: StateValue} of a result of this file; {} where it is not known."""
        members = result.pe_set.get("members")
        found = {}
        for number, value in result.by_state().items():
            common = self.numbers.get((index, members, number))
            if common is not None and (common not in found or value.count > found[common].count):
                found[common] = value
        return found

    def of_rounds(self, index, result):
        """The common number of each of the result's medians; None: several, or not known."""
        members = result.pe_set.get("members")
        return [self.numbers.get((index, members, number)) for number in result.round_states]

    def control(self, number):
        """As "hand-over 164 ns"."""
        state = self.states[number]
        return f"{WORDS.get(state.control, state.control)} {style.time_text(state.value)}"

    def text(self, number):
        return f"state {number} ({self.control(number)})"

    def share(self, number, indices):
        """Of the time of these files, each counting alike: in the state; 0 to 1. Files whose PEs have other
        states, or none, do not count."""
        state = self.states[number]
        shares = []
        for index in indices:
            sets = {}
            for own in self.files[index].states:
                if (own.control, own.pes) == (state.control, state.pes):
                    here = self.numbers.get((index, own.members, own.number)) == number
                    sets[own.members] = sets.get(own.members, 0) + (own.share or 0) * here
            shares += sets.values()
        return sum(shares) / len(shares) if shares else 0.0


def shares_of(launches):
    """{common number: share} of a point. launches: of each {common number: StateValue}; each counts alike,
    with its rounds or repetitions in the state."""
    shares, count = {}, 0
    for values in launches:
        total = sum(value.count for value in values.values())
        if not total > 0:
            continue
        count += 1
        for number, value in values.items():
            shares[number] = shares.get(number, 0) + value.count / total
    return {number: share / count for number, share in shares.items()}
