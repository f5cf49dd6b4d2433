"""Times of a tournament, as differences to what all pairs of a round take, and what they say of links, sites,
PEs and the inside of nodes.

    times = Times()
    times.read("tournament.json")
    table = times.table(BANDWIDTH, stage=0)
    table.links[(2, 5)]             # a number for each pass: natural logarithm of its time over the usual one

A site is a node; where there is only one node, each PE is a site.
"""

import math
import re
from array import array
from collections import Counter
from dataclasses import dataclass

from ..cli import Error
from ..results import NOT_COMPLETE, records_of
from ..statistics import known, median, quantile
from .tournament import Tournament

LATENCY, BANDWIDTH = KINDS = "latency", "bandwidth"
NAN = math.nan
MAD = 1.4826  # standard deviation of a normal distribution over its median absolute deviation
FEW_SITES = 8  # with fewer sites, one bad site is part of many pairs
MANY = 64  # values of a round: among so many, one pair hardly moves the median
LOW_QUANTILE = 0.3  # with fewer values, sound pairs are taken to need this quantile of them
FEWEST_PAIRS = 3  # pairs that a round needs for a level of its own: two besides the pair itself
TAIL_SIGMAS = 6.0  # a time is an event if it is this many deviations, and TAIL_FACTOR times, above the usual one
TAIL_FACTOR = 1.5
MOST_FOR_SPREAD = 50000  # values from which a spread is computed; more take long and change little
PATTERN = re.compile(r"round:(\d+)(?::(\d+)(?::(\d+))?)?")
RE_TEST = re.compile(r"re-test (\d+), pass (\d+)")
PASS = re.compile(r"pass (\d+)")
PLACE = re.compile(r"#P\[\d+\] # rank +(\d+): (.*)")


@dataclass
class Sample:
    """One measurement of a round: seconds per operation of each PE on its partner, NaN where there is none."""
    stage: int     # 0: the tournament; n: batch n of re-tests
    turn: int      # pass, from 1
    kind: str
    partners: array
    values: array  # natural logarithms; later less what all pairs of their class take


class Places:
    """Which PE is on which site."""

    def __init__(self, hosts):
        names = list(dict.fromkeys(hosts))
        self.nodes = len(names)
        self.hosts = hosts
        self.of_nodes = len(names) > 1
        if not self.of_nodes:
            names = [f"PE {pe}" for pe in range(len(hosts))]
        number = {name: i for i, name in enumerate(names)}
        self.names = names
        self.site = [number[host] for host in hosts] if self.of_nodes else list(range(len(hosts)))
        self.members = [[] for _ in names]
        for pe, site in enumerate(self.site):
            self.members[site].append(pe)

    @property
    def several(self):
        """Whether sites have several PEs."""
        return len(self.site) > len(self.names)

    def in_order(self, group):
        """Whether groups of PEs are nodes."""
        return all(self.site[pe] == self.site[pe - pe % group] for pe in range(len(self.site)))

    def node_of(self, site):
        return self.names[site] if self.of_nodes else self.hosts[site]


def _low(values):
    """What sound pairs take of these."""
    return quantile(values, LOW_QUANTILE)


def _levels(sample, members, middle=median):
    """The usual value as each member sees it: the middle of all members but itself and its partner. In a large group it is
    that of all, since one pair hardly moves that."""
    logs = sample.values
    if len(members) > MANY:
        return [middle([logs[pe] for pe in members])] * len(members)
    return [middle([logs[other] for other in members if other not in (pe, sample.partners[pe])] or [logs[pe]])
            for pe in members]


def _spread_of_pairs(entries, levels):
    """The median distance of a pair's passes to their median; infinite: there are too few passes."""
    pairs = {}
    for (sample, members), own in zip(entries, levels):
        for pe, level in zip(members, own):
            pairs.setdefault((pe, sample.partners[pe]), []).append(sample.values[pe] - level)
    distances = []
    for values in pairs.values():
        if len(values) > 2:
            middle = median(values)
            distances += [abs(x - middle) for x in values]
    return median(distances) if distances else math.inf


class Table:
    """Numbers of one kind in one stage, by unit: one for each pass, NaN where there is none. tails: links with events,
    each with the number of passes that had one; trials: number of passes of each link."""

    def __init__(self, turns):
        self.turns = turns
        self.links, self.sites, self.pes, self.inside = {}, {}, {}, {}
        self.link_events, self.link_trials = Counter(), Counter()
        self._columns = {}

    def of(self, what):
        return getattr(self, what)

    def columns(self, what):
        """The values of each pass, sorted."""
        if what not in self._columns:
            self._columns[what] = [sorted(known(column)) for column in zip(*self.of(what).values())]
        return self._columns[what]


