"""Sections of arrays: which calls each algorithm makes, written from what is stated about the algorithms, not
from the code; and the calls in scripts."""

import collections
import math

ALGORITHMS = ("runs", "cascade", "cascade_full", "best_dimension", "pack")
WIDTHS = (16, 8, 4, 2, 1)  # bytes


def section_call(get, algorithm, shape, iterations=1):
    """The call in a script; shape: element_bytes, extents, source_strides, target_strides."""
    element, *arrays = shape
    texts = ["{" + ", ".join(map(str, array)) + "}" for array in arrays]
    way = "Get" if get else "Put"
    return f'Shmem_Section_{way}("{algorithm}", {element}, {", ".join(texts)}, {iterations})'


def runs_of(element, extents, *strides):
    """How many there are, and their bytes: along the first dimension, where that has no gaps."""
    if strides[0][0] == strides[1][0] == 1:
        return math.prod(extents[1:]), element * extents[0]
    return math.prod(extents), element


def multiple_of(element, extents, strides, first, alignment):
    """The largest width that all places and distances from that dimension on are multiples of."""
    numbers = [alignment] + [element * side[d] for side in strides
                             for d in range(first, len(extents)) if extents[d] > 1]
    return max(width for width in WIDTHS if all(number % width == 0 for number in numbers))


def cascade(element, extents, *strides, alignment, narrowest):
    """{width: calls} and the elements of each call; None where bytes remain."""
    first = 1 if strides[0][0] == strides[1][0] == 1 else 0
    block = element * (extents[0] if first else 1)
    width = multiple_of(element, extents, strides, first, alignment)
    if block % narrowest or width < narrowest:
        return None
    outer = math.prod(extents[first + 1:])
    calls, remains = {}, block
    while width >= narrowest:
        if remains // width:
            calls[width] = remains // width * outer
        remains %= width
        width //= 2
    return calls, extents[first] if first < len(extents) else 1


def best_dimension(element, extents, alignment):
    """Width, calls, and elements of each call, along the longest dimension."""
    width = max(width for width in WIDTHS if element % width == 0 and alignment % width == 0)
    longest = max(extents)
    return width, math.prod(extents) // longest * (element // width), longest


def calls_of(get, algorithm, shape, alignment=64):
    """Counter of "routine/elements" on the PE that puts or gets."""
    element, extents, source, target = shape
    way, counts = "get" if get else "put", collections.Counter()
    if math.prod(extents) == 0:
        return counts
    if algorithm == "pack":
        return collections.Counter({f"{way}mem/{element * math.prod(extents)}": 1, "long_p/1": 1})
    if algorithm == "best_dimension":
        width, calls, count = best_dimension(element, extents, alignment)
        return collections.Counter({f"i{way}{8 * width}/{count}": calls})
    if algorithm != "runs":
        found = cascade(element, extents, source, target, alignment=alignment,
                        narrowest=4 if algorithm == "cascade" else 1)
        if found:
            calls, count = found
            return collections.Counter({f"i{way}{8 * width}/{count}": n for width, n in calls.items()})
    number, run = runs_of(element, extents, source, target)
    return collections.Counter({f"{way}mem/{run}": number})
