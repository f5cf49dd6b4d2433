"""What two sides say about the hand-over through the library, which skampi measures next to everything else.

It tells states of the machine within a run. Between sides it may be what is compared that changed it: if it differs in
all launches, and what the library cannot change does not, it is a result.
"""

from ..states import ALL_WORDS, HAND_OVER, NEAR, SHARED
from ..states.independent import typical_controls, with_shared
from ..statistics import median
from ..style import count_text, short_time_text


def _apart(old, new):
    """Whether all values of one side are above all of the other."""
    return bool(old and new) and (min(new) > max(old) or min(old) > max(new))


def _far(old, new):
    a, b = median(old), median(new)
    return max(a, b) > NEAR * min(a, b)


def findings(old_files, new_files):
    """Sentences about sets of each size."""
    sides = [list(map(with_shared, files)) for files in (old_files, new_files)]
    sizes = sorted({state.pes for lists in sides for states in lists for state in states if (state.pes or 0) > 1})
    return [text for pes in sizes if (text := _finding(sides, pes))]


def _finding(lists, pes):
    sides = {name: [typical_controls(side, pes, name) for side in lists] for name in ALL_WORDS}
    library = sides.pop(HAND_OVER)
    if not _apart(*library) or not _far(*library):
        return ""
    known = {name: own for name, own in sides.items() if all(own)}
    if SHARED not in known or any(_apart(*own) and _far(*own) for own in known.values()):
        return ""
    agree = " and ".join(f"{ALL_WORDS[name]} ({_both(own)})" for name, own in known.items())
    return (f"a hand-over through the library of {count_text(pes, 'PE')} took {_both(library)} in all launches, while {agree} "
            "agree: what you compare changes it, not the machine")


def _both(sides):
    return " | ".join(short_time_text(median(values)) for values in sides)
