"""Which links, sites, PEs and insides of nodes are slower than the others: suspects in the tournament, and
accusations by their re-tests alone.

Screening. The value of a unit is the trimmed mean over passes of its difference to the usual time; its score is
that less the median of all units of its kind, over the larger of two scales: `between`, 1.4826 MAD of all units,
and `noise`, 1.07 s / sqrt(passes) (the standard error of a trimmed mean), where s is 1.4826 times the median
distance of a unit's passes to their value. It is a suspect if a normal distribution exceeds that with
probability below EXPECTED / units. This may be wrong: it costs a re-test.

Of a link, what its two sites add is taken off first: x(a, b) = s(a) + s(b) + rest, by median polish (Tukey 1977)
where sites have FEWEST_PARTNERS partners or more.

Re-test. Only new passes count, so that the choice of suspects cannot favour an accusation. In each, the unit's
difference is taken to the median of the other units of its kind. "slower": trimmed t (Tukey & McLaughlin 1963:
20 % off each end, winsorized deviation) against the null hypothesis that it is slower by at most `least`, or by
what sound units differ by, sqrt(between^2 - noise^2), times the 99.9 % quantile of Student's t for so many units,
if that is more. "tail": the number of passes
with a time far above the usual against the binomial distribution with twice the rate of all other links, at
least LEAST_RATE. Each test may accuse with probability alpha / (tests x looks) (Bonferroni), so all of a run
together with alpha at most.
"""

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from statistics import NormalDist

from ..statistics import at_least, known, median, student_quantile, student_tail
from .tournament import chance
from .values import KINDS, MAD

EXPECTED = 2.0  # false suspects that each family of tests has at most, on average
FEWEST_UNITS = 4  # with fewer units nobody can say which one is wrong
LOOKS = (10, 20, 40, 80) # passes of the batches of re-tests
FEWEST_PARTNERS = 5  # partners that a site needs before its own share of its links' times is told
POLISHES = 4  # steps of median polish, after which effects hardly change
MANY_SITES = 512        # with more, re-tests compare suspects with this many other sites only
CONTROLS = 256
MOST_TESTS = 60         # suspects that are re-tested, those with the highest scores
ROUNDS_OF_ALL = 3  # random rounds of a pass of re-tests if a node or PE is suspected
ENOUGH_PAIRS = 32  # rounds are added to a pass of re-tests until it has this many pairs
TRIMMED = 0.2  # share of values that a trimmed mean leaves out at each end
NATURAL = 0.999  # this share of sound units differs by less than what is accused
LEAST_RATE = 0.02  # rate of events that nothing is accused of
CLEARED = 0.05  # after all re-tests, a tail with a larger probability counts as chance
SUSPECT, ACCUSED, CLEAR, UNKNOWN = "suspect", "accused", "cleared", "not re-tested"
SLOWER, TAIL = "slower", "tail"
FAMILIES = ("sites", "inside", "links", "pes")


@dataclass
class Test:
    """One suspicion. value: SLOWER: logarithm of its time over the usual one; TAIL: share of its passes."""
    what: str              # of FAMILIES
    unit: object           # site, (site, site), or PE
    kind: str              # latency, bandwidth, or both for TAIL
    test: str
    score: float           # of screening, in standard deviations
    first: float           # value in the tournament
    null: float            # up to which it is sound
    state: str = UNKNOWN
    value: float = math.nan
    p: float = math.nan
    passes: int = 0
    covered: bool = False  # what is accused of its site explains it


@dataclass
class Case:
    """What is known so far. tables: of the tournament, by kind."""
    times: object
    alpha: float = 0.01
    least: float = 0.04
    tables: dict = field(default_factory=dict)
    tests: list = field(default_factory=list)
    left_out: int = 0      # suspects above MOST_TESTS

    @property
    def open(self):
        return [t for t in self.tests if t.state in (SUSPECT, UNKNOWN) and not t.covered]

    @property
    def accused(self):
        return [t for t in self.tests if t.state == ACCUSED and not t.covered]


# ---- Screening ----


def screen(case):
    """Fills case.tables and case.tests from the tournament."""
    for kind in KINDS:
        case.tables[kind] = case.times.table(kind, {0})
    found = [test for kind in KINDS for what in FAMILIES for test in _slow(case, what, kind)]
    found += _tails(case)
    found.sort(key=lambda t: -t.score)
    case.left_out = max(0, len(found) - MOST_TESTS)
    case.tests = found[:MOST_TESTS]


