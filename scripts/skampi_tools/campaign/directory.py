"""Reads the directory of a campaign; docs/tools/skampi-campaign.md says what is in it."""

import json
import os
import re

from .. import cli, results
from ..cli import Error

LAYOUT = 1
NAME = re.compile(r"[A-Za-z0-9_+][A-Za-z0-9_.+-]{0,63}\Z")
DEFINITION = "campaign.json"
KEPT = (0, 3)             # statuses with which a launch is complete


def read_json(path):
    value = cli.read_json(path)
    if not isinstance(value, dict):
        raise Error(f"{path}:1: give a JSON object")
    return value


def is_campaign(path):
    return os.path.isfile(os.path.join(path, DEFINITION))


def read_definition(directory):
    path = os.path.join(directory, DEFINITION)
    if not os.path.isdir(directory):
        raise Error(f"{directory}: there is no such directory")
    if not os.path.isfile(path):
        raise Error(f"{directory}: not a directory of a campaign: there is no {DEFINITION} in it")
    definition = read_json(path)
    if definition.get("campaign") != LAYOUT:
        raise Error(f"{path}: layout {json.dumps(definition.get('campaign'))}, but this tool knows "
                    f"{LAYOUT}: use the skampi that wrote it")
    try:
        names = [configuration["name"] for configuration in definition["configurations"]]
        good = all(NAME.match(name) for name in names) and isinstance(definition["launches"], int)
    except (KeyError, TypeError):
        good = False
    if not good:
        raise Error(f"{path}: damaged: it does not define a campaign")
    return definition


def launch_directory(directory, name, launch):
    return os.path.join(directory, "launches", name, f"{launch:04d}")


def read_launch(folder, keeper=None):
    """(its results, None), or (None, why they do not count). keeper: as for results.read()."""
    path = os.path.join(folder, "results.json")
    if not os.path.isfile(path):
        return None, "no results"
    try:
        file = results.read(path, keeper=keeper)
    except Error as error:
        return None, str(error).partition(": ")[2] if str(error).startswith(path) else str(error)
    if file.end is None:
        return None, "the results end too early"
    reason = file.end.get("reason")  # of an end before time, which no status makes complete
    if file.end.get("status") not in KEPT or reason:
        return None, f"status {file.end.get('status')}" + (f": {reason}" if reason else "")
    return file, None


def read_campaign(directory, names=None, keeper=None):
    """{configuration: [ResultFile, ...]}, in the order of the definition and of launches, of the launches that came to their
    end; [] for a configuration without any, and for those that are not among the names, if there are names."""
    definition, campaign = read_definition(directory), {}
    for name in (configuration["name"] for configuration in definition["configurations"]):
        files = (read_launch(launch_directory(directory, name, launch), keeper)[0]
                 for launch in range(1, definition["launches"] + 1) if names is None or name in names)
        campaign[name] = [file for file in files if file]
    return campaign
