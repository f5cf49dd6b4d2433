#!/usr/bin/env python3
# TIMEOUT: 120
"""--state and --known in runs: what cannot be asked for, what is not waited for, and which intervals
earlier runs make wider."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, skampi, skip_all

SCRIPT = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
{}
begin measurement "b"
  measure comm({}) : Shmem_Barrier()
end measurement
"""


def run_of(pes=2, members="get_np()", setting="", args=(), **how):
    """A run, and the records of its results."""
    run = skampi(SCRIPT.format(setting, members), np=pes, args=["-o", "out.json", "-o", "out.sko", *args], **how)
    return run, run.records("out.json")


def of(records, kind):
    return [record for record in records if record["record"] == kind]


def left_out(tap, words, name, limits=(None,), **how):
    """limits: time limits, the next of which is tried when the run has started too slowly for one."""
    for limit in limits:
        args = [*how.get("args", ()), *(["--time-limit", limit] if limit else [])]
        began = time.monotonic()
        run, records = run_of(**{**how, "args": args})
        seconds = time.monotonic() - began
        missing = of(records, "missing")
        if missing and missing[0]["kind"] != "time_limit":
            break
    tap.ok(run.status in (3, 4), f"{name}: status 3, or that of the time limit", run)
    tap.equal([record["kind"] for record in missing], ["state"], f"{name}: the point is left out", run)
    tap.ok(missing and words in missing[0]["reason"], f"{name}: says why", run)
    # Else it would be the minute that --state-wait is without a value.
    tap.ok(seconds < 45, f"{name}: nobody waits for it", run)


def test_refused(tap, known):
    left_out(tap, "set_controls(0)", "without controls", setting="set_controls(0)", args=["--state", "fastest"])
    left_out(tap, "hands nothing over", "one PE", members=1, args=["--state", "hand-over<1ns"])
    left_out(tap, "no state of this number", "a state that nobody knows", args=["--state", "99", "--known", known])
    left_out(tap, "within 0.2 s", "a state that does not come", args=["--state", "hand-over<1ns",
                                                                     "--state-wait", "0.2s"])
    left_out(tap, "time limit", "the time limit", ("2s", "8s", "20s"), args=["--state", "hand-over<1ns"])


def test_shared(tap):
    left_out(tap, "PEs share processors", "PEs that share processors", pes=harness.cores() + 1,
             args=["--state", "fastest"])


def with_slow_state(records, path):
    """The results of a run, which has also seen a state with times of one second, and with hand-overs as no machine
    has them: whatever states a later run sees, that one is not among them."""
    state = of(records, "state")[0]
    made = [{**state, "state": 1, "hand_over": {"value": state["hand_over"]["value"], "low": None, "high": 0.1}},
            {**state, "state": 2, "hand_over": {"value": 1, "low": 0.1, "high": None}}]
    nothing = dict.fromkeys(("median_low", "median_high", "next_low", "next_high", "between"))
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            if record["record"] == "rounds":
                both = [{**nothing, "state": 1, "rounds": 2, "median": record["median"], "reached": 0},
                        {**nothing, "state": 2, "rounds": 2, "median": 1, "reached": 0, "next_low": 0.9,
                         "next_high": 1.1}]
                record = {**record, "states": both, "round_states": [1] * len(record["medians"])}
            if record["record"] != "state":
                file.write(json.dumps(record) + "\n")
            elif record is state:
                file.writelines(json.dumps(one) + "\n" for one in made)


def test_known(tap, known):
    """The prediction interval covers what only earlier runs have seen, if there is an interval at all."""
    # One of 8 rounds may be missing: 5 make an interval.
    for count in (2, 8):
        run, records = run_of(args=["--known", known, "--rounds", f"{count},0.5s"])
        rounds = of(records, "rounds")
        if not tap.equal(len(rounds), 1, f"{count} rounds with --known", run):
            continue
        high = rounds[0]["next_high"]
        if count < 5:
            tap.equal(high, None, "of few rounds there is no interval, whatever is known", run)
        else:
            tap.ok(high is not None and high >= 1.1, "the interval reaches a state of earlier runs", (high, run))


def main():
    tap = Tap()
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    if harness.cores() < 2:
        skip_all("two PEs need two cores, or there are no controls")
    run, records = run_of(args=["--rounds", "2,0.2s"])
    if not tap.ok(of(records, "state") and of(records, "rounds"), "a short run sees a state", run):
        tap.done()
    known = os.path.join(harness.scratch_directory(), "known.json")
    with_slow_state(records, known)
    test_refused(tap, known)
    test_shared(tap)
    test_known(tap, known)
    tap.done()


main()
