"""The launches of the search: a campaign of the default and all candidates, of which only those are launched that are
still racing.

Rules of different collectives cannot meet, so one launch tries a candidate of each: configuration try-1 has the first
ones, and so on. If such a launch fails, each of its candidates is launched alone, which tells the one at fault.
"""

import os
from dataclasses import dataclass, field

from .. import style, users_json
from ..campaign.definition import define as define_campaign
from ..campaign.directory import launch_directory, read_json, read_launch
from ..campaign.run import Campaign, plan
from ..cli import Error
from .race import Race, WholeRace

FIRST_LOOK = 2  # passes before candidates are dropped: there and back, so that a linear drift cancels
LEAST_PATIENCE = 60   # seconds that a launch may take at least, and as a multiple of the default's
PATIENCE = 10


@dataclass
class Lane:
    """What is launched together."""
    name: str
    members: list = field(default_factory=list)

    def configuration(self):
        environment, sets = {}, []
        for candidate in self.members:
            environment |= candidate.environment()
            sets += candidate.set()
        return {"name": self.name, "environment": environment, "set": sets}


def lanes(choices):
    """[Lane] without the default."""
    found, taken = [], {}
    for choice in choices:
        for number, candidate in enumerate(choice.candidates, 1):
            if choice.rules is None:
                found.append(Lane(candidate.name, [candidate]))
                continue
            lane = taken.setdefault(number, Lane(f"try-{number}"))
            lane.members.append(candidate)
    for lane in taken.values():
        if len(lane.members) == 1:
            lane.name = lane.members[0].name
    return [*taken.values(), *found]


def define(members, choices, passes):
    """The definition of the campaign. members: of a definition, which hold for all."""
    found = lanes(choices)
    alone = [Lane(candidate.name, [candidate]) for lane in found if len(lane.members) > 1 for candidate in lane.members]
    return define_campaign(users_json.of({**members, "launches": passes, "configurations": [
        {"name": "default"}, *(lane.configuration() for lane in (*found, *alone))]}, "options"))


class Search:
    """Afterwards .races, .stopped ("time", a signal's number or None)."""

    def __init__(self, choices, definition, directory, settings, weights):
        self.definition, self.directory = definition, directory
        self.lanes = lanes(choices)
        self.races = [Race(choice, settings) if choice.rules else WholeRace(choice, settings, weights)
                      for choice in choices]
        self.race_of = {candidate: race for race in self.races for candidate in (race.default, *race.choice.candidates)}
        self.broken = set()   # names of lanes whose candidates are launched alone
        self.files = {}       # {(configuration, pass): ResultFile or None}

    # ---- Launching ----

    def run(self, quiet=False, time_limit=None, timeout=None):
        self.run_of = Campaign(self.directory, self.definition, quiet, time_limit, timeout)
        for number in range(1, self.definition["launches"] + 1):
            if not any(race.racing for race in self.races):
                break
            self._pass(number, timeout)
            if self.run_of.stopped:
                break
            if number >= FIRST_LOOK:
                self.look(number)
        if any(not race.judged for race in self.races):
            self.look(self.definition["launches"])
        self.stopped = self.run_of.stopped

    def _pass(self, number, timeout):
        racing = {candidate for race in self.races for candidate in race.racing}
        active = [lane for lane in self.lanes if racing.intersection(lane.members)]
        names = {lane.name for lane in active if lane.name not in self.broken}
        self.run_of.tell.line(f"search, pass {number} of {self.definition['launches']} at most: the default and "
                              f"{style.count_text(len(active), 'configuration')}")
        if number == 1:
            self._launch(number, {"default"})
            if not self._file("default", 1) and not self.run_of.stopped:
                raise Error(f"the default cannot be measured: see {launch_directory(self.directory, 'default', 1)}")
        else:
            names.add("default")
        if timeout is None and "default" in self.run_of.took:
            self.run_of.longest = max(LEAST_PATIENCE, PATIENCE * max(self.run_of.took["default"]))
        self._launch(number, names)
        alone = []
        for lane in active:
            if len(lane.members) > 1 and not self._file(lane.name, number):
                self.broken.add(lane.name)
                alone += [candidate for candidate in lane.members if candidate in racing]
        self._launch(number, {candidate.name for candidate in alone})
        if not self.run_of.stopped:
            self._find_defects(number, [candidate for lane in active for candidate in lane.members if candidate in racing])

    def _launch(self, number, names):
        """What has failed before is not launched again, except for the default."""
        names = {name for name in names if name == "default" or not self._record(name, number)}
        if names and not self.run_of.stopped:
            self.run_of.run([number], names)

    def _file(self, name, number):
        if (name, number) not in self.files:
            file = read_launch(launch_directory(self.directory, name, number))[0]
            if not file:
                return None
            self.files[name, number] = file
        return self.files[name, number]

    # ---- Defects ----

    def _find_defects(self, number, candidates):
        default = self._failures(self._file("default", 1))
        for candidate in candidates:
            race, file = self.race_of[candidate], self.of(candidate, number)
            if not file:
                race.give_up(candidate, self._why(candidate.name, number))
                continue
            failed = {key: said for key, said in self._failures(file).items()
                      if key not in default and race.choice.concerns(said[0])}
            if failed:
                race.give_up(candidate, next(iter(failed.values()))[1])

    @staticmethod
    def _failures(file):
        """{point: (function, why)} of what went wrong, as wrong data."""
        return {key: (record["call"].partition("(")[0], f"{record['call']}: {record.get('reason') or 'failed'}")
                for key, record in file.missing_by_key().items() if record["kind"] == "failed"}

    def _record(self, name, number):
        """What launch.json says of a launch that did not come to its end by itself; None: there is no such launch."""
        path = os.path.join(launch_directory(self.directory, name, number), "launch.json")
        record = read_json(path) if os.path.isfile(path) else {}
        why = record.get("why")
        return record if "finished" in record and not record.get("kept") and why and not why.startswith("ended by") else None

    def _why(self, name, number):
        record = self._record(name, number)
        if not record:
            return "no launch is complete"
        said = plan(self.directory, self.definition, [number], {name})[0][0].last_words()
        return f"{record['why']}, exit status {record['status']}" + (f": {said}" if said else "")

    # ---- Looking ----

    def of(self, candidate, number):
        """Its file of a pass, in company or alone; None: there is none."""
        if not candidate.number:
            return self._file("default", number)
        lane = next(lane for lane in self.lanes if candidate in lane.members)
        return self._file(lane.name, number) or self._file(candidate.name, number)

    def look(self, passes):
        for race in self.races:
            files = {}
            for candidate in (race.default, *race.choice.candidates):
                own = [file for number in range(1, passes + 1) if (file := self.of(candidate, number))]
                if own and candidate not in race.defects:
                    files[candidate] = own
            if race.default in files:
                race.judge(files)

    @property
    def launches(self):
        return len(self.files)
