#!/usr/bin/env python3
"""How accurate predictions of shmemsim are: traces applications on hosts without delay, predicts them on the same hosts and
on hosts with other networks, runs them there, and prints tables of run times and errors. Not part of `make check`; needs
hosts (root). What is in --folder is not measured again, so an interrupted comparison goes on where it was."""

import argparse
import collections
import contextlib
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import handover
import harness
import traces
from skampi_tools import style
from skampi_tools.statistics import median, student_quantile

sys.path.append(os.path.join(harness.ROOT, "mk"))
import predicting
from predicting import HERE, Network

# The pipeline and the workers without contexts: after these were used over TCP, shmem_finalize of Open MPI 4.1.4 does not
# return.
APPS = {
    "known": ["fft --size 8 --steps 100", "fft --size 16 --steps 50", "stencil --size 32 --steps 200",
              "bucket_sort --steps 30", "hash_table --size 100 --steps 400", "random_access --steps 5000",
              "pipeline --contexts 0 --steps 20"],
    # Nobody used these while the simulator was made.
    "unseen": ["bank --steps 160", "stages --steps 600", "walk --steps 40", "workers --contexts 0 --steps 300",
               "heat --steps 40", "cg --steps 4"],
    # The same, of later; --as-given.
    "later": ["jobs --steps 320", "wavefront --steps 160", "search --steps 20", "pairs --steps 1600", "membrane --steps 800",
              "power --steps 400"],
}
# And so many times the steps, which make first calls, which also connect PEs, a small part of the run. Gigabit has jumbo
# frames: two processors cannot work a line that delivers a packet each 12 us. Those without delay are machines of traces.
NETWORKS = {HERE: 20, Network(delay_us=50): 20, Network(delay_us=200): 5, Network(delay_us=1000): 2,
            Network(delay_us=5000): 1, Network(rate_mbit=100): 20, Network(rate_mbit=1000, mtu=9000): 20,
            HERE._replace(pes=4): 1, Network(delay_us=5000, pes=4): 1}
# How many of 1,000,000 us programs with real-time priority may have: of all, and of a group of processes.
ALLOWED_US = ("/proc/sys/kernel/sched_rt_runtime_us", "/sys/fs/cgroup/cpu/cpu.rt_runtime_us")
MOST_ALLOWED_US = 995000
SETS = {  # networks by set of applications
    "known": [network for network in NETWORKS if network.delay_us != 50 and network.pes == predicting.PES],
    "unseen": [network for network in NETWORKS if network.rate_mbit != 1000],
}
SETS["later"] = SETS["unseen"]
WATCHED = 10          # seconds before anything else, to see how near the processors can be
APART = 0.02          # of the time of a run, most of which is start and end
APART_IN_LAUNCH = 0.1 # of that of a launch of skampi, which tells states apart itself
ATTEMPTS = 6          # at a step, while they take no longer than ENOUGH_SECONDS
ENOUGH_SECONDS = 240
PATIENCE = 60         # seconds, until the processors are near each other again
RUN_SECONDS = 15      # a run may take
SLOWER = 3            # times as long takes a launch where a message takes milliseconds
UNFINISHED = 3        # exit status


class OutOfTime(Exception):
    """--stop-after is over."""


class WrongApps(Exception):
    """A list of applications, or one of them, cannot be used; says why."""


class Placement:
    """Runs steps while the processors are near each other, so that descriptions and runs are of one state of the machine."""

    def __init__(self, hand_overs, any_state):
        self.hand_overs, self.any_state = hand_overs, any_state
        self.done = self.repeated = self.unsteady = 0
        if not any_state:
            time.sleep(WATCHED)

    def steady(self, step, apart=APART):
        """What a step returns, repeated until the processors were apart for at most such a share of its time. A step that
        never succeeds in that counts all the same."""
        if self.any_state:
            return step()
        self.done += 1
        first = time.monotonic()
        for attempt in range(ATTEMPTS):
            if attempt > 0 and time.monotonic() - first > ENOUGH_SECONDS:
                break
            self.repeated += attempt > 0
            self.hand_overs.wait_until_near(PATIENCE)
            begin = time.monotonic()
            made = step()
            if self.hand_overs.slow_since(begin) <= apart:
                return made
        self.unsteady += 1
        return made

    def text(self):
        return (f"launches and runs: {self.done}; repeated, since the processors were apart: {self.repeated}; "
                f"apart in all attempts: {self.unsteady}")


