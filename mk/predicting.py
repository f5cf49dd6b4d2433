"""The steps from measurements to a prediction, as mk/predict-demo takes them and tests/bench/accuracy.py: measure, fit,
trace and predict, on this machine or on hosts of namespaces, with the same reader for predicted and real runs."""

import contextlib
import csv
import json
import math
import os
import re
import shutil
import subprocess
import zlib
from typing import NamedTuple

from programs import BUILD, ROOT
from skampi_tools import launching
from skampi_tools.model.description import time_of
from skampi_tools.model.fitting import ROUND_TRIPS

PES = 2
HOSTS = os.path.join(ROOT, "mk", "hosts", "hosts")
SKIPPED = 77  # status of mk/hosts/hosts where this machine cannot make hosts
NOT_FINISHED = (3, 4)  # status of skampi: something was not measured; skampi-model says what is missing
STEP_SECONDS = 90
SLOW_US = 2000  # networks on which fewer sizes are measured: a message takes milliseconds
UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def program(name):
    """A program of this build; make says which skampi (SKAMPI)."""
    own = os.path.join(ROOT, "" if BUILD == "build" else BUILD, name)
    return os.environ.get("SKAMPI", own) if name == "skampi" else own


def app(name):
    """A program of inputs/apps."""
    return os.path.join(ROOT, BUILD, "apps", name)


class StepFailed(Exception):
    """A step did not do what it should; says which one and why."""


class NoHosts(Exception):
    """This machine cannot make hosts; says why."""


class Network(NamedTuple):
    """Between the hosts: more time one way, Mbit/s of each host's cable (0: whatever the line can carry), bytes in a
    packet; and PEs, each of which has a host."""
    delay_us: float = 0
    rate_mbit: float = 0
    mtu: int = 1500
    pes: int = PES

    def text(self):
        rate = [f"{self.rate_mbit:g}Mbit"] if self.rate_mbit else []
        pes = [f"{self.pes}pes"] if self.pes != PES else []
        return "-".join(([f"{self.delay_us:g}us"] if self.delay_us or not rate else []) + rate + pes)


HERE = Network()


