"""Whether stated intervals keep what they promise: the 95 % prediction interval of one run contains
the median of a later, independent run in at least 90 % of points, and is no wider than twice what
the observed spread needs. The same for each state of the machine by itself, where runs state them.

    measured = evaluate(files)      # ResultFile objects of skampi --rounds, one a run
    print(measured.contained, measured.width_ratio, measured.promise)
    if measured.states:             # of points and states
        print(measured.states.contained, measured.states.promise, measured.states.spread)
"""

import math
from dataclasses import dataclass, field

from ..cli import Error
from ..configuration import software_of
from ..states.common import CommonStates
from ..states.independent import states_to_compare
from ..statistics import FEWEST_ROUNDS, between_launches, known, median

LEAST_CONTAINED = 0.90
MOST_WIDTH = 2.0
NEEDED_SHARE = 0.95
FEWEST_RUNS = 5  # with fewer runs the spread between runs is not known


@dataclass
class PointCoverage:
    block: str
    label: str
    runs: int
    pairs: int = 0            # of a run with an interval and a later one
    inside: int = 0           # of these: the later median is inside
    width: float = math.nan   # of the interval, natural logarithm of its ratio, median over runs
    need: float = math.nan    # what it would have to be
    ratio: float = math.nan   # width / need
    state: int = 0            # its number, the same in all runs; 0: all states
    text: str = ""            # "state 2 (hand-over 164 ns)"
    spread: float = math.nan  # of the runs' medians: largest / smallest - 1
    launches: float = math.nan  # variance of the logarithm of medians that rounds do not explain; may be negative


@dataclass
class Coverage:
    points: list
    runs: int
    confidence: float
    by_pair: dict = field(default_factory=dict)  # (earlier, later): [inside, points]
    cautions: list = field(default_factory=list)
    states: object = None  # Coverage of points and states; None: the runs do not state any

    def select(self, block):
        return [point for point in self.points if block is None or point.block == block]

    def share(self, block=None):
        """Share of points, in all pairs of runs, whose later median lies in the interval. NaN: there are none."""
        points = self.select(block)
        pairs = sum(p.pairs for p in points)
        return sum(p.inside for p in points) / pairs if pairs else math.nan

    def ratio(self, block=None):
        """Width over need, median over points. NaN with fewer than 5 runs."""
        return median(known(p.ratio for p in self.select(block)))

    @property
    def contained(self):
        return self.share()

    @property
    def width_ratio(self):
        return self.ratio()

    @property
    def lowest_pair(self):
        """The lowest share of points that one pair of runs has."""
        return min((inside / points for inside, points in self.by_pair.values()), default=math.nan)

    @property
    def spread(self):
        """Median over points of how much runs differ. NaN: no point has two runs."""
        return median(self.spreads)

    @property
    def largest_spread(self):
        return max(self.spreads, default=math.nan)

    @property
    def spreads(self):
        return known(point.spread for point in self.points)

    @property
    def launch_difference(self):
        """Standard deviation of times from launch to launch, as a fraction, at most 1, that rounds do not explain: median
        over points. NaN where no point has 5 runs."""
        found = known(point.launches for point in self.points)
        return math.sqrt(min(1.0, max(0.0, median(found)))) if found else math.nan

    @property
    def promise(self):
        """True: kept; False: not; None: too few runs to tell."""
        if self.contained < LEAST_CONTAINED or self.width_ratio > MOST_WIDTH:
            return False
        return None if math.isnan(self.width_ratio) else True

    @property
    def blocks(self):
        return list(dict.fromkeys(point.block for point in self.points))


def evaluate(files):
    """Coverage of runs; they are put in the order of their start."""
    with_rounds = [file for file in files if file.rounds]
    for file in files:
        if not file.rounds:
            raise Error(f"{file.path}: no result over rounds: measure with --rounds 10")
    if len(with_rounds) < 2:
        raise Error(f"one run has no later run: give at least 2, and {FEWEST_RUNS} to judge widths")
    runs = sorted(with_rounds, key=lambda file: str(file.header.get("started")))
    found, coverage = {}, Coverage([], len(runs), math.nan)
    for number, file in enumerate(runs):
        for result in file.rounds:
            found.setdefault(result.key, []).append((number, result))
            if math.isnan(coverage.confidence):
                coverage.confidence = result.confidence
    for measured in found.values():
        first = measured[0][1]
        point = _point(PointCoverage(str(first.block), first.label(), len(measured)), measured, coverage.by_pair)
        point.launches = between_launches(result.medians for _, result in measured if result.quantity == "time")
        coverage.points.append(point)
    if not any(point.pairs for point in coverage.points):
        raise Error("no prediction interval has a later run of the same point: give runs of one script "
                    "with at least 5 rounds")
    coverage.cautions = list(_cautions(runs))
    coverage.states = _in_states(runs, found.values(), coverage.confidence)
    return coverage


def _differing(runs):
    """Names of what may change how long the library takes, in which the runs differ."""
    software = [software_of(run.header) for run in runs]
    return sorted({name for own in software for name in own if any(own[name] != other.get(name) for other in software)})


def _cautions(runs):
    if names := _differing(runs):
        yield (f"the runs differ in {', '.join(names)}: an interval promises later runs of one library with one set of "
               "settings")


def _in_states(runs, points, confidence):
    """Coverage of each state of each point: of the runs that had enough rounds in it for an interval. With
    fewer, a median is no median of as many later rounds."""
    alike = not _differing(runs)
    common = CommonStates(runs, None if alike else states_to_compare(runs))
    if not common.states:
        return None
    coverage = Coverage([], len(runs), confidence)
    for measured in points:
        first, found, rounds = measured[0][1], {}, {}
        for number, result in measured:
            for state, time in zip(common.of_rounds(number, result), result.medians):
                if result.quantity == "time":
                    rounds.setdefault(state, {}).setdefault(number, []).append(time)
            for state, value in common.values(number, result).items():
                found.setdefault(state, []).extend([(number, value)] * (value.count >= FEWEST_ROUNDS))
        for state, values in sorted(found.items()):
            point = PointCoverage(str(first.block), first.label(), len(values), state=state,
                                  text=common.text(state))
            coverage.points.append(_point(point, values, coverage.by_pair))
            point.launches = between_launches(rounds.get(state, {}).values())
    return coverage


def _point(point, measured, by_pair):
    """Fills the point in. measured: (number of the run, Result or StateValue) in the order of time."""
    differences, widths = [], []
    for place, (number, result) in enumerate(measured):
        stated = 0 < result.next_low <= result.next_high
        if stated:
            widths.append(math.log(result.next_high / result.next_low))
        for later_number, later in measured[place + 1:]:
            if not (later.median > 0 and result.median > 0):
                continue
            differences.append(abs(math.log(later.median / result.median)))
            if stated:
                inside = result.next_low <= later.median <= result.next_high
                point.pairs += 1
                point.inside += inside
                pair = by_pair.setdefault((number, later_number), [0, 0])
                pair[0] += inside
                pair[1] += 1
    medians = [result.median for _, result in measured]
    if len(medians) > 1 and min(medians) > 0:  # no NaN
        point.spread = max(medians) / min(medians) - 1
    if widths:
        point.width = median(widths)
    if widths and len(measured) >= FEWEST_RUNS and differences:
        # Around the median of one run, so far to both sides that this share of others is inside.
        differences.sort()
        point.need = 2 * differences[math.ceil(NEEDED_SHARE * len(differences)) - 1]
        if point.need > 0:
            point.ratio = point.width / point.need
        else:
            point.ratio = 1.0 if point.width == 0 else math.inf
    return point
