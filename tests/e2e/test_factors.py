#!/usr/bin/env python3
# TIMEOUT: 400
# BOUND
"""--factors on a real library: every factor is tried or the reason is stated, all formats and tools have what was found,
a time limit is kept, and what cannot be is refused."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, SAMPLE, Tap, read_text, run, scratch_directory, skampi
from skampi_tools import results

FACTORS = ["relative", "source", "target", "cycling", "before", "order", "placement", "cache"]
OF_POINTS = {"relative", "source", "target", "before", "cache"}
CHOSEN = ["relative", "order"] if SAMPLE else FACTORS
LINE = "Shmem_Put_Round --sizes 64,4kb --iterations 5 --quick".split()


def test_all(tap):
    option = "--factors=" + ",".join(CHOSEN) if SAMPLE else "--factors"
    got = skampi(args=[*LINE, option, "-o", "a.json", "-o", "a.sko", "-f", "table", "-o", "-"], timeout=180)
    if not tap.equal(got.status, 0, option, got):
        return
    file = results.read(got.path("a.json"))
    rows = [record for record in file.records if record["record"] == "factor"]
    whole = [record for record in file.records if record["record"] == "factors"]
    tap.equal(len(whole), 1, "one record for the experiment")
    told = {row["factor"] for row in rows} | {entry["factor"] for entry in whole[0]["untried"]}
    tap.ok(told >= set(CHOSEN), "each factor was tried, or there is a reason", sorted(told))
    tried = {(row["factor"], row["bytes"]) for row in rows}
    tap.ok(tried >= {(factor, size) for factor in OF_POINTS & set(CHOSEN) for size in (64, 4096)},
           "at both points", sorted(tried))
    tap.ok(all(len(row["levels"]) > 1 and 0 < row["blocks"] <= 16 and 0 <= row["p"] <= row["adjusted"] <= 1 for row in rows),
           "with levels, blocks and p-values", rows)
    tap.ok(all(("ratio" in row) == row["named"] for row in rows), "a ratio where it is named", rows)
    tap.equal(len(file.results), 2, "nothing else of the experiment is among the results")
    sko = got.read("a.sko")
    findings = whole[0]["findings"] or ["no factor makes a difference that can be told from chance"]
    for text, what in ((sko, ".sko"), (got.out, "the table")):
        tap.ok(all(f"finding: {finding}" in text for finding in findings), f"{what} has the findings", f"{findings}\n{text}")
    page = os.path.join(scratch_directory(), "a.html")
    report = run([os.path.join(ROOT, "scripts", "skampi-report"), got.path("a.json"), "-o", page])
    tap.ok("What do these numbers depend on?" in read_text(page), "skampi-report has a section", report)
    converted = run([os.path.join(ROOT, "scripts", "skampi-convert"), got.path("a.json"), "-o", page + ".sko"])
    with open(page + ".sko", encoding="utf-8") as text:
        tap.ok(all(f"# finding: {finding}" in text.read() for finding in whole[0]["findings"][:1]),
               "skampi-convert keeps the findings", converted)


def records(got):
    return got.records("a.json")


def test_limits(tap):
    got = skampi('begin measurement "b"\nmeasure MPI_COMM_WORLD : Shmem_Barrier()\nend measurement\n',
                 args=["--factors", "-o", "a.json", "-o", "-"])
    reasons = {entry["factor"]: entry["reason"] for record in records(got)
               if record["record"] == "factors" for entry in record["untried"]}
    tap.equal({name: reasons.get(name) for name in ("relative", "cache", "before")},
              {"relative": "it has no buffers", "cache": "it has no buffers",
               "before": "there is one point only: measure several sizes or functions"}, "a barrier has no buffers", got)
    got = skampi(args=[*LINE, "--factors=order", "-o", "a.json"], np=1)
    tap.ok(got.status == 3 and "warning: --factors: order is not tried: " in got.err, "an order of one PE", got)
    got = skampi(args=[*LINE, "--factors", "--time-limit", "3s", "-o", "a.json"], timeout=120)
    seconds = next((record["seconds"] for record in records(got) if record["record"] == "factors"), 0)
    # 4: it ended the script itself. Without a limit the experiment takes 20 s; a busy machine lengthens what has begun.
    tap.ok(got.status in (0, 4) and seconds < 9, "the time limit is kept", got)


def test_refusals(tap):
    cases = {
        ("--factors=relatve",): "--factors relatve: there is no factor relatve: did you mean relative? there are relative, "
                                "source, target, cycling, before, order, placement, cache",
        ("--factors=environment",): "--factors environment: a launch has one environment only: skampi campaign --factor "
                                    "environment tries several",
        ("--factors", "--rounds", "3"): "--factors beside --rounds: leave one of them out",
        ("--factors", "--estimate"): "--factors beside --estimate: leave one of them out",
        ("--factors", "--state", "fastest"): "--factors beside --state: leave one of them out",
    }
    for words, message in cases.items():
        got = skampi(args=[*LINE, *words], launch=False)
        tap.ok(got.status == 2 and f"skampi: error: {message}" in got.err, " ".join(words), got)
    campaign = os.path.join(ROOT, "scripts", "skampi-campaign")
    got = run([campaign, "--dry-run", "-k", "1", "--factor", "environment", os.path.join(ROOT, "inputs", "quickstart.ski")])
    tap.ok(got.status == 0 and all(f"default+{size}" in got.out for size in (0, 16, 1040, 2048, 4096)),
           "a campaign in environments of several sizes", got)


def main():
    tap = Tap()
    test_refusals(tap)
    test_limits(tap)
    test_all(tap)
    tap.done()


main()
