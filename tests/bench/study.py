#!/usr/bin/env python3
"""The figures of Meswani et al., Tools for Benchmarking, Tracing, and Simulating SHMEM Applications, on this machine:

    tests/bench/study.py events      6: events of each application against PEs
    tests/bench/study.py bytes       7: bytes of traces against events, with the bytes of an event
    tests/bench/study.py share       what tracing adds to the run time of each application, against PEs
    tests/bench/study.py speed       8: time of a simulation / time of the application, against PEs, synthetic traces

-o FOLDER also draws them, NAME.png. Figure 9, errors of predictions, is accuracy.py. Not part of `make check`."""

import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import made_runs
import traces
from simulating import MACHINE
from skampi_tools import cli, style
from skampi_tools.statistics import median

APPS = ["fft --size 8 --steps 2", "stencil --size 32 --steps 20", "bucket_sort", "hash_table --size 100", "pipeline",
        "random_access --steps 200"]
MORE_STEPS = (1, 16, 256)  # times the steps of the applications that have any
PES = [1, 2, 4, 8]
MANY_PES = [128, 256, 512, 1024, 2048, 4096]
ROUNDS_OF_PATTERN = 200
TURNS = 5  # traced and untraced runs in turn


class Figure:
    """Points of several curves, printed as they come, and drawn at the end."""

    def __init__(self, name, title, x, y, remark=""):
        self.name, self.title, self.x, self.y = name, title, x, y
        self.curves = {}
        print(f"{title}\n{'':30}{x:>12}{y:>28}  {remark}".rstrip(), flush=True)

    def add(self, label, x, y, remark=""):
        self.curves.setdefault(label, []).append((x, y))
        print(f"{label:30}{style.number_text(x, 7):>12}{style.number_text(y, 3):>28}  {remark}".rstrip(), flush=True)

    def draw(self, folder):
        from matplotlib import pyplot, ticker  # only if something is drawn
        figure, axes = pyplot.subplots(figsize=(16 / 2.54, 11 / 2.54))
        for i, (label, points) in enumerate(self.curves.items()):
            axes.plot(*zip(*sorted(points)), label=label, color=style.PALETTE[i % len(style.PALETTE)],
                      marker=style.MARKERS[i % len(style.MARKERS)])
        axes.set(title=self.title, xlabel=self.x, ylabel=self.y, xscale="log")
        if all(y > 0 for points in self.curves.values() for _, y in points):
            axes.set_yscale("log")
        if self.x == "PEs":
            axes.xaxis.set_major_locator(ticker.FixedLocator(sorted({x for line in self.curves.values() for x, _ in line})))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.legend(fontsize="small")
        figure.savefig(os.path.join(folder, f"{self.name}.png"), dpi=150, bbox_inches="tight")


def checked(done):
    """A run that has to succeed."""
    if done.status != 0:
        sys.exit(f"study: {done}")
    return done


def with_steps(app, times):
    """The application's words with that many times the steps; None: it has no steps."""
    words = app.split()
    if "--steps" not in words:
        return None if times > 1 else words
    at = words.index("--steps") + 1
    return [*words[:at], str(int(words[at]) * times), *words[at + 1:]]


def command_of(words):
    return [traces.app(words[0]), *words[1:]]


def trace_of(words, pes):
    """(events, bytes) of a traced run."""
    done = checked(traces.recorded(pes, command_of(words), timeout=120))
    trace = done.path(traces.TRACE)
    summary = json.loads(checked(traces.read("summary", trace, "--json")).out)
    return summary["events"], traces.size(trace)


def fits(words, pes):
    """Whether the application runs on so many PEs; the pipeline needs two."""
    return pes > 1 or words[0] != "pipeline"


def draw_events(pes_list):
    figure = Figure("events", "Events against PEs", "PEs", "events")
    for app in APPS:
        for pes in pes_list:
            if fits(app.split(), pes):
                figure.add(app, pes, trace_of(app.split(), pes)[0])
    return figure


def draw_bytes(pes_list):
    figure = Figure("bytes", "Bytes of traces against events", "events", "bytes", "bytes of an event")
    for app in APPS:
        for words in filter(None, (with_steps(app, times) for times in MORE_STEPS)):
            events, size = trace_of(words, max(pes_list))
            figure.add(words[0], events, size, f"{size / events:.1f}")
    return figure


def draw_share(pes_list):
    figure = Figure("share", "What tracing adds to the run time", "PEs", "percent of the run time",
                    "start and end of the library included")
    for app in APPS:
        command = command_of(app.split())
        for pes in pes_list:
            if not fits(app.split(), pes):
                continue
            ratios = []
            for _ in range(TURNS):
                begin = time.monotonic()
                checked(traces.launched(pes, command, timeout=120))
                middle = time.monotonic()
                checked(traces.recorded(pes, command, timeout=120))
                ratios.append((time.monotonic() - middle) / (middle - begin))
            figure.add(app, pes, 100 * (median(ratios) - 1),
                       f"{100 * (min(ratios) - 1):.1f} to {100 * (max(ratios) - 1):.1f}, {TURNS} times")
    return figure


def draw_speed(pes_list):
    figure = Figure("speed", "Time of a simulation / time of the application", "PEs", "ratio",
                    "simulation, of one processor; application, predicted")
    folder = harness.scratch_directory()
    writer, machine = os.path.join(folder, "writer"), os.path.join(folder, "machine")
    made_runs.build_writer(writer)
    with open(machine, "w", encoding="utf-8") as file:
        file.write(MACHINE)
    for pes in pes_list:
        trace = os.path.join(folder, f"trace{pes}")
        os.mkdir(trace)
        subprocess.run([writer, trace, "mix", str(pes), str(ROUNDS_OF_PATTERN)], check=True)
        for name, options in (("paper", ["--model", "paper"]), ("loggp", [])):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = checked(harness.run([made_runs.command(), "--json", *options, machine, trace], timeout=300))
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            application = json.loads(done.out)["run_time"]
            figure.add(name, pes, seconds / application, f"{seconds:.3f} s; {application:.3g} s")
        for path in glob.glob(os.path.join(trace, "*")):
            os.remove(path)
    return figure


FIGURES = {"events": (draw_events, PES), "bytes": (draw_bytes, PES), "share": (draw_share, PES),
           "speed": (draw_speed, MANY_PES)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="of those above (all)")
    parser.add_argument("--pes", metavar="N,N,...", help=f"default: {PES}; speed: {MANY_PES}")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="draw figures there")
    options = parser.parse_args()
    unknown = [name for name in options.figures if name not in FIGURES]
    if unknown:
        parser.error(f"no figure {unknown[0]}: choose from {', '.join(FIGURES)}")
    try:
        pes = [int(word) for word in options.pes.split(",")] if options.pes else None
    except ValueError:
        parser.error(f"--pes {options.pes}: numbers with commas are needed, such as 1,2,4")
    if pes and min(pes) < 1:
        parser.error(f"--pes {options.pes}: at least 1 PE")
    if options.output:
        cli.need("matplotlib")
        os.environ["MPLBACKEND"] = "Agg"
        os.makedirs(options.output, exist_ok=True)
    for i, name in enumerate(options.figures or FIGURES):
        print(end="\n" if i else "")
        draw, default = FIGURES[name]
        figure = draw(pes or default)
        if options.output:
            figure.draw(options.output)


if __name__ == "__main__":
    main()
