"""Series of launches: of each point one, or one for each state of the machine that its launches were in."""

from types import SimpleNamespace

from ..states import state_of
from ..states.common import CommonStates, combined, joined, text_of
from ..states.independent import all_alike, restrict

AT_ONCE = 100  # files whose states are matched with each other: the time grows with the square of their number


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
