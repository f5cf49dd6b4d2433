"""Measures whether prediction intervals keep their promise on this machine: runs a script several times and judges
the runs (promise.py)."""

import math
import os
import re
import shlex
import sys
import time

from .. import cli, launching, reading, results, screen, style
from ..statistics import known
from . import promise

KEPT = (0, 3)  # statuses of runs that came to their end
VERDICTS = {True: "kept", False: "not kept", None: "cannot tell: widths need at least 5 runs"}

DESCRIPTION = """\
Runs a script several times with --rounds, spread over some time, and checks the prediction interval of
each run against the medians of all later runs. The promise: the 95 % prediction interval contains the
median of a later, independent run in at least 90 % of points, and is at most twice as wide as the observed
spread needs (the interval around a run's median that contains 95 % of the other medians). Widths are
judged from 5 runs on. Where runs state in which states the machine was, the same is said of each state."""

EPILOG = """\
examples:
  skampi campaign coverage --span 2h -o coverage                 # quickstart.ski, 6 runs of 10 rounds
  skampi campaign coverage --script my.ski --pes 64 --launch 'srun -n {pes}' --runs 10 --json coverage.json
  skampi campaign coverage --script my.ski --span 2h --known     # as somebody who keeps earlier results
  skampi campaign coverage --from coverage/*.json                # evaluate again, run nothing

If it was interrupted, give the same directory again: complete files are kept.

exit status: 0 measured, 1 --fail and the promise is not kept, 2 wrong usage or a file that cannot be
read, 3 measured, but a run failed"""


def parser():
    own = cli.Parser(writes=(), prog="skampi-campaign coverage", description=DESCRIPTION, epilog=EPILOG)
    own.add_argument("--from", dest="files", nargs="+", metavar="FILE",
                     help="evaluate these result files of skampi --rounds; run nothing")
    own.add_argument("--script", default="quickstart.ski", metavar="FILE",
                     help="script to measure (default quickstart.ski)")
    own.add_argument("--runs", type=cli.whole(2, 999), default=6, metavar="N",
                     help="number of runs (default 6)")
    own.add_argument("--rounds", default="10", metavar="N[,TIME]",
                     help="rounds of each run, at least 5, and the time over which to spread them "
                          "(default 10)")
    own.add_argument("--span", type=cli.duration, default=0.0, metavar="TIME",
                     help="time from the start of the first run to that of the last, such as 30m "
                     "(default: no pauses)")
    own.add_argument("--pes", type=cli.whole(1, 10**8), default=2, metavar="N", help="PEs (default 2)")
    launching.add_options(own, default=launching.default_launch())
    own.add_argument("--set", action="append", default=[], metavar="NAME=EXPR",
                     help="a global variable of the script; may be repeated")
    own.add_argument("--known", action="store_true",
                     help="give each run the results of those before it (skampi --known), so that its "
                          "intervals cover the states that they have seen")
    own.add_argument("-o", "--output", metavar="DIR",
                     help="directory of the runs' files (default: the script's name with .coverage, here)")
    cli.add_json(own)
    own.add_argument("--fail", action="store_true", help="exit with 1 if the promise is not kept")
    return own


def parse(arguments):
    own = parser()
    given = own.parse_some(arguments, "--script, --span or --from")
    given.output = given.output or cli.default_output(given.script, ".coverage")
    if not re.fullmatch(r"0*([5-9]|[1-9]\d{1,5})(,[\dhms:.]+)?", given.rounds):
        raise cli.Error(f"--rounds {given.rounds}: give at least 5, such as 10 or 10,5m")
    return given


# ---- Running ----


def complete(path):
    """Whether a run's file has come to its end."""
    try:
        end = results.read(path).end
    except (cli.Error, OSError):
        return False
    return end is not None and end.get("status") in KEPT