class Steps:
    """All steps write to a folder. on_hosts: PEs are on hosts of their own, joined by a line with a delay. realtime: as
    of mk/hosts/hosts."""

    def __init__(self, folder, on_hosts, realtime=False):
        self.folder, self.on_hosts, self.realtime = folder, on_hosts, realtime
        os.makedirs(folder, exist_ok=True)
        # The same in all runs, and in later calls with this folder: one machine for skampi-model.
        self.names = f"demo{zlib.crc32(os.path.realpath(folder).encode()):x}"
        os.environ.setdefault("SKAMPI_SUMMARY", "never")
        # Open MPI 4.1.4 crashes at the end of programs that finalize, unless it is told not to watch memory.
        os.environ.setdefault("OMPI_MCA_memory", "^patcher")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def launcher(self, network=HERE, hosts=None):
        """Words before a program that start it on all PEs. PEs that have no processor each sleep while they wait."""
        if not self.on_hosts:
            return [os.path.join(ROOT, "mk", "launch"), str(PES)]
        first = ["--realtime"] if self.realtime else []
        rate = ["--rate", f"{network.rate_mbit:g}"] if network.rate_mbit else []
        first += ["--sleep"] if network.pes > max(PES, len(os.sched_getaffinity(0))) else []
        return [HOSTS, "run", str(hosts or network.pes), "-np", str(network.pes), "--delay", f"{network.delay_us:g}", *rate,
                "--mtu", str(network.mtu), "--name", self.names, *first, "--"]

    def run(self, step, words, good=(0,), seconds=STEP_SECONDS):
        """Its exit status, which is one of the good ones. What it says is in the step's log."""
        log = self.path(f"{step.replace(' ', '-')}.log")
        try:
            status = launching.run([str(word) for word in words], log, seconds)
        except subprocess.TimeoutExpired:
            raise StepFailed(f"{step}: not done after {seconds:.0f} s; see {log}") from None
        except OSError as error:
            raise StepFailed(f"{step}: {words[0]}: {error.strerror}") from None
        if status == SKIPPED and words[0] == HOSTS:
            raise NoHosts(launching.error_line_of(log))
        if status not in good:
            raise StepFailed(f"{step}: status {status}: {launching.error_line_of(log)}; see {log}")
        return status

    def check_hosts(self):
        """Raises NoHosts if this machine cannot make hosts."""
        self.run("hosts", [*self.launcher(), "true"])

    def measure(self, largest, seconds):
        """Result files of inputs/model.ski: both PEs on one node, and on hosts one on each, too."""
        return [self.measure_on(hosts, HERE, largest, seconds) for hosts in (1, 2)[:1 + self.on_hosts]]

    def measured_on(self, hosts, network, launch=0):
        """The path of the result file that is measured on `hosts` hosts."""
        name = "one-node" if hosts == 1 else "two-nodes" if network == HERE else f"two-nodes-{network.text()}"
        return self.path(f"{name}{f'-launch-{launch + 1}' if launch else ''}.json")

    def skampi(self, step, launcher, script, path, *options, good=(0,), seconds=STEP_SECONDS):
        """Runs a script and replaces its result file. Returns the file's path."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        self.run(step, [*launcher, program("skampi"), "-i", script, *options, "-o", path], good, seconds)
        return path

    def measure_on(self, hosts, network, largest, seconds, launch=0):
        """Measures inputs/model.ski on `hosts` hosts. Returns the path of the result file, which appears when it is complete."""
        path, unfinished = self.measured_on(hosts, network, launch), self.path("unfinished.json")
        fewer = ["--set", "STEP=8", "--set", "BLOCK_STEP=512"] if network.delay_us >= SLOW_US else ["--set", "BLOCK_STEP=8"]
        self.skampi(f"measure {os.path.basename(path).removesuffix('.json')}", self.launcher(network, hosts),
                    os.path.join(ROOT, "inputs", "model.ski"), unfinished, "--set", f"MAXSIZE={largest}",
                    "--set", "MAXBLOCK=4kb", *fewer, "--time-limit", f"{seconds:.0f}s",
                    good=(0, *NOT_FINISHED), seconds=seconds + 30)
        os.replace(unfinished, path)
        return path

    def fit(self, files, name="machine", options=()):
        """(machine description, lines about what is not in it)"""
        machine = self.path(f"{name}.txt")
        with contextlib.suppress(FileNotFoundError):
            os.remove(machine)
        self.run("fit", [os.path.join(ROOT, "scripts", "skampi-model"), *options, *files, "-o", machine],
                 (0, *NOT_FINISHED))
        with open(self.path("fit.log"), encoding="utf-8") as file:
            return machine, [line.strip().removeprefix("skampi-model: ") for line in file]

    def trace(self, step, command, network=HERE):
        """The folder of a traced run of the application."""
        folder = self.path(step.replace(" ", "-"))
        shutil.rmtree(folder, ignore_errors=True)
        self.run(step, [program("shmemtrace"), "-o", folder, *self.launcher(network), *command])
        return folder

    def predict(self, step, machine, recorded, model="loggp", options=()):
        """The folder of the predicted run, as a trace; what shmemsim says of it is in FOLDER.json. recorded: traces of one
        program."""
        folder = self.path(step.replace(" ", "-"))
        shutil.rmtree(folder, ignore_errors=True)
        self.run(step, [program("shmemsim"), "--model", model, *options, "--json", "--force", "-o", f"{folder}.json",
                        "--trace", folder, machine, *recorded])
        return folder

    def with_delay(self, machine, delay_us):
        """The description of the same machine with a delay."""
        path = self.path(f"machine-{delay_us:g}us.txt")
        with open(machine, encoding="utf-8") as file:
            text = delayed(file.read(), delay_us * 1e-6)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


# ---- Another delay ----


def _ways(blocks):
    """How often a delay counts in a time inside these blocks of a description; 0: not at all."""
    if blocks[0].startswith("bus "):
        return 2 if blocks[-1].removeprefix("cost ") in ROUND_TRIPS else 1
    if blocks[0].startswith("collective ") and blocks[-1].startswith("pes "):
        pes = int(blocks[-1].removeprefix("pes "))
        return pes - 1 if blocks[0].endswith(" linear") else math.ceil(math.log2(pes))
    return 0


def delayed(text, seconds):
    """A description by skampi-model of the machine with that much more between its nodes, one way: latencies of the
    network, twice those of there and back; measured collectives by ceil(log2 n) messages in a row, or n - 1 where they
    grow so. Intervals stay as long as they are."""
    lines, blocks = [], []
    for line in text.splitlines():
        code = line.partition("#")[0].strip()
        found = re.fullmatch(r"(latency|time) ([\d.e+-]+) (\w+)(?: \+- ([\d.e+-]+) (%|\w+))?", code)
        if found and blocks:
            time = float(found[2]) * UNITS[found[3]]
            error = float(found[4] or 0) * (time / 100 if found[5] == "%" else UNITS.get(found[5], 0))
            line = line[:line.index(found[1])] + f"{found[1]} {time_of(time + _ways(blocks) * seconds)}"
            line += f" +- {time_of(error)}" if found[4] else ""
        elif code == "}":
            blocks.pop()
        elif code.endswith("{"):
            blocks.append(code[:-1].strip())
        lines.append(line)
    return "\n".join(lines) + "\n"


# ---- What a run took ----


def found_by(predicted):
    """What shmemsim says of a predicted run, from its JSON. predicted: as Steps.predict returns it."""
    with open(f"{predicted}.json", encoding="utf-8") as file:
        return json.load(file)


def interval_of(found):
    """(low, high) of the run time that shmemsim predicts, by what it knows of errors, in parts of the run time; None if it
    states none. found: as found_by() returns it."""
    interval = found.get("interval")
    return interval and tuple(interval[end] / found["run_time"] for end in ("low", "high"))


def has_threads(found):
    """Whether PEs of a predicted run have several threads. found: as found_by() returns it."""
    return any(pe["threads"] > 1 for pe in found["per_pe"])


def times_of(trace):
    """(run time, total communication time) of a traced run, real or predicted, in seconds: from when all PEs go on after
    shmem_init until the last one wants shmem_finalize, and in calls between the two, over all PEs. (The tracer works
    at both places, which no burst has in it.) A PE that never wants it ends with its last call. Who is started earlier
    waits for the others in a first call: that is start, not communication."""
    done = subprocess.run([program("shmemtrace"), "dump", "--csv", trace], capture_output=True, text=True, check=False)
    if done.returncode:
        raise StepFailed(f"{trace}: cannot be read: {done.stderr.strip()}")
    begins, now, end, calls, finalized = {}, {}, -math.inf, [], set()
    for event in csv.DictReader(done.stdout.splitlines()):
        pe, (start, duration, burst) = event["pe"], (float(event[name]) for name in ("start", "duration", "burst"))
        if event["routine"] == "shmem_init":
            continue
        begins.setdefault(pe, start - burst)
        if event["routine"] == "shmem_finalize":
            end = max(end, now.get(pe, begins[pe]) + burst)
            finalized.add(pe)
        else:
            calls.append((start, start + duration))
        now[pe] = start + duration
    if not begins:
        raise StepFailed(f"{trace}: no call in it")
    end = max([end, *(now.get(pe, begin) for pe, begin in begins.items() if pe not in finalized)])
    first = max(begins.values())
    return end - first, math.fsum(max(0.0, leaves - max(start, first)) for start, leaves in calls)
