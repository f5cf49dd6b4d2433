"""The HTML of a report. All text that comes from files goes through esc() or embed()."""

import html
import json
import math
import os
import re
import string
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from .. import style
from ..cli import Error
from ..results import MEAN, shown_as
from . import verdicts as v
from .picture import picture
from .sections import argument_values, axes_of, is_number, sections_of

HERE = os.path.dirname(os.path.realpath(__file__))
VENDOR = os.path.join(HERE, "..", "..", "vendor", "uplot")

STATE_NAMES = {"ok": "passed", "note": "note", "doubtful": "doubtful", "bad": "failed",
               "unknown": "not known"}
STATE_SIGNS = {"ok": "✔", "note": "i", "doubtful": "!", "bad": "✖", "unknown": "?"}
VERDICT_STATES = {"slower": "bad", "faster": "ok", "unchanged": "note", "cannot tell": "unknown",
                  "only old": "doubtful", "only new": "note"}
# style.PALETTE is for a white background.
DARK_PALETTE = ("#7cb7ff", "#e69f00", "#2fc795", "#f2f2f2", "#e39cc4", "#ff7a45", "#88ccf0")

WIDE_TABLE = 22  # columns; more do not fit on paper with whole numbers
LONG_TEXT = 48  # characters that may be broken into lines
LONG_PAGE = 1000  # results that are laid out only where they are looked at

# What a text must not hold in HTML or where it would change how the rest is shown: control
# characters, and those that turn the direction of writing.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def esc(text):
    return html.escape(UNPRINTABLE.sub("\ufffd", str(text)))