class Measured:
    """What is measured, each once: it is in the folder of steps, from this call of the program or from an earlier one."""

    def __init__(self, steps, placement, options):
        self.steps, self.placement, self.options = steps, placement, options
        self.end = time.monotonic() + (options.stop_after or math.inf)

    def _path(self, name):
        return self.steps.path(re.sub(r"\W+", "-", name))

    def _begin(self, seconds):
        """Before a step that may take so long."""
        if time.monotonic() + seconds > self.end:
            raise OutOfTime

    def launch(self, hosts, network, number):
        """The result file of one launch of inputs/model.ski."""
        path = self.steps.measured_on(hosts, network, number)
        if not os.path.exists(path):
            seconds = self.options.seconds * (SLOWER if network.delay_us >= predicting.SLOW_US else 1)
            self._begin(seconds)
            once = lambda: self.steps.measure_on(hosts, network, "64kb", seconds, number)
            self.placement.steady(once, APART_IN_LAUNCH)
        return path

    def trace(self, name, command, network):
        """The folder of a traced run."""
        path = self._path(name)
        if not os.path.exists(path):
            self._begin(RUN_SECONDS)
            os.rename(self.placement.steady(lambda: self.steps.trace("unfinished trace", command, network)), path)
        return path

    def times(self, name, command, network):
        """Of a traced run, as predicting.times_of finds them. They are kept, too, since formats of traces change."""
        path = self._path(name) + ".json"
        if not os.path.exists(path):
            times = predicting.times_of(self.trace(name, command, network))
            with open(path, "w", encoding="utf-8") as file:
                json.dump(times, file)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Application:
    """An application on a network, with so many times its steps; by name its programs."""

    def __init__(self, app, network, programs, as_given):
        self.app, self.network, self.here = app, network, HERE._replace(pes=network.pes)
        self.times = 1 if as_given else NETWORKS[network]
        name, *arguments = re.sub(r"(--steps )(\d+)", lambda old: f"{old[1]}{self.times * int(old[2])}", app).split()
        self.command = [programs[name], *arguments]
        self.label = f"{app}, {network.text()}"
        self.made = self.traced = 0

    def run(self, measured, number, options):
        """Makes both runs, of which there may be unequal numbers."""
        if number < options.traces:
            self.trace(measured, number)
            self.traced = number + 1
        if number < options.runs:
            self.real(measured, number)
            self.made = number + 1

    def trace(self, measured, number):
        """Its run without delay, which counts for all networks with as many steps."""
        return measured.trace(f"trace {self.times} {self.app} {self.here.text()} {number}", self.command, self.here)

    def real(self, measured, number):
        """What its run on the network took."""
        return measured.times(f"run {self.app} {self.network.text()} {number}", self.command, self.network)


def row_of(app, measured, machine, here, options):
    """The comparison of an application on its network, as a dictionary: medians over runs. shmemsim takes the trace whose
    prediction is the median."""
    runs = list(zip(*(app.real(measured, i) for i in range(app.made))))
    real = [median(times) for times in runs]
    more = ["--traced-on", here] if here else []
    recorded = [app.trace(measured, i) for i in range(app.traced)]
    predicted = measured.steps.predict("predicted", machine, recorded, options.model, more)
    run_time, communication = predicting.times_of(predicted)
    found = predicting.found_by(predicted)
    interval = predicting.interval_of(found)
    return {"app": app.app, "threads": predicting.has_threads(found), "network": app.network, "runs": runs[0], "real": real[0],
            "predicted": run_time, "error": run_time / real[0] - 1, "communication": communication / real[1] - 1,
            "interval": [part * run_time for part in interval] if interval else None}


