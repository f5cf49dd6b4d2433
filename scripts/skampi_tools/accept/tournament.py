"""Rounds of a tournament, in each of which disjoint pairs of PEs work at the same time. measurements/common/pairs_pattern.c
and pairs_pattern.c draw equal rounds for the pattern "round:K:SEED:GROUP".

    game = Tournament(8, group=2)
    game.rounds                     # 7: each PE meets each other one
    game.partners(3, seed=5)        # of each PE in round 3; -1: it rests
"""

import functools
import random

MASK = (1 << 64) - 1


def mixed(seed, a, b):
    """As in measurements/common/pairs_pattern.c."""
    x = (seed * 0x9e3779b97f4a7c15 + a * 0xd1342543de82ef95 + b * 0xaef17502108ef2d9 + 1) & MASK
    for _ in range(2):
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
        x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
        x ^= x >> 31
    return x


@functools.lru_cache(64)
def drawn_order(seed, stream, count):
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        other = mixed(seed, i, stream) % (i + 1)
        order[i], order[other] = order[other], order[i]
    return order


def rounds_of(count):
    return 0 if count < 2 else count if count % 2 else count - 1


def opponent(place, count, round_):
    """Who meets `place` in a round, counted from 0, by the circle method (Kirkman 1847); -1: nobody."""
    turning = rounds_of(count)
    if place == turning:
        return (round_ + turning if round_ % 2 else round_) // 2
    other = (round_ - place) % turning
    if other == place:
        other = turning
    return other if other < count else -1


class Tournament:
    """All rounds of `pes` PEs. group: how many consecutive PEs belong together, such as the PEs of a node; 1: no groups."""

    def __init__(self, pes, group=1):
        self.pes, self.group, self.groups = pes, group, pes // group
        self.inside = rounds_of(group)
        self.rounds = self.inside + group * rounds_of(self.groups)

    def pairs(self, round_):
        return self.groups * (self.group // 2) if round_ <= self.inside else self.groups // 2 * self.group

    @staticmethod
    def pattern(round_, seed, group):
        return f"round:{round_}:{seed}:{group}"

    def _orders(self, seed):
        if seed == 0:
            return range(self.groups), range(self.group)
        return drawn_order(seed, 0, self.groups), drawn_order(seed, 1, self.group)

    def partners(self, round_, seed=0):
        """The partner of each PE in a round; -1: the PE rests."""
        groups, members = self._orders(seed)
        size, met = self.group, [-1] * self.pes
        if round_ <= self.inside:
            for place in range(size):
                other = opponent(place, size, round_ - 1)
                if other >= 0:
                    met[members[place]::size] = [k * size + members[other] for k in range(self.groups)]
            return met
        turn, step = (round_ - 1 - self.inside) % size, (round_ - 1 - self.inside) // size
        for place in range(self.groups):
            other = opponent(place, self.groups, step)
            if other < 0:
                continue
            forward = turn if place < other else size - turn
            for own in range(size):
                met[groups[place] * size + members[own]] = \
                    groups[other] * size + members[(own + forward) % size]
        return met

    def rounds_between(self, a, b, seed):
        """The rounds in which two groups meet."""
        order = self._orders(seed)[0]
        place = {group: i for i, group in enumerate(order)} if seed == 0 or self.pes < 1024 else None
        first, second = (place[a], place[b]) if place else (order.index(a), order.index(b))
        turning = rounds_of(self.groups)
        met = (2 * min(first, second) if turning in (first, second) else first + second) % turning  # from 0
        return [self.inside + met * self.group + turn + 1 for turn in range(self.group)]

    def sample(self, count, source):
        """Some rounds, in an order drawn by chance: all inside of groups, and others up to that number."""
        inside = list(range(1, self.inside + 1))
        between = source.sample(range(self.inside + 1, self.rounds + 1),
                                min(max(1, count - self.inside), self.rounds - self.inside)) \
            if self.rounds > self.inside else []
        chosen = inside + between
        source.shuffle(chosen)
        return chosen


def chance(*what):
    """Numbers that are the same in each run for the same words and numbers."""
    return random.Random(" ".join(map(str, what)))