def embed(value):
    """JSON that may stand inside <script>, with null for what is no number."""
    def clean(x):
        if isinstance(x, float) and not math.isfinite(x):
            return None
        if isinstance(x, dict):
            return {str(k): clean(y) for k, y in x.items()}
        if isinstance(x, (list, tuple)):
            return [clean(y) for y in x]
        return x

    text = json.dumps(clean(value), separators=(",", ":"), allow_nan=False)  # ASCII: no U+2028
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def asset(*path):
    """A file of the report that stands inside <script> or <style>."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        text = file.read()
    if re.search(r"</(script|style)", text, re.IGNORECASE):
        raise Error(f"{os.path.join(*path)}: holds the end of a script or style")
    return text


def badge(state, text=None):
    return (f'<span class="badge {state}"><span aria-hidden="true">{STATE_SIGNS[state]}</span> '
            f"{esc(text or STATE_NAMES[state])}</span>")


# ---- Tables ----


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


def significant(value, digits=4):
    """With so many significant digits, zeros behind as well, so that columns can be compared."""
    text = style.number_text(value, digits)
    if not value or not math.isfinite(value) or "e" in text:
        return text
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits}g}")))))
    return f"{float(text):.{decimals}f}"


def measured_cell(value, scale=1.0):
    return (significant(value / scale), value) if is_number(value) else None


def text_cell(text):
    return (str(text), str(text)) if text not in (None, "") else None


def table(columns, label, sortable=True):
    columns = [c for c in columns if not c.empty]
    if not columns:
        return ""
    head = "".join(
        f'<th scope="col"{f" title={quoted(c.title)}" if c.title else ""}'
        f'{numeric_class(c)}>{esc(c.name)}'
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


def quoted(text):
    return f'"{esc(text)}"'


def numeric_class(column):
    return " class=n" if any(c and is_number(c[1]) for c in column.cells) else ""


def interval_text(low, high, scale):
    if not (is_number(low) and is_number(high)):
        return None
    return f"{significant(low / scale)} – {significant(high / scale)}", low


def unit_for(values):
    """The unit in which most of the times read well."""
    known = sorted(abs(x) for x in values if is_number(x) and x)
    return style.choose_unit(known[len(known) // 2] if known else math.nan, style.TIME_UNITS)


def percent_cell(share):
    return (style.percent_text(share, 2), share) if is_number(share) else None


def confidence_text(results, default):
    known = {r.confidence for r in results if is_number(r.confidence)}
    return style.percent_text(known.pop()) if len(known) == 1 else default


MEAN_TITLE = ("Without a quarter of the repetitions at each end (the classic result); under the mpiperf rule "
              "without the share of set_mpiperf_trim")
ERROR_TITLE = "Of the mean of the middle; by the classic formula an interval from it alone is too narrow"


def result_columns(section, files, comparison):
    """The table of a block: what identifies a result, then what is known about it."""
    points = section.points
    results = [p.result for p in points]
    times = [r for r in results if r.quantity == "time"]
    unit, scale = unit_for([r.best() for r in times])
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
        return Column(name, [measured_cell(value(r), s) if r.quantity == "time" else
                             number_cell(value(r), digits=12)
                             for r, s in zip(results, scales)], unit_text, title)

    def interval_column(name, low, high, title):
        return Column(name, [interval_text(low(r), high(r), s) for r, s in zip(results, scales)],
                      unit_text, title)

    medians = any(is_number(r.median) for r in results)
    means = [times_column(MEAN, lambda r: r.time, MEAN_TITLE),
             times_column("standard error", lambda r: r.standard_error, ERROR_TITLE)]
    columns += [
        *([] if medians else means),
        times_column("median", lambda r: r.median, f"Of the repetitions, or of the medians of {several}"),
        interval_column(f"{confidence_text(results, '')} interval".strip(), lambda r: r.median_low,
                        lambda r: r.median_high, "Confidence interval of the median"),
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
        Column("flags", [flags_cell(r) for r in results], markup=True),
        Column("levels", [levels_cell(r, s) for r, s in zip(results, scales)], unit_text,
               "Levels between which the time jumped, and their share of the time"),
        Column("bandwidth", [rate_cell(r) for r in results],
               title=f"Bytes over the time: its {shown_as({r.shown().what for r in results})}"),
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


def rate_cell(result):
    best = result.best()
    if result.quantity != "time" or not result.bytes > 0 or not best > 0:
        return None
    return style.rate_text(result.bytes / best), result.bytes / best


def flags_cell(result):
    if not result.flags:
        return None
    marks = [f'<abbr class="flag{" doubt" if v.flag_meaning(flag)[0] else ""}" '
             f"title={quoted(v.flag_meaning(flag)[1])}>{esc(str(flag).replace('_', ' '))}</abbr>"
             for flag in result.flags]
    return " ".join(marks), " ".join(str(flag) for flag in result.flags)


def comparison_columns(rows, old="old", new="new"):
    """old, new: what the sides are called."""
    return [
        Column("verdict", [(badge(VERDICT_STATES.get(r.verdict, "note"), r.verdict), r.verdict) if r
                           else None for r in rows], markup=True),
        Column(f"{new} / {old}", [measured_cell(r.ratio) if r else None for r in rows],
               title=f"Median of {new} over median of {old}"),
        Column("its interval", [interval_text(r.low, r.high, 1.0) if r else None for r in rows]),
    ]


def compared_records(comparison, files):
    """Rows of the comparison by the identity of the records of the points that they are about."""
    if not comparison:
        return {}
    rows = {row.key: row for row in comparison.rows}
    found = {}
    for _, file in files:
        seen = Counter()
        for result in file.points:
            key = result.key
            seen[key] += 1
            if row := rows.get((*key, seen[key])):  # as compare_files numbers them
                found[id(result.record)] = row
    return found


# ---- Parts of the page ----


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
        parts.append(v.count_text(int(pes), "PE") + (f" ({members})" if members else "")
                     + (f" {placement}" if placement else ""))
    synchronization = common(r.synchronization for r in results)
    starts = {"window": "started in windows", "barrier": "started by a barrier", "none": "not synchronized"}
    parts.append(starts.get(synchronization, ""))
    if rule := common(r.window_rule for r in results):
        parts.append(f"window rule {rule}")
    if run_time := common(r.run_time for r in results):
        parts.append(f"{run_time} run time")
    if (buffers := common(r.buffers for r in results)) and buffers != "none":
        parts.append(f"{buffers} buffers")
    if cache := common(r.cache for r in results):
        parts.append(f"{cache} cache")
    return "; ".join(part for part in parts if part)


def plot_data(section, comparison, many):
    """What the plot of a block is drawn from. many: files."""
    results = [p.result for p in section.points]
    shown = [r.shown() for r in results]
    return {
        "name": section.name,
        "axes": [{"name": a.name, "unit": a.unit, "positions": a.positions, "series": a.series,
                  "labels": a.labels} for a in axes_of(section)],
        "label": [f"{r.label()} · {p.file}" if many else r.label()
                  for r, p in zip(results, section.points)],
        "memory": [r.quantity != "time" for r in results],
        "bytes": [r.bytes for r in results],
        "what": shown_as({s.what for s in shown}),
        "value": [s.value for s in shown],
        "low": [s.low for s in shown],
        "high": [s.high for s in shown],
        "means": [s.what == MEAN for s in shown],
        "nextLow": [r.next_low for r in results],
        "nextHigh": [r.next_high for r in results],
        "old": [row.old if (row := comparison.get(id(r.record))) else None for r in results],
        "flags": [", ".join(str(f).replace("_", " ") for f in r.flags) for r in results],
        "doubted": [v.is_doubted(r) for r in results],
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
            drawn = picture(plot_data(section, comparison, len(files) > 1), esc)
            parts.append(f'<figure class="plot" data-block="{number}" aria-label='
                         f'{quoted("Plot of " + section.name)}>{drawn}</figure>')
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
    return (f"<details><summary>{v.count_text(len(where), 'note')} on these results</summary>"
            f"<ul>{items}</ul></details>")


def ranges(numbers):
    """1, 2, 3, 7 as "1-3, 7"."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def missing_table(missing, files, label):
    columns = [Column("file", [text_cell(f) for f, _, _ in missing] if len(files) > 1 else []),
               Column("block", [text_cell(block) for _, block, _ in missing]),
               Column("call", [text_cell(r.get("call")) for _, _, r in missing]),
               Column("what", [text_cell(str(r.get("kind", "")).replace("_", " ")) for _, _, r in missing]),
               Column("why", [text_cell(r.get("reason")) for _, _, r in missing])]
    return table([c for c in columns if c.cells], label)