def steps_of(measured, networks, apps, options):
    """(function, arguments) of all launches and runs, in turns, since machines change. What a network needs comes before what
    the next one needs, so that the first ones are complete if time is short."""
    for number in range(max(options.runs, options.traces, options.launches)):
        for network in networks:
            launched = [] if options.machine else [HERE] if options.add else [HERE, machine_of_traces(network), network]
            if number < options.launches and launched:
                yield measured.launch, 1, HERE, number
                yield from ((measured.launch, one.pes, one, number) for one in dict.fromkeys(launched))
            if number < max(options.runs, options.traces):
                yield from ((app.run, measured, number, options) for app in apps[network])


def measure(measured, networks, options, failed):
    """Launches and runs of everything. Returns the applications by network, without those that failed: these are added to
    failed, with the reason; and whether the time was enough. What is not complete then is left out."""
    apps = {network: [Application(app, network, options.programs, options.as_given) for app in options.apps]
            for network in networks}
    late = False
    for step, *arguments in steps_of(measured, networks, apps, options):
        app = getattr(step, "__self__", None)
        if isinstance(app, Application) and app not in apps[app.network]:
            continue
        try:
            step(*arguments)
        except OutOfTime:
            late = True
            break
        except predicting.StepFailed as reason:
            if not isinstance(app, Application):
                raise
            failed.append(f"{app.label}: {reason}")
            apps[app.network].remove(app)
    return {network: [app for app in there if app.made] for network, there in apps.items()}, late


def machine_of_traces(network):
    """Where the traces are from that predictions for a network need."""
    return HERE._replace(pes=network.pes)


def described(measured, network, options):
    """The machine description of the hosts with a network."""
    if options.add and network != HERE:
        return measured.steps.with_delay(described(measured, HERE, options), network.delay_us)
    if options.machine:
        return options.machine
    launches = [(hosts, of, i) for hosts, of in ((1, HERE), (network.pes, network)) for i in range(options.launches)]
    files = [measured.launch(*one) for one in launches if one[-1] == 0 or os.path.exists(measured.steps.measured_on(*one))]
    return measured.steps.fit(files, f"machine-{network.text()}", ["--model-error", options.model_error])[0]


def network_text(network):
    return network.text() if network != machine_of_traces(network) else \
        "recorded machine" + (f", {network.pes} PEs" if network.pes != predicting.PES else "")


def print_row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def percent(value):
    return f"{100 * value:+.1f} %"


def print_comparison(row):
    low, high = row["interval"] or (None, None)
    print_row(row["app"], network_text(row["network"]), style.time_text(row["real"]),
              f"{style.time_text(min(row['runs']))} to {style.time_text(max(row['runs']))}", style.time_text(row["predicted"]),
              percent(row["error"]), percent(row["communication"]),
              f"{style.time_text(low)} to {style.time_text(high)}" if row["interval"] else "",
              ("yes" if low <= row["real"] <= high else "no") if row["interval"] else "")


def print_summary(title, rows):
    """Errors of several comparisons, without sign, and what their intervals hold."""
    errors, communication = ([abs(row[name]) for row in rows] for name in ("error", "communication"))
    stated = [row for row in rows if row["interval"]]
    inside = sum(row["interval"][0] <= row["real"] <= row["interval"][1] for row in stated)
    widths = [(row["interval"][1] - row["interval"][0]) / row["predicted"] for row in stated]
    print_row(title, str(len(rows)), f"{100 * median(errors):.1f} %", f"{100 * max(errors):.1f} %",
              f"{100 * median(communication):.1f} %", f"{100 * max(communication):.1f} %",
              f"{inside} of {len(stated)}" if stated else "", f"{100 * median(widths):.0f} %" if stated else "")


def print_summaries(rows):
    print()
    print_row("errors without sign", "comparisons", "run time, median", "worst", "communication, median", "worst",
              "real inside the interval", "median width of intervals")
    print_row(*["---"] * 8)
    groups = collections.defaultdict(list)
    for row in rows:
        groups[network_text(row["network"])].append(row)
    for row in rows:
        groups[row["app"]].append(row)
    for title, group in groups.items():
        print_summary(title, group)
    print_summary("all", rows)


def calibrated(rows):
    """What descriptions may state of the model, so that 95 % of run times are inside: by which factor more than 1 predictions
    are off."""
    logs = [math.log1p(row["error"]) for row in rows]
    return math.expm1(student_quantile(0.975, len(logs)) * math.sqrt(sum(log * log for log in logs) / len(logs)))


