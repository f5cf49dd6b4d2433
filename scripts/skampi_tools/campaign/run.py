"""Runs the launches of a campaign that are missing: processes, signals, time limits, progress."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

from .. import screen, style
from ..cli import Error
from .definition import command_of, order_of_pass
from .directory import launch_directory, read_json, read_launch
from .keeping import note_environment, now, set_aside, write_json

NOTHING_MEASURED = 2  # exit status after a wrong script, options or environment: another try would end alike
MOST_SAID = 1 << 20  # bytes of standard error that are searched for an error
LONGEST_WORDS = 300  # characters of a message
ENDING_SECONDS = 10  # seconds that a launch has for its end before it is killed


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
            with contextlib.suppress(BlockingIOError):
                self.reader.recv(4096)


def _end(child, signals):
    """Ends a launch with all its local processes; asks first."""
    for number, seconds in ((signal.SIGTERM, ENDING_SECONDS), (signal.SIGKILL, ENDING_SECONDS)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        until = time.monotonic() + seconds
        while child.poll() is None and time.monotonic() < until:
            signals.wait(until)
        if child.poll() is not None:
            break


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
                signals.wait(min((end for end in (deadline, timeout) if end is not None), default=None))
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)  # what the launcher left of its own process group
            code = child.wait()
            self.status = code if code >= 0 else 128 - code
        return stopped

    def last_words(self):
        """A line of standard error for people: the first that names an error, or else the last that is not empty."""
        try:
            with open(os.path.join(self.folder, "stderr.txt"), "rb") as file:
                lines = file.read(MOST_SAID).decode(errors="replace").splitlines()
        except OSError:
            return ""
        lines = ["".join(c if c.isprintable() else " " for c in line).strip() for line in lines]
        errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
        others = [line for line in lines if re.search(r"\w", line)]
        return (errors[:1] or others[-1:] or [""])[0][:LONGEST_WORDS]


class Teller:
    """Progress on standard error: a line a launch, and on a terminal the one that runs."""

    def __init__(self, quiet):
        self.quiet = quiet
        self.terminal = not quiet and sys.stderr.isatty()

    def running(self, text):
        if self.terminal:
            screen.overwrite(text)

    def line(self, text):
        if not self.quiet:
            self.running("")
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def plan(directory, definition, numbers=None, names=None):
    """[(Launch, whether it is complete already)] in the order in which they run. numbers, names: only of these passes and
    configurations."""
    launches = []
    for number in numbers or range(1, definition["launches"] + 1):
        for configuration in order_of_pass(definition, number):
            if names is not None and configuration["name"] not in names:
                continue
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
        self.hopeless = {}   # {configuration: what its launch said}, of configurations that measure nothing

    def _seen(self, name):
        """Seconds that launches of the configuration took; of all configurations, if it has none."""
        return self.took.get(name) or [s for took in self.took.values() for s in took]

    def run(self, numbers=None, names=None):
        """numbers, names: only of these passes and configurations."""
        launches = plan(self.directory, self.definition, numbers, names)
        self._learn(launches)
        todo = [launch for launch, there in launches if not there]
        if len(todo) < len(launches):
            self.tell.line(f"{len(launches) - len(todo)} of {len(launches)} launches are already complete")
        if todo:
            note_environment(self.directory)
        with Signals() as signals:
            for position, launch in enumerate(todo):
                until = time.monotonic() + (self.pause if position else 0)
                while time.monotonic() < until and not signals.caught:
                    signals.wait(until)
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


    def _go_on(self, signals, launch):
        if signals.caught:
            return False
        if self.deadline is not None:
            needed = max(self._seen(launch.configuration["name"]), default=0)
            if time.monotonic() + needed >= self.deadline:
                self.stopped = "time"
                self.tell.line(f"too little time is left for {launch.name}"
                               + (f", which takes about {style.seconds_text(needed)}" if needed else ""))
                return False
        return True

    def _time_left(self, todo):
        if not todo or not self.took:
            return ""
        left = self.pause * (len(todo) - 1)
        for name, count in Counter(launch.configuration["name"] for launch in todo).items():
            seen = self._seen(name)
            left += count * sum(seen) / len(seen)
        return f", about {style.seconds_text(left)} left"

    def _one(self, signals, launch, position, count, todo):
        where = f"{position}/{count}  {launch.name}"
        self.tell.running(f"{where}  running{self._time_left(todo)}")
        for attempt in range(self.retries + 1):
            kept = launch.run(signals, self.deadline, self.longest)
            if kept or signals.caught or launch.why == "ended by the time limit":
                break
            if attempt < self.retries:
                self.tell.line(f"{where}  {launch.why}; retrying")
        if kept:
            self.took.setdefault(launch.configuration["name"], []).append(launch.seconds)
            self.tell.line(f"{where}  {style.seconds_text(launch.seconds)}{self._time_left(todo[1:])}")
            return
        if launch.why == "ended by the time limit":
            self.stopped = "time"
        if self.stopped or signals.caught:
            self.left += 1
        else:
            self.failed.append(launch)
        said = launch.last_words()
        words = "" if ": " in launch.why else said
        self.tell.line(f"{where}  not complete: {launch.why}; exit status {launch.status}"
                       + (f": {words}" if words else ""))
        if launch.status in (None, NOTHING_MEASURED):
            self.hopeless[launch.configuration["name"]] = said or launch.why
