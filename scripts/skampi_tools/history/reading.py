"""Reads the result files of a history, one after the other, and keeps of each what series need: when, where, and a
value for each point, by state of the machine."""

import os
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import NamedTuple

from .. import doubt, results
from ..campaign.directory import is_campaign
from ..cli import Error
from ..configuration import all_facts_of, software_of
from ..points import missing_label
from ..reading import campaign_of, launches
from ..states import states_for
from ..states.independent import with_shared
from ..style import count_text


class Point(NamedTuple):
    """What is measured, the same in all files."""
    script: str      # name of its file, without directories
    key: str         # what identifies it in the results of that script
    block: str
    call: str
    pes: int
    members: str     # of the set
    variables: tuple # (name, text)
    occurrence: int  # which of several such results of a file, from 1
    quantity: str    # "time" (seconds) or "bytes"

    @property
    def label(self):
        """Within its block."""
        values = ", ".join(f"{name}={value}" for name, value in self.variables)
        name = self.call or self.block
        again = f", no. {self.occurrence}" if self.occurrence > 1 else ""
        return (f"{name} [{values}]" if values else name) + again

    def as_json(self):
        return {name: value for name, value in self._asdict().items() if name != "key"} | {"variables": dict(self.variables)}

    @property
    def set_text(self):
        known = "" if self.pes is None else count_text(self.pes, "PE")
        return f"{known} ({self.members})" if self.members else known


@dataclass
class Launch:
    """One result file. Values are seconds (bytes where the quantity is bytes)."""
    path: str
    when: datetime                              # UTC
    facts: dict                                 # of its header, as texts
    software: dict                              # of its header, what may change how long its library takes
    states: list                                # State, with what tells it whatever the library
    values: dict = field(default_factory=dict)  # {Point: value above 0}
    parts: dict = field(default_factory=dict)   # {Point: {(members, number of the state): StateValue}}
    useless: int = 0                            # values that are not above 0: they have no ratio
    cautions: list = field(default_factory=list)  # what speaks against the file
    doubts: list = field(default_factory=list)    # of each doubtful value its flags
    missing: list = field(default_factory=list)   # what it did not measure, and why, in words


class LeftOutFile(NamedTuple):
    path: str
    reason: str


def date_of(text):
    """UTC; None: no date. Without an offset it is UTC."""
    try:
        when = datetime.fromisoformat(re.sub(r"Z$", "+00:00", str(text).strip()))
        return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def paths_in(paths):
    """Files, the .json files of directories, and the files of a campaign's launches, each once."""
    found = {}
    for path in paths:
        folder, configuration = campaign_of(path) or (None, None)
        if folder is None:
            found.setdefault(os.path.realpath(path), path)
            continue
        if is_campaign(folder) or configuration is not None:
            for file in launches([path], False):
                found.setdefault(os.path.realpath(file.path), file.path)
            continue
        names = sorted(name for name in os.listdir(path) if name.endswith(".json"))
        if not names:
            raise Error(f"{path}: there is no .json file in this directory: give the one with the result files")
        for name in names:
            inside = os.path.join(path, name)
            found.setdefault(os.path.realpath(inside), inside)
    return list(found.values())


def read_launches(paths):
    """([Launch] in the order of time, [LeftOutFile]). Files that cannot be read, or are cut, are left out; so are copies
    of a launch that is there."""
    one = {}

    def kept(value):
        """Equal points and texts of many files are kept once."""
        return one.setdefault(value, value)
    found, left_out, seen = [], [], {}
    for path in paths:
        try:
            launch = _read(path, kept)
        except Error as error:
            left_out.append(LeftOutFile(path, re.sub(f"^{re.escape(path)}(:| )?", "", str(error)).strip()))
            continue
        except OSError as error:
            left_out.append(LeftOutFile(path, error.strerror or str(error)))
            continue
        same = (launch.when, tuple(launch.values.items()))
        if launch.values and same in seen:
            left_out.append(LeftOutFile(path, f"a copy of {seen[same]}"))
            continue
        seen[same] = path
        found.append(launch)
    return sorted(found, key=lambda launch: (launch.when, launch.path)), left_out


def _read(path, kept):
    if os.path.exists(path) and not os.path.isfile(path):
        raise Error("not a file")
    file = results.read(path)
    if file.end is None and file.unfinished():
        raise Error("the file was cut off, or its run has not ended yet: measure again, or remove it")
    if (reason := file.unfinished()) and file.end["status"] != results.TIME_LIMIT:
        raise Error(f"its run failed: {reason}")
    when = date_of(file.header.get("started"))
    if when is None:
        raise Error("its header has no date (started): it has no place in a history")
    facts = {kept(name): kept(str(value)) for name, value in all_facts_of(file.header).items()
             if value not in (None, "")}
    software = {kept(name): kept(str(value)) for name, value in software_of(file.header).items()}
    launch = Launch(path, when, facts, software, with_shared(file), cautions=doubt.cautions(file),
                    missing=[f"{missing_label(record)}: {record.get('reason') or 'no reason is stated'}"
                             for record in file.missing_by_key().values()])
    script = os.path.basename(str((file.header.get("script") or {}).get("name") or ""))
    for result in file.points:
        point = _point(script, result, kept)
        value = result.best()
        if value != value:
            continue
        if value <= 0:
            launch.useless += 1
            continue
        launch.values[point] = value
        if result.doubtful:
            launch.doubts.append([kept(flag) for flag in result.flags if doubt.speaks_against(flag)])
        if parts := _parts(file, result):
            launch.parts[point] = parts
    return launch


def _point(script, result, kept):
    variables = tuple((name, str(value)) for name, value in result.variables.items())
    return kept(Point(script, result.key, str(result.block), str(result.call or result.function or ""), result.pes,
                      str(result.pe_set.get("members") or ""), variables, result.occurrence,
                      str(result.quantity or "time")))


def _parts(file, result):
    """{(members, number of the state in this file): StateValue}"""
    members = {own.number: own.members for own in states_for(result.pe_set, file.states)}
    return {(members[number], number): value for number, value in result.by_state().items()
            if number in members and value.median > 0}
