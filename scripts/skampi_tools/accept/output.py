"""A verdict as text, as JUnit XML, and what a plan says."""

from datetime import datetime

from ..screen import printable
from ..style import count_text, listed, percent_text, rate_text, seconds_text, size_text, time_text
from .run import passes_for, rounds_of, tournament
from .values import BANDWIDTH, KINDS, LATENCY
from .verdict import STATUS, median_seconds

MOST_LINES = 20  # of a list; JSON has all
ASSUMED = 0.05  # seconds for a measurement, where nothing else is known
START = 5.0  # seconds for a launch
PART = 12


def _some(lines):
    more = [f"  ... {len(lines) - MOST_LINES} more: see --json"] if len(lines) > MOST_LINES else []
    return lines[:MOST_LINES] + more


def time_of(value, kind):
    """What all pairs take, in words; empty without a value."""
    seconds = median_seconds(value, kind)
    if seconds != seconds:
        return ""
    moved = value["kinds"][kind].get("bytes") or 0
    rate = f", {rate_text(moved / seconds)}" if kind == BANDWIDTH and moved else ""
    return f"{time_text(seconds)}{rate} ({size_text(moved)})" if moved else time_text(seconds)


def headline(value):
    nodes = [entry["node"] for entry in value["look_at"]]
    if nodes:
        return f"fail: look at {listed(nodes, PART)}"
    if value["doubts"]:
        return f"doubtful: {value['doubts'][0]}"
    return f"pass: no node, link or PE is slower than the others ({count_text(value['pes'], 'PE')})"


def as_text(value):
    cleared = sum(test["state"] == "cleared" for test in value["tests"])
    lines = [headline(value), ""]
    for entry in value["look_at"]:
        lines += [f"{entry['node']}:", *_some([f"  {text}" for text in entry["because"]])]
    if value["doubts"]:
        lines += ["doubts:", *_some([f"  {text}" for text in value["doubts"]])]
    if len(lines) > 2:
        lines.append("")
    lines.append(f"{count_text(value['pes'], 'PE')} on {count_text(value['nodes'], 'node')}, "
                 f"{value['measurements']} measurements; {count_text(len(value['tests']), 'suspicion')}, "
                 f"{cleared} cleared by re-tests; false alarms in {percent_text(value['alpha'])} of runs at most")
    for kind in KINDS:
        if text := time_of(value, kind):
            lines.append(f"{kind}: {text}")
    return "".join(printable(line) + "\n" for line in lines)


def as_junit(value):
    """A test case for each node, one for the machine, and one for whether the data say enough."""
    because = {entry["node"]: entry["because"] for entry in value["look_at"]}
    nodes = list(dict.fromkeys(site["node"] for site in value["sites"]))
    rows = [(f"node {node}", "failure", because.get(node, [])) for node in nodes]
    rows += [("all nodes", "failure", because[name]) for name in because if name not in nodes]
    rows.append(("enough data", "error", value["doubts"]))
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-accept", [("skampi-accept", name, (tag, texts[0], "\n".join(texts)) if texts else None)
                                          for name, tag, texts in rows])


def as_metrics(value):
    """Families of openmetrics.text()."""
    accused = {entry["node"] for entry in value["look_at"]}
    nodes = list(dict.fromkeys(site["node"] for site in value["sites"]))
    return [
        ("skampi_accept_verdict", "", "1 for the verdict, 0 for the others",
         [({"verdict": name}, int(name == value["verdict"])) for name in STATUS]),
        ("skampi_accept_suspect", "", "1 for nodes to look at", [({"node": node}, int(node in accused)) for node in nodes]),
        ("skampi_accept_doubts", "", "reasons why a pass is worth little", [({}, len(value["doubts"]))]),
        ("skampi_accept_time", "seconds", "Median time of all pairs",
         [({"kind": kind}, median_seconds(value, kind)) for kind in KINDS]),
        ("skampi_accept_site_time", "seconds", "Median time to the other sites",
         [({"kind": kind, "site": site["name"]}, (site[kind] or {}).get("seconds"))
          for site in value["sites"] for kind in KINDS]),
        ("skampi_accept_started", "seconds", "When it was measured, since 1970",
         [({}, datetime.fromisoformat(value["started"]).timestamp())] if value["started"] else [])]


def plan_text(game, wanted, each, given, command):
    """What would be measured. each: seconds of a measurement, known from earlier results; None: not known."""
    count, passes, tasks = rounds_of(game, wanted), passes_for(game, wanted), tournament(game, wanted)
    rounds = f"{count} of {game.rounds} rounds, the same in each pass" if count < game.rounds else \
        f"{count_text(count, 'round')}: each PE meets each other one"
    how = "assumed; --from FILE takes that of earlier results" if each is None else "as in the results given"
    each, measurements = ASSUMED if each is None else each, 2 * len(tasks)
    return (f"{count_text(game.pes, 'PE')} on {count_text(given.nodes, 'node')}: "
            f"{count_text(passes, 'pass', 'passes')} of {rounds}\n"
            f"{sum(game.pairs(task[2]) for task in tasks) // passes} pairs in each pass; {LATENCY} of {size_text(given.small)} and "
            f"{BANDWIDTH} of {size_text(given.large)} in both directions: {measurements} measurements, "
            f"{2 * passes * count * game.pes} values\n"
            f"about {seconds_text(START + measurements * each)} at {time_text(each)} for a measurement ({how}); re-tests of "
            "suspects come on top\n"
            f"{command}\n")