def _slow(case, what, kind):
    units = {unit: known(numbers) for unit, numbers in case.tables[kind].of(what).items()}
    units = {unit: numbers for unit, numbers in units.items() if numbers}
    if len(units) < FEWEST_UNITS or (what == "links" and len(case.times.places.names) < FEWEST_UNITS):
        return
    middles = {unit: trimmed_mean(numbers) for unit, numbers in units.items()}
    if what == "links":
        added = site_effects(middles)
        middles = {(a, b): x - added[a] - added[b] for (a, b), x in middles.items()}
    centre = median(middles.values())
    between = MAD * median([abs(x - centre) for x in middles.values()])
    within = MAD * median([abs(x - middles[unit]) for unit, numbers in units.items()
                           for x in numbers if len(numbers) > 2])
    passes = median([len(numbers) for numbers in units.values()])
    noise = 1.07 * within / math.sqrt(passes) if within == within else 0.0
    null = max(math.log1p(case.least), student_quantile(NATURAL, len(units) - 1)
               * math.sqrt(max(0.0, between ** 2 - noise ** 2)))
    limit = -NormalDist().inv_cdf(min(0.4, EXPECTED / len(units)))
    for unit, middle in middles.items():
        score = (middle - centre) / max(between, noise, 1e-9)
        if score > limit and middle - centre > null / 2:
            yield Test(what, unit, kind, SLOWER, score, middle - centre, null)


def site_effects(middles):
    """{site: what it adds to its links}, of links' values, by median polish; 0 with few partners."""
    partners, effects = {}, {}
    for (a, b), x in middles.items():
        partners.setdefault(a, []).append((b, x))
        partners.setdefault(b, []).append((a, x))
        effects[a] = effects[b] = 0.0
    centre = median(middles.values())
    for _ in range(POLISHES):
        # Half of each step: all sites move at the same time.
        effects = {site: effects[site] + 0.5 * (median([x - effects[other] for other, x in met]) - centre
                                                - effects[site]) if len(met) >= FEWEST_PARTNERS else 0.0
                   for site, met in partners.items()}
    return effects


class Events:
    """Counts for each link, over all kinds, the passes that had an event, and all passes."""

    def __init__(self, tables):
        self.of, self.trials = (sum((getattr(table, name) for table in tables), Counter())
                                for name in ("link_events", "link_trials"))
        self.all, self.all_trials = sum(self.of.values()), sum(self.trials.values())
        self.by_site = {}
        for (a, b), count in self.trials.items():
            for site in (a, b):
                self.by_site.setdefault(site, []).append((self.of[a, b], count))

    def _rate(self, events, trials):
        """Share of the other trials that had an event, by Laplace's rule of succession, so that it is never 0."""
        return (self.all - events + 1) / (self.all_trials - trials + 2)

    def link(self, link):
        """(events, passes, rate of the other links)"""
        events, trials = self.of[link], self.trials[link]
        return events, trials, self._rate(events, trials)

    def site(self, site):
        """As link(), of all links of a site except its worst: one bad link does not make a bad site."""
        links = sorted(self.by_site.get(site, []))
        events, trials = (sum(column) for column in zip(*links[:-1])) if len(links) > 1 else (0, 0)
        return events, trials, self._rate(*(sum(column) for column in zip(*links))) if links else 1.0

    def of_unit(self, what, unit):
        return self.link(unit) if what == "links" else self.site(unit)


def _tails(case):
    events = Events(case.tables.values())
    if len(case.times.places.names) < FEWEST_UNITS:
        return
    families = {"links": list(events.of), "sites": {site for link in events.of for site in link}}
    counts = {"links": len(events.trials), "sites": len(events.by_site)}
    for what, units in families.items():
        for unit in units:
            count, trials, rate = events.of_unit(what, unit)
            if count < 1:
                continue
            p = max(at_least(count, trials, rate), 1e-300)
            if p < EXPECTED / counts[what]:
                yield Test(what, unit, "both", TAIL, min(38.0, -NormalDist().inv_cdf(p)), count / trials,
                           max(2 * rate, LEAST_RATE))


# ---- Re-tests ----


def sites_of(test, places):
    """Sites that a test is about."""
    if test.what == "links":
        return set(test.unit)
    return {places.site[test.unit]} if test.what == "pes" else {test.unit}


