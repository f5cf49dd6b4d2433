"""What result files say about each class of operations: times by size, place and part, in one state of the machine."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import progress, style
from ..cli import Error
from ..states import kind_of, states_for
from ..states.common import CommonStates, text_of
from ..statistics import NAN, median

INSIDE, BETWEEN = "inside", "between"  # the PEs of a set: on one node; one on each of several
PLACES = (INSIDE, BETWEEN)
PLACE_WORDS = {INSIDE: "inside a node", BETWEEN: "between nodes"}
PLACEMENTS = {"on one node": INSIDE, "on several nodes": BETWEEN}

FULL, FULL_QUIET, POST, COMPUTING, CONTENDED, WINDOW, EXCHANGE, STRIDED, TOGETHER, BEHIND, LATE = (
    "full", "full and quiet", "post", "computing", "contended", "window", "exchange", "strided", "together", "behind a put",
    "late")
OTHER_STATES = "other states of the machine"
CONNECTING = "Connect"  # happens once in a launch, in no state of the machine
LOSING = "Shmem_Put_Computing_Loses"
OF_ALL_PES = (CONNECTING, LOSING)  # the median of all PEs counts, which may be 0
WIDEST = 0.5  # half of an interval, as a share of its value: what is wider says nothing
# Measurement function: the class of shmemsim's descriptions, and which part of it was timed.
FUNCTIONS = {
    "Shmem_Put_Simple": ("put", FULL),
    "Shmem_Put_Call": ("put", POST),
    "Shmem_Get_Simple": ("get", FULL),
    "Shmem_Put_Nonblocking_Full_Single": ("put-nbi", FULL_QUIET),
    "Shmem_Put_Nonblocking_Post_Single": ("put-nbi", POST),
    "Shmem_Put_Nonblocking_Pairs_Rate": ("put-nbi", WINDOW),
    "Shmem_Get_Nonblocking_Full_Single": ("get-nbi", FULL_QUIET),
    "Shmem_Get_Nonblocking_Post_Single": ("get-nbi", POST),
    "Shmem_Get_Target_Computes": ("get", COMPUTING),
    "Shmem_Atomic_Fetch_Add_Long_Target_Computes": ("atomic", COMPUTING),
    "Shmem_Atomic_Fetch_Add_Long": ("atomic", FULL),
    "Shmem_Atomic_Fetch_Add_Long_Contended": ("atomic", CONTENDED),
    "Shmem_Set_Lock": ("lock", FULL),
    "Shmem_Clear_Lock": ("unlock", FULL),
    "Shmem_Put_Clear_Lock": ("unlock", BEHIND),
    "Shmem_Lock_Handed_Over": ("hand-over", FULL),
    CONNECTING: ("connect", FULL),
    LOSING: ("interrupt", FULL),
    "Shmem_Strided_Put": ("put", STRIDED),
    "Shmem_Strided_Get": ("get", STRIDED),
    "Shmem_Quiet": ("quiet", FULL),
    "Shmem_Fence": ("fence", FULL),
    "Shmem_Wait_Until": ("wait", FULL),
    "Shmem_Barrier_Consecutive": ("barrier", FULL),
    "Shmem_Barrier": ("barrier", TOGETHER),
    "Shmem_Bcast_All_Synchro": ("broadcast", FULL),
    "Shmem_Reduce_Sum_Long_Consecutive": ("reduce", FULL),
    "Shmem_Reduce_Sum_Long_Synchro": ("reduce", TOGETHER),
    "Shmem_Collect_Consecutive": ("collect", FULL),
    "Shmem_Collect_Synchro": ("collect", TOGETHER),
    "Shmem_Fcollect_Consecutive": ("fcollect", FULL),
    "Shmem_Fcollect_Synchro": ("fcollect", TOGETHER),
    "Shmem_Alltoall_Consecutive": ("alltoall", FULL),
    "Shmem_Alltoall_Synchro": ("alltoall", TOGETHER),
}
COLLECTIVES = ("barrier", "broadcast", "reduce", "collect", "fcollect", "alltoall")


class MeasuredCost(NamedTuple):
    bytes: int
    time: float   # seconds
    error: float  # half of its interval; NaN: not known
    pes: int
    window: int   # operations in a window; 0: there is none
    computation: float  # seconds that the target computes
    elements: int       # of a strided call; 0: it is none
    evenness: float     # the shortest time of a PE over the longest; NaN: not known
    lateness: float     # seconds that the last PE comes later; then it is the time of that PE


@dataclass
class Data:
    """measured[place, class, part] is a list of MeasuredCost, ascending."""
    measured: dict = field(default_factory=dict)
    states: list = field(default_factory=list)   # texts: which states were chosen
    mixed: list = field(default_factory=list)    # texts: classes that are of several states
    refused: list = field(default_factory=list)  # texts: results that were left out, and why
    lacking: list = field(default_factory=list)  # texts: what files lack
    hosts: dict = field(default_factory=dict)    # {name: processors, 0: not known}

    def of(self, place, kind, part=FULL):
        return self.measured.get((place, kind, part), [])

    def points(self, place, kind, part=FULL):
        return [(one.bytes, one.time) for one in self.of(place, kind, part)]


class _Choices:
    """The state whose values count, for each size of set that has several. Sets on one node and on several never have
    a state in common: a hand-over between nodes takes what the network takes."""

    def __init__(self, files, number):
        self.files, self.common, self.asked_for = files, CommonStates(files), bool(number)
        # Not the share of the time alone: a run in one state (skampi --state) also waited for it in others.
        self.results = Counter((_place(file, result), state) for index, file in enumerate(files) for result in file.points
                               if result.function in FUNCTIONS for state in self.common.values(index, result))
        places = {}
        for place, state in self.results:
            places.setdefault(state, set()).add(place)
        kinds = {}
        for state, one in self.common.states.items():
            for place in places.get(state, {place for place, _ in self.results}):
                kinds.setdefault((place, one.kind), []).append(state)
        # Of one state there is nothing to choose.
        kinds = {kind: numbers for kind, numbers in kinds.items() if len(numbers) > 1}
        self.chosen = {kind: self._choice(kind[0], numbers, number) for kind, numbers in kinds.items()}
        have = {str(self.common.named[n].number) for numbers in kinds.values() for n in numbers}
        if number and str(number) not in have:
            have = ", ".join(sorted(have))
            raise Error(f"--state {number}: " + (f"there are the states {have}" if have else
                        "the files have no states; leave it out, or measure longer, such as with --rounds 10,60s"))

    def _choice(self, place, numbers, wanted):
        """The state that was asked for or, if there is none, the state that most results have."""
        return max(numbers, key=lambda n: (self.common.named[n].number == wanted, self.results[place, n],
                                           self.common.states[n].share))

    def texts(self):
        return [f"{style.count_text(kind[1] or 0, 'PE')}{f' {PLACE_WORDS[place]}' if place else ''}: "
                f"{text_of([self.common.named[n]])}, {style.percent_text(self.common.states[n].share)} of the time"
                for (place, kind), n in self.chosen.items()]

    def value(self, index, result, place):
        """(seconds, half of the interval, whether they are of the state); of another state without seconds if a state was
        asked for. Results whose state is not known count, but not for a state that was asked for."""
        states = states_for(result.pe_set, self.files[index].states)
        kind = (place, kind_of(states[0])) if states else None
        values = self.common.values(index, result)
        if kind in self.chosen and (value := values.get(self.chosen[kind])):
            return value.median, (value.median_high - value.median_low) / 2, True
        others = kind in self.chosen and (bool(values) or self.asked_for)
        shown = result.shown()
        return (None if others and self.asked_for else shown.value), (shown.high - shown.low) / 2, not others


def _place(file, result):
    """INSIDE, BETWEEN or None: the set has both. By what the result says, else by the hosts of the header."""
    if placement := result.pe_set.get("placement"):
        return PLACEMENTS.get(placement)
    nodes = file.header.get("nodes") or []
    if len(nodes) == 1 or file.header.get("node_count") == 1:
        return INSIDE
    return BETWEEN if nodes and all(node.get("pes") == 1 for node in nodes) else None


def _argument(result, name):
    """A number among the arguments of the call; 0 if it has no such argument."""
    value = progress.argument(result, name)
    return 0 if math.isnan(value) else value


def _elements(result):
    """Elements of one strided call; 0: none are moved, or several calls are made."""
    one_way = progress.value_of(result, "way") == "iput"
    return int(_argument(result, "count")) if one_way and _argument(result, "block") == 1 else 0


def _class_of(result, late):
    """(class, part); windows in both directions at the same time are a part of their own, and what a late PE takes."""
    kind, part = FUNCTIONS[result.function]
    if late:
        return kind, LATE
    return kind, EXCHANGE if part == WINDOW and _argument(result, "directions") == 2 else part


def _evenness(result):
    times = [time for time in result.per_pe or () if time is not None and time > 0]
    return min(times) / max(times) if len(times) == result.pes else NAN


def _choose(data, groups, reasons):
    """Keeps of each group the results of the chosen state; all, if most are of other states: a class that is not described at
    all would cost more accuracy than one of several states. Of targets that compute all: in each state they serve alike."""
    for key, found in groups.items():
        own = [one for one, of_state in found if of_state]
        mixed = 2 * len(own) < len(found)
        every = mixed or key[2] == COMPUTING
        data.measured[key] = [one for one, _ in found] if every else own
        if mixed:
            data.mixed.append(f"{key[1]}{'' if key[2] == FULL else f' ({key[2]})'} {PLACE_WORDS[key[0]]}")
        elif len(data.measured[key]) < len(found):
            reasons[OTHER_STATES] += len(found) - len(own)


def lacking(file):
    """Texts: what the file says that it lacks, and which classes have fewer results for that."""
    classes, count = Counter(), file.missing()
    for record in file.records:
        if record["record"] == "missing":
            function = str(record.get("call") or "").partition("(")[0]
            classes[FUNCTIONS.get(function, ("others",))[0]] += record.get("points", 1)
    results = len(file.results) + len(file.later)
    if count:
        names = ", ".join(f"{name} ({number})" for name, number in classes.items())
        yield f"{file.path}: {count} of {count + results} measurements have no result; fewer results, or none, of: {names}"
    if reason := file.format != "csv" and file.unfinished():  # CSV never says how the run ended
        yield f"{file.path}: {reason}"
    stated = (file.end or {}).get("results") or 0
    if stated > results:
        yield f"{file.path}: {style.count_text(stated - results, 'result')} of {stated} are not in the file any more"


def gather(files, state=None):
    """The Data of ResultFiles. state: the number that was asked for."""
    data, chosen, reasons, groups = Data(), _Choices(files, state), Counter(), {}
    data.states = chosen.texts()
    data.lacking = [text for file in files for text in lacking(file)]
    for index, file in enumerate(files):
        for node in file.header.get("nodes") or []:
            data.hosts[node.get("name")] = node.get("processors") or 0
        for result in file.points:
            if result.function not in FUNCTIONS or (result.pes or 0) < 2 or result.quantity not in (None, "time"):
                continue
            place = _place(file, result)
            if place is None:
                reasons[f"{result.pes} PEs on several nodes, several on one of them: a call is then neither inside "
                        "a node nor between nodes; measure with one PE on each node, or all PEs on one"] += 1
                continue
            late = result.arrival_skew if result.arrival == "one" else 0.0  # seconds, of the last PE
            time, error, of_state = ((median(result.per_pe), NAN, True) if result.function in OF_ALL_PES else
                                     (result.per_pe[-1], NAN, True) if late and result.per_pe else
                                     chosen.value(index, result, place))
            if time is None:
                reasons[OTHER_STATES] += 1
            elif not (time > 0 or time == 0 and late or result.function in OF_ALL_PES):
                reasons["calls that took no time, or less"] += 1
            elif error > WIDEST * time:
                reasons[f"calls whose time is not known to {style.percent_text(WIDEST)}"] += 1
            else:
                one = MeasuredCost(progress.size_of(result), time, error, result.pes, int(_argument(result, "window")),
                               _argument(result, "computation"), _elements(result), _evenness(result), late)
                groups.setdefault((place, *_class_of(result, late)), []).append((one, of_state))
    _choose(data, groups, reasons)
    for list_ in data.measured.values():
        list_.sort()
    data.refused = [f"{style.count_text(count, 'result')} of {reason}" for reason, count in reasons.items()]
    return data
