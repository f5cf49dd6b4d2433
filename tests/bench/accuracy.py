#!/usr/bin/env python3
"""How accurate predictions of shmemsim are: traces applications on hosts without delay, predicts them on the same hosts and
on hosts with other networks, runs them there, and prints the errors of run time and communication. Not part of `make check`; needs hosts (root)."""

import argparse
import functools
import math
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import handover
import harness
import traces
from skampi_tools.statistics import median

sys.path.append(os.path.join(harness.ROOT, "mk"))
import predicting
from predicting import HERE, Network

# The pipeline without private contexts: after these were used over TCP, shmem_finalize of Open MPI 4.1.4 does not return.
APPS = ["fft --size 8 --steps 100", "fft --size 16 --steps 50", "stencil --size 32 --steps 200", "bucket_sort --steps 30",
        "hash_table --size 100 --steps 400", "random_access --steps 5000", "pipeline --contexts 0 --steps 20"]
MODELS = ["paper", "loggp"]
# And so many times the steps, which make first calls, which also connect PEs, a small part of the run. Gigabit has jumbo
# frames: two processors cannot work a line that delivers a packet each 12 us. The first one is the machine of the traces.
NETWORKS = {HERE: 20, Network(delay_us=200): 5, Network(delay_us=1000): 2, Network(delay_us=5000): 1,
            Network(rate_mbit=100): 20, Network(rate_mbit=1000, mtu=9000): 20}
ENOUGH_SECONDS = 240  # of launches that measure one network: fewer where one takes minutes
WATCHED = 10          # seconds before anything else, to see how near the processors can be
APART = 0.02          # of the time of a run, most of which is start and end
APART_IN_LAUNCH = 0.1 # of that of a launch of skampi, which tells states apart itself
ATTEMPTS = 6          # at a step, while they take no longer than ENOUGH_SECONDS
PATIENCE = 60         # seconds, until the processors are near each other again
QUANTITIES = ["run time", "communication"]


def percent(error):
    return f"{100 * error:+.1f} %".rjust(10)


def times_of(runs):
    """(run time, communication): medians over traced runs."""
    return tuple(map(median, zip(*map(predicting.times_of, runs))))


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


@functools.cache
def trace_once(steps, placement, step, *command):
    """The folder of a traced run without delay, which counts for all networks with as many steps."""
    return placement.steady(lambda: steps.trace(step, command))


class Application:
    """One of APPS on a network, with so many times its steps."""

    def __init__(self, steps, app, network):
        self.steps, self.network, self.times = steps, network, NETWORKS[network]
        self.label = f"{app}, {'recorded machine' if network == HERE else network.text()}"
        name, *arguments = re.sub(r"(--steps )(\d+)", lambda old: f"{old[1]}{self.times * int(old[2])}", app).split()
        self.words = re.sub(r"\W+", " ", app)
        self.command = [traces.app(name), *arguments]
        self.traced, self.real = [], []

    def run(self, placement, number):
        """Traces it without delay, where no other network has, and runs it on its network."""
        self.traced.append(trace_once(self.steps, placement, f"trace {self.times} {self.words} {number}", *self.command))
        step = f"run {self.words} {self.network.text()} {number}"
        self.real.append(placement.steady(lambda: self.steps.trace(step, self.command, self.network)))

    def errors(self, machine):
        """{model: (error of the run time, error of the communication)}"""
        real, found = times_of(self.real), {}
        for model in MODELS:
            guess = times_of([self.steps.predict(f"predicted {i}", machine, trace, model)
                              for i, trace in enumerate(self.traced)])
            found[model] = tuple(a / b - 1 for a, b in zip(guess, real))
        return found


def launch(steps, placement, hosts, network, number, options):
    """The result file of one launch of inputs/model.ski."""
    path = steps.measured_on(hosts, network, number)
    if os.path.exists(path):
        return path
    once = lambda: steps.measure_on(hosts, network, "64kb", options.seconds, number)
    return placement.steady(once, APART_IN_LAUNCH)


