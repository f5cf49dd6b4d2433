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
from .output import cautions, counts_text, missing_lines, nothing_text, summary_text, when_text, where_text

HERE = os.path.dirname(os.path.realpath(__file__))
MOST_ROWS = 100  # changes that a table lists, the largest ones
MOST_DRAWN = 240  # places of a picture; of more launches, medians of neighbours are drawn
LONG_PAGE = 40  # with more points a page lays out only those that are looked at
DAY = 24 * 60 * 60  # seconds
DATE_FORMATS = {3: "%Y-%m-%d", 4: "%m-%d %H:%M", 5: "%m-%d %H:%M:%S"}  # by the digits that numbers would have


def render(history):
    points = {}
    for one, verdict in zip(history.series, history.verdicts):
        points.setdefault(one.point, []).append((one, verdict))
    numbers = {point: number for number, point in enumerate(points)}
    times = [launch.when.timestamp() for launch in history.launches]
    body = [f"<p>{esc(summary_text(history))}.</p>", _method(history),
            bullets(cautions(history)),
            section_part("changes", "Changes", "".join(_group(group, history, numbers) for group in history.groups)
                         or f"<p>{nothing_text(history).capitalize()}.</p>")]
    if history.limit is not None:
        body.append(section_part("over", "Slower by more than the limit", _over(history, numbers)))
    body.append(section_part("results", "Points", _tools() + "".join(
        _point(number, point, points[point], history, times) for point, number in numbers.items())))
    if missing := missing_lines(history):
        body.append(section_part("missing", "Not measured", bullets(missing)))
    if history.left_out:
        body.append(section_part("left", "Files that are left out",
                                 bullets(f"{entry.path}: {entry.reason}" for entry in history.left_out)))
    data = {"times": times, "light": list(style.PALETTE), "dark": list(DARK_PALETTE),
            "points": [_data(lines) for lines in points.values()]}
    return document("History of results", "\n".join(body), data, "long" if len(points) > LONG_PAGE else "short",
                    asset(HERE, "history.js"), "Plots are pictures; points cannot be filtered.",
                    "\n" + asset(HERE, "history.css"), "skampi-history")


def _method(history):
    return (f'<p class="conditions">The chance of any false alarm among all points is at most '
            f"{100 * history.alpha:g} % if launches are independent; a level lasts {history.least} launches at least. "
            f"{history.orders} random orders, seed {history.seed}. Dates are UTC.</p>")


def _link_cell(one, numbers):
    name = f"{where_text(one)}: {one.label}"
    return f'<a href="#point-{numbers[one.point]}">{esc(name)}</a>', name


def _value_cell(value, one):
    return style.value_text(value, one.point.quantity), value


def _change_cell(ratio):
    return style.change_text(ratio)[0], ratio


def _group(group, history, numbers):
    before, after = history.launches[group.before], history.launches[group.after]
    shown = group.members[:MOST_ROWS]
    left = len(group.members) - len(shown)
    environment = [difference.text for difference in group.differences] or ["the headers of the files do not differ"]
    rows = table([Column("change", [_change_cell(change.ratio) for _, change in shown]),
                  Column("before", [_value_cell(change.old, one) for one, change in shown]),
                  Column("after", [_value_cell(change.new, one) for one, change in shown]),
                  Column("point", [_link_cell(one, numbers) for one, _ in shown], markup=True)],
                 f"Changes of {when_text(after)}", sortable=False)
    return (f"<h3>{when_text(after)}: {counts_text(group)}</h3>"
            f'<p class="where">{esc(after.path)}; the launch before: {when_text(before)}, {esc(before.path)}</p>'
            f"<p>In the environment:</p>{bullets(environment)}{rows}" +
            (f"<p>{left} more with smaller changes.</p>" if left else ""))


def _over(history, numbers):
    against = f"at {esc(history.baseline)}" if history.baseline else "before"
    said = f"<p>Newest levels that are more than {100 * history.limit:g} % slower than those {against}: "
    over = sorted(history.over, key=lambda pair: -pair[1].ratio)
    if not over:
        return f"{said}{badge('ok', 'none')}</p>"
    rows = table([Column("change", [_change_cell(verdict.ratio) for _, verdict in over]),
                  Column("since", [text_cell(when_text(history.launches[verdict.since])) for _, verdict in over]),
                  Column("point", [_link_cell(one, numbers) for one, _ in over], markup=True)],
                 "Slower by more than the limit", sortable=False)
    return f"{said}{badge('bad', str(len(over)))}</p>{rows}"


