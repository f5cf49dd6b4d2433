"""Whether a library makes progress while the target, or both sides, compute: from operations on a PE that computes, and
from non-blocking collectives of MPI with a computation between post and wait."""

import math
from typing import NamedTuple

from .statistics import NAN

YES, INSIDE, UNCERTAIN = "yes", "only inside calls", "not certain"
COVERED, WAITED = 0.25, 0.5  # share of the computation up to which, and from which on, an operation is decided
HEAD_START = 1 / 8           # of the computation, until the operation begins (measurements/shmem/progress.c)
LONG_ENOUGH = 20             # times the operation alone: a computation that tells anything
ON_THE_WAY = 0.2             # of a collective that is neither its post nor its end: else nothing is there to be covered
TARGETS = {"Shmem_Put_Target_Computes": "put and quiet", "Shmem_Get_Target_Computes": "get",
           "Shmem_Atomic_Fetch_Add_Long_Target_Computes": "fetching atomic",
           "Put_Flush_Target_Computes": "MPI_Put", "Get_Flush_Target_Computes": "MPI_Get",
           "Fetch_and_op_Flush_Target_Computes": "MPI_Fetch_and_op"}
POST, FULL, OVERLAP = PARTS = ("_Post", "_Full", "_Overlap")


class Time(NamedTuple):
    """Seconds, and the interval in which they lie."""
    value: float
    low: float
    high: float

    @property
    def half_width(self):
        return (self.high - self.low) / 2


class Row(NamedTuple):
    """An operation. share: of the computation that it waited, as a Time without unit; of a collective, of its time on
    the way that a computation did not cover."""
    operation: str
    pes: int
    bytes: int
    computation: float  # seconds; NaN: as long as the function chooses
    alone: Time
    computing: Time
    share: Time
    verdict: str
    why: str            # of what is not certain; else ""
    doubtful: bool = False  # one of its results


def value_of(result, name):
    value = result.arguments.get(name)
    return value.get("value") if isinstance(value, dict) else value


def argument(result, name):
    """The number that the call has for a parameter; NaN without one."""
    try:
        return float(value_of(result, name))
    except (TypeError, ValueError):
        return NAN


def _time(result):
    value, low, high = result.shown()[1:4]
    return Time(value, *(end if math.isfinite(end) else value for end in (low, high)))


def _verdict(share):
    if share.high <= COVERED:
        return YES, ""
    if share.low >= WAITED:
        return INSIDE, ""
    return UNCERTAIN, "the operation waited a part of the computation: measure with --rounds 10 on a quiet machine"


def target_row(operation, pes, size, seconds, alone, computing):
    """The Row of an operation whose target computed for these seconds."""
    left = (1 - HEAD_START) * seconds
    share = Time(*((time - alone.value) / left for time in computing))
    verdict, why = _verdict(share)
    if seconds < LONG_ENOUGH * alone.high:
        verdict, why = UNCERTAIN, (f"the computation is not {LONG_ENOUGH} times as long as the operation: "
                                   "measure with a larger COMPUTATION")
    return Row(operation, pes, size, seconds, alone, computing, share, verdict, why)


def collective_row(operation, pes, size, post, full, overlap):
    """The Row of a collective, whose computation is twice as long as post and wait."""
    on_the_way = full.value - post.value
    if on_the_way <= ON_THE_WAY * full.value:
        return Row(operation, pes, size, NAN, full, overlap, Time(NAN, NAN, NAN), UNCERTAIN,
                   "post and wait take hardly longer than the post: there is nothing to be covered")
    share = Time(*((time - post.value) / on_the_way for time in overlap))
    return Row(operation, pes, size, NAN, full, overlap, share, *_verdict(share))


def size_of(result):
    """Bytes; 0: the operation has none."""
    return 0 if math.isnan(result.bytes) else int(result.bytes)


def operation_of(result, name):
    """The name; of MPI with the routine that makes the window."""
    memory = value_of(result, "memory")
    return name + (f" ({memory})" if memory else "")


def _target_rows(points):
    found = {}
    for result in points:
        if result.function in TARGETS:
            key = (operation_of(result, TARGETS[result.function]), result.pes or 0, size_of(result))
            found.setdefault(key, {})[argument(result, "computation")] = result
    return [target_row(operation, pes, size, seconds, _time(times[0.0]), _time(result))._replace(
                doubtful=times[0.0].doubtful or result.doubtful)
            for (operation, pes, size), times in found.items() if 0.0 in times
            for seconds, result in times.items() if seconds > 0]


def _collective_rows(points):
    found = {}
    for result in points:
        name, part = next(((result.function.removesuffix(part), part) for part in PARTS
                           if result.function.endswith(part)), ("", ""))
        # Names of MPI's non-blocking collectives begin with an I; messages, such as Isend, go by the same parts.
        if name.startswith("I"):
            found.setdefault((name, result.pes or 0, size_of(result)), {})[part] = result
    return [collective_row(f"MPI_{name}", pes, size, *(_time(parts[part]) for part in PARTS))._replace(
                doubtful=any(parts[part].doubtful for part in PARTS))
            for (name, pes, size), parts in found.items() if all(part in parts for part in PARTS)]


def rows(file):
    """The Rows of a ResultFile, in its order."""
    points = [result for result in file.points
              if result.function and result.quantity in (None, "time") and math.isfinite(result.shown().value)]
    return _target_rows(points) + _collective_rows(points)
