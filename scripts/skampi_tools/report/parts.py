"""The parts of the page other than blocks of results: summary, checks, comparisons, configuration, flags."""

from collections import Counter, defaultdict

from .. import doubt, style
from ..locations import location_text
from ..users_json import is_number
from . import verdicts as v
from .columns import comparison_columns
from .markup import STATE_NAMES, VERDICT_STATES, badge, bullets, esc
from .tables import Column, measured_cell, percent_cell, table, text_cell


def _whole(label, head, rows, kind=""):
    """A table without tools. head: its head as markup; rows: texts of markup."""
    return (f'<div class="scroll whole" role="region" tabindex="0" aria-label="{label}"><table class="{kind}"><thead><tr>'
            f"{head}</tr></thead><tbody>" + "\n".join(rows) + "</tbody></table></div>")


def verdict_part(verdicts, files):
    """Verdicts, the worst first. Of many files, what is ok or known in all is one line."""
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
            where = f'<td>{esc(style.listed(named, 6) if len(named) < files else "all")}</td>'
        elif many:
            where = "<td></td>"
        rows.append(f'<tr class="{state}"><td>{badge(state)}</td>'
                    f"<th scope=row>{esc(check)}</th>{where}"
                    f"<td>{esc(style.listed(texts, 1) if state == 'ok' else '; '.join(texts))}</td>")
    head = "<th scope=col>file</th>" if many else ""
    counts = Counter(x.state for x in verdicts)
    listing = " ".join(badge(state, f"{counts[state]} {STATE_NAMES[state]}") for state in v.STATES
                       if counts[state])
    return f"<p>{listing}</p>" + _whole(
        "Verdicts", f"<th scope=col>verdict</th><th scope=col>check</th>{head}<th scope=col>why</th>", rows, "verdicts")


def configuration_rows(file):
    """(property, text) pairs of a file's header and end."""
    h = file.header
    script, timer, binding = h.get("script") or {}, h.get("timer") or {}, h.get("binding") or {}
    nodes = h.get("nodes") or []
    yield "started", h.get("started")
    if file.end:
        yield "duration", style.time_text(file.end.get("duration"))
    yield "skampi", h.get("version")
    yield "launcher", h.get("launcher")
    yield "command line", h.get("command_line")
    yield "script", script.get("name")
    yield "its checksum", script.get("checksum")
    yield "library", h.get("library")
    yield "modules", ", ".join(map(str, h.get("modules") or [])) or None
    yield "PEs", h.get("pes")
    yield "PEs bound", f"{binding['bound']} of {binding.get('pes')}" if "bound" in binding else None
    for group in h.get("locations") or []:
        yield "location", location_text(group)
    yield "nodes", len(nodes) or None
    for text, count in Counter(node_text(n) for n in nodes).items():
        yield ("each node" if count == len(nodes) > 1 else "node"), text + (
            f" ({count} nodes)" if 1 < count < len(nodes) else "")
    if nodes:
        yield "node names", style.listed((n.get("name") for n in nodes), 16)
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
    for name, value in (h.get("choices") or {}).items():
        yield name, value
    for name, value in sorted((h.get("environment") or {}).items()):
        yield name, value


def node_text(node):
    parts = [str(node.get("cpu") or "")]
    if node.get("processors"):
        parts.append(style.count_text(node["processors"], "processor"))
    if is_number(node.get("pes")):
        parts.append(style.count_text(node["pes"], "PE"))
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
    return (_whole("Configuration", f'<th scope=col>{"file" if len(files) == 1 else "files"}</th>{head}', rows, "configuration")
            + ("<p class=hint>Marked rows differ between files.</p>" if len(files) > 1 else ""))


def flags_part(sections):
    where = defaultdict(Counter)
    for number, section in enumerate(sections, 1):
        for point in section.points:
            for flag in point.result.flags:
                where[flag][number] += 1
    if not where:
        return "<p>No result was flagged.</p>"
    rows = []
    for flag in sorted(where, key=lambda f: (not doubt.speaks_against(f), -sum(where[f].values()))):
        links = ", ".join(f'<a href="#block-{n}">{esc(sections[n - 1].name)}</a> ({c})'
                          for n, c in where[flag].items())
        rows.append(f"<tr><td>{badge('doubtful' if doubt.speaks_against(flag) else 'note', flag.replace('_', ' '))}</td>"
                    f"<td class=n>{sum(where[flag].values())}</td><td>{esc(doubt.meaning(flag))}</td><td>{links}</td>")
    return _whole("Flags", "<th scope=col>flag</th><th scope=col class=n>results</th><th scope=col>what it means</th>"
                  "<th scope=col>blocks</th>", rows)