def run_all(given):
    """Paths of complete files, and the number of failed runs."""
    settings = [word for setting in given.set for word in ("--set", setting)]
    words = launching.command(given.launch, given.program, given.pes,
                              ["-i", given.script, "--rounds", given.rounds, *settings])
    os.makedirs(given.output, exist_ok=True)
    paths, failed, begin = [], 0, time.monotonic()
    for number in range(given.runs):
        path = os.path.join(given.output, f"run-{number + 1:03d}.json")
        if not complete(path):
            wait = begin + number * given.span / (given.runs - 1) - time.monotonic()
            time.sleep(max(0.0, wait))
            known = [word for earlier in paths if given.known for word in ("--known", earlier)]
            line = [*words, *known, "-o", path]
            if sys.stderr.isatty():
                print(f"run {number + 1} of {given.runs}: {shlex.join(line)}", file=sys.stderr, flush=True)
            status = launching.run(line, f"{path[:-5]}.log")
            if not complete(path):
                failed += 1
                cli.warn(f"run {number + 1} failed (status {status}): see {path[:-5]}.log")
                if status == 2:
                    raise cli.Error(f"nothing can be measured: {launching.error_line_of(path[:-5] + '.log')}")
                continue
        paths.append(path)
    return paths, failed


# ---- What is said ----


def ratio_text(value):
    return style.NOTHING if math.isnan(value) else style.number_text(value, 3)


def report(measured):
    rows = [("block", "points", "contained", "width / need")]
    for name, count, judged in (*((block["block"], block["points"], block) for block in measured["blocks"]),
                                ("all", len(measured["points"]), measured)):
        rows.append((screen.printable(name), str(count), style.percent_text(judged["contained"]),
                     ratio_text(judged["width_ratio"])))
    ratios = known(point["width_ratio"] for point in measured["points"])
    print(f"promise: {VERDICTS[measured['promise']]}")
    print(f"contained: {style.percent_text(measured['contained'])} of later medians lie in the "
          f"{100 * measured['confidence']:g} % prediction interval of an earlier run (promised: at least "
          f"90 %); the lowest of two runs: {style.percent_text(measured['lowest_pair'])}")
    if ratios:
        wide = sum(ratio > promise.MOST_WIDTH for ratio in ratios)
        print(f"width: {ratio_text(measured['width_ratio'])} times what the spread of {measured['runs']} runs "
              f"needs, median over points (promised: at most 2); {wide} of {len(ratios)} points are "
              f"wider than twice that")
    else:
        print(f"width: not judged from {measured['runs']} runs")
    if "states" not in measured:
        report_launches(measured)
    print()
    print_table(rows)
    if "states" in measured:
        report_states(measured["states"])


def print_table(rows, left=1):
    """The first columns are aligned to the left."""
    print("\n".join(screen.table(rows, range(left))))


def report_launches(measured):
    """What no round of a run sees."""
    difference = measured["launch_difference"]
    if difference > 0:
        print(f"launches: their medians differ by {style.percent_text(difference)} (standard deviation, median over "
              f"points) that rounds do not explain; set_launch_difference({difference:.2g}) in the script makes "
              "intervals allow for that")
    elif difference == 0:
        print("launches: their medians differ by no more than rounds explain; set_launch_difference(0) in the script makes "
              "intervals speak for rounds alone")


def report_states(states):
    """What holds within each state; also for each point where there are several states."""
    verdict = VERDICTS[states["promise"]] + (" in it" if states["promise"] is None else "")
    print(f"\nin the same state: {verdict}")
    print(f"contained: {style.percent_text(states['contained'])}; width: {ratio_text(states['width_ratio'])} times the "
          f"need; spread of runs: {style.percent_text(states['spread'])}, median over points, at most "
          f"{style.percent_text(states['largest_spread'])}")
    report_launches(states)
    if len({point["state"] for point in states["points"]}) < 2:
        return
    print("\nonly runs with at least 5 rounds in a state count there\n")
    print_table([("block", "point", "state", "runs", "inside", "pairs", "width / need", "spread"), *(
        (screen.printable(p["block"]), screen.printable(p["label"]), p["text"], str(p["runs"]), str(p["inside"]),
         str(p["pairs"]), ratio_text(p["width_ratio"]), style.percent_text(p["spread"])) for p in states["points"])], left=3)


def run(arguments):
    given = parse(arguments)
    launching.end_when_told()
    paths, failed = (given.files, 0) if given.files else run_all(given)
    if not paths:
        log = os.path.join(given.output, "run-001.log")
        raise cli.Error(f"no run is complete: {launching.error_line_of(log)}")
    files = reading.launches(paths)
    measured = promise.evaluate(files)
    for text in promise.cautions(files):
        cli.say(f"caution: {text}")
    cli.show(given.json, lambda: report(measured), lambda: {"coverage": 1, "files": paths, **measured})
    if given.fail and False in (measured["promise"], measured.get("states", measured)["promise"]):
        return 1
    return 3 if failed else 0
