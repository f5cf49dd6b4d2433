#!/usr/bin/env python3
"""How accurate predictions of shmemsim are: traces applications on hosts without delay, predicts them on hosts with other
networks, runs them there, and prints the errors of run time and communication. Not part of `make check`; needs hosts (root)."""

import argparse
import os
import re
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import predicting
import traces
from predicting import Network
from skampi_tools.statistics import median

# Not the pipeline: after private contexts were used over TCP, shmem_finalize of Open MPI 4.1.4 does not return.
APPS = ["fft --size 8 --steps 100", "fft --size 16 --steps 50", "stencil --size 32 --steps 200", "bucket_sort --steps 30",
        "hash_table --size 100 --steps 400", "random_access --steps 5000"]
MODELS = ["paper", "loggp"]
# And so many times the steps, which make first calls, which also connect PEs, a small part of the run.
NETWORKS = {Network(delay_us=200): 5, Network(delay_us=1000): 2, Network(delay_us=5000): 1, Network(rate_mbit=100): 10,
            Network(rate_mbit=1000): 10}
ENOUGH_SECONDS = 120  # of launches that measure one network
QUANTITIES = ["run time", "communication"]


def percent(error):
    return f"{100 * error:+.1f} %".rjust(10)


def described(steps, options):
    """{network: description of the hosts with it}"""
    def measured(hosts, network):
        """Results of several launches, since what receiving takes differs from one to the next; of fewer where one takes
        minutes."""
        paths, began = [], time.monotonic()
        for launch in range(options.launches):
            path = steps.measured_on(hosts, network, launch)
            paths += [path] if os.path.exists(path) else \
                [steps.measure_on(hosts, network, "64kb", options.seconds, launch)]
            if time.monotonic() - began > ENOUGH_SECONDS:
                break
        return paths

    if options.add or options.machine:
        machine = options.machine or steps.fit([path for hosts in (1, 2) for path in measured(hosts, predicting.HERE)])[0]
        return {network: steps.with_delay(machine, network.delay_us) for network in NETWORKS if not network.rate_mbit}
    alone = measured(1, predicting.HERE)
    return {network: steps.fit([*alone, *measured(2, network)], f"machine-{network.text()}")[0] for network in NETWORKS}


def times_of(runs):
    """(run time, communication): medians over traced runs."""
    return tuple(map(median, zip(*map(predicting.times_of, runs))))


def errors_of(steps, machines, app, runs, failed):
    """{(network, model): (error of the run time, error of the communication)} of an application. What could not be
    compared is added to failed, with its reason."""
    found, traced = {}, {}
    for network, machine in machines.items():
        times = NETWORKS[network]
        name, *arguments = re.sub(r"(--steps )(\d+)", lambda old: f"{old[1]}{times * int(old[2])}", app).split()
        command = [traces.app(name), *arguments]
        try:
            if times not in traced:
                traced[times] = [steps.trace(f"trace {times} {i}", command) for i in range(runs)]
            real = times_of([steps.trace(f"run {i}", command, network) for i in range(runs)])
            for model in MODELS:
                guess = times_of([steps.predict(f"predicted {i}", machine, trace, model) for i, trace in enumerate(traced[times])])
                found[network, model] = tuple(a / b - 1 for a, b in zip(guess, real))
        except predicting.StepFailed as reason:
            failed.append(f"{app}, {network.text()}: {reason}")
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
    parser.add_argument("--runs", type=int, default=3, help="of each application, traced and real; medians count")
    parser.add_argument("--launches", type=int, default=3, help="of each measurement; fewer if they take minutes")
    parser.add_argument("--seconds", type=int, default=600, help="most that the measurement of a place takes")
    parser.add_argument("--realtime", action="store_true", help="take the processors away from other programs")
    parser.add_argument("--folder", metavar="DIR", help="for all files; what is measured there already is not measured again")
    options = parser.parse_args()
    steps = predicting.Steps(options.folder or harness.scratch_directory(), True, options.realtime)
    steps.check_hosts()
    machines = described(steps, options)
    failed, everything = [], {}
    print(f"{'':42}{'run time':>20}{'communication':>20}\n{'application, network':42}"
          + "".join(f"{model:>10}" for _ in QUANTITIES for model in MODELS))
    for app in options.apps:
        found = errors_of(steps, machines, app, options.runs, failed)
        for network in machines:
            if all((network, model) in found for model in MODELS):
                pairs = [found[network, model][i] for i in range(len(QUANTITIES)) for model in MODELS]
                print_line(f"{app}, {network.text()}", pairs)
                everything[app, network] = pairs
    columns = [[abs(one) for one in column] for column in zip(*everything.values())]
    if columns:
        print_line("median, without sign", map(median, columns))
        print_line("worst, without sign", map(max, columns))
    for text in failed:
        print(f"failed: {text}")
    return 1 if failed or not columns else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (predicting.StepFailed, predicting.NoHosts) as reason:
        sys.exit(f"accuracy: {reason}")
