"""The comments at the top of a .sko file that describe the run."""

import re

from .lines import NODE, NUM, NUMBER, TIMER, number, per


def take_fact(header, text):
    """Adds what the comment says to the header; False: it says something else."""
    name, _, value = text.partition(": ")
    if name in ("command line", "library"):
        header[name.replace(" ", "_")] = value
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
    elif name == "environment" and "=" in value:
        variable, _, setting = value.partition("=")
        header.setdefault("environment", {})[variable] = setting
    elif name == "choice" and ": " in value:
        what, _, choice = value.partition(": ")
        header.setdefault("choices", {})[what] = choice
    elif name == "converted":
        header.setdefault("notes", []).append(value)
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
    elif name == "warning":
        header.setdefault("warnings", []).append(value)
    elif (found := TIMER.fullmatch(text)) and all(map(NUMBER.fullmatch, found.groups()[1:5])):
        timer, resolution, cost, ticks, off, source = found.groups()
        header["timer"] = {"name": timer, "resolution": per(resolution, 1e9),
                           "cost": per(cost, 1e9), "ticks_per_second": number(ticks),
                           "disagreement": per(off, 1e6), "clock_source": source}
    else:
        return False
    return True
