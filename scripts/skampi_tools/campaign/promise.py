"""Whether stated intervals keep what they promise: the 95 % prediction interval of one run contains
the median of a later, independent run in at least 90 % of points, and is no wider than twice what
the observed spread needs. The same for each state of the machine by itself, where runs state them.

    measured = evaluate(files)      # ResultFile objects of skampi --rounds, one a run
    print(measured["contained"], measured["width_ratio"], measured["promise"])
    if "states" in measured:        # of points and states
        print(measured["states"]["contained"], measured["states"]["promise"])
"""

import math

from ..cli import Error
from ..configuration import software_of
from ..states.common import CommonStates
from ..states.independent import states_to_compare
from ..statistics import FEWEST_ROUNDS, between_launches, known, median

LEAST_CONTAINED = 0.90
MOST_WIDTH = 2.0
NEEDED_SHARE = 0.95
FEWEST_RUNS = 5  # with fewer runs the spread between runs is not known


class _Points:
    """Points as JSON has them, and what is known of all of them together."""

    def __init__(self):
        self.points, self.by_pair, self.variances = [], {}, []

    def add(self, result, measured, rounds, **state):
        """result: a Result of the point. measured: (number of the run, Result or StateValue) in the order of time; rounds: of
        each run their medians. state: its "state", the same in all runs, and "text", such as "state 2 (hand-over 164 ns)"."""
        medians, differences, widths, insides = [one.median for _, one in measured], [], [], []
        for place, (number, one) in enumerate(measured):
            stated = 0 < one.next_low <= one.next_high
            if stated:
                widths.append(math.log(one.next_high / one.next_low))
            for later_number, later in measured[place + 1:]:
                if not (later.median > 0 and one.median > 0):
                    continue
                differences.append(abs(math.log(later.median / one.median)))
                if stated:
                    insides.append(one.next_low <= later.median <= one.next_high)
                    self.by_pair.setdefault((number, later_number), []).append(insides[-1])
        width, need, ratio = median(widths) if widths else math.nan, math.nan, math.nan
        if widths and len(measured) >= FEWEST_RUNS and differences:
            # Around the median of one run, so far to both sides that this share of others is inside.
            need = 2 * sorted(differences)[math.ceil(NEEDED_SHARE * len(differences)) - 1]
            ratio = width / need if need > 0 else 1.0 if width == 0 else math.inf
        point = {"block": str(result.block), "label": result.label(), "runs": len(measured), "pairs": len(insides),
                 "inside": sum(insides), "width": width, "need": need, "width_ratio": ratio}
        if state:  # how much runs differ
            point |= {**state, "spread": max(medians) / min(medians) - 1 if len(medians) > 1 and min(medians) > 0 else math.nan}
        self.points.append(point)
        self.variances.append(between_launches(rounds))

    def judged(self):
        """Of the promise, True: kept; False: not; None: too few runs to tell. launch_difference: standard deviation of times
        from launch to launch, as a fraction, at most 1, that rounds do not explain: median over points. NaN where no point
        has 5 runs."""
        contained, ratio, variances = share(self.points), width_ratio(self.points), known(self.variances)
        kept = None if math.isnan(ratio) else True
        return {"contained": contained,
                "lowest_pair": min((sum(insides) / len(insides) for insides in self.by_pair.values()), default=math.nan),
                "width_ratio": ratio, "promise": False if contained < LEAST_CONTAINED or ratio > MOST_WIDTH else kept,
                "launch_difference": math.sqrt(min(1.0, max(0.0, median(variances)))) if variances else math.nan}

    def blocks(self):
        for block in dict.fromkeys(point["block"] for point in self.points):
            own = [point for point in self.points if point["block"] == block]
            yield {"block": block, "points": len(own), "contained": share(own), "width_ratio": width_ratio(own)}


def share(points):
    """Share of points, in all pairs of runs, whose later median lies in the interval. NaN: there are none."""
    pairs = sum(point["pairs"] for point in points)
    return sum(point["inside"] for point in points) / pairs if pairs else math.nan


def width_ratio(points):
    """Width over need, median over points. NaN with fewer than 5 runs."""
    return median(known(point["width_ratio"] for point in points))


def evaluate(files):
    """What JSON has of these runs; they are put in the order of their start."""
    for file in files:
        if not file.rounds:
            raise Error(f"{file.path}: no result over rounds: measure with --rounds 10")
    if len(files) < 2:
        raise Error(f"one run has no later run: give at least 2, and {FEWEST_RUNS} to judge widths")
    runs = sorted(files, key=lambda file: str(file.header.get("started")))
    found, points = {}, _Points()
    for number, file in enumerate(runs):
        for result in file.rounds:
            found.setdefault(result.key, []).append((number, result))
    for measured in found.values():
        points.add(measured[0][1], measured, [result.medians for _, result in measured if result.quantity == "time"])
    if not any(point["pairs"] for point in points.points):
        raise Error("no prediction interval has a later run of the same point: give runs of one script "
                    "with at least 5 rounds")
    confidences = known(result.confidence for file in runs for result in file.rounds)
    return {"runs": len(runs), "confidence": confidences[0] if confidences else math.nan, **points.judged(),
            "promised": {"contained": LEAST_CONTAINED, "width_ratio": MOST_WIDTH},
            "blocks": list(points.blocks()), "points": points.points, **_in_states(runs, found.values())}


def _differing(runs):
    """Names of what may change how long the library takes, in which the runs differ."""
    software = [software_of(run.header) for run in runs]
    return sorted({name for own in software for name in own if any(own[name] != other.get(name) for other in software)})


def cautions(runs):
    if names := _differing(runs):
        yield (f"the runs differ in {', '.join(names)}: an interval promises later runs of one library with one set of "
               "settings")


def _in_states(runs, found):
    """The same of each state of each point, if there are states: of the runs that had enough rounds in it for an interval.
    With fewer, a median is no median of as many later rounds."""
    common = CommonStates(runs, states_to_compare(runs) if _differing(runs) else None)
    if not common.states:
        return {}
    points = _Points()
    for measured in found:
        states, rounds = {}, {}
        for number, result in measured:
            for state, time in zip(common.of_rounds(number, result), result.medians):
                if result.quantity == "time":
                    rounds.setdefault(state, {}).setdefault(number, []).append(time)
            for state, value in common.values(number, result).items():
                states.setdefault(state, []).extend([(number, value)] * (value.count >= FEWEST_ROUNDS))
        for state, values in sorted(states.items()):
            points.add(measured[0][1], values, rounds.get(state, {}).values(), state=state, text=common.text(state))
    spreads = known(point["spread"] for point in points.points)
    return {"states": {**points.judged(), "spread": median(spreads), "largest_spread": max(spreads, default=math.nan),
                       "points": points.points}}
