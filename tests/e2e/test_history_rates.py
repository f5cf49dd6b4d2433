#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 240
"""How often skampi-history calls points changed that did not change, and how often it finds what did, on made series
of launches; with SKAMPI_STUDY_RUNS=400 as many of each kind, with a table."""

import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from skampi_tools.history import changes
from skampi_tools.statistics import median

RUNS = int(os.environ.get("SKAMPI_STUDY_RUNS", "0"))
changes.ORDERS = (199, 199)
NOISE, COMMON = 0.02, 0.01  # standard deviation of a point in a launch, and of what all points of a launch share
LENGTH, COUNT = 30, 20      # launches, points
tap = Tap()


def made(generator, length=LENGTH, count=COUNT, correlation=0.0, outliers=0.0, mixed=False):
    """Logarithms of times, by point and launch."""
    series = [[] for _ in range(count)]
    last = [0.0] * count
    for _ in range(length):
        common = generator.gauss(0, COMMON)
        for number, values in enumerate(series):
            noise = NOISE * (1 + 9 * (number % 2)) if mixed else NOISE
            fresh = generator.gauss(0, noise) + (0.4 if generator.random() < outliers else 0.0)
            last[number] = correlation * last[number] + math.sqrt(1 - correlation**2) * fresh
            values.append(last[number] + common)
    return series


def shift(series, size, begin, end=None, which=(0,)):
    for number in which:
        for launch in range(begin, end or len(series[number])):
            series[number][launch] += math.log1p(size)


def wrong(runs, size=None, which=(), **kind):
    """The share of runs in which a point is called changed that did not change, or changed elsewhere."""
    count = 0
    for run in range(runs):
        series = made(random.Random(run), **kind)
        at = len(series[0]) // 2
        if which:
            shift(series, size, at, which=which)
        found = changes.find_changes(series, seed=run).changes
        count += any(change for number, own in enumerate(found) if number not in which for change in own) or any(
            len(found[number]) > 1 for number in which)
    return count / runs


def found(runs, size, begin, end=None, least=4, **kind):
    """(share of runs in which the changed point is found, share with the launch right within 1)"""
    hit = right = 0
    for run in range(runs):
        series = made(random.Random(run), **kind)
        shift(series, size, begin, end)
        own = changes.find_changes(series, least=least, seed=run).changes[0]
        hit += bool(own)
        right += any(abs(change.at - begin) <= 1 for change in own)
    return hit / runs, right / runs


def looks(runs, over, first=30, last=60, count=10):
    """Shares of histories, looked at after each launch, with a false alarm in any look, and with one in any look where
    the newest level is slower by more than `over`."""
    alarms = slower = 0
    for run in range(runs):
        series = made(random.Random(1000 + run), length=last, count=count)
        alarm = failed = False
        for length in range(first, last + 1):
            now = [own[:length] for own in series]
            for own, changed in zip(now, changes.find_changes(now, seed=1).changes):
                alarm = alarm or bool(changed)
                ends = [0, *(change.at for change in changed), length][-3:]
                failed = failed or len(ends) == 3 and (
                    median(own[ends[1]:]) - median(own[ends[0]:ends[1]]) > math.log1p(over))
        alarms += alarm
        slower += failed
    return alarms / runs, slower / runs


def percent(share):
    return f"{100 * share:.1f} %"


FALSE = {
    "20 points, 30 launches": {},
    "100 points, 30 launches": {"count": 100},
    "20 points, 100 launches": {"length": 100},
    "every second point 10 times as noisy": {"mixed": True},
    "one value in ten an outlier of +50 %": {"outliers": 0.1},
    "a third of the points 10 % slower in the middle: others, or a second change": {
        "size": 0.1, "which": tuple(range(0, COUNT, 3))},
    "neighbouring launches correlated, 0.3": {"correlation": 0.3},
    "neighbouring launches correlated, 0.6": {"correlation": 0.6},
}
POWER = {
    "10 % in the last 4": (0.1, 26), "10 % in the last 6": (0.1, 24), "5 % in the last 6": (0.05, 24),
    "5 % in the last 15": (0.05, 15), "3 % in the last 15": (0.03, 15),
    "10 % in launches 10 to 17 only": (0.1, 10, 18), "a factor of 3 in the last 4": (2.0, 26),
}

if RUNS:
    for name, kind in FALSE.items():
        print(f"# {name}: any false alarm {percent(wrong(RUNS, **kind))}", flush=True)
    for name, kind in POWER.items():
        hit, right = found(RUNS, *kind)
        print(f"# {name}: found {percent(hit)}, its launch within 1 {percent(right)}", flush=True)
    alarms, slower = looks(RUNS, 0.05)
    print(f"# 10 points, looked at after each of the launches 30 to 60: any false alarm {percent(alarms)}, "
          f"any that --fail-over 5% counts {percent(slower)}", flush=True)

# Of 60 runs with a chance of 5 %, more than 9 have a false alarm once in 1,400 times.
runs = RUNS or 60
tap.ok(wrong(runs, count=8, length=24) <= 0.15, "false alarms are as rare as promised")
tap.ok(wrong(runs // 2, count=8, length=24, size=0.3, which=(0, 1, 2)) <= 0.2, "... also beside points that changed")
hit, right = found(20, 0.25, 20, count=8, length=24)
tap.ok(hit >= 0.9 and right >= 0.9, "25 % in the last 4 of 24 launches are found, at their launch", (hit, right))
hit, right = found(10, 0.25, 12, 28, count=8, length=40)
tap.ok(hit >= 0.8, "... and a level that was there for a while", (hit, right))

# ---- Properties ----

series = made(random.Random(3), count=6)
shift(series, 0.3, 12)
once = changes.find_changes(series, seed=5)
tap.equal(changes.find_changes(series, seed=5), once, "the same seed gives the same changes")
gaps = [[value if (launch + number) % 3 else None for launch, value in enumerate(own)]
        for number, own in enumerate(made(random.Random(4), length=60, count=6))]
for launch in range(30, 60):
    if gaps[0][launch] is not None:
        gaps[0][launch] += 0.3
at = [change.at for change in changes.find_changes(gaps).changes[0]]
tap.ok(len(at) == 1 and 30 <= at[0] <= 31, "launches may lack points", at)
tap.equal([changes.find_changes(odd).changes for odd in ([], [[]], [[None] * 9], [[1.0] * 7], [[1.0] * 50])],
          [[], [[]], [[]], [[]], [[]]], "no values, few values and equal values have no changes")
steps = [[0.0] * 10 + [0.5] * 10 + [1.0] * 10 + [0.2] * 10]
tap.equal([change.at for change in changes.find_changes(steps).changes[0]], [10, 20, 30], "several changes of one point")
spike = [[0.0] * 15 + [2.0] + [0.0] * 14, *made(random.Random(5), count=4)]
tap.equal(changes.find_changes(spike).changes[0], [], "a single outlier is no change")
ends = [0, *(change.at for change in changes.find_changes([[0.0] * 20 + [1.0] * 3 + [0.0] * 20], least=6).changes[0]), 43]
tap.ok(all(b - a >= 6 for a, b in zip(ends, ends[1:])), "no level is shorter than the least", ends)
tap.done()
