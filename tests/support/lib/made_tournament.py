"""Synthetic machines for skampi-accept: times of tournaments with noise as real ones have it, and faults.

    machine = Machine(8, seed=1, faults=[slow_link(2, 5, 1.10)])
    verdict = accept(machine)       # plays the tournament and the re-tests, as the tool does
"""

import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts"))
from skampi_tools.accept.tournament import Tournament
from skampi_tools.accept.values import BANDWIDTH, KINDS, LATENCY

BASE = {LATENCY: 2e-6, BANDWIDTH: 25e-6}


def slow_link(a, b, factor, kinds=(BANDWIDTH,)):
    """All that goes over one link takes so many times as long."""
    def fault(machine, kind, x, y):
        return factor if {x, y} == {a, b} and kind in kinds else 1.0
    return fault


def slow_node(a, mean=0.5, sigma=0.3):
    """A limit of the processor: it gets so much more time or none, with fits and starts."""
    def fault(machine, kind, x, y):
        return 1 + mean * math.exp(machine.random.gauss(0, sigma)) if a in (x, y) else 1.0
    return fault


def lossy(a, b=None, chance=0.4):
    """Some measurements over a link (b None: over all of a node) wait for data that are sent again."""
    def fault(machine, kind, x, y):
        if {x, y} == {a, b} or b is None and a in (x, y):
            if machine.random.random() < chance:
                return 3 + 40 * machine.random.random()
        return 1.0
    return fault


class Machine:
    """Sites of `per_site` PEs. noise: standard deviation of a value, half of its variance common to both
    directions. Beside it: two states of the whole machine 8 % apart that last for some rounds, drifting states
    of each site of 1.5 %, fixed differences of sites of 0.7 % and of links of 1 %, interruptions. moments: share
    of rounds in which all pairs take up to 3 times as long, since others use the machine."""

    def __init__(self, sites, seed, faults=(), per_site=1, noise=None, interruptions=0.005, moments=0.0):
        self.random = random.Random(seed)
        self.sites, self.per_site, self.faults = sites, per_site, faults
        self.noise = noise if noise is not None else self.random.uniform(0.03, 0.05)
        self.interruptions, self.moments = interruptions, moments
        self.hosts = [f"n{pe // per_site:05d}" for pe in range(sites * per_site)]
        self.fixed = [self.random.gauss(0, 0.007) for _ in range(sites)]
        self.drift = [self.random.gauss(0, 0.015) for _ in range(sites)]
        self.state = 0.0
        self.key = self.random.random()

    def link(self, a, b):
        """Fixed, without keeping a number for each."""
        mixed = hash((self.key, min(a, b), max(a, b))) & 0xffffffff
        return 0.01 * 1.7320508 * (2 * mixed / 0xffffffff - 1)

    def measure(self, kind, round_, seed, group):
        """Seconds of each PE in a round."""
        draw = self.random
        if draw.random() < 0.05:
            self.state = 0.08 - self.state
        self.drift = [0.9 * x + draw.gauss(0, 0.015 * math.sqrt(1 - 0.81)) for x in self.drift]
        partners = Tournament(len(self.hosts), group).partners(round_, seed)
        half, values = self.noise / math.sqrt(2), [math.nan] * len(partners)
        moment = math.log(draw.uniform(1, 3)) if self.moments and draw.random() < self.moments else 0.0
        for pe, met in enumerate(partners):
            if met <= pe:
                continue
            a, b = pe // self.per_site, met // self.per_site
            common = (self.state + moment + self.fixed[a] + self.fixed[b] + self.drift[a] + self.drift[b]
                      + self.link(a, b) + draw.gauss(0, half) - (0.7 if a == b else 0))
            for one in (pe, met):
                value = common + draw.gauss(0, half)
                if draw.random() < self.interruptions:
                    value += draw.expovariate(3)
                values[one] = BASE[kind] * math.exp(value)
            factor = math.prod(fault(self, kind, a, b) for fault in self.faults)
            values[pe] *= factor
            values[met] *= factor
        return values


def player(machine):
    """What measures for skampi_tools.accept.run.accept(): (times, [(stage, turn, round, seed, group)])."""
    def play(times, tasks):
        for stage, turn, round_, seed, group in tasks:
            for kind in KINDS:
                times.add(stage, turn, kind, round_, seed, group, machine.measure(kind, round_, seed, group))
        times.set_places(machine.hosts)
    return play
