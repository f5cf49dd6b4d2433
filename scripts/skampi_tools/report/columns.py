"""The columns of the tables of results and of comparisons."""

import math

from .. import doubt, style
from ..results import MEAN, shown_as
from ..users_json import is_number
from . import verdicts as v
from .machine import state_columns
from .markup import VERDICT_STATES, badge, esc, quoted
from .tables import Column, interval_text, measured_cell, number_cell, percent_cell, text_cell


MEAN_TITLE = ("Without a quarter of the repetitions at each end (the classic result); under the mpiperf rule "
              "without the share of set_mpiperf_trim")
ERROR_TITLE = "Of the mean of the middle; by the classic formula an interval from it alone is too narrow"


def result_columns(section, files, comparison):
    """The table of a block: what identifies a result, then what is known about it."""
    points = section.points
    results = [p.result for p in points]
    times = [r for r in results if r.quantity == "time"]
    unit, scale = style.unit_for([r.best() for r in times])
    scales = [scale if r.quantity == "time" else 1.0 for r in results]
    memory = len(times) < len(results)
    unit_text = f"{unit} or bytes" if memory and times else "bytes" if memory else unit

    here = {p.file for p in points if p.result.is_rounds}
    several = v.units_of([file for name, file in files if name in here])[1]

    def differs(values):
        return len({str(x) for x in values}) > 1

    columns = [Column("#", [(str(i), i) for i in range(1, len(points) + 1)],
                      title="Number of the result in this block")]
    if differs(p.file for p in points):
        columns.append(Column("file", [text_cell(p.file) for p in points]))
    if differs(r.function for r in results):
        columns.append(Column("function", [text_cell(r.function) for r in results]))
    for name in section.variables:
        values = [r.variables.get(name) for r in results]
        columns.append(Column(name, [number_cell(x, digits=10) if is_number(x) else text_cell(x)
                                     for x in values], title="Loop variable"))
    columns.append(Column("call", [text_cell(p.call) for p in points]))
    if differs(r.pes for r in results):
        columns.append(Column("PEs", [number_cell(r.pes, digits=10) for r in results]))
    if any(p.result.bytes != p.result.variables.get("count") for p in points):
        columns.append(Column("bytes", [number_cell(r.bytes, digits=12) if r.bytes else None
                                        for r in results]))

    def times_column(name, value, title=""):
        return Column(name, [measured_cell(value(r), s, r.shown().half_width) if r.quantity == "time" else
                             number_cell(value(r), digits=12)
                             for r, s in zip(results, scales)], unit_text, title)

    def result_column(name, value, title):
        """Of results themselves: the doubtful ones are marked."""
        column = times_column(name, value, title)
        column.cells = [cell and (cell[0] + doubt.mark(r.doubtful), cell[1]) for cell, r in zip(column.cells, results)]
        return column

    def interval_column(name, low, high, title):
        return Column(name, [interval_text(low(r), high(r), s) for r, s in zip(results, scales)],
                      unit_text, title)

    medians = any(is_number(r.median) for r in results)
    confidences = {r.confidence for r in results if is_number(r.confidence)}
    confidence = f"{style.percent_text(confidences.pop())} " if len(confidences) == 1 else ""
    means = [(times_column if medians else result_column)(MEAN, lambda r: r.time, MEAN_TITLE),
             times_column("standard error", lambda r: r.standard_error, ERROR_TITLE)]
    columns += [
        *([] if medians else means),
        result_column("median", lambda r: r.median, f"Of the repetitions, or of the medians of {several}"),
        *state_columns(points, scales, unit_text),
        interval_column(f"{confidence}interval", lambda r: r.median_low, lambda r: r.median_high,
                        "Confidence interval of the median"),
        Column("flags", [flags_cell(r) for r in results], markup=True),
        Column("±", [percent_cell(v.half_width(r)) for r in results],
               title="Half the width of that interval, as a share of the median"),
        interval_column("next run", lambda r: r.next_low, lambda r: r.next_high,
                        "Prediction interval: where the median of a later run is expected"),
        Column("between", [percent_cell(r.between) for r in results],
               title=f"Spread between {several}: interquartile range over the median"),
        Column("within", [percent_cell(r.within) for r in results],
               title=f"Spread inside {several}: interquartile range over the median"),
        Column(several, [number_cell(r.rounds, digits=9) for r in results]),
    ]
    if comparison:
        columns += comparison_columns([comparison.get(id(r.record)) for r in results])
    columns += [
        Column("levels", [levels_cell(r, s) for r, s in zip(results, scales)], unit_text,
               "Levels between which the time jumped, and their share of the time"),
        Column("bandwidth", [bandwidth_cell(r) for r in results],
               title=f"Bytes that an operation moves over the time: its {shown_as({r.shown().what for r in results})}"),
        Column("bus bandwidth", [rate_cell(r.bus_bandwidth) for r in results],
               title="Of collectives, by the factors of nccl-tests"),
        Column("messages/s", [number_cell(r.rate, digits=4) if r.rate > 0 else None for r in results]),
        times_column("min", lambda r: r.min), times_column("p95", lambda r: r.p95),
        times_column("max", lambda r: r.max),
        *(means if medians else []),
        Column("repetitions", [number_cell(r.valid, digits=9) for r in results], title="Valid ones"),
        Column("invalid", [number_cell(r.invalid, digits=9) if r.invalid else None for r in results],
               title="Late or overrun, left out"),
    ]
    counters = dict.fromkeys(name for r in results for name in r.counters)
    for name in counters:
        columns.append(Column(name, [number_cell((r.counters.get(name) or {}).get("most"))
                                     for r in results], title="Events per operation, most of a PE"))
    return columns


def levels_cell(result, scale):
    parts = [f"{style.number_text((x.get('value') or math.nan) / scale, 4)} "
             f"({style.percent_text(x.get('share'))})" for x in result.levels]
    return (", ".join(parts), ", ".join(parts)) if parts else None


def rate_cell(rate):
    """rate: bytes a second; NaN or 0: there is none."""
    return (style.rate_text(rate), rate) if rate > 0 else None


def bandwidth_cell(result):
    best = result.best()
    return rate_cell(result.amount("bandwidth") / best if best > 0 else 0)


def flags_cell(result):
    if not result.flags:
        return None
    marks = [f'<abbr class="flag{" doubt" if doubt.speaks_against(flag) else ""}" '
             f"title={quoted(doubt.meaning(flag))}>{esc(str(flag).replace('_', ' '))}</abbr>"
             for flag in result.flags]
    return " ".join(marks), " ".join(str(flag) for flag in result.flags)


def comparison_columns(rows, old="old", new="new"):
    """old, new: what the sides are called."""
    return [
        Column("verdict", [(badge(VERDICT_STATES.get(r.verdict, "note"), r.verdict), r.verdict) if r
                           else None for r in rows], markup=True),
        Column(f"{new} / {old}", [measured_cell(r.ratio, error=r.half_width) if r else None for r in rows],
               title=f"Median of {new} over median of {old}"),
        Column("its interval", [interval_text(r.low, r.high, 1.0) if r else None for r in rows]),
    ]


def compared_records(comparison, files):
    """Rows of the comparison by the identity of the records of the points that they are about."""
    if not comparison:
        return {}
    rows = {row.key: row for row in comparison.rows}
    return {id(result.record): rows[result.key] for _, file in files for result in file.points if result.key in rows}