def retest_rounds(case, game, batch, turn):
    """(seed, rounds) of one pass of re-tests: with each suspect, and with others beside it than before."""
    source, seed = chance("re-test", batch, turn), 1000 * batch + turn
    group_of = {site: members[0] // game.group for site, members in enumerate(case.times.places.members)}
    wanted = set()
    for test in case.open:
        if test.what == "links":
            a, b = (group_of[site] for site in test.unit)
            wanted.add(source.choice(game.rounds_between(a, b, seed)) if a != b else
                       source.randint(1, max(1, game.inside)))
        elif test.what == "inside":
            wanted.add(source.randint(1, max(1, game.inside)))
    if any(test.what in ("sites", "pes") for test in case.open) and game.rounds > game.inside:
        # Any round has each of them.
        wanted.update(source.randint(game.inside + 1, game.rounds) for _ in range(ROUNDS_OF_ALL))
    pairs = sum(game.pairs(round_) for round_ in wanted)
    others = game.sample(min(game.rounds, ENOUGH_PAIRS), source)
    if any(test.what != "inside" for test in case.open):
        others = [round_ for round_ in others if round_ > game.inside] or others
    for round_ in others:
        if pairs >= ENOUGH_PAIRS:
            break
        if round_ not in wanted:
            wanted.add(round_)
            pairs += game.pairs(round_)
    rounds = sorted(wanted)
    source.shuffle(rounds)
    return seed, rounds


def median_without(ordered, value):
    """The median of sorted values after one of them is removed."""
    place, count = bisect_left(ordered, value), len(ordered) - 1
    at = [i + (i >= place) for i in ((count - 1) // 2, count // 2)]
    return (ordered[at[0]] + ordered[at[1]]) / 2


def trimmed(values):
    """(inner values, how many are cut off at each end)"""
    cut = int(TRIMMED * len(values))
    return sorted(values)[cut:len(values) - cut], cut


def trimmed_mean(values):
    inner, _ = trimmed(values)
    return sum(inner) / len(inner)


def trimmed_t(values, null):
    """(trimmed mean, one-sided probability of a larger one if the true one is `null`)."""
    inner, cut = trimmed(values)
    n, h = len(values), len(inner)
    if h < 3:
        return math.nan, 1.0
    mean = sum(inner) / h
    wins = [inner[0]] * cut + inner + [inner[-1]] * cut
    centre = sum(wins) / n
    squares = sum((x - centre) ** 2 for x in wins)
    error = math.sqrt(squares / (h * (h - 1)))
    if error == 0:
        return mean, 0.0 if mean > null else 1.0
    return mean, student_tail((mean - null) / error, h - 1)


def judge(case, upto):
    """Decides what is open by the re-tests of all batches up to that number."""
    stages = {s.stage for s in case.times.samples if 0 < s.stage <= upto}
    places = case.times.places
    only = {site for test in case.tests for site in sites_of(test, places)}
    if len(places.names) > MANY_SITES:
        only.update(chance("controls").sample(range(len(places.names)), CONTROLS))
    else:
        only = None
    tables = {kind: case.times.table(kind, stages, only) for kind in KINDS}
    events = Events(tables.values())
    share = case.alpha / (max(1, len(case.tests)) * len(LOOKS))
    last = len(stages) >= len(LOOKS)
    added = {kind: site_effects({link: trimmed_mean(own) for link, numbers in tables[kind].links.items()
                                 if (own := known(numbers))})
             for kind in {test.kind for test in case.tests if test.what == "links"} if kind in tables}
    for test in case.tests:
        if test.state in (ACCUSED, CLEAR):
            continue
        if test.test == TAIL:
            _judge_tail(test, events, share, last)
        else:
            _judge_slower(test, tables[test.kind], added.get(test.kind, {}), share, last)
    _cover(case)


def _judge_slower(test, table, added, share, last):
    units = table.of(test.what)
    own = units.get(test.unit)
    if not own:
        return
    values = []
    offset = sum(added.get(site, 0.0) for site in test.unit) if test.what == "links" else 0.0
    for value, column in zip(own, table.columns(test.what)):
        if value == value and len(column) >= FEWEST_UNITS:
            values.append(value - offset - median_without(column, value))
    null = test.null
    test.passes = len(values)
    test.value, test.p = trimmed_t(values, null)
    if test.p < share:
        test.state = ACCUSED
    elif test.value < null / 2 or (last and test.value < null):
        test.state = CLEAR
    elif test.passes:
        test.state = SUSPECT


def _judge_tail(test, events, share, last):
    count, trials, rate = events.of_unit(test.what, test.unit)
    if not trials:
        return
    test.passes, test.value = trials, count / trials
    null = max(2 * rate, LEAST_RATE)
    test.p = at_least(count, trials, null) if count else 1.0
    if test.p < share:
        test.state = ACCUSED
    else:
        innocent = test.value <= null or (last and test.p > CLEARED)
        test.state = CLEAR if innocent else SUSPECT


def _cover(case):
    """A bad site explains what its links and PEs do; one bad PE among several explains its site's links; one
    accusation of a unit is enough."""
    places = case.times.places
    known = {(test.what, test.unit) for test in case.tests if test.state == ACCUSED}
    for test in case.tests:
        if test.state != ACCUSED and (test.what, test.unit) in known:
            test.covered = True
    bad = {test.unit for test in case.tests if test.what == "sites" and test.state == ACCUSED}
    for test in case.tests:
        if test.what in ("links", "pes") and sites_of(test, places) & bad:
            test.covered = True
    bad_pes = {places.site[test.unit] for test in case.tests if test.what == "pes" and test.state == ACCUSED}
    for test in case.tests:
        if test.what == "links" and sites_of(test, places) & bad_pes:
            test.covered = True