def verdict_part(verdicts, files):
    """The worst first; what is ok or known in all files of many in one line."""
    many = files > 1
    groups = defaultdict(list)
    for verdict in verdicts:
        text = "" if many and verdict.state == "ok" else verdict.text
        groups[verdict.check, verdict.state, text].append(verdict)
    ordered = sorted(groups.items(), key=lambda item: v.STATES.index(item[0][1]))
    rows = []
    for (check, state, _), group in ordered:
        texts = list(dict.fromkeys(x.text for x in group))
        where = ""
        if many and group[0].file:
            named = list(dict.fromkeys(x.file for x in group))
            where = f'<td>{esc(v.listed(named, 6) if len(named) < files else "all")}</td>'
        elif many:
            where = "<td></td>"
        rows.append(f'<tr class="{state}"><td>{badge(state)}</td>'
                    f"<th scope=row>{esc(check)}</th>{where}"
                    f"<td>{esc(v.listed(texts, 1) if state == 'ok' else '; '.join(texts))}</td>")
    head = "<th scope=col>file</th>" if many else ""
    counts = Counter(x.state for x in verdicts)
    listing = " ".join(badge(state, f"{counts[state]} {STATE_NAMES[state]}") for state in v.STATES
                       if counts[state])
    return (f"<p>{listing}</p>"
            '<div class="scroll whole" role="region" tabindex="0" aria-label="Verdicts">'
            '<table class="verdicts"><thead><tr><th scope=col>verdict</th><th scope=col>check</th>'
            f"{head}<th scope=col>why</th></tr></thead>"
            "<tbody>" + "\n".join(rows) + "</tbody></table></div>")


def configuration_rows(file):
    """(property, text) pairs of a file's header and end."""
    h = file.header
    script, timer, binding = h.get("script") or {}, h.get("timer") or {}, h.get("binding") or {}
    nodes = h.get("nodes") or []
    yield "started", h.get("started")
    if file.end:
        yield "duration", style.time_text(file.end.get("duration"))
    yield "skampi", h.get("version")
    yield "command line", h.get("command_line")
    yield "script", script.get("name")
    yield "its checksum", script.get("checksum")
    yield "library", h.get("library")
    yield "PEs", h.get("pes")
    yield "PEs bound", f"{binding['bound']} of {binding.get('pes')}" if "bound" in binding else None
    yield "nodes", len(nodes) or None
    for text, count in Counter(node_text(n) for n in nodes).items():
        yield ("each node" if count == len(nodes) > 1 else "node"), text + (
            f" ({count} nodes)" if 1 < count < len(nodes) else "")
    if nodes:
        yield "node names", v.listed((str(n.get("name")) for n in nodes), 16)
        loads = [n["load"] for n in nodes if is_number(n.get("load")) and n["load"] >= 0]
        yield "load before", (style.number_text(loads[0]) if len(loads) == 1 else
                              f"{style.number_text(min(loads))} – {style.number_text(max(loads))}"
                              if loads else None)
    if timer:
        yield "timer", timer.get("name")
        yield "its resolution, cost", (f"{style.time_text(timer.get('resolution'))}, "
                                       f"{style.time_text(timer.get('cost'))}")
        yield "its rate", (f"{style.number_text(timer['ticks_per_second'], 6)} ticks per second"
                           if is_number(timer.get("ticks_per_second")) else None)
        yield "clock source", timer.get("clock_source")
    for name, value in (h.get("rounds") or {}).items():
        yield {"seconds": "rounds over", "time_limit": "time limit"}.get(name, name), (
            style.time_text(value) if name in ("seconds", "time_limit") else value)
    for warning in h.get("warnings") or []:
        yield "warning", warning
    for note in h.get("notes") or []:
        yield "note", note
    for name, value in sorted((h.get("environment") or {}).items()):
        yield name, value