def _tools():
    return ('<div class="tools" hidden><label>filter <input type="search" name="filter"></label>'
            '<label><input type="checkbox" name="changed"> only points that changed</label>'
            '<span class="shown" aria-live="polite"></span></div>')


def _point(number, point, lines, history, times):
    changed = any(one.changes for one, _ in lines)
    over = any(verdict.over for _, verdict in lines)
    title = f"{where_text(lines[0][0])}: {point.label}, {point.set_text}"
    levels = "".join(_levels(one, verdict, history) for one, verdict in lines)
    return (f'<section class="block point" id="point-{number}"{" data-changed" if changed else ""}>'
            f"<h3>{esc(title)} {badge('bad', 'slower') if over else ''}</h3>{levels}"
            f'<figure class="plot" data-point="{number}" aria-label="{esc(title)}">{_picture(point, lines, times)}'
            f"{_legend(lines)}</figure></section>")


def _levels(one, verdict, history):
    words = [f"{style.value_text(s.level, one.point.quantity)} (from {when_text(history.launches[s.first])}, "
             f"{style.count_text(s.count, 'launch', 'launches')})" for s in one.segments]
    name = f"{one.state_text}: " if one.state_text else ""
    few = "" if verdict.judged else "; too few launches to see changes"
    return f'<p class="where">{esc(name + " → ".join(words) + few)}</p>'


def _legend(lines):
    return '<ul class="legend">' + "".join(legend_of(i, esc(one.state_text)) for i, (one, _) in enumerate(lines)) + \
        "</ul>" if len(lines) > 1 else ""


# ---- A picture, for readers whose browser runs no script ----


def _thinned(places):
    """Medians of neighbouring (time, value) pairs, at most MOST_DRAWN."""
    step = -(-len(places) // MOST_DRAWN)
    return [(places[i][0], median([value for _, value in places[i:i + step]])) for i in range(0, len(places), step)]


def _date_text(seconds, digits):
    """The format of dates, with the time of day if dates alone do not differ."""
    return f"{datetime.fromtimestamp(seconds, timezone.utc):{DATE_FORMATS.get(digits, DATE_FORMATS[5])}}"


def _picture(point, lines, times):
    drawn = [_thinned([(times[i], one.values[i]) for i in one.there]) for one, _ in lines]
    dates = [x for line in drawn for x, _ in line]
    if min(dates) == max(dates):  # a day around
        dates = [dates[0] - DAY / 2, dates[0] + DAY / 2]
    x_axis = Axis(dates, False, LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for line in drawn for _, y in line], False, HEIGHT - BOTTOM, TOP)
    parts = grid_of(x_axis, y_axis, _date_text,
                    lambda y, digits: style.value_text(y, point.quantity, digits), "launch (UTC)", point.quantity, esc)
    for number, ((one, _), line) in enumerate(zip(lines, drawn)):
        color, dash = look_of(number)
        path = " ".join(f"{x_axis.place(x):.0f},{y_axis.place(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.2"{dash}/>')
        for segment in one.segments:
            y = y_axis.place(segment.level)
            parts.append(f'<line class="level" x1="{x_axis.place(times[segment.first]):.0f}" '
                         f'x2="{x_axis.place(times[segment.last]):.0f}" y1="{y:.1f}" y2="{y:.1f}" '
                         f'stroke="{color}"/>')
        for change in one.changes:
            x = x_axis.place(times[change.after])
            parts.append(f'<line class="change" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
    return f'<svg class="picture" role="img" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'


def _data(lines):
    """What history.js draws of a point."""
    return {
        "quantity": lines[0][0].point.quantity,
        "lines": [{"name": one.state_text,
                   "values": [None if value is None else float(f"{value:.4g}") for value in one.values],
                   "levels": [[s.first, s.last, s.level] for s in one.segments],
                   "changes": [[change.after, style.change_text(change.ratio)[0]] for change in one.changes]}
                  for one, _ in lines]}
