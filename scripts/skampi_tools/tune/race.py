"""Which candidates of a choice are still worth a launch, and what is chosen at each point.

    race = Race(choice, settings)            # the options tolerance, alpha and launch_spread of skampi tune
    while race.racing:                       # candidates that need further launches
        race.judge({candidate: files})       # ResultFiles of all their launches so far
    race.verdicts()                          # {point: Verdict}

At each point the fastest candidate so far is compared with the others by the interval of the ratio of their times. One
that is slower is out at this point, and so is one that is no better: the interval says that it gains at most the tolerance.
The default is out only if it is slower, or the same: the whole interval is within the tolerance. A point is decided if
nobody else is left. Slower is said with the chance of a false alarm that all comparisons of a look share
(Bonferroni), the others with the confidence of a single one, as skampi compare does. That looks are repeated is not
corrected: the proof in fresh launches does not know them.
"""

import math
from dataclasses import dataclass

from ..statistics import median, student_quantile
from .choices import Candidate

CONFIDENCE = 0.95  # confidence with which two candidates are called equal
PRIOR_DEGREES = 4  # the assumed spread counts as much as this many launches
SLOW, FAST, SAME, NO_BETTER = "slower", "faster", "the same", "no better"
DECIDED, AS_GOOD, OPEN = "faster than the default", "the default is as good", "cannot tell"


@dataclass
class Verdict:
    chosen: Candidate
    state: str            # DECIDED, AS_GOOD, OPEN
    best: Candidate       # the fastest as far as launches went
    gain: float           # of the best one: 0.2 takes 20 % less time than the default


class Race:
    def __init__(self, choice, settings):
        self.choice, self.settings = choice, settings
        self.default = choice.default
        self.racing = [self.default, *choice.candidates]
        self.defects = {}     # {candidate: why it is out altogether}
        self.times = {}       # {point: {candidate: median over launches}}
        self.launches = {}    # {point: {candidate: logarithm of each}}
        self.points = {}      # {point: a Result of it}
        self.out = {}         # {point: {candidate: SLOW or SAME}}
        self.judged = False

    def give_up(self, candidate, why):
        self.defects[candidate] = why
        self.racing = [other for other in self.racing if other != candidate]
        if self.racing == [self.default]:
            self.racing = []

    def judge(self, files):
        """Looks at the points that the default has. files: of each candidate that has any."""
        self.judged, values = True, {}
        for candidate, own in files.items():
            for file in own:
                for key, result in file.by_key().items():
                    if self.choice.concerns(str(result.function)) and (result.quantity or "time") == "time" and result.best() > 0:
                        values.setdefault(key, {}).setdefault(candidate, []).append(result.best())
                        if candidate == self.default:
                            self.points.setdefault(key, result)
        values = {key: own for key, own in values.items() if key in self.points}
        self.times = {key: {candidate: median(times) for candidate, times in own.items()} for key, own in values.items()}
        self.launches = {key: {candidate: [math.log(time) for time in times] for candidate, times in own.items()}
                         for key, own in values.items()}
        self._look()

    def contenders(self, key):
        gone = self.out.get(key, {})
        if gone.get(self.default) == SAME:
            return [self.default]
        return [candidate for candidate in self.times[key] if candidate not in gone and candidate not in self.defects]

    def leader(self, key):
        own = self.contenders(key)
        return min(own, key=self.times[key].get)


    def _look(self):
        pairs = [(key, leader, rival) for key in self.times for leader in [self.leader(key)]
                 for rival in self.contenders(key) if rival != leader]
        for key, leader, rival in pairs:
            found = self._compared(key, leader, rival, len(pairs))
            if found in (SLOW, SAME) or found == NO_BETTER and rival.number:
                self.out.setdefault(key, {})[rival] = found
        still = {candidate for key in self.times if len(own := self.contenders(key)) > 1 for candidate in own}
        self.racing = [candidate for candidate in self.racing if candidate in still or still and candidate == self.default]

    def _compared(self, key, old, new, comparisons):
        """SLOW, FAST, SAME, NO_BETTER or "": new against old. The variance from launch to launch is that of all candidates of the
        point, moderated by the assumed spread (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004)."""
        own = self.launches[key]
        squares = sum((x - math.fsum(logs) / len(logs)) ** 2 for logs in own.values() for x in logs)
        degrees = PRIOR_DEGREES + sum(len(logs) - 1 for logs in own.values())
        variance = (PRIOR_DEGREES * self.settings.launch_spread ** 2 + squares) / degrees
        a, b = own[old], own[new]
        error = math.sqrt(variance * (1 / len(a) + 1 / len(b)))
        change = math.fsum(b) / len(b) - math.fsum(a) / len(a)
        sure = error * student_quantile(1 - self.settings.alpha / comparisons / 2, degrees)
        if abs(change) > sure:
            return SLOW if change > 0 else FAST
        half, limit = error * student_quantile((1 + CONFIDENCE) / 2, degrees), math.log1p(self.settings.tolerance)
        return SAME if abs(change) + half <= limit else NO_BETTER if change - half >= -limit else ""


    def _gain(self, key, candidate):
        own = self.times[key]
        return 1 - own[candidate] / own[self.default]

    def verdicts(self):
        found = {}
        for key in self.times:
            best, gone = self.leader(key), self.out.get(key, {})
            if gone.get(self.default) == SLOW and best != self.default:
                chosen, state = best, DECIDED
            else:
                chosen, state = self.default, AS_GOOD if len(self.contenders(key)) == 1 else OPEN
            found[key] = Verdict(chosen, state, best, self._gain(key, best))
        return found