def node_text(node):
    parts = [str(node.get("cpu") or "")]
    if node.get("processors"):
        parts.append(v.count_text(node["processors"], "processor"))
    if is_number(node.get("pes")):
        parts.append(v.count_text(node["pes"], "PE"))
    if node.get("smt"):
        parts.append(f"SMT {node['smt']}")
    if node.get("governor"):
        parts.append(f"governor {node['governor']}")
    return ", ".join(part for part in parts if part)


def configuration_part(files):
    """One column a file; rows in which they differ are marked."""
    columns = []
    for _, file in files:
        values = {}
        for name, text in configuration_rows(file):
            if text not in (None, ""):
                values[name] = f"{values[name]}\n{text}" if name in values else str(text)
        columns.append(values)
    names = dict.fromkeys(name for column in columns for name in column)
    head = "".join(f"<th scope=col>{esc(name)}</th>" for name, _ in files)
    rows = []
    for name in names:
        cells = [column.get(name, "") for column in columns]
        differ = len(set(cells)) > 1
        texts = cells if differ else cells[:1]
        span = "" if differ or len(cells) == 1 else f" colspan={len(cells)}"
        rows.append(f'<tr{" class=differs" if differ else ""}><th scope=row>{esc(name)}</th>'
                    + "".join(f"<td{span}>{esc(text)}</td>" for text in texts))
    return ('<div class="scroll whole" role="region" tabindex="0" aria-label="Configuration"><table '
            f'class="configuration"><thead><tr><th scope=col>{"file" if len(files) == 1 else "files"}'
            f"</th>{head}</tr></thead><tbody>" + "\n".join(rows) + "</tbody></table></div>"
            + ("<p class=hint>Marked rows differ between files.</p>" if len(files) > 1 else ""))


def flags_part(sections):
    where, meant = defaultdict(Counter), {}
    for number, section in enumerate(sections, 1):
        for point in section.points:
            for flag in point.result.flags:
                where[str(flag)][number] += 1
                meant[str(flag)] = v.flag_meaning(flag)
    if not where:
        return "<p>No result was flagged.</p>"
    rows = []
    for flag in sorted(where, key=lambda f: (not meant[f][0], -sum(where[f].values()))):
        doubt, meaning = meant[flag]
        links = ", ".join(f'<a href="#block-{n}">{esc(sections[n - 1].name)}</a> ({c})'
                          for n, c in where[flag].items())
        rows.append(f"<tr><td>{badge('doubtful' if doubt else 'note', flag.replace('_', ' '))}</td>"
                    f"<td class=n>{sum(where[flag].values())}</td><td>{esc(meaning)}</td><td>{links}</td>")
    return ('<div class="scroll whole" role="region" tabindex="0" aria-label="Flags"><table><thead><tr>'
            "<th scope=col>flag</th><th scope=col class=n>results</th><th scope=col>what it means</th>"
            "<th scope=col>blocks</th></tr></thead><tbody>" + "\n".join(rows) + "</tbody></table></div>")


PROMISE = ("<p>The promise: the stated 95 % prediction interval contains the median of a later, "
           "independent run in at least 90 % of points.</p>")


