"""States of the machine for comparisons, from controls that the compared software cannot change.

A run tells its states by a hand-over through the library. Another library, setting or version may change that
itself: then its effect would look like a state of the machine. A word that is handed over in plain shared memory, and
the addition, belong to the machine alone.
"""

import math

from ..configuration import software_of
from ..statistics import median
from . import ADDITION, HAND_OVER, NAN, SHARED, Range, find, sets_of


def _seen_shared(file):
    """(PEs of the set, number of the state, hand-over in shared memory) of all that a file has."""
    sets = sets_of(file.states)
    for record in file.controls:
        states = sets.get(record.get("members") or record.get("pes"), [])
        series = (record.get(name) or [] for name in (SHARED, HAND_OVER, ADDITION))
        for shared, hand_over, addition in zip(*series):
            yield record.get("members") or record.get("pes"), find(
                states, {HAND_OVER: hand_over, ADDITION: addition}), shared
    if not file.controls:  # only JSON has them
        for result in (*file.results, *file.later):
            yield result.pe_set.get("members") or result.pes, result.state, result.hand_over_shared


def with_shared(file):
    """The States that the run of this file was in. Each has the hand-over in shared memory as one more control, where
    results tell it."""
    seen = {}
    for members, number, shared in _seen_shared(file):
        if shared is not None and not math.isnan(shared):
            seen.setdefault((members, number), []).append(shared)
    found = []
    for state in file.states:
        if state.known and not state.share > 0:
            continue  # only earlier runs were
        values = seen.get((state.members or state.pes, state.number))
        more = {SHARED: Range(median(values), None, None)} if values else {}
        found.append(state._replace(controls={**state.controls, **more}))
    return found


def _telling(states, alike):
    """Names of the controls that tell states of sets of one size apart."""
    if all(SHARED in state.controls for state in states):
        return SHARED, ADDITION
    return (HAND_OVER, ADDITION) if alike else (ADDITION,)


def restrict(lists, alike):
    """Removes from lists of States, as with_shared() returns them, all controls by which they must not be compared. alike:
    all files state one library, one version of it and equal settings. Then the library's hand-over counts where the
    hand-over in shared memory is unknown; otherwise the library itself may have changed it."""
    sizes = {}
    for states in lists:
        for state in states:
            sizes.setdefault(state.pes, []).append(state)
    telling = {pes: _telling(states, alike) for pes, states in sizes.items()}
    return [[state._replace(controls={name: state.controls[name] for name in telling[state.pes]
                                      if name in state.controls}) for state in states] for states in lists]


def all_alike(software):
    """Whether all files state one library, one version of it and equal settings. software: software_of() of each file."""
    return all(own == software[0] for own in software[1:])


def states_to_compare(files):
    """For each ResultFile the States by which it is compared."""
    return restrict([with_shared(file) for file in files], all_alike([software_of(file.header) for file in files]))


def _typical(states, name):
    """The value of a control in the middle of a run's time; NaN: not known."""
    known = sorted((state.controls[name].value, state.share) for state in states
                   if name in state.controls and state.share > 0)
    passed, half = 0.0, sum(share for _, share in known) / 2
    for value, share in known:
        passed += share
        if passed >= half:
            return value
    return NAN


def typical_controls(lists, pes, name):
    """The typical value of a control in each file that tells it, for sets of this number of PEs. lists: the States of each
    file, as with_shared() returns them."""
    values = (_typical([state for state in states if state.pes == pes], name) for states in lists)
    return [value for value in values if value > 0]
