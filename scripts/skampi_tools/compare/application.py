"""What a change means for an application: the sum over points of its calls times their time, on both sides, judged like a
point: launch by launch, or round by round, so that what changes in all points of a launch at once is part of the interval."""

import math
from dataclasses import dataclass, field

from .rows import NAN, Row


@dataclass
class Application:
    path: str
    row: Row             # the sum; its key is the path
    calls: dict          # {key of a point: how often it counts}
    measured: float      # share of the application's time in communication that the points measure; NaN: not known
    lacking: list = field(default_factory=list)   # (what, share) of calls without a measurement, the largest first


def of(weights, shared):
    """shared: Rows of points that both sides have. None: the application does nothing that is measured."""
    calls, lacking, seconds = weights.calls([row.result for row in shared if row.quantity == "time"])
    rows = [row for row in shared if row.key in calls]
    if not rows:
        return None
    total = Row(weights.path, rows[0].result, "", "", "time", _sum(calls, {row.key: row.old for row in rows}),
                _sum(calls, {row.key: row.new for row in rows}), count_old=max(row.count_old for row in rows),
                count_new=max(row.count_new for row in rows))
    left = [(f"{use.routine} of {use.bytes} bytes" if use.bytes else use.routine, use.seconds / seconds) for use in lacking]
    waiting = math.fsum(use.waiting for use in getattr(weights, "uses", ()) if use not in lacking and not _waits_measured(use))
    if waiting:
        left.append(("waiting for other PEs", waiting / seconds))
    left.sort(key=lambda one: -one[1])
    return Application(weights.path, total, calls, 1 - math.fsum(share for _, share in left), left)


def _waits_measured(use):
    """Whether a script makes PEs late in the call, as they are in the application, so that its waiting is measured."""
    return "_Synchro(" in use.call or use.call in ("Shmem_Barrier()", "Shmem_Sync()")


def _sum(calls, values):
    """The sum over all points; NaN if one has no value."""
    return math.fsum(count * values[key] for key, count in calls.items()) if all(key in values for key in calls) else NAN


def of_launch(calls, points, otherwise):
    """points: {key: Result} of a launch; otherwise: {key: seconds}, for points that it does not have."""
    return _sum(calls, {key: points[key].best() if key in points else otherwise[key] for key in calls})


def of_rounds(calls, points):
    """One value a round: of the rounds that all points of a file have."""
    medians = {key: points[key].medians for key in calls if key in points}
    count = min(map(len, medians.values()), default=0) if len(medians) == len(calls) else 0
    return [_sum(calls, {key: own[number] for key, own in medians.items()}) for number in range(count)]