class Times:
    def __init__(self):
        self.samples, self.places, self.header = [], None, {}
        self.group = 1
        self.doubts = []
        self.levels = {}     # (stage, turn, kind, class): median logarithm
        self.missing = 0
        self.seconds = 0.0   # that measuring took
        self.bytes = {}      # by kind
        self._partners = {}
        self._centred = 0    # samples that are differences already
        self._thresholds = {}

    # ---- Reading ----

    def read(self, path, stage=None):
        """Adds a result file. stage: of its re-tests; None: as its blocks say."""
        hosts, seen, before, whole = {}, {}, len(self.samples), False
        for record in records_of(path):
            kind = record["record"]
            if kind == "header":
                self.header = self.header or record
                pes = record.get("pes")
                if pes is None:  # as of CSV, which does not know their nodes either
                    raise Error(f"{path}: it does not say how many PEs there were: give the .json that was measured")
            elif kind == "print" and (match := PLACE.match(record["text"])):
                hosts[int(match[1])] = match[2].strip()
            elif kind == "missing":
                self.missing += record.get("points", 1)
            elif kind == "result":
                self._result(path, record, pes, seen, stage)
            elif kind == "end":
                whole = record.get("status") == 0
                self.seconds += record.get("duration") or 0
        if len(self.samples) == before:
            raise Error(f"{path}: no round of a tournament: measure with skampi accept, or with the pattern "
                        "\"round:K\" (docs/patterns/pairs.md)")
        self._name_sizes(path, before)
        if not whole:
            self.doubts.append(f"{path}: {NOT_COMPLETE}")
        self.set_places([hosts.get(pe, "?") for pe in range(pes)], path)

    def _name_sizes(self, path, first):
        """Latency is what the smaller of two sizes takes, bandwidth the larger one. Samples from `first` on have sizes
        instead of kinds."""
        sizes = sorted({*self.bytes.values(), *(sample.kind for sample in self.samples[first:])})
        if len(sizes) != len(KINDS):
            raise Error(f"{path}: rounds of {', '.join(f'{size:.0f}' for size in sizes)} bytes: a tournament has two sizes, "
                        "a small one for latency and a large one for bandwidth, the same in all files")
        self.bytes = dict(zip(KINDS, sizes))
        kinds = dict(zip(sizes, KINDS))
        for sample in self.samples[first:]:
            sample.kind = kinds[sample.kind]

    def set_places(self, hosts, path="what was measured"):
        if self.places and self.places.hosts != hosts:
            raise Error(f"{path}: its PEs are on other nodes than those of the files before it")
        self.places = self.places or Places(hosts)

    def _result(self, path, record, pes, seen, stage):
        pattern = str((record.get("arguments") or {}).get("pattern", {}).get("value"))
        match = PATTERN.fullmatch(pattern)
        per_pe = record.get("per_pe") or []
        if not match:
            return
        if len(per_pe) != pes or pes < 2:
            raise Error(f"{path}: {pattern}: the values of single PEs are missing: set_max_nr_node_times(0) "
                        "leaves them out; the set must have all PEs")
        size, block = record.get("bytes") or 0, str(record.get("block"))
        again = RE_TEST.search(block)
        number = seen[size, pattern] = seen.get((size, pattern), 0) + 1
        turn = int(again[2]) if again else int(found[1]) if (found := PASS.search(block)) else number
        where = stage if stage is not None else int(again[1]) if again else 0
        self.add(where, turn, size, *(int(x or default) for x, default in zip(match.groups(), (1, 0, 1))),
                 per_pe)

    def add(self, stage, turn, kind, round_, seed, group, per_pe):
        """Seconds of each PE in a round. None, NaN and what is not above 0 is no time."""
        pes = len(per_pe)
        key = round_, seed, group
        if key not in self._partners:
            game = Tournament(pes, group) if 0 < group <= pes and pes % group == 0 else None
            if not game or not 1 <= round_ <= game.rounds:
                raise Error(f"there is no round {round_} of {pes} PEs in groups of {group}")
            self._partners[key] = array("i", game.partners(round_, seed))
        self.group = max(self.group, group)
        partners = self._partners[key]
        logs = array("d", (math.log(x) if x is not None and x > 0 and met >= 0 else NAN
                           for x, met in zip(per_pe, partners)))
        self.missing += sum(met >= 0 and x != x for met, x in zip(partners, logs))
        self.samples.append(Sample(stage, turn, kind, partners, logs))

    # ---- What all pairs of a round have in common ----

    def centre(self):
        """Takes from each value the median of the other pairs of its class in its round; where there are few
        pairs, what sound pairs take in its round or pass."""
        fresh, site = self.samples[self._centred:], self.places.site
        few = len(self.places.names) < FEW_SITES
        pooled, classes = {}, {}
        for sample in fresh:
            for same, members in self._classes(sample, site):
                classes.setdefault((sample.kind, same), []).append((sample, members))
                pooled.setdefault((sample.stage, sample.turn, sample.kind, same), []).append(
                    [sample.values[pe] for pe in members])
        for key, lists in pooled.items():
            self.levels[key] = median([median(values) for values in lists if values])
        for (_, same), entries in classes.items():
            if few:
                levels = self._levels_of_few(entries, {
                    key[:3]: _low([x for values in lists for x in values])
                    for key, lists in pooled.items() if key[3] == same})
            else:
                levels = [_levels(sample, members) for sample, members in entries]
            for (sample, members), own in zip(entries, levels):
                for pe, level in zip(members, own):
                    sample.values[pe] -= level
        self._centred = len(self.samples)
        self._spreads(fresh)

    @staticmethod
    def _levels_of_few(entries, of_pass):
        """For each sample of a kind and class, the level of each member: the low quantile of its pass (of_pass), or that of
        the other pairs of its round, whichever makes the passes of a pair differ less. The former has less noise of its own;
        the latter removes what disturbs all pairs for a moment."""
        by_pass = [[of_pass[sample.stage, sample.turn, sample.kind]] * len(members) for sample, members in entries]
        if min(len(members) for _, members in entries) < 2 * FEWEST_PAIRS:
            return by_pass
        by_round = [_levels(sample, members, _low) for sample, members in entries]
        return min((by_pass, by_round), key=lambda levels: _spread_of_pairs(entries, levels))

    @staticmethod
    def _classes(sample, site):
        """(whether on the same site, PEs with a value)"""
        split = {False: [], True: []}
        for pe, met in enumerate(sample.partners):
            if met >= 0 and sample.values[pe] == sample.values[pe]:
                split[site[pe] == site[met]].append(pe)
        return [(same, members) for same, members in split.items() if members]

    def _spreads(self, fresh):
        """Finds, for each kind, the difference from which on a time of the tournament counts as an event."""
        for kind in KINDS:
            if kind in self._thresholds:
                continue
            values = known(x for sample in fresh if sample.kind == kind and sample.stage == 0 for x in sample.values)
            values = values[::len(values) // MOST_FOR_SPREAD + 1]
            if values:
                middle = median(values)
                spread = MAD * median([abs(x - middle) for x in values])
                self._thresholds[kind] = max(math.log(TAIL_FACTOR), TAIL_SIGMAS * spread)

    # ---- By unit ----

    def turns(self, kind, stages):
        return sorted({(s.stage, s.turn) for s in self.samples if s.kind == kind and s.stage in stages})

    def table(self, kind, stages, only=None):
        """Table of the stages, in the order of passes. only: sites whose links are wanted; None: all."""
        turns = self.turns(kind, stages)
        table, place, events = Table(turns), {turn: i for i, turn in enumerate(turns)}, {}
        cells = {"links": {}, "inside": {}, "pes": {}}
        for sample in self.samples:
            if sample.kind == kind and sample.stage in stages:
                self._cells(sample, place[sample.stage, sample.turn], cells, events, only)
        count = len(turns)
        for what, found in cells.items():
            table.of(what).update((unit, _by_pass(entries, count)) for unit, entries in found.items())
            found.clear()
        partners = {}
        for (a, b), numbers in table.links.items():
            table.link_trials[a, b] = sum(x == x for x in numbers)
            for site in (a, b):
                if only is None or site in only:
                    partners.setdefault(site, []).append(numbers)
        for site, lists in partners.items():
            table.sites[site] = [median(known(column)) for column in zip(*lists)]
        table.link_events.update(link for link, _ in events)
        return table

    def _cells(self, sample, turn, cells, events, only):
        site, several, values = self.places.site, self.places.several, sample.values
        threshold = self._thresholds.get(sample.kind, math.inf)
        for pe, met in enumerate(sample.partners):
            if met <= pe:
                continue
            here, there = values[pe], values[met]
            both = (here + there) / 2 if here == here and there == there else here if here == here else there
            if both != both:
                continue
            a, b = sorted((site[pe], site[met]))
            if only is not None and a not in only and b not in only:
                continue
            if a == b:
                cells["inside"].setdefault(a, []).append((turn, both))
                continue
            cells["links"].setdefault((a, b), []).append((turn, both))
            if several:
                cells["pes"].setdefault(pe, []).append((turn, both))
                cells["pes"].setdefault(met, []).append((turn, both))
            if here > threshold or there > threshold:
                events[(a, b), turn] = True


def _by_pass(entries, count):
    """entries: (pass, value) in any order."""
    lists = [[] for _ in range(count)]
    for turn, value in entries:
        lists[turn].append(value)
    return [own[0] if len(own) == 1 else median(own) for own in lists]
