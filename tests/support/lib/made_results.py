"""Result files with programmed numbers, for tests of scripts: complete files of schema version 1.

    points = [point("put", "Shmem_Put_Simple", {"count": 8}, 1e-6, samples=[...])]
    write("a.json", points)
"""

import json
import os
import statistics

from harness import run

HEADER = {
    "record": "header", "schema": 1, "program": "skampi", "version": "test",
    "started": "2026-01-02T03:04:05+00:00", "command_line": "skampi -i made.ski",
    "script": {"name": "made.ski", "checksum": "0123456789abcdef"}, "library": "made library 1.0",
    "pes": 2,
    "nodes": [{"name": "node0", "pes": 2, "processors": 2, "cpu": "made cpu", "smt": "off",
               "governor": "performance", "load": 0.0}],
    "binding": {"bound": 2, "pes": 2}, "environment": {},
    "timer": {"name": "tsc", "resolution": 1e-8, "cost": 2e-8, "ticks_per_second": 1e9,
              "disagreement": 0.0, "clock_source": "tsc"},
    "warnings": [],
}


def point(block, function, arguments, time, samples=None, **more):
    """A result record. arguments: values by name (the size is "count"); time in seconds, which the
    samples, if given, decide."""
    record = {
        "record": "result", "block": block, "number": 1, "round": 1, "at": 0.1,
        "function": function,
        "call": f"{function}({', '.join(f'{n}={v}' for n, v in arguments.items())})",
        "arguments": {n: {"value": v, "unit": "bytes" if n == "count" else ""}
                      for n, v in arguments.items()},
        "variables": {"count": arguments["count"]} if "count" in arguments else {},
        "pe_set": {"size": 2, "members": "0-1", "placement": "on one node"},
        "bytes": arguments.get("count", 0), "quantity": "time",
        "time": time, "standard_error": time * 0.01, "mean": time, "deviation": time * 0.03,
        "median": time, "median_low": time * 0.98, "median_high": time * 1.02, "confidence": 0.95,
        "min": time * 0.95, "max": time * 1.3, "p5": time * 0.96, "p25": time * 0.98,
        "p75": time * 1.02, "p95": time * 1.1, "p99": time * 1.2, "p999": time * 1.25,
        "valid": 20, "invalid": 0, "late": 0, "overruns": 0, "warm_up": 0,
        "autocorrelation": 0.0, "effective": 20, "iterations": 10, "synchronization": "window",
        "window_rule": "classic", "window": 1e-5, "run_time": "local", "buffers": "cycling",
        "cache": "warm", "unit": 1e6, "flags": [], "notes": [], "per_pe": [time, time * 0.9],
    }
    if samples is not None:
        ordered = sorted(samples)
        quantile = lambda p: ordered[min(len(ordered) - 1, int(p * len(ordered)))]
        record.update(
            samples=list(samples), valid=len(samples), time=statistics.median(samples),
            mean=statistics.fmean(samples), median=statistics.median(samples), min=ordered[0],
            max=ordered[-1], p5=quantile(0.05), p25=quantile(0.25), p75=quantile(0.75),
            p95=quantile(0.95), p99=quantile(0.99), p999=quantile(0.999), median_low=quantile(0.35),
            median_high=quantile(0.65),
            deviation=statistics.stdev(samples) if len(samples) > 1 else None)
    record.update(more)
    return record


def over_rounds(record):
    """The rounds record of ten rounds that agree with a result."""
    kept = ("block function call arguments variables pe_set bytes quantity").split()
    time = record["median"]
    return {**{name: record[name] for name in kept}, "record": "rounds", "rounds": 10,
            "median": time, "median_low": 0.9 * time, "median_high": 1.1 * time, "reached": 0.978,
            "next_low": 0.7 * time, "next_high": 1.5 * time, "confidence": 0.95, "between": 0.1,
            "within": 0.02, "medians": [time * (1 + 0.01 * i) for i in range(10)], "flags": [],
            "notes": [], "levels": []}


def range_of(value, low=None, high=None):
    """A control in a state record."""
    return {"value": value, "low": low, "high": high}


def state(number, value, low=None, high=None, share=1.0, pes=2, addition=(3e-10,), **more):
    """A state record of PEs 0 and 1. value, low, high: of the hand-over, with one PE of the addition; addition:
    the same of that."""
    own = range_of(value, low, high)
    controls = {"addition": own} if pes == 1 else {"hand_over": own, "addition": range_of(*addition)}
    return {"record": "state", "state": number, "members": "0-1", "pes": pes, **controls, "share": share,
            "seconds": 20 * share, "known": False, "new": False, **more}


def records(points, header=None, status=0, whole=True):
    """A whole file's records: header, blocks around the points, end."""
    lines = [{**HEADER, **(header or {})}]
    block = None
    number = 0
    for record in points:
        if record["block"] != block:
            if block is not None:
                lines.append({"record": "block_end", "block": block, "number": number,
                              "duration": 0.5})
            block, number = record["block"], number + 1
            lines.append({"record": "block", "block": block, "number": number})
        lines.append({**record, "number": number})
    if block is not None:
        lines.append({"record": "block_end", "block": block, "number": number, "duration": 0.5})
    if whole:
        lines.append({"record": "end", "status": status, "finished": "2026-01-02T03:05:05+00:00",
                      "duration": 60.0, "timed": 1.0, "results": len(points), "missing": 0})
    return lines


def write(path, points, **more):
    return write_records(path, records(points, **more))


class ToolOnResults:
    """A tool on files of made results, whose --json has a list "operations". tool: its words; key: the member that names
    operations."""

    def __init__(self, tap, tool, folder, key):
        self.tap, self.tool, self.folder, self.key = tap, tool, folder, key

    def shown(self, points, *options):
        path = os.path.join(self.folder, "made.json")
        write(path, points)
        return run([*self.tool, path, *options])

    def table(self, points):
        """Operation: its entry of --json."""
        done = self.shown(points, "--json", "-")
        return {one[self.key]: one for one in json.loads(done.out)["operations"]} if done.status == 0 else {}

    def refused(self, points, words, name):
        done = self.shown(points)
        self.tap.ok(done.status == 2 and not done.out and len(done.err.splitlines()) == 1 and words in done.err, name,
                    done)


def write_records(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        for record in lines:
            file.write(json.dumps(record) + "\n")
    return path
