"""Factors that nobody asks about, and in which two sides may differ: where buffers lie, whether they cycle, caches.

Points that only one side has, and that differ in nothing else, are compared with each other: that is what two
configurations of a campaign are for, one by malloc() and one on the symmetric heap. A caution says so, and also where
buffers lie at other places of their pages though both sides state the same.
"""

import math
import re
from collections import Counter

from .. import style

_SETTINGS = ("set_buffer_placement", "set_buffer_node", "set_send_buffer_alignment", "set_recv_buffer_alignment",
             "switch_buffer_cycling_off", "set_cache_state")
_STATED = re.compile(rf"; (?:{'|'.join(_SETTINGS)})\([^)]*\)")
MOST = 5  # cautions that are shown of each kind


def _stated(key):
    return ", ".join(text.removeprefix("; ") for text in _STATED.findall(key)) or "neither"


def pair(old, new):
    """Renames points of the new side that differ in one factor from a point of the old side: they get its key, so that both
    are compared. old, new: the points of each launch. Returns the keys that were given, and cautions."""
    mine, theirs = ({key for launch in side for key in launch} for side in (old, new))
    alone = [{}, {}]
    for found, keys in zip(alone, (mine - theirs, theirs - mine)):
        for key in keys:
            found.setdefault(_STATED.sub("", key), []).append(key)
    names, said = {}, Counter()
    for text, keys in alone[0].items():
        others = alone[1].get(text, [])
        if len(keys) == len(others) == 1:
            names[others[0]] = keys[0]
            said[_stated(keys[0]), _stated(others[0])] += 1
    for launch in new:
        for key in names.keys() & launch.keys():
            launch[names[key]] = launch.pop(key)
    return {*names.values()}, [
        f"{style.count_text(count, 'point')} differ{'s' if count == 1 else ''} in a factor: {a} on the old side, {b} on "
        f"the new side" for (a, b), count in said.most_common(MOST)]


def _place(result):
    """How its buffers are used, and how far apart they begin in their page; None: not known."""
    apart = (result.target_in_page - result.source_in_page) % 4096
    where = "" if math.isnan(apart) else f", target = source + {apart:.0f} mod 4096"
    return f"{result.buffers} buffers, {result.cache}{where}" if result.buffers and result.cache else None


def cautions(keys, old, new):
    """Cautions about points whose buffers lie, in every launch of one side, where they lie in no launch of the other side."""
    said = Counter()
    for key in keys:
        a, b = ({_place(launch[key]) for launch in side if key in launch} - {None} for side in (old, new))
        if a and b and not a & b:
            said[" or ".join(sorted(a)[:2]), " or ".join(sorted(b)[:2])] += 1
    return [f"the buffers of {style.count_text(count, 'point')} differ: {a} on the old side, {b} on the new side"
            for (a, b), count in said.most_common(MOST)]


def found(files):
    """What --factors found in the files."""
    lines = dict.fromkeys(line for file in files for record in file.records if record["record"] == "factors"
                          for line in record.get("findings") or [])
    return [f"--factors has found: {line}" for line in lines]
