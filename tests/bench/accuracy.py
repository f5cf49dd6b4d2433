#!/usr/bin/env python3
"""How accurate predictions of shmemsim are: traces applications on hosts without delay, predicts them with several, runs
them there, and prints the errors of run time and communication. Not part of `make check`; needs hosts (root)."""

import argparse
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import predicting
import traces
from skampi_tools.statistics import median

# Not the pipeline: after private contexts were used over TCP, shmem_finalize of Open MPI 4.1.4 does not return.
APPS = ["fft --size 8 --steps 20", "stencil --size 32 --steps 20", "bucket_sort", "hash_table --size 100",
        "random_access --steps 200"]
MODELS = ["paper", "loggp"]
DELAYS_US = [200, 1000, 5000]
QUANTITIES = ["run time", "communication"]


def percent(error):
    return f"{100 * error:+.1f} %".rjust(10)


def errors_of(steps, machine, app, failed):
    """{(delay, model): (error of the run time, error of the communication)} of an application. What could not be compared
    is added to failed, with its reason."""
    name, *arguments = app.split()
    command = [traces.app(name), *arguments]
    found = {}
    try:
        trace = steps.trace("trace", command)
    except predicting.StepFailed as reason:
        failed.append(f"{app}: {reason}")
        return found
    for delay in DELAYS_US:
        try:
            real = predicting.times_of(steps.trace("run", command, delay))
            there = steps.with_delay(machine, delay)
            for model in MODELS:
                guess = predicting.times_of(steps.predict("predicted", there, trace, model))
                found[delay, model] = tuple(a / b - 1 for a, b in zip(guess, real))
        except predicting.StepFailed as reason:
            failed.append(f"{app}, {delay} us: {reason}")
    return found


def print_line(label, pairs):
    print(f"{label:42}" + "".join(percent(error) for error in pairs), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", default=APPS, metavar="APP", help="with its options in one word (all)")
    parser.add_argument("--machine", metavar="FILE", help="description of the hosts (default: measure them)")
    parser.add_argument("--seconds", type=int, default=60, help="most that the measurement of a place takes")
    parser.add_argument("--realtime", action="store_true", help="take the processors away from other programs")
    options = parser.parse_args()
    steps = predicting.Steps(harness.scratch_directory(), True, options.realtime)
    steps.check_hosts()
    machine = options.machine or steps.fit(steps.measure("64kb", options.seconds))[0]
    failed, everything = [], {}
    print(f"{'':42}{'run time':>20}{'communication':>20}\n{'application, delay':42}"
          + "".join(f"{model:>10}" for _ in QUANTITIES for model in MODELS))
    for app in options.apps:
        found = errors_of(steps, machine, app, failed)
        for delay in DELAYS_US:
            if all((delay, model) in found for model in MODELS):
                pairs = [found[delay, model][i] for i in range(len(QUANTITIES)) for model in MODELS]
                print_line(f"{app}, {delay} us", pairs)
                everything[app, delay] = pairs
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