def is_inside(row, share):
    """Whether the real run time is inside the stated interval with such an error of the model."""
    now = row["predicted"]
    low, high = row["interval"] or (now, now)
    return (now - math.hypot(now - low, now - now / (1 + share)) <= row["real"] <=
            now + math.hypot(high - now, now * share))


def print_model_error(model, rows):
    """The calibrated error, and how well it holds for programs of which it knows nothing: each in turn is left out."""
    print("\nto be stated in descriptions of such machines (skampi-model --model-error):")
    for threads in (False, True):
        alike = [row for row in rows if row["threads"] == threads]
        if not alike:
            continue
        print(f"model {model} {'threads ' if threads else ''}+- {100 * calibrated(alike):.0f} %   "
              f"# {len(alike)} run times, {time.strftime('%Y-%m-%d')}")
        if len({row["app"] for row in alike}) > 1:
            inside = sum(is_inside(row, calibrated([other for other in alike if other["app"] != row["app"]])) for row in alike)
            print(f"calibrated without its application, the real median is inside in {inside} of {len(alike)}")


def name_of(network):
    """The network as --networks names it."""
    return network.text().replace("0us", "here", 1) if not network.delay_us and not network.rate_mbit else network.text()


def networks_in(text):
    """The texts of networks in a list with commas."""
    known = {name_of(network).lower(): network.text() for network in NETWORKS}
    for name in text.split(","):
        if name.lower() not in known:
            raise argparse.ArgumentTypeError(f"{name} is not known; there are {', '.join(known)}")
    return [known[name.lower()] for name in text.split(",")]