PROMISE = ("<p>The promise: the stated 95 % prediction interval contains the median of a later, "
           "independent run in at least 90 % of points.</p>")


def rounds_part(files, coverage):
    aggregates = [r for _, file in files for r in file.rounds]
    one, several = v.units_of([file for _, file in files])
    parts = []
    if aggregates:
        counts = sorted({r.rounds for r in aggregates if is_number(r.rounds)}) or ["several"]
        many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        parts.append(f"<p>{style.count_text(len(aggregates), 'point was', 'points were')} measured in "
                     f"{many} {several}. The result of a point is the median of the medians of its "
                     f"{several}, with "
                     "two intervals: the <em>confidence interval</em> says where the true median lies, "
                     "the <em>prediction interval</em> (“next run”, the lighter band in plots) where "
                     f"the median of as many later {several} will be.</p>")
    parts.append(PROMISE)
    if coverage:
        parts.append(f"<p>Measured by <code>skampi campaign coverage</code>: {esc(coverage.sentence)}.</p>")
    else:
        parts.append("<p class=hint>How well this holds on this machine is unknown: "
                     "<code>skampi campaign coverage</code> measures it, and <code>--coverage</code> shows it here.</p>")
    spreads = [(f"between {several}", sorted(r.between for r in aggregates if is_number(r.between))),
               (f"inside {several}", sorted(r.within for r in aggregates if is_number(r.within)))]
    items = [f"{name}: typically {style.percent_text(x[len(x) // 2])}, at most "
             f"{style.percent_text(x[-1])}" for name, x in spreads if x]
    if items:
        parts.append(f"<p>Spread (interquartile range over the median):</p>{bullets(items)}")
    return "".join(parts)


def comparison_counts(comparison):
    """(verdict, how many) pairs, what matters most first."""
    counts = Counter(r.verdict for r in comparison.rows)
    return [(name, counts[name]) for name in VERDICT_STATES if counts[name]]


def configurations_part(comparisons):
    """comparisons: (one, other, Comparison or why there is none) of configurations of campaigns."""
    parts = ["<p>Of each point in the launches of two configurations, as <code>skampi compare</code> "
             "compares them.</p>"] if comparisons else []
    for one, other, comparison in comparisons:
        parts.append(f"<h3>{esc(other)} against {esc(one)}</h3>")
        parts.append(f"<p>{esc(comparison)}</p>" if isinstance(comparison, str) else
                     comparison_part(comparison, one, other))
    return "".join(parts)


def _side_cell(value, size, row, doubts):
    cell = measured_cell(value, size, value * row.share)
    return cell and (cell[0] + doubt.mark(doubts), cell[1])


SHARE = "Of what was measured of the point: in this state"


def comparison_part(comparison, old="old", new="new"):
    """comparison: what compare.compare_files returned; its rows are in the order of importance. old,
    new: what its sides are called."""
    listing = " ".join(badge(VERDICT_STATES[name], f"{count} {name}")
                       for name, count in comparison_counts(comparison))
    remarks = [f"{style.percent_text(comparison.alpha)} is the chance of any false alarm among all points.",
               *(f"{state.text}: {style.percent_text(state.share_old, 2)} of the time of {old}, "
                 f"{style.percent_text(state.share_new, 2)} of that of {new}." for state in comparison.states),
               *comparison.differences, *comparison.cautions]
    unit, scale = style.unit_for([r.old for r in comparison.rows if r.quantity == "time"])
    parts = [f"<p>{listing or 'There is nothing to compare.'}</p>",
             bullets(remarks)]
    for quantity, name, size in (("time", unit, scale), ("bytes", "bytes", 1.0)):
        rows = [part for r in comparison.rows if r.quantity == quantity for part in (r, *r.states)]
        verdict, *ratio = comparison_columns(rows, old, new)
        parts.append(table(
            [verdict,
             Column("block", [text_cell(r.block) for r in rows]),
             Column("point", [text_cell(r.label) for r in rows]),
             Column("state", [text_cell(r.text) for r in rows], title="A point's row is followed by those of its "
                    "states: what was measured while the machine was in one"),
             *ratio,
             Column("why", [text_cell(r.reason) for r in rows]),
             *(Column(side, [_side_cell(value, size, r, doubts) for r, value, doubts in cells], name)
               for side, cells in ((old, [(r, r.old, r.doubts_old) for r in rows]),
                                   (new, [(r, r.new, r.doubts_new) for r in rows]))),
             Column(f"share of {old}", [percent_cell(r.share_old) for r in rows], title=SHARE),
             Column(f"share of {new}", [percent_cell(r.share_new) for r in rows], title=SHARE)],
            f"Differences of {new} to {old}, in {name}"))
    return "".join(parts)


