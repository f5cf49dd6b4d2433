"""The random sequence of measurements/patterns/segment.c and a first-fit free list once more, in another way."""

from hash_model import random_next

LINE = 64
SMALLEST = 16


class Draws:
    def __init__(self, seed):
        self.state = seed

    def up_to(self, bound):
        """As random_up_to()."""
        while True:
            drawn, self.state = random_next(self.state)
            drawn &= (1 << bound.bit_length()) - 1
            if drawn <= bound:
                return drawn

    def size(self, largest):
        doublings = 0
        while SMALLEST << (doublings + 1) <= largest:
            doublings += 1
        start = SMALLEST << self.up_to(doublings)
        return min(start + self.up_to(start - 1), largest)


def first_fit(used, size):
    """The lowest multiple of a line at which size bytes are free; used: (begin, end) of the parts in use."""
    at = 0
    for begin, end in sorted(used):
        if at + size <= begin:
            return at
        at = end
    return at


def span(largest, blocks, allocations, seed=1):
    """What the sequence spans, and the most bytes in use at a time."""
    draws, parts, sizes = Draws(seed), {}, {}
    taken = highest = most = 0
    while taken < allocations:
        i = draws.up_to(blocks - 1)
        if i in parts:
            del parts[i], sizes[i]
            continue
        size = draws.size(largest)
        rounded = -(-size // LINE) * LINE
        at = first_fit(parts.values(), rounded)
        parts[i], sizes[i] = (at, at + rounded), size
        highest = max(highest, at + size)
        most = max(most, sum(sizes.values()))
        taken += 1
    return highest, most
