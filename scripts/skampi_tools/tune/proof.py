"""What is chosen, and its proof: a fresh campaign of the default and the tuned settings, on all points. Where a point is
slower by more than the tolerance, its choice goes back to the default, and what is left is proven again."""

import os
import shlex
import subprocess
from dataclasses import dataclass

from .. import launching, users_json
from ..campaign.definition import define as define_campaign
from ..campaign.directory import read_campaign
from ..campaign.keeping import PREFIXES, open_directory
from ..campaign.run import Campaign
from ..cli import Error, replace_text
from ..compare.comparison import compare_files
from ..compare.rows import FASTER
from ..guidelines import checking, rules as guideline_rules
from . import mpich, openmpi, rules
from .race import DECIDED, OPEN

GUIDELINES = os.path.join(launching.SCRIPTS, "guidelines.json")
ENDING_SECONDS = 60  # seconds that a program which does nothing may take


class Proposal:
    """What the races chose, put together. back: points that keep the default whatever was chosen."""

    def __init__(self, races, weights, tolerance):
        self.races, self.weights, self.tolerance = races, weights, tolerance
        for race in races:
            weights.learn(race.points.values())
        self.back, self.dropped = set(), set()   # points; names of choices made once
        self.renew()

    def renew(self):
        self.tables, self.whole, self.ranges = {}, {}, {}
        for race in self.races:
            if not race.choice.rules:
                best = race.best()
                if best.number and race.choice.name not in self.dropped:
                    self.whole[race.choice.name] = best
                continue
            sizes = {}
            for key, verdict in race.verdicts().items():
                result = race.points[key]
                place = sizes.setdefault(result.pes, {}).setdefault(rules.message_size(race.choice, result), [])
                place.append((key, verdict))
            own = self.ranges[race.choice.name] = {
                pes: rules.ranges(list(self._sizes(race, sorted(by_size.items()))), self.tolerance)
                for pes, by_size in sizes.items()}
            if table := rules.table(race.choice, own, {pes: max(by_size) for pes, by_size in sizes.items()}):
                self.tables[race.choice.rules] = table

    def _sizes(self, race, by_size):
        """rules.Sizes. What is open keeps the default, unless the next sizes that are not open, on both sides, have both
        something better: then their choices may go through."""
        states = [{verdict.state for _, verdict in own} for _, own in by_size]
        for place, (size, own) in enumerate(by_size):
            left = next((state for state in states[place::-1] if OPEN not in state), set())
            right = next((state for state in states[place:] if OPEN not in state), set())
            fixed = OPEN in states[place] and not (DECIDED in left and DECIDED in right)
            points = []
            for key, verdict in own:
                keep = fixed or key in self.back
                times = {race.default: race.times[key][race.default]} if keep else race.times[key]
                points.append((times, race.default if keep else verdict.chosen))
            yield rules.Size(size, rules.losses_of(points), sum(self.weights.of(race.points[key]) for key, _ in own))

    @property
    def empty(self):
        return not self.tables and not self.whole

    @property
    def library(self):
        """Which the rules are for."""
        return next((race.choice.library for race in self.races if race.choice.rules), openmpi)

    def environment(self, stem):
        """What makes the library use all this. stem: path of the files with the rules, without endings."""
        found = self.library.environment(os.path.abspath(stem)) if self.tables else {}
        for candidate in self.whole.values():
            found |= candidate.environment()
        return found

    def files(self, stem):
        """{path: text}"""
        return self.library.files(self.tables, os.path.abspath(stem)) if self.tables else {}

    def launch_line(self, environment):
        """How a program is started with what is chosen."""
        return self.library.launch_line(environment) + "".join(f" --set {shlex.quote(item)}" for item in self.sets())

    def sets(self):
        return [item for candidate in self.whole.values() for item in candidate.set()]

    def at(self, race, key):
        """The candidate that is in force at a point after neighbouring sizes have got one."""
        if not race.choice.rules:
            return self.whole.get(race.choice.name, race.default)
        result = race.points[key]
        size = rules.message_size(race.choice, result)
        return [candidate for first, candidate in self.ranges[race.choice.name][result.pes] if first <= size][-1]

    def go_back(self, proof):
        """Where a row is slower the choice of its size goes back to the default. Where none was made, what was chosen
        elsewhere must be the cause: choices that are made once go back, and if there are none, all others. So do ranges
        and choices that are faster nowhere in the proof."""
        for row in proof.worse:
            ruled = [race for race in self.races if race.choice.rules and row.key in race.points and self.at(race, row.key).number]
            if ruled:
                self.back.add(row.key)
            elif self.whole:
                self.dropped |= set(self.whole)
            else:
                self.back |= {key for race in self.races for key in race.points}
        for race, keys in self.unconfirmed(proof):
            if race.choice.rules:
                self.back |= keys
            else:
                self.dropped.add(race.choice.name)
        self.renew()

    def unconfirmed(self, proof):
        """[(race, points)] of ranges and choices of which the proof finds no point faster."""
        faster, groups = {row.key for row in proof.comparison.rows if row.verdict == FASTER}, {}
        for race in self.races:
            for key, result in race.points.items():
                candidate = self.at(race, key)
                if candidate.number:
                    of = (race.choice.name, result.pes, candidate) if race.choice.rules else race.choice.name
                    groups.setdefault(of, (race, set()))[1].add(key)
        return [(race, keys) for race, keys in groups.values() if not keys & faster]