def options_of():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", metavar="APP", help="with its options in one word (those of --set)")
    parser.add_argument("--apps", dest="apps_in", metavar="FILE", help="a file of applications, a command line in each line")
    parser.add_argument("--sources", metavar="DIR", help="a folder of C files, one for each application (default: those of "
                        "inputs/apps, built by make apps)")
    parser.add_argument("--as-given", action="store_true", help="as many steps as command lines say (default: up to 20 times as "
                        "many, so that first calls count little)")
    parser.add_argument("--set", choices=list(APPS), default="known",
                        help="of applications and networks: unseen ones were not used while the simulator was made (%(default)s)")
    parser.add_argument("--add", action="store_true",
                        help="measure only without delay, and add the delays to the description (default: measure each "
                             "network)")
    parser.add_argument("--machine", metavar="FILE", help="description of the hosts without delay; implies --add")
    parser.add_argument("--traced-on", action="store_true",
                        help="give shmemsim the description of the machine of the traces, too")
    parser.add_argument("--model-error", metavar="PERCENT[,PERCENT]", default="0%",
                        help="which descriptions state, as calibrated by other applications (default: none)")
    parser.add_argument("--model", default="loggp", help="of shmemsim (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="of each application, traced and real; medians count (%(default)s)")
    parser.add_argument("--traces", type=int, metavar="N", help="traced runs of each application, whose median prediction counts "
                        "(as many as --runs)")
    parser.add_argument("--launches", type=int, default=1, help="of each measurement (%(default)s)")
    parser.add_argument("--seconds", type=int, default=600, help="most that a launch takes; 3 times as long with 5,000 us (%(default)s)")
    parser.add_argument("--networks", dest="network", type=networks_in, metavar="LIST",
                        help="most important first, such as here,200us,100Mbit,5000us-4pes (those of --set): "
                        + ", ".join(map(name_of, NETWORKS)))
    parser.add_argument("--any-state", action="store_true",
                        help="runs and launches also count in which the processors do not share a cache")
    parser.add_argument("--realtime", action="store_true", help="take the processors away from other programs, but for 5 ms in each second")
    parser.add_argument("--folder", metavar="DIR", help="for all files; what is measured there already is not measured again")
    parser.add_argument("--stop-after", type=float, metavar="S", help="begin no step that may take longer than until so many "
                        "seconds from now; status 3: there are more, and the same command with the same --folder goes on")
    options = parser.parse_args()
    options.apps = [*options.apps, *(listed(options.apps_in) if options.apps_in else [])] or APPS[options.set]
    options.add = options.add or bool(options.machine)
    options.traces = options.traces or options.runs
    return options


def listed(path):
    """The command lines in a file, one a line; # begins a comment."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except OSError as error:
        raise WrongApps(f"{path}: {error.strerror}") from None
    if not any(lines):
        raise WrongApps(f"{path}: no command line in it, such as bank --steps 160")
    return [line for line in lines if line]


def programs_of(sources, apps, folder):
    """The programs that command lines name, path by name; sources: a folder of C files to compile, or None. A file needs
    nothing but the headers in its folder, and those of the applications of the tests."""
    programs = {name: traces.app(name) for name in (app.split()[0] for app in apps)}
    for name, path in programs.items():
        if not sources:
            if not os.path.exists(path):
                raise WrongApps(f"{path}: not built; make apps builds those of inputs/apps, --sources others")
            continue
        source, program = os.path.join(sources, f"{name}.c"), os.path.join(folder, f"app-{name}")
        if not os.path.exists(source):
            raise WrongApps(f"{source}: no such file; it must have the application {name}")
        done = subprocess.run([*shlex.split(os.environ.get("OSHCC", "oshcc")), "-std=gnu11", "-O2", "-w", "-I", sources,
                               "-I", os.path.join(harness.ROOT, "tests"), "-I", os.path.join(harness.ROOT, "src"),
                               "-o", program, source, "-lpthread", "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongApps(f"{source}: {done.stderr.strip()}")
        programs[name] = program
    return programs


def allow(path, microseconds):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(microseconds))


@contextlib.contextmanager
def processors_kept(realtime):
    """The kernel stops programs with real-time priority for 50 ms in each second: runs take 5 % longer, of which calls that are
    measured by themselves know nothing. With realtime it does so for 5 ms meanwhile, in which others can end what hangs."""
    allowed = {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # then, too, it is as before
    try:
        for path in filter(os.path.exists, ALLOWED_US if realtime else ()):
            with open(path, encoding="ascii") as file:
                before = int(file.read())
            if 0 <= before < MOST_ALLOWED_US:
                allow(path, MOST_ALLOWED_US)
                allowed[path] = before
    except OSError as reason:
        print(f"accuracy: {reason}: runs of more than a second take up to 5 % longer", file=sys.stderr)
    try:
        yield
    finally:
        for path, before in reversed(allowed.items()):
            allow(path, before)


def networks_of(options):
    by_text = {network.text(): network for network in NETWORKS}
    chosen = ([by_text[text] for text in dict.fromkeys(options.network)] if options.network else
              [network for network in NETWORKS if network in SETS[options.set]])
    return [network for network in chosen
            if not options.add or not network.rate_mbit and network.pes == predicting.PES]


def main():
    options, failed, rows = options_of(), [], []
    steps = predicting.Steps(options.folder or harness.scratch_directory(), True, options.realtime)
    steps.check_hosts()
    options.programs = programs_of(options.sources, options.apps, steps.folder)
    with handover.HandOvers() as hand_overs, processors_kept(options.realtime):
        placement = Placement(hand_overs, options.any_state)
        measured = Measured(steps, placement, options)
        apps, late = measure(measured, networks_of(options), options, failed)
    print_row("application", "network", "real", "of runs", "predicted", "error", "error of communication", "stated interval",
              "real inside")
    print_row(*["---"] * 9)
    for network, there in apps.items():
        machine = described(measured, network, options) if there else None
        here = described(measured, machine_of_traces(network), options) if there and options.traced_on else None
        for app in there:
            try:
                rows.append(row_of(app, measured, machine, here, options))
                print_comparison(rows[-1])
            except predicting.StepFailed as reason:
                failed.append(f"{app.label}: {reason}")
    if rows:
        print_summaries(rows)
        print_model_error(options.model, rows)
    if not options.any_state:
        print(placement.text())
    for text in failed:
        print(f"failed: {text}")
    if late:
        print("accuracy: the time is over; the same command goes on", file=sys.stderr)
        return UNFINISHED
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (predicting.StepFailed, predicting.NoHosts, WrongApps) as reason:
        sys.exit(f"accuracy: {reason}")
