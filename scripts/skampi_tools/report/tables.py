"""Sortable tables in HTML: columns, their cells, and units in which numbers read well."""

import math
from dataclasses import dataclass, field

from .. import style
from ..users_json import is_number
from .markup import esc, quoted

WIDE_TABLE = 22  # columns; more do not fit on paper with whole numbers
LONG_TEXT = 48  # characters that may be broken into lines


@dataclass
class Column:
    """cells: (text, value to sort by) pairs, or None for an empty cell; text is plain unless the
    column holds markup."""
    name: str
    cells: list = field(default_factory=list)
    unit: str = ""
    title: str = ""
    markup: bool = False

    @property
    def empty(self):
        return all(cell is None for cell in self.cells)


def number_cell(value, scale=1.0, digits=4):
    if not is_number(value):
        return None
    return style.number_text(value / scale, digits), value


def measured_cell(value, scale=1.0, error=math.nan):
    """error: of the value; NaN: not known."""
    return (style.fixed_text(value / scale, style.digits_for(value, error)), value) if is_number(value) else None


def text_cell(text):
    return (str(text), str(text)) if text not in (None, "") else None


def table(columns, label, sortable=True):
    columns = [c for c in columns if not c.empty]
    if not columns:
        return ""
    head = "".join(
        f'<th scope="col"{f" title={quoted(c.title)}" if c.title else ""}'
        f'{" class=n" if any(cell and is_number(cell[1]) for cell in c.cells) else ""}>{esc(c.name)}'
        f'{f" <span class=unit>{esc(c.unit)}</span>" if c.unit else ""}</th>' for c in columns)
    rows = []
    for cells in zip(*(c.cells for c in columns)):
        row = []
        for column, cell in zip(columns, cells):
            if cell is None:
                row.append("<td></td>")
                continue
            text, value = cell
            text = text if column.markup else esc(text)
            if is_number(value):
                row.append(f'<td class=n data-v="{value:.12g}">{text}</td>')
            else:
                row.append(f"<td data-v={quoted(value)}>{text}</td>" if column.markup else
                           f"<td class=long>{text}</td>" if len(text) > LONG_TEXT else f"<td>{text}</td>")
        rows.append("<tr>" + "".join(row))
    tools = ('<div class="tools" hidden><label>Filter <input type="search" autocomplete="off" '
             f'placeholder="words, all of them" aria-label={quoted("Filter rows of " + label)}></label> '
             '<span class="shown" aria-live="polite"></span></div>' if sortable and len(rows) > 1 else "")
    return (f'<div class="sheet">{tools}<div class="scroll" role="region" tabindex="0" '
            f'aria-label={quoted(label)}><table class="{"sortable" if sortable else ""}'
            f'{" wide" if len(columns) > WIDE_TABLE else ""}" style="--columns: {len(columns)}">'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(rows)
            + "\n</tbody></table></div></div>")


def interval_text(low, high, scale):
    if not (is_number(low) and is_number(high)):
        return None
    low_text, high_text = (style.fixed_text(end / scale, style.digits_for(end, (high - low) / 2)) for end in (low, high))
    return f"{low_text} – {high_text}", low


def percent_cell(share):
    return (style.percent_text(share, 2), share) if is_number(share) else None