def rounds_part(files, coverage):
    aggregates = [r for _, file in files for r in file.rounds]
    one, several = v.units_of([file for _, file in files])
    parts = []
    if aggregates:
        counts = sorted({r.rounds for r in aggregates if is_number(r.rounds)}) or ["several"]
        many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        parts.append(f"<p>{v.count_text(len(aggregates), 'point was', 'points were')} measured in "
                     f"{many} {several}. The result of a point is the median of the medians of its "
                     f"{several}, with "
                     "two intervals: the <em>confidence interval</em> says where the true median lies, "
                     "the <em>prediction interval</em> (“next run”, the lighter band in plots) where "
                     f"the median of as many later {several} will be.</p>")
    parts.append(PROMISE)
    if coverage:
        parts.append(f"<p>Measured by <code>skampi-coverage</code>: {esc(coverage.sentence())}.</p>")
    else:
        parts.append("<p class=hint>How well that holds on this machine was not given: "
                     "<code>skampi-coverage</code> measures it, <code>--coverage</code> shows it here.</p>")
    spreads = [(f"between {several}", sorted(r.between for r in aggregates if is_number(r.between))),
               (f"inside {several}", sorted(r.within for r in aggregates if is_number(r.within)))]
    items = [f"<li>{name}: typically {style.percent_text(x[len(x) // 2])}, at most "
             f"{style.percent_text(x[-1])}" for name, x in spreads if x]
    if items:
        parts.append("<p>Spread (interquartile range over the median):</p><ul>" + "".join(items) + "</ul>")
    return "".join(parts)


def comparison_counts(comparison):
    """(verdict, how many) pairs, what matters most first."""
    counts = Counter(r.verdict for r in comparison.rows)
    return [(name, counts[name]) for name in VERDICT_STATES if counts[name]]


def configurations_part(comparisons):
    """comparisons: (one, other, Comparison or why there is none) of configurations of campaigns."""
    parts = ["<p>Of each point in the launches of two configurations, as <code>skampi-compare</code> "
             "compares them.</p>"] if comparisons else []
    for one, other, comparison in comparisons:
        parts.append(f"<h3>{esc(other)} against {esc(one)}</h3>")
        parts.append(f"<p>{esc(comparison)}</p>" if isinstance(comparison, str) else
                     comparison_part(comparison, one, other))
    return "".join(parts)


def comparison_part(comparison, old="old", new="new"):
    """comparison: what compare.compare_files returned; its rows are in the order of importance. old,
    new: what its sides are called."""
    listing = " ".join(badge(VERDICT_STATES[name], f"{count} {name}")
                       for name, count in comparison_counts(comparison))
    remarks = [f"{style.percent_text(comparison.alpha)} is the chance of any false alarm among all points.",
               *comparison.differences, *comparison.cautions]
    unit, scale = unit_for([r.old for r in comparison.rows if r.quantity == "time"])
    parts = [f"<p>{listing or 'There is nothing to compare.'}</p>",
             "<ul>" + "".join(f"<li>{esc(remark)}" for remark in remarks) + "</ul>"]
    for quantity, name, size in (("time", unit, scale), ("bytes", "bytes", 1.0)):
        rows = [r for r in comparison.rows if r.quantity == quantity]
        verdict, *ratio = comparison_columns(rows, old, new)
        parts.append(table(
            [verdict,
             Column("block", [text_cell(r.block) for r in rows]),
             Column("point", [text_cell(r.label) for r in rows]),
             Column(old, [measured_cell(r.old, size) for r in rows], name),
             Column(new, [measured_cell(r.new, size) for r in rows], name),
             *ratio,
             Column("why", [text_cell(r.reason) for r in rows])],
            f"Differences of {new} to {old}, in {name}"))
    return "".join(parts)


def said_part(files):
    """What scripts printed and the engine remarked."""
    parts = []
    for name, file in files:
        for kind, title in (("print", "Printed by the script"), ("comment", "Remarks of the engine")):
            lines = [str(r.get("text", "")) for r in file.records if r["record"] == kind]
            if lines:
                suffix = f" ({name})" if len(files) > 1 else ""
                parts.append(f"<details><summary>{esc(title + suffix)}: {v.count_text(len(lines), 'line')}"
                             f"</summary><pre tabindex=0>{esc(chr(10).join(lines))}</pre></details>")
    return "".join(parts)


