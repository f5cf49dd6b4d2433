"""Plots of a report as pictures, for readers whose browser runs no script: the first of what the script
offers, drawn from the same data (page.plot_data). Colours are the style sheet's."""

import math

from .. import doubt, style
from ..plot import curves as cv
from ..states import WORDS
from ..states.common import said_of
from ..users_json import is_number

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 78, 14, 14, 44
STRIP_HEIGHT = 200
MOST_SERIES = 10  # series of a picture; the page's script shows as many at first
MOST_MARKERS = 60
DASHES = ("", "8 4", "2 3")


class Axis:
    """Numbers on a line of pixels."""

    def __init__(self, values, logarithmic, begin, end, base=10, from_zero=False):
        self.logarithmic, self.base = logarithmic, base
        low, high = min(values), max(values)
        if logarithmic:
            room = max(math.log(high / low), 0.1) * 0.05
            low, high = low * math.exp(-room), high * math.exp(min(room, 700 - math.log(high)))
        else:
            room = (high - low) * 0.05 or abs(high) / 2 or 1.0
            low, high = (0.0 if from_zero and 0 <= low < high / 2 else low - room), high + room
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def _of(self, value):
        return math.log(value) if self.logarithmic else value

    def place(self, value):
        low, high = self._of(self.low), self._of(self.high)
        share = (self._of(min(max(value, self.low), self.high)) - low) / ((high - low) or 1.0)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        return cv.log_ticks(self.low, self.high, self.base) if self.logarithmic else cv.even_ticks(self.low, self.high)


def _points(block):
    """(position, series, index) of the points that the picture shows, and the names of their lines."""
    axis = block["axes"][0] if block["axes"] else None
    count = len(block["value"])
    memory = not any(is_number(v) and not m for v, m in zip(block["value"], block["memory"]))
    positions = axis["positions"] if axis else range(1, count + 1)
    series = axis["series"] if axis else [0] * count
    found = [(positions[i], series[i], i) for i in range(count)
             if is_number(block["value"][i]) and block["memory"][i] == memory
             and is_number(positions[i]) and series[i] < MOST_SERIES]
    return axis, memory, sorted(found)


def _scales(points, block, axis, memory):
    xs, ys = [x for x, _, _ in points], [block["value"][i] for _, _, i in points]
    spacing = axis["spacing"] if axis else "linear"
    if spacing != "linear" and min(xs) <= 0:
        spacing = "linear"
    logarithmic = cv.wants_log(ys) and min(ys) > 0
    ends = [end for _, _, i in points for end in (block["low"][i], block["high"][i])
            if is_number(end) and (end > 0 or not logarithmic)]
    low, high = min(ys), max(ys)
    near = [end for end in ends if not logarithmic or low / 3 <= end <= 3 * high]
    return (Axis(xs, spacing != "linear", LEFT, WIDTH - RIGHT, 10 if spacing == "log10" else 2),
            Axis(ys + near, logarithmic, HEIGHT - BOTTOM, TOP, 2 if memory else 10, from_zero=True))


def grid_of(x_axis, y_axis, x_text, y_text, x_name, y_name, esc):
    """Lines, texts and names of both axes."""
    parts = []
    ticks = x_axis.ticks()
    room = 0.0
    for value, text in zip(ticks, cv.distinct_texts(ticks, x_text)):
        x = x_axis.place(value)
        half = 3.6 * len(text)
        if x - half < room or x + half > x_axis.end + RIGHT:
            continue
        room = x + half + 8
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{y_axis.end}" y2="{y_axis.begin}"/>'
                     f'<text x="{x:.1f}" y="{y_axis.begin + 16}" text-anchor="middle">{esc(text)}</text>')
    ticks = y_axis.ticks()
    for value, text in zip(ticks, cv.distinct_texts(ticks, y_text)):
        y = y_axis.place(value)
        parts.append(f'<line class="grid" x1="{x_axis.begin}" x2="{x_axis.end}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{x_axis.begin - 6}" y="{y + 4:.1f}" text-anchor="end">{esc(text)}</text>')
    parts.append(f'<text x="{(x_axis.begin + x_axis.end) // 2}" y="{y_axis.begin + BOTTOM - 8}" '
                 f'text-anchor="middle">{esc(x_name)}'
                 f'</text><text transform="translate(13 {(y_axis.end + y_axis.begin) // 2}) rotate(-90)" '
                 f'text-anchor="middle">{esc(y_name)}</text>')
    return parts


