"""Makes and writes the directory of a campaign, which one process at a time holds."""

import datetime
import errno
import fcntl
import json
import os
import platform
import shutil
import socket

from .. import cli
from ..cli import Error
from .directory import DEFINITION, is_campaign, read_definition, read_json

# Settings of the libraries, as in the header of results; nothing else, which may be secret.
PREFIXES = ("UCX_", "OMPI_MCA_", "SHMEM_", "SMA_", "MPICH_", "FI_", "SKAMPI_")


def write_json(path, value):
    cli.replace_text(path, cli.json_text(value))


def now():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


def difference(old, new, path=""):
    """Where two JSON values differ first, in words, or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if found := difference(old.get(key), new.get(key), f"{path}.{key}" if path else key):
                return found
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (a, b) in enumerate(zip(old, new)):
            name = a.get("name", number) if isinstance(a, dict) else number
            if found := difference(a, b, f"{path}[{name}]"):
                return found
        return None
    if old == new:
        return None
    return f"{path} was {json.dumps(old)[:80]} and is {json.dumps(new)[:80]}"


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
