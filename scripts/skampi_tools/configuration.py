"""What headers of result files say about how and where a run was made, as names and values to be compared."""

import re

from .locations import location_text

# Members of headers that facts_of() has, that differ from launch to launch anyway, or that are about the timer.
_NOT_MORE = frozenset("record schema program version started command_line options script library pes node_count nodes binding "
                      "locations environment choices timer warnings notes rounds".split())

# Facts that say nothing of the library.
_OF_MACHINE = frozenset(("script", "PEs", "nodes", "CPU", "governor", "where PEs run", "timer"))


def facts_of(header):
    """{name: value}: what must be the same for times to be comparable."""
    nodes = header.get("nodes") or []
    binding = header.get("binding") or {}
    facts = {
        "library": header.get("library"), "version of skampi": header.get("version"),
        "script": (header.get("script") or {}).get("checksum"), "PEs": header.get("pes"),
        "nodes": len(nodes) or None,
        "CPU": ", ".join(sorted({str(node.get("cpu")) for node in nodes if node.get("cpu")})),
        "governor": ", ".join(sorted({str(n.get("governor")) for n in nodes if n.get("governor")})),
        "bound PEs": binding.get("bound"),
        "where PEs run": "; ".join(location_text(group, False) for group in header.get("locations") or []),
        "timer": (header.get("timer") or {}).get("name"),
    }
    facts.update((header.get("choices") or {}).items())
    facts.update((f"environment {name}", value)
                 for name, value in (header.get("environment") or {}).items())
    return facts


def software_of(header):
    """{name: value}: library, version and settings, as far as the file says: what may change how long the library takes."""
    facts = facts_of(header)
    return {name: value for name, value in facts.items() if name not in _OF_MACHINE and value not in (None, "")}


def stated(values):
    """The values of several launches, in words."""
    return " or ".join(sorted({"not stated" if v in (None, "") else str(v) for v in values}))


def _of_nodes(header, member):
    return ", ".join(sorted({str(node.get(member)) for node in header.get("nodes") or [] if node.get(member)}))


def _flat(name, value):
    """(name, value) pairs of what is in a member that this version does not know: what is deeper is left out."""
    entries = value.items() if isinstance(value, dict) else [("", value)]
    for key, entry in entries:
        if isinstance(entry, list):
            entry = ", ".join(str(part) for part in entry if not isinstance(part, (dict, list)))
        if not isinstance(entry, dict):
            yield f"{name} {key}".rstrip(), entry


def all_facts_of(header):
    """facts_of(), and what only matters if somebody asks why times changed: hosts, options, and all members that
    later versions of skampi have."""
    options = re.sub(r"\s(-o|--output)[\s=](?:'[^']*'|\\.|[^\s'\\])+", "", str(header.get("command_line") or ""))
    facts = {**facts_of(header), "hosts": _of_nodes(header, "name"), "SMT": _of_nodes(header, "smt"),
             "clock source": (header.get("timer") or {}).get("clock_source"), "command line": options}
    for name, value in header.items():
        if name not in _NOT_MORE:
            facts.update(_flat(name, value))
    return facts
