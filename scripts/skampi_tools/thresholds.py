"""Sizes at which the library changes its protocol, from a header with --explain, and breaks of curves that lie there.

    for mark in marks(file.header, "Shmem_Put_Round", "on one node", [(8, 1.01e-6), (16, 1.02e-6), ...]):
        print(mark.size, mark.what)      # 8256 "UCX put, short to bcopy"

A break is where the lines of piecewise.py through times over sizes have a new piece: its criterion decides whether
the data support one.
"""

import math
import re
from typing import NamedTuple

from . import style
from .piecewise import fit

FEWEST = 2      # sizes in a fitted piece, so that a break near an end is not pushed away from there
SURE = 3        # sizes that both sides of a break must have: two are always on a line
# Limits of Open MPI include the header of a message, which is smaller than this.
HEADER = 128
MOST_SIZES = 40  # sizes that are fitted; of more, every nth, and a break is then placed among all
CLEAR = 0.05  # a break needs a jump by more than this share
BEND = 1.25  # without a jump, a break needs a change of slope whose place is known to this factor
SAME, OTHER = "same node", "another node"
PLACES = {"on one node": (SAME,), "on several nodes": (OTHER,)}
ON_NODE = ("vader", "sm", "smcuda")  # transports (btl) of Open MPI that stay inside a node
NOWHERE = ("self",)                  # ... and that no message between PEs takes
LIMITS = ("eager_limit", "rndv_eager_limit")
_PATH = re.compile(rf"path from PE \d+ to PE \d+, ({SAME}|{OTHER})")
_RANGES = re.compile(r"(\w+) 0((?:\.\.<[^<>]*>\.\.[\w().]+?)+)(?=;|$)")
_STEP = re.compile(r"\.\.<([^<>]*)>\.\.((?:\d+)|\(inf\))")
_LIMIT = re.compile(rf"variable (btl_(\w+?)_(?:{'|'.join(LIMITS)}))")
_VALUE = re.compile(r"(\d{1,18}) \(")


class Threshold(NamedTuple):
    size: int    # bytes
    least: int   # of a message that may be beyond it
    what: str


class Break(NamedTuple):
    """Somewhere from before to start: the last size of a piece and the first one of the next, or around the place
    where their lines cross."""
    before: int  # bytes
    start: int
    jump: float  # of the time at start, relative to the earlier piece; 0: another slope alone


class Mark(NamedTuple):
    """A break that coincides with a threshold."""
    size: int
    what: str
    found: Break

    @property
    def label(self):
        return f"{self.what}: {style.size_text(self.size)}"

    @property
    def sentence(self):
        jump = self.found.jump
        how = (f"{'+' if jump > 0 else '-'}{style.percent_text(abs(jump))} at {style.size_text(self.found.start)}"
               if jump else "another slope")
        return (f"the time breaks between {style.size_text(self.found.before)} and "
                f"{style.size_text(self.found.start)} ({how}), where the protocol changes: {self.label}")


# ---- Thresholds ----


def _ucx(operations, layer):
    """Thresholds of UCX, if UCX does these operations. layer: name of the framework that does them."""
    def find(choices, places):
        if choices.get(layer, "ucx").split() != ["ucx"]:
            return
        for name, text in choices.items():
            path = _PATH.fullmatch(name)
            if not path or path.group(1) not in places:
                continue
            for operation, ranges in _RANGES.findall(text):
                steps = _STEP.findall(ranges) if operation in operations else []
                for (first, size), (then, _) in zip(steps, steps[1:]):
                    yield Threshold(int(size), int(size), f"UCX {operation}, {first} to {then}")
    return find


def _limits(choices, places):
    """Eager limits of the transports of Open MPI that messages take."""
    if choices.get("pml", "").split() != ["ob1"]:
        return
    for name, text in choices.items():
        limit, value = _LIMIT.fullmatch(name), _VALUE.match(text)
        if not limit or not value or limit.group(2) in NOWHERE:
            continue
        if (SAME if limit.group(2) in ON_NODE else OTHER) in places:
            size = int(value.group(1))
            yield Threshold(size, max(1, size - HEADER), limit.group(1))


