"""The states of the machine on the page: over time, and what was measured in each."""

import functools

from .. import style
from ..plot.curves import Source
from ..plot.strips import strips_of
from ..states import WORDS, common, told_by
from .markup import esc
from .picture import strip_pictures
from .tables import Column, measured_cell, number_cell, percent_cell, table, text_cell

INTRODUCTION = (
    "<p>While this was measured, the machine was in several <em>states</em>. Controls tell them apart, which are "
    "measured beside what the script measures: the hand-over of a word from PE to PE, and an addition. "
    "Tables show the median in each state.</p>")
NO_PICTURE = "<p class=hint>There is no picture: only JSON files keep how the controls went.</p>"


def state_columns(points, scales, unit):
    """For each state a column of what was measured in it; none where there is one state alone."""
    columns = {}
    for place, (point, scale) in enumerate(zip(points, scales)):
        for part in point.drawn.parts:
            cells, states = columns.setdefault(part.state.number, ([None] * len(points), []))
            value = part.value
            cells[place] = measured_cell(value.median, scale, (value.median_high - value.median_low) / 2)
            states.append(part.state)
    return [Column(f"state {number}", cells, unit, f"Median in {common.text_of(states)}")
            for number, (cells, states) in sorted(columns.items())]


def machine_part(files):
    """Of each file whose states are more than one: how they changed, and their shares of the time. files: (short name,
    ResultFile) pairs."""
    parts, known = [], common.CommonStates([file for _, file in files])
    for place, (name, file) in enumerate(files):
        mine = [(named, state) for state in file.states
                if (named := known.of(place, state.members, state.number))]
        if not common.differ(named for named, _ in mine):
            continue
        parts.append(f"<h3>{esc(name)}</h3>" if len(files) > 1 else "")
        strips = strips_of(Source(place, name, file), functools.partial(known.of, place))
        sets = {state.members for _, state in mine}
        for strip in strips:
            parts.append(f"<p class=conditions>PEs {esc(strip.members)}</p>" if len(sets) > 1 else "")
            parts.append(strip_pictures(strip, esc))
        parts.append("" if strips else NO_PICTURE)
        parts.append(state_table(mine, sets, f"States of the machine, {name}"))
    return INTRODUCTION + "".join(parts) if parts else ""


def state_table(mine, sets, label):
    """mine: (named state, State) pairs; sets: their members."""
    mine = sorted(mine, key=lambda pair: (pair[1].members, pair[0].number))
    states = [state for _, state in mine]
    told = told_by(states)
    return table([
        Column("PEs", [text_cell(state.members) for state in states] if len(sets) > 1 else []),
        Column("state", [number_cell(named.number) for named, _ in mine]),
        *(column for name in told for column in control_columns(name, states)),
        Column("share of the time", [percent_cell(state.share) for state in states]),
        Column("seconds", [number_cell(state.seconds) for state in states]),
        Column("in earlier runs", [text_cell(earlier(state)) for state in states],
               title="Whether the runs named by --known have seen it"),
    ], label, sortable=False)


def control_columns(name, states):
    """Its median in each state, and its range."""
    controls = [state.controls.get(name) for state in states]
    unit, scale = style.unit_for([own.value for own in controls if own], style.SHORT_UNITS)
    return [
        Column(WORDS[name], [own and number_cell(own.value, scale, 3) for own in controls], unit,
               f"Median of the control {WORDS[name]}"),
        Column(f"{WORDS[name]}, range", [own and text_cell(common.bounds_text(own)) for own in controls]),
    ]


def earlier(state):
    if state.new:
        return "no, it is new"
    return "" if not state.known else "yes" if state.share else "only there"