class WholeRace(Race):
    """Of a choice that is made once for all points: each candidate is compared with the default, and is out if it is
    slower at any point that counts."""

    def __init__(self, choice, settings, weights):
        super().__init__(choice, settings)
        self.weights = weights
        self.faster, self.open = {}, {}    # {candidate: points}
        self.worse = set()                 # candidates

    def _look(self):
        self.weights.learn(self.points.values())
        measured = set().union(*self.times.values())
        rivals = [candidate for candidate in self.racing if candidate in measured and candidate != self.default]
        keys = [key for key in self.times if self.weights.of(self.points[key]) > 0]
        for rival in rivals:
            found = {key: self._compared(key, self.default, rival, len(rivals) * len(keys)) for key in keys
                     if rival in self.times[key]}
            self.faster[rival] = {key for key, said in found.items() if said == FAST}
            self.open[rival] = {key for key, said in found.items() if not said or said == NO_BETTER and self.faster[rival]}
            if SLOW in found.values():
                self.worse.add(rival)
        left = [rival for rival in rivals if rival not in self.worse and self.open[rival]]
        self.racing = [self.default, *left] if left else []

    def best(self):
        """The candidate with the largest weighted gain among those that are faster somewhere, and nowhere slower, not even
        by what cannot be told."""
        limit = -self.settings.tolerance
        able = [candidate for candidate in self.faster if self.faster[candidate] and candidate not in self.worse
                and candidate not in self.defects
                and all(self._gain(key, candidate) >= limit for key in self.open[candidate] if candidate in self.times[key])]
        return max(able, key=self.total_gain, default=self.default)

    def total_gain(self, candidate):
        """The mean logarithm of default over candidate, by weights."""
        known = [(self.weights.of(self.points[key]), own) for key, own in self.times.items() if candidate in own]
        total = sum(weight for weight, _ in known)
        return sum(weight * math.log(own[self.default] / own[candidate]) for weight, own in known) / total if total else 0.0

    def verdicts(self):
        best = self.best()
        found = {}
        for key, own in self.times.items():
            known = best in own
            state = AS_GOOD if best == self.default else DECIDED if key in self.faster.get(best, ()) else OPEN
            found[key] = Verdict(best, state, best, self._gain(key, best) if known else 0.0)
        if best == self.default and any(self.open.get(candidate) for candidate in self.open if candidate not in self.worse):
            for verdict in found.values():
                verdict.state = OPEN
        return found
