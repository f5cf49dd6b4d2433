"""The residuals of a fitted machine as SVG: how far its description is from each result, against the size."""

import html
import math

from .. import style
from .data import PLACE_WORDS

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 170, 70, 16, 30, 34
LEAST_SHARE = 0.02  # of the axis, up and down


def _panels(machine):
    """[(title, residuals, sizes at which pieces begin)]"""
    found = [(f"{kind}, {PLACE_WORDS[place]}", residuals, [cost.start for cost in model.costs.get(kind, [])][1:])
             for place, model in machine.places.items() for kind, residuals in model.residuals.items()]
    return found + [(f"{name}, {' and '.join(map(str, table.rows))} PEs", table.residuals, [])
                    for name, table in machine.tables.items()]


def _text(x, y, text, anchor="middle", color="#1a1a1a"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{html.escape(text)}</text>'


def _line(x1, y1, x2, y2, color, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"{more}/>'


class _Panel:
    """Places on one diagram: sizes on a logarithmic axis, deviations on a linear one."""

    def __init__(self, residuals, top):
        sizes = [max(1, one.bytes) for one in residuals]
        self.low, self.high = math.log2(min(sizes)), math.log2(max(sizes))
        self.most = max(LEAST_SHARE, *(abs(one.relative) for one in residuals)) * 1.1
        self.top, self.bottom = top + TOP, top + HEIGHT - BOTTOM

    def x(self, size):
        share = (math.log2(max(1, size)) - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, relative):
        return (self.top + self.bottom) / 2 - relative / self.most * (self.bottom - self.top) / 2

    def axes(self):
        parts = []
        for share in (-1, 0, 1):
            y = self.y(share * self.most / 1.1)
            parts += [_line(LEFT, y, WIDTH - RIGHT, y, "#cccccc"),
                      _text(LEFT - 6, y + 4, style.percent_text(share * self.most / 1.1, 2), "end", style.GREY)]
        step = max(1, math.ceil((self.high - self.low) / 8))
        power = math.ceil(self.low)
        while power <= self.high:
            parts.append(_text(self.x(2 ** power), self.bottom + 18, style.size_text(2 ** power), color=style.GREY))
            power += step
        return parts


def _panel(title, residuals, starts, top):
    panel = _Panel(residuals, top)
    parts = [_text(LEFT, top + 18, title, "start"), *panel.axes()]
    parts += [_line(panel.x(size), panel.top, panel.x(size), panel.bottom, style.PALETTE[1],
                    ' stroke-dasharray="4 3"') for size in starts]
    parts += [f'<circle cx="{panel.x(one.bytes):.1f}" cy="{panel.y(one.relative):.1f}" r="3" '
              f'fill="{style.PALETTE[0]}"/>' for one in residuals]
    return parts


def svg(machine):
    """The text of the picture."""
    panels = [panel for panel in _panels(machine) if panel[1]]
    height = HEIGHT * len(panels) + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             "<!-- written by skampi-model -->",
             '<rect width="100%" height="100%" fill="white"/>']
    for number, (title, residuals, starts) in enumerate(panels):
        parts += _panel(title, residuals, starts, HEIGHT * number)
    parts.append(_text(WIDTH / 2, height - 8, "deviation of the description from each result; dashed: a piece begins",
                       color=style.GREY))
    return "\n".join(parts) + "\n</svg>\n"
