"""A block of results on the page: its conditions, plot, table and notes, and what is missing."""

import itertools
from collections import defaultdict

from .. import style
from ..results import MEAN, PER_SECOND, shown_as
from ..users_json import is_number
from .columns import result_columns
from .markup import esc, quoted
from .picture import picture
from .sections import axes_of
from .tables import Column, table, text_cell


def conditions(section, many):
    """What all results of a block share, in a sentence. many: files."""
    results = [p.result for p in section.points]

    def common(values):
        values = {str(x) for x in values if x not in (None, "")}
        return values.pop() if len(values) == 1 else ""

    parts = [common(p.file for p in section.points) if many else "", common(r.function for r in results)]
    if pes := common(r.pes for r in results):
        members = common(r.pe_set.get("members") for r in results)
        placement = common(r.pe_set.get("placement") for r in results)
        parts.append(style.count_text(int(pes), "PE") + (f" ({members})" if members else "")
                     + (f" {placement}" if placement else ""))
    starts = {"window": "started in windows", "barrier": "started by a barrier", "none": "not synchronized"}
    parts.append(starts.get(common(r.synchronization for r in results), ""))
    for name, text in (("window_rule", "window rule {}"), ("run_time", "{} run time"), ("buffers", "{} buffers"),
                       ("cache", "{} cache")):
        if (value := common(getattr(r, name) for r in results)) and (name, value) != ("buffers", "none"):
            parts.append(text.format(value))
    return "; ".join(part for part in parts if part)


def breaks_part(data):
    """A sentence for each break that is marked, below the plot."""
    axis = next((axis for axis in data["axes"] if axis["marks"]), None)
    if not axis:
        return ""
    several = len(axis["labels"]) > 1
    said = dict.fromkeys((f"{axis['labels'][mark['series']]}: " if several else "") + mark["sentence"]
                         for mark in axis["marks"])
    return "".join(f'<p class="break">{esc(text if several else text[:1].upper() + text[1:])}.</p>' for text in said)


def plot_data(section, comparison, many):
    """What the plot of a block is drawn from. many: files."""
    results = [p.result for p in section.points]
    shown = [r.shown() for r in results]
    return {
        "name": section.name,
        "axes": axes_of(section),
        "label": [f"{r.label()} · {p.file}" if many else r.label()
                  for r, p in zip(results, section.points)],
        "memory": [r.quantity != "time" for r in results],
        "amounts": {rate: amounts for rate in PER_SECOND if any(amounts := [r.amount(rate) for r in results])},
        "what": shown_as({s.what for s in shown}),
        "value": [s.value for s in shown],
        "low": [s.low for s in shown],
        "high": [s.high for s in shown],
        "means": [s.what == MEAN for s in shown],
        "nextLow": [r.next_low for r in results],
        "nextHigh": [r.next_high for r in results],
        "old": [row.old if (row := comparison.get(id(r.record))) else None for r in results],
        "flags": [", ".join(str(f).replace("_", " ") for f in r.flags) for r in results],
        "doubted": [r.doubtful for r in results],
    }


def block_part(number, section, files, comparison):
    heading = f'<h3 id="block-{number}">{esc(section.name or "(no name)")}</h3>'
    parts = [heading]
    has_plot = sum(is_number(p.result.best()) for p in section.points) > 1
    if not section.points:
        parts.append("<p>Nothing was measured.</p>")
    else:
        parts.append(f'<p class="conditions">{esc(conditions(section, len(files) > 1))}</p>')
        if has_plot:
            data = plot_data(section, comparison, len(files) > 1)
            drawn = picture(data, esc)
            parts.append(f'<figure class="plot" data-block="{number}" aria-label='
                         f'{quoted("Plot of " + section.name)}>{drawn}</figure>{breaks_part(data)}')
        parts.append(table(result_columns(section, files, comparison), f"Results of {section.name}"))
    if section.missing:
        parts.append("<p>Missing here:</p>" + missing_table(
            [(f, section.name, r) for f, r in section.missing], files, f"Missing in {section.name}"))
    parts.append(notes_part(section))
    return f'<section class="block{" has-plot" if has_plot else ""}">{"".join(parts)}</section>'


def notes_part(section):
    where = defaultdict(list)
    for number, point in enumerate(section.points, 1):
        for note in point.result.notes:
            where[str(note)].append(number)
    if not where:
        return ""
    items = "".join(f"<li>{esc(note)} <span class=where>results {esc(ranges(numbers))}</span>"
                    for note, numbers in where.items())
    return (f"<details><summary>{style.count_text(len(where), 'note')} on these results</summary>"
            f"<ul>{items}</ul></details>")


def ranges(numbers):
    """1, 2, 3, 7 as "1-3, 7"."""
    runs = [[number for _, number in run] for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def missing_table(missing, files, label):
    columns = [Column("file", [text_cell(f) for f, _, _ in missing] if len(files) > 1 else []),
               Column("block", [text_cell(block) for _, block, _ in missing]),
               Column("call", [text_cell(r.get("call")) for _, _, r in missing]),
               Column("what", [text_cell(str(r.get("kind", "")).replace("_", " ")) for _, _, r in missing]),
               Column("why", [text_cell(r.get("reason")) for _, _, r in missing])]
    return table([c for c in columns if c.cells], label)