def summary_part(files, sections, verdicts, comparison, configurations):
    points = [p for s in sections for p in s.points]
    doubted = sum(v.is_doubted(p.result) for p in points)
    missing = v.missing_text([file for _, file in files])
    state = v.worst(verdicts)
    against = [x for x in verdicts if x.state in ("bad", "doubtful")]
    if against:
        names = v.listed(dict.fromkeys(x.check for x in against), 6)
        text = f"{v.count_text(len(against), 'check')} not passed: {names}"
    else:
        text = "nothing that was checked speaks against these results"
        state = "ok"
    header = files[0][1].header
    run = [f"{header.get('pes')} PEs" if header.get("pes") else "",
           v.count_text(len(header["nodes"]), "node") if header.get("nodes") else "",
           header.get("library"), f"started {header['started']}" if header.get("started") else "",
           f"and {v.count_text(len(files) - 1, 'more file')}" if len(files) > 1 else ""]
    items = [("Verdict", f"{badge(state)} {esc(text)} (<a href='#verdicts'>all checks</a>)"),
             ("Results", f"{len(points)} in {v.count_text(len(sections), 'block')}"
              + (f", <a href='#flags'>{doubted} flagged as doubtful</a>" if doubted else
                 ", none flagged as doubtful")
              + f", {missing}"),
             ("Run", esc(", ".join(filter(None, run))) or "the file does not say")]
    if comparison:
        counts = ", ".join(f"{count} {name}" for name, count in comparison_counts(comparison))
        items.append(("Against the baseline", f"{counts} (<a href='#baseline'>differences</a>)"))
    for one, other, found in configurations:
        counts = found if isinstance(found, str) else ", ".join(
            f"{count} {name}" for name, count in comparison_counts(found))
        items.append((f"{esc(other)} against {esc(one)}",
                      f"{esc(counts)} (<a href='#configurations'>differences</a>)"))
    return "<dl class=summary>" + "".join(f"<dt>{k}</dt><dd>{t}</dd>" for k, t in items) + "</dl>"


def section_part(identity, title, body):
    if not body:
        return ""
    return f'<section aria-labelledby="{identity}"><h2 id="{identity}">{title}</h2>{body}</section>'


def render(files, title, comparison=None, coverage=None, configurations=()):
    """The page. files: (short name, ResultFile) pairs; comparison: of compare.compare_files;
    coverage: a verdicts.Coverage; configurations: as of configurations_part()."""
    sections = sections_of(files)
    many = len(files) > 1
    verdicts = [x for name, file in files for x in v.check_file(file, name if many else "")]
    if coverage:
        verdicts.append(coverage.verdict())
    rows = compared_records(comparison, files)
    missing = [(f, s.name, r) for s in sections for f, r in s.missing]
    blocks = "".join(block_part(n, s, files, rows) for n, s in enumerate(sections, 1))
    contents = "".join(f'<li><a href="#block-{n}">{esc(s.name or "(no name)")}</a> '
                       f"<span class=where>{len(s.points)}</span>" for n, s in enumerate(sections, 1))
    body = [
        section_part("summary", "Summary", summary_part(files, sections, verdicts, comparison,
                                                     configurations)),
        section_part("verdicts", "Can these numbers be trusted?", verdict_part(verdicts, len(files))),
        section_part("baseline", "Differences to the baseline",
                     comparison_part(comparison) if comparison else ""),
        section_part("configurations", "Differences between configurations",
                     configurations_part(configurations)),
        section_part("rounds", "What will the next run measure?",
                     rounds_part(files, coverage) if coverage or any(f.rounds for _, f in files) else ""),
        section_part("results", "Results", '<nav aria-label="Blocks"><ul class=contents>'
                     f"{contents}</ul></nav>{blocks}" if sections else "<p>No results.</p>"),
        section_part("flags", "What was flagged, and why", flags_part(sections)),
        section_part("missing", "What is missing", missing_table(missing, files, "Missing results")),
        section_part("configuration", "Configuration", configuration_part(files)),
        section_part("said", "What else was said", said_part(files)),
    ]
    data = {"blocks": [plot_data(s, rows, many) for s in sections],
            "light": list(style.PALETTE), "dark": list(DARK_PALETTE)}
    template = string.Template(asset_template())
    return template.substitute(
        title=esc(title), body="\n".join(part for part in body if part), data=embed(data),
        size="long" if sum(len(s.points) for s in sections) > LONG_PAGE else "short",
        colors=color_variables(), library_style=asset(VENDOR, "uPlot.min.css"), style=asset(HERE, "report.css"),
        licence=asset(VENDOR, "LICENSE"), library=asset(VENDOR, "uPlot.iife.min.js"),
        program=asset(HERE, "report.js"))


def color_variables():
    """Colours of lines, for pictures."""
    def variables(palette):
        return " ".join(f"--s{place}: {color};" for place, color in enumerate(palette))

    return (f":root {{ {variables(style.PALETTE)} }}\n@media screen and (prefers-color-scheme: dark) {{\n"
            f"  :root:not(.printing) {{ {variables(DARK_PALETTE)} }}\n}}")


def asset_template():
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        return file.read()
