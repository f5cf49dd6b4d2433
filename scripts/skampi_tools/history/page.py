"""The page of a history: changes with what changed in the environment, then a line for each point."""

import os
from datetime import datetime, timezone

from .. import style
from ..report.markup import asset, badge, bullets, esc
from ..report.page import DARK_PALETTE, document
from ..report.parts import section_part
from ..report.picture import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, grid_of, legend_of, look_of
from ..report.tables import Column, table, text_cell
from ..statistics import median
from .judging import there_of
from .output import cautions, counts_text, difference_text, missing_lines, nothing_text, summary_text, when_text

HERE = os.path.dirname(os.path.realpath(__file__))
MOST_ROWS = 100  # changes that a table lists, the largest ones
MOST_DRAWN = 240  # places of a picture; of more launches, medians of neighbours are drawn
TOOLS = ('<div class="tools" hidden><label>filter <input type="search" name="filter"></label>'
         '<label><input type="checkbox" name="changed"> only points that changed</label>'
         '<span class="shown" aria-live="polite"></span></div>')
LONG_PAGE = 40  # with more points a page lays out only those that are looked at
DAY = 24 * 60 * 60  # seconds
DATE_FORMATS = {3: "%Y-%m-%d", 4: "%m-%d %H:%M", 5: "%m-%d %H:%M:%S"}  # by the digits that numbers would have


def render(history):
    points = {}
    for number, point in enumerate(history.points):
        points.setdefault(point, []).append(number)
    places = {point: place for place, point in enumerate(points)}
    links = [(f'<a href="#point-{places[point]}">{esc(": ".join(name))}</a>', ": ".join(name))
             for point, name in zip(history.points, history.names)]
    times = [launch.when.timestamp() for launch in history.launches]
    found = history.found
    body = [f"<p>{esc(summary_text(history))}.</p>",
            f'<p class="conditions">The chance of any false alarm among all points is at most '
            f"{100 * found['alpha']:g} % if launches are independent; a level lasts {found['least']} launches at least. "
            f"{found['orders']} random orders, seed {found['seed']}. Dates are UTC.</p>", bullets(cautions(history)),
            section_part("changes", "Changes", "".join(_group(group, history, links) for group in found["changes"])
                         or f"<p>{nothing_text(history).capitalize()}.</p>")]
    if found["limit"] is not None:
        body.append(section_part("over", "Slower by more than the limit", _over(history, links)))
    lines = [[history.series[number] for number in numbers] for numbers in points.values()]
    body.append(section_part("results", "Points", TOOLS + "".join(
        _point(number, point, own, history, times) for number, (point, own) in enumerate(zip(points, lines)))))
    if missing := missing_lines(history):
        body.append(section_part("missing", "Not measured", bullets(missing)))
    if left_out := found["left_out"]:
        body.append(section_part("left", "Files that are left out",
                                 bullets(f"{entry['path']}: {entry['reason']}" for entry in left_out)))
    data = {"times": times, "light": list(style.PALETTE), "dark": list(DARK_PALETTE), "points": list(map(_data, lines))}
    return document("History of results", "\n".join(body), data, "long" if len(points) > LONG_PAGE else "short",
                    asset(HERE, "history.js"), "Plots are pictures; points cannot be filtered.",
                    "\n" + asset(HERE, "history.css"), "skampi-history")


def _change_cell(ratio):
    return style.change_text(ratio)[0], ratio


def _group(group, history, links):
    before, after = (history.found["launches"][group[side]]["file"] for side in ("before", "after"))
    shown = group["points"][:MOST_ROWS]
    left = len(group["points"]) - len(shown)
    environment = list(map(difference_text, group["environment"])) or ["the headers of the files do not differ"]
    when = when_text(history, group["after"])
    rows = table([Column("change", [_change_cell(change["ratio"]) for change in shown]),
                  *(Column(title, [(style.value_text(change[side], history.series[change["point"]]["quantity"]), change[side])
                                   for change in shown]) for title, side in (("before", "old"), ("after", "new"))),
                  Column("point", [links[change["point"]] for change in shown], markup=True)],
                 f"Changes of {when}", sortable=False)
    return (f"<h3>{when}: {counts_text(group)}</h3>"
            f'<p class="where">{esc(after)}; the launch before: {when_text(history, group["before"])}, {esc(before)}</p>'
            f"<p>In the environment:</p>{bullets(environment)}{rows}" +
            (f"<p>{left} more with smaller changes.</p>" if left else ""))