def _untried_text(entry):
    of = f" of {entry['call']}" if "call" in entry else ""
    return f"not tried: {entry['factor']}{of}: {entry['reason']}"


def factors_part(files):
    """The factors that --factors found, and those that it did not try."""
    parts = []
    for name, file in files:
        suffix = f" ({name})" if len(files) > 1 else ""
        for record in (r for r in file.records if r["record"] == "factors"):
            found = record["findings"] or ["No factor makes a difference that can be told from chance."]
            parts.append(f"<p>{style.count_text(record.get('tests') or 0, 'test')} of factors in "
                         f"{record.get('blocks')} blocks in random order{esc(suffix)}:</p>"
                         f"{bullets([*found, *map(_untried_text, record['untried'])])}")
        rows = sorted((r for r in file.records if r["record"] == "factor" and r["named"]), key=lambda r: -r["ratio"])
        parts.append(table([
            Column("factor", [text_cell(r["factor"]) for r in rows]),
            Column("point", [text_cell(r.get("call")) for r in rows]),
            Column("ratio", [measured_cell(r["ratio"]) for r in rows], title="slowest level over the fastest"),
            Column("from", [measured_cell(r.get("ratio_low")) for r in rows], title="lower end of the 95 % interval"),
            Column("to", [measured_cell(r.get("ratio_high")) for r in rows], title="upper end of the 95 % interval"),
            Column("slowest", [text_cell(r.get("slowest")) for r in rows]),
            Column("fastest", [text_cell(r.get("fastest")) for r in rows])], f"Factors{suffix}") if rows else "")
    return "".join(parts)


def said_part(files):
    """What scripts printed and the engine remarked."""
    parts = []
    for name, file in files:
        for kind, title in (("print", "Printed by the script"), ("comment", "Remarks of the engine")):
            lines = [str(r.get("text", "")) for r in file.records if r["record"] == kind]
            if lines:
                suffix = f" ({name})" if len(files) > 1 else ""
                parts.append(f"<details><summary>{esc(title + suffix)}: {style.count_text(len(lines), 'line')}"
                             f"</summary><pre tabindex=0>{esc(chr(10).join(lines))}</pre></details>")
    return "".join(parts)


def summary_part(files, sections, verdicts, comparison, configurations):
    points = [p for s in sections for p in s.points]
    doubted = sum(p.result.doubtful for p in points)
    missing = v.missing_text([file for _, file in files])
    state = v.worst(verdicts)
    against = [x for x in verdicts if x.state in ("bad", "doubtful")]
    if against:
        names = style.listed(dict.fromkeys(x.check for x in against), 6)
        text = f"{style.count_text(len(against), 'check')} not passed: {names}"
    else:
        text = "nothing that was checked speaks against these results"
        state = "ok"
    header = files[0][1].header
    run = [f"{header.get('pes')} PEs" if header.get("pes") else "",
           style.count_text(len(header["nodes"]), "node") if header.get("nodes") else "",
           header.get("library"), f"started {header['started']}" if header.get("started") else "",
           f"and {style.count_text(len(files) - 1, 'more file')}" if len(files) > 1 else ""]
    items = [("Verdict", f"{badge(state)} {esc(text)} (<a href='#verdicts'>all checks</a>)"),
             ("Results", f"{len(points)} in {style.count_text(len(sections), 'block')}"
              + (f", <a href='#flags'>{doubted} doubtful ({doubt.MARK})</a>" if doubted else
                 ", none doubtful")
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