def look_of(line):
    """(colour, attribute of its dashes) of a line by its number."""
    dash = DASHES[line // len(style.PALETTE) % len(DASHES)]
    return f"var(--s{line % len(style.PALETTE)})", f' stroke-dasharray="{dash}"' if dash else ""


def legend_of(line, text):
    """The entry of a line in a legend; text: markup."""
    color, dash = look_of(line)
    return ('<li><svg width="26" height="12" aria-hidden="true"><line x1="0" x2="26" y1="6" y2="6" '
            f'stroke="{color}" stroke-width="2"{dash}/><circle cx="13" cy="6" r="3" fill="{color}"/></svg> {text}</li>')


def picture(block, esc):
    """Markup of the picture and its legend; empty where there is nothing to draw."""
    axis, memory, points = _points(block)
    if not points:
        return ""
    x_axis, y_axis = _scales(points, block, axis, memory)
    shown = [p for p in points if not y_axis.logarithmic or block["value"][p[2]] > 0]
    bytes_ = bool(axis) and axis["unit"] == "bytes"
    name = "result" if not axis else axis["name"] + (
        f" [{axis['unit']}]" if axis["unit"] and axis["unit"] != axis["name"] and not bytes_ else "")
    plain = lambda value, digits: style.number_text(value, max(digits, 6))
    parts = grid_of(x_axis, y_axis, style.size_text if bytes_ else plain,
                  style.size_text if memory else style.time_text, name, "memory" if memory else "time", esc)
    legend = []
    doubted = False
    for mark in axis["marks"] if axis else []:
        if x_axis.low <= mark["x"] <= x_axis.high:
            x = x_axis.place(mark["x"])
            parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{y_axis.begin}"/>'
                         f'<text class="mark" transform="translate({x - 3:.1f} {TOP + 2}) rotate(-90)" '
                         f'text-anchor="end">{esc(mark["label"])}</text>')
    for series in sorted({s for _, s, _ in shown}):
        color, dash = look_of(series)
        mine = [(x_axis.place(x), y_axis.place(block["value"][i]), i) for x, s, i in shown if s == series]
        if axis:
            way = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in mine)
            parts.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        for x, y, i in mine:
            low, high = block["low"][i], block["high"][i]
            if is_number(low) and is_number(high) and (low > 0 or not y_axis.logarithmic):
                parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y_axis.place(low):.1f}" '
                             f'y2="{y_axis.place(high):.1f}" stroke="{color}"/>')
            if block["doubted"][i]:
                doubted = True
                parts.append(f'<text class="doubt" x="{x + 4:.1f}" y="{y - 2:.1f}">{doubt.MARK}</text>')
            if len(mine) <= MOST_MARKERS:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>')
        if axis:
            legend.append(legend_of(series, esc(axis["labels"][series] or "(no name)")))
    if axis and len(axis["labels"]) > MOST_SERIES:
        legend.append(f"<li>{len(axis['labels']) - MOST_SERIES} more lines are not in this picture</li>")
    if doubted:
        legend.append(f"<li><span class=doubt>{doubt.MARK}</span> doubtful</li>")
    return (f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="'
            f'{esc("Picture of " + block["name"])}">{"".join(parts)}</svg>'
            f'<ul class="legend">{"".join(legend)}</ul>')


def strip_pictures(strip, esc):
    """Markup of the state of the machine over the time of a run, a picture for each control in which its states
    differ, and their legend. strip: of plot.strips."""
    legend = "".join(f'<li><svg width="12" height="12" aria-hidden="true"><circle cx="6" cy="6" r="4" '
                     f'fill="{_color(named.number)}"/></svg> {esc(said_of(named, state))}</li>'
                     for named, state in strip.states)
    pictures = "".join(_strip_picture(strip, control, esc) for control in strip.told)
    return f'<figure class="strip">{pictures}<ul class="legend">{legend}</ul></figure>'


def _color(number):
    """Of a state; 0: none."""
    return f"var(--s{(number - 1) % len(style.PALETTE)})" if number else "var(--weak)"


def _strip_picture(strip, control, esc):
    bottom = STRIP_HEIGHT - BOTTOM
    known = strip.dots(control)
    x_axis = Axis([0.0, *(at for at, _, _ in known)], False, LEFT, WIDTH - RIGHT, from_zero=True)
    y_axis = Axis([value for _, value, _ in known], True, bottom, TOP)
    parts = []
    for number, low, high in strip.bands(control):
        top = TOP if high is None else y_axis.place(high)
        end = bottom if low is None else y_axis.place(low)
        if end > top:
            parts.append(f'<rect x="{LEFT}" width="{WIDTH - RIGHT - LEFT}" y="{top:.1f}" height="{end - top:.1f}" '
                         f'fill="{_color(number)}" fill-opacity="0.13"/>')
    parts += grid_of(x_axis, y_axis, style.number_text, style.short_time_text, "seconds of the run",
                     WORDS[control], esc)
    for number in sorted({number for _, _, number in known}):
        dots = "".join(f"M{x_axis.place(at):.1f} {y_axis.place(value):.1f}h0"
                       for at, value, where in known if where == number)
        parts.append(f'<path d="{dots}" stroke="{_color(number)}" stroke-width="3" stroke-linecap="round"/>')
    return (f'<svg class="picture" viewBox="0 0 {WIDTH} {STRIP_HEIGHT}" role="img" aria-label="'
            f'{esc(f"State of the machine, PEs {strip.members}: {WORDS[control]}")}">{"".join(parts)}</svg>')