@dataclass
class Proof:
    directory: str
    comparison: object
    violations: dict     # {configuration: how many guidelines are violated}
    not_in_force: list   # sentences

    @property
    def worse(self):
        """Rows of points that are slower by more than the tolerance."""
        return self.comparison.over_margin


def define(members, launches, environment, sets):
    given = {**members, "launches": launches, "arguments": [*members.get("arguments", []), "--explain"],
             "configurations": [{"name": "default"}, {"name": "tuned", "environment": environment, "set": sets}]}
    return define_campaign(users_json.of(given, "options"))


def _ends_without(name, definition, directory):
    """Whether the library ends a program because the file that this variable names is not there."""
    own, script = definition["configurations"][1], f"{directory}.ski"
    replace_text(script, 'begin measurement "nothing"\nend measurement\n')
    words = launching.words(own["launch"], pes=own["pes"], name=own["name"], launch=1)
    try:
        command = ["env", f"{name}={directory}.absent", *words, own["program"], "-i", script]
        return launching.run(command, f"{directory}.log", ENDING_SECONDS) != 0
    except subprocess.TimeoutExpired:
        return False


def in_force(files, environment, ends_without):
    """What the library itself says of the settings, against what they should be: sentences on what differs. MPICH cannot say
    which files it reads: ends_without(variable) tells whether it wants this one."""
    said = []
    for name, value in environment.items():
        if name in mpich.FILES.values():
            if not ends_without(name):
                said.append(f"the library does not read the file that {name} names")
            continue
        for file in files:
            if name.startswith((openmpi.PREFIX, mpich.VARIABLE)):
                parameter = name.removeprefix(openmpi.PREFIX)
                stated = (file.header.get("choices") or {}).get(f"variable {parameter}")
                good = stated is not None and stated.endswith("(environment)") and _same(name, stated, value)
            else:
                stated = (file.header.get("environment") or {}).get(name)
                good = stated == value or stated is None and not name.startswith(PREFIXES)
            if not good:
                said.append(f"{name} should be {value}, but the library says {stated or 'nothing of it'}")
                break
    return said


def _same(name, stated, value):
    shown, parameter = stated.rpartition(" (")[0], name.removeprefix(openmpi.PREFIX)
    return shown == value or (shown, value) in (("true", "1"), ("false", "0")) or \
        name != parameter and str(openmpi.number_of(parameter, shown)) == str(openmpi.number_of(parameter, value))


def prove(directory, definition, environment, settings, **how):
    """(Proof or None, the campaign that ran). how: as of Campaign. None: it has not come to its end."""
    lock = open_directory(directory, definition)
    run = Campaign(directory, definition, **how)
    run.tell.line(f"proof: {definition['launches']} launches each of default and tuned settings")
    run.run()
    lock.release()
    if run.stopped or run.left:
        return None, run
    sides = read_campaign(directory)
    if not all(sides.values()):
        raise Error(f"{directory}: the {'tuned settings' if sides['default'] else 'default'} cannot be measured: see the "
                    "folder launches")
    comparison = compare_files(sides["default"], sides["tuned"], alpha=settings.alpha, margin=settings.tolerance,
                               launch_spread=settings.launch_spread)
    guidelines = guideline_rules.read(GUIDELINES)
    violations = {name: sum(len(one.violations) for one in checking.check(guidelines, checking.costs(files)))
                  for name, files in sides.items()}
    not_in_force = in_force(sides["tuned"], environment, lambda name: _ends_without(name, definition, directory))
    return Proof(directory, comparison, violations, not_in_force), run
