"""The comments at the top of a .sko file that describe the run."""

import math
import re

from ...locations import location_of, location_text
from ...style import count_text


# Members that are texts, lists of texts, or texts by name, by the words before them.
_TEXTS = {"launcher": "launcher", "command line": "command_line", "library": "library"}
_LISTS = {"warning": "warnings", "module": "modules", "converted": "notes"}
_PAIRS = {"environment": ("environment", "="), "choice": ("choices", ": ")}


def take_fact(header, text):
    """Adds what the comment says to the header; False: it says something else."""
    from .lines import NODE, NUM, NUMBER, TIMER, number, per  # who writes needs no forms of what is read
    name, _, value = text.partition(": ")
    if name in _TEXTS:
        header[_TEXTS[name]] = value
    elif name in _LISTS:
        header.setdefault(_LISTS[name], []).append(value)
    elif name in _PAIRS and _PAIRS[name][1] in value:
        member, separator = _PAIRS[name]
        key, _, setting = value.partition(separator)
        header.setdefault(member, {})[key] = setting
    elif found := re.fullmatch(r"script: (.*) \(checksum (\w+)\)", text):
        header["script"] = {"name": found.group(1), "checksum": found.group(2)}
    elif found := re.fullmatch(r"PEs: (\d+) on \d+ nodes?", text):
        header["pes"] = int(found.group(1))
    elif found := NODE.fullmatch(text):
        node, pes, processors, cpu, smt, governor, load = found.groups()
        header.setdefault("nodes", []).append(
            {"name": node, "pes": int(pes), "processors": int(processors), "cpu": cpu,
             "smt": smt, "governor": governor,
             "load": number(load) if NUMBER.fullmatch(load) else None})
    elif found := re.fullmatch(r"binding: (\d+) of (\d+) PEs? (?:is|are) bound to one processor", text):
        header["binding"] = {"bound": int(found.group(1)), "pes": int(found.group(2))}
    elif name == "location" and (group := location_of(value)):
        header.setdefault("locations", []).append(group)
    elif name == "seed":
        header.setdefault("rounds", {})["seed"] = value
    elif found := re.fullmatch(rf"rounds: (\d{{1,9}})(?:, spread over ({NUM}) s)?", text):
        rounds = header.setdefault("rounds", {})
        rounds["rounds"] = int(found.group(1))
        if found.group(2):
            rounds["seconds"] = number(found.group(2))
    elif found := re.fullmatch(rf"time limit: ({NUM}) s", text):
        header.setdefault("rounds", {})["time_limit"] = number(found.group(1))
    elif found := re.fullmatch(rf"state: only (\w+)(?:, waiting up to {NUM} s for each point)?", text):
        header.setdefault("controls", {"on": True})["state"] = found.group(1)
    elif name == "earlier run":
        header.setdefault("controls", {"on": True}).setdefault("known", []).append(value)
    elif found := re.fullmatch(rf"launches of earlier runs: differ by ({NUM}) %", text):
        header.setdefault("controls", {"on": True})["launch_difference"] = per(found.group(1), 100)
    elif (found := TIMER.fullmatch(text)) and all(map(NUMBER.fullmatch, found.groups()[1:5])):
        timer, resolution, cost, ticks, off, source = found.groups()
        header["timer"] = {"name": timer, "resolution": per(resolution, 1e9),
                           "cost": per(cost, 1e9), "ticks_per_second": number(ticks),
                           "disagreement": per(off, 1e6), "clock_source": source}
    else:
        return False
    return True


def facts(header):
    """What take_fact() understands, of a header."""
    for name, member in _TEXTS.items():
        if name == "library" and "script" in header:
            script = header["script"]
            yield f"script: {script.get('name', '')} (checksum {script.get('checksum', '')})"
        if header.get(member):
            yield f"{name}: {header[member]}"
    nodes = header.get("nodes") or []
    if "pes" in header:
        yield f"PEs: {header['pes']} on {count_text(len(nodes), 'node')}"
    for place, node in enumerate(nodes):
        load = node.get("load")
        yield (f"node {place}: {node.get('name', '')}, {count_text(node.get('pes', 0), 'PE')}, "
               f"{count_text(node.get('processors', 0), 'processor')}, {node.get('cpu', '')}, SMT "
               f"{node.get('smt', 'unknown')}, governor {node.get('governor', 'not shown')}, load "
               f"{'---' if load is None else format(load, '.2f')}")
    if "binding" in header:
        binding = header["binding"]
        pes = binding.get("pes", 0)
        yield (f"binding: {binding.get('bound', 0)} of {count_text(pes, 'PE')} {'is' if pes == 1 else 'are'} bound to one "
               "processor")
    for group in header.get("locations") or []:
        yield f"location: {location_text(group)}"
    yield from _listed(header, "warning")
    for word, (member, separator) in _PAIRS.items():
        yield from (f"{word}: {name}{separator}{value}" for name, value in (header.get(member) or {}).items())
        if word == "environment":
            yield from _listed(header, "module")
    if timer := header.get("timer"):
        known = {name: math.nan if timer.get(name) is None else timer[name] for name in
                 ("resolution", "cost", "ticks_per_second", "disagreement")}
        yield (f"timer: {timer.get('name', '')}, resolution {known['resolution'] * 1e9:.1f} ns, "
               f"cost {known['cost'] * 1e9:.1f} ns, {known['ticks_per_second']:.6g} ticks per second, off CLOCK_MONOTONIC "
               f"by {known['disagreement'] * 1e6:.3g} ppm, clock source {timer.get('clock_source', '')}")
    rounds = header.get("rounds") or {}
    if rounds.get("seed"):
        yield f"seed: {rounds['seed']}"
    if rounds.get("rounds"):
        seconds = rounds.get("seconds")
        yield f"rounds: {rounds['rounds']}{f', spread over {seconds:g} s' if seconds else ''}"
    if rounds.get("time_limit"):
        yield f"time limit: {rounds['time_limit']:g} s"
    controls = header.get("controls") or {}
    if controls.get("state"):
        yield f"state: only {controls['state']}"
    for path in controls.get("known") or []:
        yield f"earlier run: {path}"
    if controls.get("launch_difference") is not None:
        yield f"launches of earlier runs: differ by {100 * controls['launch_difference']:.3g} %"
    yield from _listed(header, "converted")


def _listed(header, word):
    return (f"{word}: {text}" for text in header.get(_LISTS[word]) or [])
