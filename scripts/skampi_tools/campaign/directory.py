"""The directory of a campaign: what is in it (docs/tools/skampi-campaign.md), read and written."""

import datetime
import errno
import fcntl
import json
import os
import platform
import shutil
import socket

from .. import cli, results
from ..cli import Error
from .definition import LAYOUT, NAME, difference

DEFINITION = "campaign.json"
KEPT = (0, 3)             # statuses with which a launch is complete
# Settings of the libraries, as in the header of results; nothing else, which may be secret.
PREFIXES = ("UCX_", "OMPI_MCA_", "SHMEM_", "SMA_", "MPICH_", "FI_", "SKAMPI_")


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


def read_launch(folder):
    """(its results, None), or (None, why they do not count)."""
    path = os.path.join(folder, "results.json")
    if not os.path.isfile(path):
        return None, "no results"
    try:
        file = results.read(path)
    except Error as error:
        return None, str(error).partition(": ")[2] if str(error).startswith(path) else str(error)
    if file.end is None:
        return None, "the results end too early"
    reason = file.end.get("reason")  # of an end before time, which no status makes complete
    if file.end.get("status") not in KEPT or reason:
        return None, f"status {file.end.get('status')}" + (f": {reason}" if reason else "")
    return file, None


def read_campaign(directory):
    """{configuration: [ResultFile, ...]}, in the order of the definition and of launches, of the
    launches that came to their end; [] for a configuration without any."""
    definition = read_definition(directory)
    campaign = {}
    for configuration in definition["configurations"]:
        files = (read_launch(launch_directory(directory, configuration["name"], launch))[0]
                 for launch in range(1, definition["launches"] + 1))
        campaign[configuration["name"]] = [file for file in files if file]
    return campaign


def write_json(path, value):
    cli.replace_text(path, cli.json_text(value))


def now():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


class Lock:
    """Held as long as a campaign runs in the directory; the system releases it if the process dies."""

    def __init__(self, directory):
        path = os.path.join(directory, "lock")
        self.file = open(path, "a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return  # a file system without locks
            self.file.seek(0)
            holder = self.file.read(200).strip() or "another process"
            raise Error(f"{directory}: a campaign is running there ({holder}): wait for its end, or "
                        f"give another directory") from None
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        self.file.flush()

    def release(self):
        self.file.close()


def open_directory(directory, definition):
    """Makes the directory of a campaign or finds it, with the same definition except for more
    launches. Returns the lock."""
    if not is_campaign(directory):
        if os.path.exists(directory) and (not os.path.isdir(directory) or
                                          set(os.listdir(directory)) - {"lock", "system"}):
            raise Error(f"{directory}: this exists and is not a campaign: give another name with -o")
        os.makedirs(directory, exist_ok=True)
    lock = Lock(directory)
    path = os.path.join(directory, DEFINITION)
    if is_campaign(directory):
        old = read_definition(directory)
        if definition["launches"] < old["launches"]:
            raise Error(f"{directory}: a campaign of {old['launches']} launches cannot become one of "
                        f"{definition['launches']}: give -k {old['launches']} or more, or another -o")
        found = difference({**old, "launches": 0}, {**definition, "launches": 0})
        if found:
            raise Error(f"{directory}: holds a campaign of another definition: {found}; to keep it "
                        f"give another -o, to begin again remove it")
        if definition == old:
            return lock
    shutil.copyfile(definition["script"]["path"], os.path.join(directory, "script.ski"))
    write_json(path, definition)
    return lock


def note_environment(directory):
    """Adds where and under which settings launches are run now to environment.json."""
    path = os.path.join(directory, "environment.json")
    runs = read_json(path).get("runs", []) if os.path.isfile(path) else []
    system = platform.uname()
    runs.append({
        "started": now(), "host": system.node,
        "system": f"{system.system} {system.release} {system.machine}",
        "processors": os.cpu_count(), "working_directory": os.getcwd(),
        "variables": {name: value for name, value in sorted(os.environ.items())
                      if name.startswith(PREFIXES)},
    })
    write_json(path, {"runs": runs})


def set_aside(folder):
    """An attempt that did not come to its end is kept under another name."""
    number = 1
    while os.path.exists(f"{folder}.broken-{number}"):
        number += 1
    os.rename(folder, f"{folder}.broken-{number}")
