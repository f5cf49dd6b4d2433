"""Where PEs ran, as headers of results state it: a group of PEs in words, and back."""

import re

_PARTS = (("package", "package"), ("numa_node", "NUMA node"), ("l3", "L3 cache"))
_SHARED = (("pes_per_core", "on a core"), ("pes_per_l2", "on an L2 cache"))
_LIST = r"[-\d,:]+"
_TEXT = re.compile(rf"PEs ({_LIST}): node (\d+)"
                   + "".join(rf"(?:, {words} (\d+))?" for _, words in _PARTS)
                   + rf", (one processor each:|any of processors) ({_LIST})(?:, began on ({_LIST}))?"
                   + "".join(rf"(?:, up to (\d+) PEs {words})?" for _, words in _SHARED))


def location_text(group, moments=True):
    """A group as src/output/output_sko.c prints it. moments: with what is so only in this launch."""
    words = [f"PEs {group.get('pes', '')}: node {group.get('node', 0)}"]
    words += [f"{name} {group[member]}" for member, name in _PARTS if group.get(member) is not None]
    bound = group.get("bound")
    words += [f"{'one processor each:' if bound else 'any of processors'} {group.get('processors', '')}"]
    if moments and not bound:
        words += [f"began on {group.get('ran_on', '')}"]
    words += [f"up to {group[member]} PEs {name}" for member, name in _SHARED if (group.get(member) or 0) > 1]
    return ", ".join(words)


def location_of(text):
    """The group that this text states, or None. Where it says nothing of sharing, bound PEs share nothing."""
    found = _TEXT.fullmatch(text)
    if not found:
        return None
    pes, node, *parts, how, processors, ran_on, core, l2 = found.groups()
    bound = how.startswith("one")
    group = {"pes": pes, "node": int(node)}
    group |= {member: int(part) for (member, _), part in zip(_PARTS, parts) if part is not None}
    group |= {"bound": bound, "processors": processors, "ran_on": processors if bound else ran_on or ""}
    group |= {member: int(shared or 1) for (member, _), shared in zip(_SHARED, (core, l2)) if bound or shared}
    return group