def _over(history, links):
    baseline, over = history.found["baseline"], history.over
    said = (f"<p>Newest levels that are more than {100 * history.found['limit']:g} % slower than those "
            f"{f'at {esc(baseline)}' if baseline else 'before'}: ")
    if not over:
        return f"{said}{badge('ok', 'none')}</p>"
    rows = table([Column("change", [_change_cell(history.series[number]["ratio"]) for number in over]),
                  Column("since", [text_cell(when_text(history, history.series[number]["segments"][-1]["first"])) for number in over]),
                  Column("point", [links[number] for number in over], markup=True)],
                 "Slower by more than the limit", sortable=False)
    return f"{said}{badge('bad', str(len(over)))}</p>{rows}"


def _point(number, point, lines, history, times):
    changed = any(one["changes"] for one in lines)
    over = any(one["over"] for one in lines)
    title = f"{': '.join(filter(None, [point.script, point.block]))}: {point.label}, {point.set_text}"
    levels = "".join(_levels(one, history) for one in lines)
    legend = "".join(legend_of(i, esc(one["state_text"])) for i, one in enumerate(lines)) if len(lines) > 1 else ""
    return (f'<section class="block point" id="point-{number}"{" data-changed" if changed else ""}>'
            f"<h3>{esc(title)} {badge('bad', 'slower') if over else ''}</h3>{levels}"
            f'<figure class="plot" data-point="{number}" aria-label="{esc(title)}">{_picture(point, lines, times)}'
            + (f'<ul class="legend">{legend}</ul>' if legend else "") + "</figure></section>")


def _levels(one, history):
    words = [f"{style.value_text(s['level'], one['quantity'])} (from {when_text(history, s['first'])}, "
             f"{style.count_text(s['count'], 'launch', 'launches')})" for s in one["segments"]]
    name = f"{one['state_text']}: " if "state" in one else ""
    few = "" if one["judged"] else "; too few launches to see changes"
    return f'<p class="where">{esc(name + " → ".join(words) + few)}</p>'


# ---- A picture, for readers whose browser runs no script ----


def _thinned(places):
    """Medians of neighbouring (time, value) pairs, at most MOST_DRAWN."""
    step = -(-len(places) // MOST_DRAWN)
    return [(places[i][0], median([value for _, value in places[i:i + step]])) for i in range(0, len(places), step)]


def _date_text(seconds, digits):
    """The format of dates, with the time of day if dates alone do not differ."""
    return f"{datetime.fromtimestamp(seconds, timezone.utc):{DATE_FORMATS.get(digits, DATE_FORMATS[5])}}"


def _picture(point, lines, times):
    drawn = [_thinned([(times[i], one["values"][i]) for i in there_of(one)]) for one in lines]
    dates = [x for line in drawn for x, _ in line]
    if min(dates) == max(dates):  # a day around
        dates = [dates[0] - DAY / 2, dates[0] + DAY / 2]
    x_axis = Axis(dates, False, LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for line in drawn for _, y in line], False, HEIGHT - BOTTOM, TOP)
    parts = grid_of(x_axis, y_axis, _date_text,
                    lambda y, digits: style.value_text(y, point.quantity, digits), "launch (UTC)", point.quantity, esc)
    for number, (one, line) in enumerate(zip(lines, drawn)):
        color, dash = look_of(number)
        path = " ".join(f"{x_axis.place(x):.0f},{y_axis.place(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.2"{dash}/>')
        for segment in one["segments"]:
            y = y_axis.place(segment["level"])
            parts.append(f'<line class="level" x1="{x_axis.place(times[segment["first"]]):.0f}" '
                         f'x2="{x_axis.place(times[segment["last"]]):.0f}" y1="{y:.1f}" y2="{y:.1f}" '
                         f'stroke="{color}"/>')
        for change in one["changes"]:
            x = x_axis.place(times[change["after"]])
            parts.append(f'<line class="change" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
    return f'<svg class="picture" role="img" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'


def _data(lines):
    """What history.js draws of a point."""
    return {
        "quantity": lines[0]["quantity"],
        "lines": [{"name": one.get("state_text", ""),
                   "values": [None if value is None else float(f"{value:.4g}") for value in one["values"]],
                   "levels": [[s["first"], s["last"], s["level"]] for s in one["segments"]],
                   "changes": [[change["after"], style.change_text(change["ratio"])[0]] for change in one["changes"]]}
                  for one in lines]}