# Which functions have which thresholds.
CLASSES = (
    (r"Shmem_Round_Trip_Put_Get_\w+", (_ucx(("put", "get"), "spml"),)),
    (r"Shmem_(Ctx_)?Put_\w+|Shmem_(Pingpong|Round_Trip)_Put_Put\w*", (_ucx(("put",), "spml"),)),
    (r"Shmem_(Ctx_)?Get_\w+|Shmem_Round_Trip_Get_Get_\w+", (_ucx(("get",), "spml"),)),
    (r"Pingpong_(Ss|Iss)end_\w+", (_ucx(("tag_send_sync",), "pml"), _limits)),
    (r"(Par_)?Pingpong_(?!Put_)\w+|Send(_\w+)?|Isend_\w+|Irecv_\w+|Exchange|Round_Trip_(\w+_Message|Send_Recv)",
     (_ucx(("tag_send", "tag_send_nbr"), "pml"), _limits)),
    (r"R?[Pp]ut_(?!Shift|Exchange)\w+|Pingpong_Put_Put", (_ucx(("put",), "osc"),)),
    (r"R?[Gg]et_(?!accumulate)\w+", (_ucx(("get",), "osc"),)),
)


def thresholds(header, function, placement):
    """[Threshold] of this function on PEs with this placement (of records), ascending; unknown ones are not there."""
    choices = {str(name): str(text) for name, text in (header.get("choices") or {}).items()}
    places = PLACES.get(placement, (SAME, OTHER))
    finders = next((finders for names, finders in CLASSES if re.fullmatch(names, function or "")), ())
    found = {threshold for find in finders for threshold in find(choices, places)}
    return sorted(found)


# ---- Breaks ----


def breaks(points):
    """[Break] of times in seconds over sizes in bytes, ascending."""
    points = [(size, time) for size, time in points if size > 0 and time > 0]
    every = sorted({size for size, _ in points})
    sizes = every[::-(-len(every) // MOST_SIZES) or 1]
    fitted = set(sizes)
    pieces = fit([point for point in points if point[0] in fitted], FEWEST)
    starts = [0, *(sizes.index(piece.start) for piece in pieces[1:]), len(sizes)]
    return [_break(earlier, later, sizes, start, points, every)
            for before, start, end, earlier, later in zip(starts, starts[1:], starts[2:], pieces, pieces[1:])
            if start - before >= SURE and end - start >= SURE]


def _break(earlier, later, sizes, start, points, every):
    """Between two pieces, the later of which begins with this index of the sizes. Lines without a jump share a point,
    so a size near it may be in either piece: then the break is where the lines cross, as well as that is known."""
    low, high = sizes[start - 1], sizes[start]
    jumps = [later.time(size) / earlier.time(size) - 1 if earlier.time(size) > 0 else 0.0 for size in (low, high)]
    slopes = earlier.slope.value - later.slope.value
    crossing = (later.intercept.value - earlier.intercept.value) / slopes if slopes else 0.0
    near = low <= crossing <= high or min(map(abs, jumps)) < CLEAR
    if near and sizes[max(start - 2, 0)] <= crossing <= sizes[min(start + 1, len(sizes) - 1)]:
        return Break(math.floor(crossing / BEND), math.ceil(crossing * BEND), 0.0)
    return Break(*_among(points, every, low, high, earlier, later), jumps[1])


def _among(points, every, low, high, earlier, later):
    """(before, start) from low to high, between which the points leave the earlier piece best for the later one."""
    inner = [size for size in every if low <= size <= high]

    def squares(end):
        return sum((1 - (earlier if size < inner[end] else later).time(size) / time) ** 2
                   for size, time in points if low <= size <= high)
    end = min(range(1, len(inner)), key=squares) if len(inner) > 2 else 1
    return inner[end - 1], inner[end]


def marks(header, function, placement, points):
    """[Mark] of a curve of one function, ascending by size: for each break the thresholds that lie in it."""
    known = thresholds(header, function, placement)
    if not known:
        return []
    return [Mark(threshold.size, threshold.what, found) for found in breaks(points) for threshold in known
            if threshold.least <= found.start and found.before <= threshold.size]


def along(header, function, placement, points):
    """[(position, Mark)] for an axis whose numbers are proportional to bytes, such as counts of elements; [] for any
    other. points: (number, bytes, seconds)."""
    points = [point for point in points if all(isinstance(number, (int, float)) for number in point)]
    if any((number > 0) != (size > 0) for number, size, _ in points):
        return []
    ratios = [number / size for number, size, _ in points if size > 0]
    if not ratios or max(ratios) > min(ratios) * (1 + 1e-9):
        return []
    return [(mark.size * ratios[0], mark)
            for mark in marks(header, function, placement, [(size, time) for _, size, time in points])]
