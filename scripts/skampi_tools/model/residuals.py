"""The residuals of a fitted machine as SVG: how far its description is from each result, against the size."""

import html

from .. import style
from ..report.picture import BOTTOM, LEFT, RIGHT, WIDTH, Axis, grid_of
from .data import PLACE_WORDS

HEIGHT, TOP = 190, 30  # of a diagram
LEAST_SHARE = 0.02  # of the axis, up and down


def _panels(machine):
    """[(title, residuals, sizes at which pieces begin)]"""
    found = [(f"{kind}, {PLACE_WORDS[place]}", residuals, [cost.start for cost in model.costs.get(kind, [])][1:])
             for place, model in machine.places.items() for kind, residuals in model.residuals.items()]
    return found + [(f"{name}, {' and '.join(map(str, table.rows))} PEs", table.residuals, [])
                    for name, table in machine.tables.items()]


def _panel(title, residuals, starts, top):
    sizes = [max(1, one.bytes) for one in residuals]
    most = max(LEAST_SHARE, *(abs(one.relative) for one in residuals))
    x_axis = Axis(sizes, True, LEFT, WIDTH - RIGHT, base=2)
    y_axis = Axis([-most, most], False, top + HEIGHT - BOTTOM, top + TOP)
    parts = [f'<text x="{LEFT}" y="{top + 18}">{html.escape(title)}</text>',
             *grid_of(x_axis, y_axis, style.size_text, style.percent_text, "", "", html.escape)]
    for size in starts:
        x = x_axis.place(max(1, size))
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_axis.end}" y2="{y_axis.begin}" stroke="{style.PALETTE[1]}" '
                     'stroke-dasharray="4 3"/>')
    return parts + [f'<circle cx="{x_axis.place(size):.1f}" cy="{y_axis.place(one.relative):.1f}" r="3" '
                    f'fill="{style.PALETTE[0]}"/>' for size, one in zip(sizes, residuals)]


def svg(machine):
    """The text of the picture."""
    panels = [panel for panel in _panels(machine) if panel[1]]
    height = HEIGHT * len(panels) + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             "<!-- written by skampi-model -->",
             '<style>.grid { stroke: #ccc; }</style><rect width="100%" height="100%" fill="white"/>']
    for number, (title, residuals, starts) in enumerate(panels):
        parts += _panel(title, residuals, starts, HEIGHT * number)
    parts.append(f'<text x="{WIDTH / 2}" y="{height - 8}" text-anchor="middle">deviation of the description from each '
                 "result; dashed: a piece begins</text>")
    return "\n".join(parts) + "\n</svg>\n"
