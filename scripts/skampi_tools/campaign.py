"""Campaigns: one script in many separate launches, in one or several configurations, kept in one
directory. scripts/README.md describes what is in it; this module defines, runs and reads it.

    for name, files in read_campaign("my.campaign").items():
        print(name, len(files), "launches")
"""

import datetime
import errno
import fcntl
import hashlib
import json
import os
import platform
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

from . import results
from .cli import Error

LAYOUT = 1
DEFINITION = "campaign.json"
KEPT = (0, 3)             # statuses with which a launch is complete
NOTHING_MEASURED = 2      # bad script, options or environment: would be so again
NAME = re.compile(r"[A-Za-z0-9_+][A-Za-z0-9_.+-]{0,63}\Z")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
MOST_LAUNCHES, MOST_PES = 9999, 100_000_000
ENDING_SECONDS = 10       # that a launch has for its end before it is killed
ORDERS = ("abba", "random")
# Settings of the libraries, as in the header of results; nothing else, which may be secret.
PREFIXES = ("UCX_", "OMPI_MCA_", "SHMEM_", "SMA_", "MPICH_", "FI_", "SKAMPI_")


# ---- Definitions ----


def _text(value, key, where):
    if not isinstance(value, str) or not value or "\0" in value:
        raise Error(f"{where}: {key}: give a text that is not empty")
    return value


def _number(value, key, where, least, most):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Error(f"{where}: {key}: give a whole number from {least} to {most}, "
                    f"not {json.dumps(value)}")
    return value


def _texts(value, key, where):
    if not isinstance(value, list):
        raise Error(f"{where}: {key}: give a list of texts")
    return [_text(item, key, where) for item in value]


def _sets(value, key, where):
    for item in _texts(value, key, where):
        name, equals, expression = item.partition("=")
        if not VARIABLE.match(name) or not equals or not expression:
            raise Error(f"{where}: {key} {item}: give NAME=EXPR")
    return value


def _environment(value, key, where):
    if not isinstance(value, dict):
        raise Error(f"{where}: {key}: give an object of texts by name")
    for name, text in value.items():
        if not VARIABLE.match(name):
            raise Error(f"{where}: {key} {name}: not the name of a variable")
        if not isinstance(text, str) or "\0" in text:
            raise Error(f"{where}: {key} {name}: give a text")
    return dict(value)


def _pes(value, key, where):
    return _number(value, key, where, 1, MOST_PES)


def _launch(value, key, where):
    """A template of a launcher's command line."""
    template = _text(value, key, where).replace("%n", "{pes}")
    for name in re.findall(r"\{(\w*)\}", template):
        if name not in ("pes", "name", "launch"):
            raise Error(f"{where}: {key} {template}: unknown {{{name}}}; there are {{pes}}, {{name}} "
                        f"and {{launch}}")
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise Error(f"{where}: {key} {template}: {str(error).lower()}") from None
    if not words:
        raise Error(f"{where}: {key}: give a command")
    return template


def check_launchers(definition):
    """Whether they are on this machine."""
    for configuration in definition["configurations"]:
        launcher = shlex.split(configuration["launch"])[0]
        if not shutil.which(launcher, path=configuration["environment"].get("PATH")):
            raise Error(f"configuration {configuration['name']}: launch: {launcher}: there is no such "
                        f"program; name the launcher of this machine, such as --launch 'srun -n {{pes}}'")


def _program(value, key, where):
    path = shutil.which(_text(value, key, where))
    if not path:
        raise Error(f"{where}: {key} {value}: there is no such program; build it by make, or name "
                    f"another")
    return os.path.abspath(path)


# What one configuration may say, and how that is checked.
CONFIGURATION = {"program": _program, "launch": _launch, "pes": _pes, "environment": _environment,
                 "set": _sets, "arguments": _texts}


SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def _first_program(*places):
    """The first of these paths, relative to scripts/, that is a program; None without any."""
    paths = (os.path.normpath(os.path.join(SCRIPTS, place)) for place in places)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def default_program():
    """The skampi of this checkout or installation, else that of PATH."""
    return _first_program("../skampi", "../../../bin/skampi") or "skampi"