def without_delay(steps, placement, options):
    """(files of one node, the description of the hosts without delay; None unless delays are to be added to it)"""
    if options.machine:
        return [], options.machine
    on = lambda hosts: [launch(steps, placement, hosts, HERE, i, options) for i in range(options.launches)]
    one_node = on(1)
    return one_node, steps.fit(one_node + on(2))[0] if options.add else None


def compare(steps, placement, network, one_node, base, options, failed):
    """{application: its errors} on a network. Launches that measure it and runs of the applications take turns, since
    machines change. What could not be compared is added to failed, with its reason."""
    apps, files, seconds = [Application(steps, app, network) for app in options.apps], list(one_node), 0.0
    for number in range(max(options.runs, options.launches)):
        if not base and number < options.launches and seconds < ENOUGH_SECONDS:
            began = time.monotonic()
            files.append(launch(steps, placement, 2, network, number, options))
            seconds += time.monotonic() - began
        for app in list(apps) if number < options.runs else []:
            try:
                app.run(placement, number)
            except predicting.StepFailed as reason:
                failed.append(f"{app.label}: {reason}")
                apps.remove(app)
    machine = steps.with_delay(base, network.delay_us) if base else steps.fit(files, f"machine-{network.text()}")[0]
    found = {}
    for app in apps:
        try:
            found[app] = app.errors(machine)
        except predicting.StepFailed as reason:
            failed.append(f"{app.label}: {reason}")
    return found


def print_line(label, pairs):
    print(f"{label:42}" + "".join(percent(error) for error in pairs), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", default=APPS, metavar="APP", help="with its options in one word (all)")
    parser.add_argument("--add", action="store_true",
                        help="measure only without delay, and add the delays to the description (default: measure each "
                             "network)")
    parser.add_argument("--machine", metavar="FILE", help="description of the hosts without delay; implies --add")
    parser.add_argument("--runs", type=int, default=5, help="of each application, traced and real; medians count")
    parser.add_argument("--launches", type=int, default=5, help="of each measurement; fewer if they take minutes")
    parser.add_argument("--seconds", type=int, default=600, help="most that the measurement of a place takes")
    parser.add_argument("--network", action="append", choices=[network.text() for network in NETWORKS],
                        help="several times for several (all)")
    parser.add_argument("--any-state", action="store_true",
                        help="runs and launches also count in which the processors do not share a cache")
    parser.add_argument("--realtime", action="store_true", help="take the processors away from other programs")
    parser.add_argument("--folder", metavar="DIR", help="for all files; what is measured there already is not measured again")
    options = parser.parse_args()
    steps = predicting.Steps(options.folder or harness.scratch_directory(), True, options.realtime)
    steps.check_hosts()
    with handover.HandOvers() as hand_overs:
        return measure(steps, Placement(hand_overs, options.any_state), options)


def measure(steps, placement, options):
    """Compares everything; the exit status."""
    one_node, base = without_delay(steps, placement, options)
    failed, everything = [], []
    print(f"{'':42}{'run time':>20}{'communication':>20}\n{'application, network':42}"
          + "".join(f"{model:>10}" for _ in QUANTITIES for model in MODELS), flush=True)
    for network in NETWORKS:
        if base and network.rate_mbit or options.network and network.text() not in options.network:
            continue
        for app, found in compare(steps, placement, network, one_node, base, options, failed).items():
            everything.append([found[model][i] for i in range(len(QUANTITIES)) for model in MODELS])
            print_line(app.label, everything[-1])
    columns = [[abs(one) for one in column] for column in zip(*everything)]
    if columns:
        print_line("median, without sign", map(median, columns))
        print_line("worst, without sign", map(max, columns))
    if not options.any_state:
        print(placement.text())
    for text in failed:
        print(f"failed: {text}")
    return 1 if failed or not columns else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (predicting.StepFailed, predicting.NoHosts) as reason:
        sys.exit(f"accuracy: {reason}")