def default_launch():
    """As make and the tests start programs; a checkout knows what Open MPI wants for root and on
    few cores, and reads SKAMPI_LAUNCH as make sets it, with %n for the PEs."""
    launch = os.environ.get("SKAMPI_LAUNCH") or "oshrun -np %n"
    if "%n" not in launch:
        return launch
    own = _first_program("../mk/launch")
    return f"{shlex.quote(own)} {{pes}}" if own else launch.replace("%n", "{pes}")


def find_script(name):
    """As skampi looks for it: here, then among the shipped ones."""
    places = [name] if os.path.dirname(name) else [name, os.path.join(SCRIPTS, "../inputs", name)]
    for place in places:
        if os.path.isfile(place):
            return os.path.realpath(place)
    raise Error(f"{name}: there is no such script")


def checksum(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def define(given, where):
    """A checked, complete definition from what was given (members as in a campaign file; where:
    what errors name). What configurations do not say themselves, the whole says for them."""
    known = {"script", "launches", "order", "seed", "configurations", *CONFIGURATION}
    for key in given:
        if key not in known:
            raise Error(f"{where}: {key}: unknown; there are {', '.join(sorted(known))}")
    script = find_script(_text(given.get("script"), "script", where))
    order = given.get("order", ORDERS[0])
    if order not in ORDERS:
        raise Error(f"{where}: order {order}: give {' or '.join(ORDERS)}")
    common = {"program": default_program(), "launch": default_launch(), "pes": 2,
              "environment": {}, "set": [], "arguments": []}
    common.update({key: given[key] for key in CONFIGURATION if key in given})
    listed = given.get("configurations") or [{"name": "default"}]
    if not isinstance(listed, list) or not all(isinstance(c, dict) for c in listed):
        raise Error(f"{where}: configurations: give a list of objects")
    configurations, programs = [], {}
    for own in listed:
        configuration = _configuration(own, common, where)
        if any(configuration["name"] == other["name"] for other in configurations):
            raise Error(f"{where}: configuration {configuration['name']}: there are two of that name")
        configurations.append(configuration)
        programs[configuration["program"]] = checksum(configuration["program"])
    return {
        "campaign": LAYOUT,
        "script": {"path": script, "name": os.path.basename(script), "sha256": checksum(script)},
        "launches": _number(given.get("launches", 10), "launches", where, 1, MOST_LAUNCHES),
        "order": order,
        "seed": _number(given.get("seed", 1), "seed", where, 0, 2**63 - 1),
        "programs": programs,
        "configurations": configurations,
    }


def _configuration(own, common, where):
    name = own.get("name")
    if not isinstance(name, str) or not NAME.match(name):
        raise Error(f"{where}: configuration {json.dumps(name)}: name it with at most 64 letters, "
                    f"digits and _ + - ., beginning with none of - .")
    here = f"{where}: configuration {name}"
    for key in own:
        if key != "name" and key not in CONFIGURATION:
            raise Error(f"{here}: {key}: unknown; there are {', '.join(CONFIGURATION)}")
    merged = {**common, **own}
    for key in ("set", "arguments"):
        merged[key] = CONFIGURATION[key](common[key], key, where) + \
            CONFIGURATION[key](own.get(key, []), key, here)
    merged["environment"] = {**_environment(common["environment"], "environment", where),
                             **_environment(own.get("environment", {}), "environment", here)}
    return {"name": name,
            **{key: check(merged[key], key, here) for key, check in CONFIGURATION.items()}}


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except UnicodeDecodeError:
        raise Error(f"{path}: not UTF-8") from None
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise Error(f"{path}:{line}: not JSON: {getattr(error, 'msg', error)}") from None
    except RecursionError:
        raise Error(f"{path}: nested too deeply") from None
    if not isinstance(value, dict):
        raise Error(f"{path}:1: give a JSON object")
    return value


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


def order_of_pass(definition, number):
    """The configurations in the order in which the pass (from 1) launches them. abba: as defined,
    and backwards in every second pass, so that over two passes every configuration has the same
    mean place in time and a linear drift cancels."""
    configurations = list(definition["configurations"])
    if definition["order"] == "random":
        random.Random(f"{definition['seed']}/{number}").shuffle(configurations)
    elif number % 2 == 0:
        configurations.reverse()
    return configurations


# ---- The directory ----


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


def write_file(path, text):
    """All of it, or what was there before."""
    temporary = f"{path}.new"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None


def write_json(path, value):
    write_file(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def now():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


class Lock:
    """Held as long as a campaign runs in the directory; the system takes it from whoever dies."""

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
    """Makes the directory of a campaign or finds it, with the same definition but for more
    launches. Returns the lock."""
    if not is_campaign(directory):
        if os.path.exists(directory) and (not os.path.isdir(directory) or
                                          set(os.listdir(directory)) - {"lock", "system"}):
            raise Error(f"{directory}: there is something else of this name: give another one by -o")
        os.makedirs(directory, exist_ok=True)
    lock = Lock(directory)
    path = os.path.join(directory, DEFINITION)
    if is_campaign(directory):
        old = read_definition(directory)
        if definition["launches"] < old["launches"]:
            raise Error(f"{directory}: a campaign of {old['launches']} launches, which cannot be made "
                        f"{definition['launches']}: give -k {old['launches']} or more, or another -o")
        found = difference({**old, "launches": 0}, {**definition, "launches": 0})
        if found:
            raise Error(f"{directory}: holds a campaign of another definition: {found}; to keep it "
                        f"give another -o, to begin anew remove it")
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


# ---- Running ----


def command_of(definition, configuration, launch, output):
    """What one launch runs, as a list of words."""
    values = {"pes": str(configuration["pes"]), "name": configuration["name"], "launch": str(launch)}
    words = [re.sub(r"\{(\w+)\}", lambda match: values[match.group(1)], word)
             for word in shlex.split(configuration["launch"])]
    words += [configuration["program"], "-i", definition["script"]["path"], "-o", output]
    for item in configuration["set"]:
        words += ["--set", item]
    return words + configuration["arguments"]


def command_text(words, environment):
    """As a line for a shell."""
    changes = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join(changes + [shlex.quote(word) for word in words])


class Signals:
    """While it is entered, SIGINT, SIGTERM and SIGHUP are noted in .caught and children's ends wake
    wait(): nothing looks in turns while something is measured."""

    NOTED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self):
        self.caught = None

    def _note(self, number, _frame):
        self.caught = self.caught or number

    def __enter__(self):
        self.reader, self.writer = socket.socketpair()
        self.reader.setblocking(False)
        self.writer.setblocking(False)
        self.before = {number: signal.signal(number, self._note) for number in self.NOTED
                       if signal.getsignal(number) != signal.SIG_IGN}  # nohup
        self.before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        self.woken = signal.set_wakeup_fd(self.writer.fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_):
        signal.set_wakeup_fd(self.woken)
        for number, handler in self.before.items():
            signal.signal(number, handler)
        self.reader.close()
        self.writer.close()

    def wait(self, until):
        """Until some signal comes, or the time (monotonic; None: for ever)."""
        left = None if until is None else max(0.0, until - time.monotonic())
        if select.select([self.reader], [], [], left)[0]:
            try:
                self.reader.recv(4096)
            except BlockingIOError:
                pass


def _end(child, signals):
    """Ends a launch with all its local processes; asks first."""
    for number, seconds in ((signal.SIGTERM, ENDING_SECONDS), (signal.SIGKILL, ENDING_SECONDS)):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        until = time.monotonic() + seconds
        while child.poll() is None and time.monotonic() < until:
            signals.wait(until)
        if child.poll() is not None:
            break


def _clear_up(child):
    """What the launcher left of its own process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def earliest(*times):
    return min((t for t in times if t is not None), default=None)


def set_aside(folder):
    """An attempt that did not come to its end is kept under another name."""
    number = 1
    while os.path.exists(f"{folder}.broken-{number}"):
        number += 1
    os.rename(folder, f"{folder}.broken-{number}")


class Launch:
    """One launch; run() fills .status (128 + n for signal n; None: not started), .why (None when its
    results count), .seconds."""

    def __init__(self, directory, definition, configuration, number):
        self.definition, self.configuration, self.number = definition, configuration, number
        self.folder = launch_directory(os.path.abspath(directory), configuration["name"], number)
        self.command = command_of(definition, configuration, number,
                                  os.path.join(self.folder, "results.json"))
        self.status = self.why = None
        self.seconds = 0.0

    @property
    def name(self):
        return f"{self.configuration['name']} {self.number}"

    def run(self, signals, deadline=None, longest=None):
        """deadline: of the campaign, monotonic. longest: seconds that the launch may take."""
        if os.path.lexists(self.folder):
            set_aside(self.folder)
        os.makedirs(self.folder)
        started = now()
        record = {"configuration": self.configuration["name"], "launch": self.number,
                  "command": self.command, "environment": self.configuration["environment"],
                  "working_directory": os.getcwd(), "started": started}
        self._note(record)
        begin = time.monotonic()
        stopped = self._run(signals, deadline, None if longest is None else begin + longest)
        self.seconds = time.monotonic() - begin
        file, problem = read_launch(self.folder)
        if not file:
            self.why = stopped or problem
        remark = f"the launcher ended with {self.status}" if file and \
            self.status != file.end["status"] else None
        self._note({**record, "finished": now(), "seconds": round(self.seconds, 3),
                    "status": self.status, "end_status": file.end["status"] if file else None,
                    "kept": file is not None, "why": self.why or remark})
        return file is not None

    def _note(self, record):
        write_json(os.path.join(self.folder, "launch.json"), record)

    def _run(self, signals, deadline, timeout):
        """Why it was stopped or not started, or None."""
        with open(os.path.join(self.folder, "stdout.txt"), "wb") as out, \
                open(os.path.join(self.folder, "stderr.txt"), "wb") as err:
            try:
                child = subprocess.Popen(
                    self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                    env={**os.environ, **self.configuration["environment"]},
                    start_new_session=True)
            except OSError as error:
                return f"cannot be started: {error.strerror}"
            stopped = None
            while child.poll() is None:
                if signals.caught:
                    stopped = f"ended by {signal.Signals(signals.caught).name}"
                elif timeout is not None and time.monotonic() >= timeout:
                    stopped = "took too long"
                elif deadline is not None and time.monotonic() >= deadline:
                    stopped = "ended by the time limit"
                if stopped:
                    _end(child, signals)
                    break
                signals.wait(earliest(deadline, timeout))
            _clear_up(child)
            code = child.wait()
            self.status = code if code >= 0 else 128 - code
        return stopped

    def last_words(self):
        """Of its standard error, for people: the last line that names an error, else the last with
        something in it."""
        try:
            with open(os.path.join(self.folder, "stderr.txt"), "rb") as file:
                file.seek(max(0, os.path.getsize(file.name) - 4096))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            return ""
        lines = ["".join(c if c.isprintable() else " " for c in line).strip() for line in lines]
        telling = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)] or \
            [line for line in lines if re.search(r"\w", line)]
        return telling[-1][:200] if telling else ""


def seconds_text(seconds):
    """1.2 s, 3 min, 2 h 5 min"""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Teller:
    """Progress on standard error: a line a launch, and on a terminal the one that runs."""

    def __init__(self, quiet):
        self.quiet = quiet
        self.terminal = not quiet and sys.stderr.isatty()

    def running(self, text):
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\x1b[K{text[:width]}")
            sys.stderr.flush()

    def line(self, text):
        if not self.quiet:
            sys.stderr.write(("\r\x1b[K" if self.terminal else "") + text + "\n")
            sys.stderr.flush()


def plan(directory, definition):
    """[(Launch, whether it is there already)] in the order in which they run."""
    launches = []
    for number in range(1, definition["launches"] + 1):
        for configuration in order_of_pass(definition, number):
            launch = Launch(directory, definition, configuration, number)
            launches.append((launch, read_launch(launch.folder)[0] is not None))
    return launches


class Campaign:
    """Runs what is missing of a campaign. Afterwards .failed: [Launch], .left: launches that were
    not run, .stopped: a signal's number, "time" or None."""

    def __init__(self, directory, definition, quiet=False, time_limit=None, longest=None, pause=0,
                 retries=0):
        self.directory, self.definition = directory, definition
        self.tell = Teller(quiet)
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.longest, self.pause, self.retries = longest, pause, retries
        self.failed, self.left, self.stopped = [], 0, None
        self.took = {}       # seconds of complete launches, by configuration
        self.hopeless = set()  # configurations that measure nothing

    def _seen(self, name):
        """Seconds that launches of the configuration took; of all, where there are none."""
        return self.took.get(name) or [s for took in self.took.values() for s in took]

    def run(self):
        launches = plan(self.directory, self.definition)
        self._learn(launches)
        todo = [launch for launch, there in launches if not there]
        if len(todo) < len(launches):
            self.tell.line(f"{len(launches) - len(todo)} of {len(launches)} launches are there already")
        if todo:
            note_environment(self.directory)
        with Signals() as signals:
            for position, launch in enumerate(todo):
                if position:
                    self._rest(signals)
                if not self._go_on(signals, launch):
                    self.left += len(todo) - position
                    break
                if launch.configuration["name"] in self.hopeless:
                    self.left += 1
                    continue
                self._one(signals, launch, len(launches) - len(todo) + position + 1, len(launches),
                          todo[position:])
            if signals.caught:
                self.stopped = signals.caught

    def _learn(self, launches):
        for launch, there in launches:
            path = os.path.join(launch.folder, "launch.json")
            if there and os.path.isfile(path):
                try:
                    seconds = read_json(path).get("seconds")
                except Error:
                    continue
                if isinstance(seconds, (int, float)):
                    self.took.setdefault(launch.configuration["name"], []).append(seconds)

    def _rest(self, signals):
        until = time.monotonic() + self.pause
        while time.monotonic() < until and not signals.caught:
            signals.wait(until)

    def _go_on(self, signals, launch):
        if signals.caught:
            return False
        if self.deadline is not None:
            needed = max(self._seen(launch.configuration["name"]), default=0)
            if time.monotonic() + needed >= self.deadline:
                self.stopped = "time"
                self.tell.line(f"the time limit leaves too little for {launch.name}"
                               + (f", which takes about {seconds_text(needed)}" if needed else ""))
                return False
        return True

    def _time_left(self, todo):
        if not todo or not self.took:
            return ""
        left = self.pause * (len(todo) - 1)
        for name, count in Counter(launch.configuration["name"] for launch in todo).items():
            seen = self._seen(name)
            left += count * sum(seen) / len(seen)
        return f", about {seconds_text(left)} left"

    def _one(self, signals, launch, position, count, todo):
        where = f"{position}/{count}  {launch.name}"
        self.tell.running(f"{where}  running{self._time_left(todo)}")
        for attempt in range(self.retries + 1):
            kept = launch.run(signals, self.deadline, self.longest)
            if kept or signals.caught or launch.why == "ended by the time limit":
                break
            if attempt < self.retries:
                self.tell.line(f"{where}  {launch.why}; tried again")
        if kept:
            self.took.setdefault(launch.configuration["name"], []).append(launch.seconds)
            self.tell.line(f"{where}  {seconds_text(launch.seconds)}{self._time_left(todo[1:])}")
            return
        if launch.why == "ended by the time limit":
            self.stopped = "time"
        if self.stopped or signals.caught:
            self.left += 1
        else:
            self.failed.append(launch)
        words = "" if ": " in launch.why else launch.last_words()
        self.tell.line(f"{where}  not complete: {launch.why}; exit status {launch.status}"
                       + (f": {words}" if words else ""))
        if launch.status in (None, NOTHING_MEASURED):
            self.hopeless.add(launch.configuration["name"])
