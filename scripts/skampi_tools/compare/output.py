"""A comparison as text, as JSON, and in the form of JUnit."""

import math
from collections import Counter

from .. import doubt, screen, style
from . import rows

MOST_MISSING = 20  # points without a result that are listed
LEAST_SHARE = 0.005  # calls without a measurement are named from this share of an application's time on
# Members of rows that say how a point, or a part of it, was judged.
JUDGED = ("old", "new", "ratio", "low", "high", "reached", "few", "p", "p_margin", "over_margin", "verdict", "reason", "unit",
          "count_old", "count_new")


def change(row):
    return style.change_text(row.ratio, row.low, row.high)[0]


def interval(row):
    if math.isnan(row.low):
        return row.few or style.NOTHING
    text = style.change_text(row.ratio, row.low, row.high)[1]
    return f"{text} ({100 * row.reached:.0f} %)" if row.reached < 0.945 else text


def p_text(p):
    return style.NOTHING if math.isnan(p) else f"{p:.3f}" if p >= 0.001 else "< 0.001"


def percent(share):
    return style.percent_text(share, 2)


def for_application(found):
    """How much less time an application spends in communication, and which share of its communication the points are."""
    row = found.row
    sign, word = (-1, "less") if row.ratio < 1 else (1, "more")

    def percentages(*ratios):
        return [style.number_text(100 * sign * (ratio - 1), 2) for ratio in ratios]

    text = "no ratio"
    if row.ratio > 0:
        ends = f" ({' to '.join(percentages(*sorted((row.low, row.high), key=lambda ratio: sign * ratio)))})" if row.low > 0 else ""
        text = f"{percentages(row.ratio)[0]} %{ends} {word} time in communication"
    print(f"{screen.printable(found.path)}: {text}: {style.time_text(row.old)} | {style.time_text(row.new)} in all PEs, "
          f"{row.verdict}" + (f": {row.reason}" if row.reason else ""))
    if not math.isnan(found.measured):
        print(f"  measured: {percent(found.measured)} of the application's time in communication")
    named = [f"{what} {percent(share)}" if share == share else what for what, share in found.lacking if not share < LEAST_SHARE]
    if named:
        print(f"  not measured: {screen.printable(', '.join(named))}")


def headline(result, margin):
    counts = result.summary
    parts = [f"{counts[v]} {v}" for v in rows.VERDICTS if counts[v] or v in rows.VERDICTS[:4]]
    print(f"{style.count_text(counts['points'], 'point')}: {', '.join(parts)}; new against old: {result.agreement}")
    worst = result.worst
    if worst:
        print(f"worst: {change(worst)} [{interval(worst)}]: {screen.printable(worst.block)}: "
              f"{screen.printable(worst.label)}{f', {worst.reason}' if worst.states else ''}")
    if margin is not None:
        print(f"slower by more than {100 * margin:g} %: {len(result.over_margin)}")
    if result.application:
        for_application(result.application)
    sizes = f"{len(result.files_old)} and {len(result.files_new)} files"
    print(f"compared: {result.unit or 'nothing'} of {sizes}; chance of any false alarm at most "
          f"{100 * result.alpha:g} %" + ("" if not result.labellings else
          f"; {'all' if result.exact else 'seed ' + str(result.seed) + ','} {result.labellings} "
          f"relabellings"))
    for state in result.states:
        print(f"{state.text}: {percent(state.share_old)} of the old side's time, {percent(state.share_new)} of "
              f"the new one's")
    for line in result.findings:
        print(f"result: {line}")
    for line in result.differences:
        print(f"differs: {screen.printable(line)}")
    for line in result.cautions:
        print(f"caution: {screen.printable(line)}")


def row_cells(row, margin, verdict, point):
    flag = " (!)" if row.over_margin and margin > 0 else ""
    return (verdict + flag, change(row), interval(row), style.value_text(row.old, row.quantity) + doubt.mark(row.doubts_old),
            style.value_text(row.new, row.quantity) + doubt.mark(row.doubts_new), p_text(row.p), *point)


def table_rows(shown, margin):
    yield "verdict", "change", "interval", "old", "new", "p", "block", "point"
    for row in shown:
        yield row_cells(row, margin, row.verdict, (screen.printable(row.block), screen.printable(row.label)))
        for part in row.states:
            shares = f": {percent(part.share_old)} of old, {percent(part.share_new)} of new" if part.state else ""
            yield row_cells(part, margin, f"  {part.verdict}", ("", f"  {part.text}{shares}"))


def table_reasons(shown):
    """The text below each line of the table, or ""."""
    yield ""
    for row in shown:
        yield from [""] * len(row.states)
        yield row.reason if row.states else ""


def table(result, everything):
    shown = [row for row in result.rows if everything or row.reason or row.verdict != rows.UNCHANGED]
    hidden = len(result.rows) - len(shown)
    if shown:
        print()
        for line, reason in zip(screen.table_lines(lambda: table_rows(shown, result.margin), (0, -2, -1)), table_reasons(shown)):
            print(line)
            if reason:
                print(f"  why: {reason}")
    reasons = {}
    for row in shown:
        if row.reason and not row.states:
            text = row.verdict, row.reason
            reasons[text] = reasons.get(text, 0) + 1
    if shown:
        print()
    sides = [flags for row in shown for flags in (row.doubts_old, row.doubts_new)]
    if any(sides):
        counts = Counter(flag for flags in sides for flag in flags).most_common()
        print(doubt.legend_text(sum(map(bool, sides)), len(sides), counts))
    for (verdict, reason), count in sorted(reasons.items(), key=lambda item: -item[1])[:5]:
        print(f"{verdict}, {count} of them: {reason}")
    for missing in result.missing[:MOST_MISSING]:
        where = "on both sides" if missing.old and missing.new else f"on the {'old' if missing.old else 'new'} side"
        print(screen.printable(f"not measured {where}: {missing.text}: {missing.reason}"))
    if len(result.missing) > MOST_MISSING:
        print(f"and {len(result.missing) - MOST_MISSING} more that were not measured: --json lists them")
    if hidden:
        print(f"{hidden} unchanged not shown: --all shows them")


def report(result, margin, everything):
    """margin: of --fail-over, or None. everything: also points that did not change."""
    headline(result, margin)
    table(result, everything)


def as_json(result):
    return {
        "comparison": 1, **members(result, "alpha", "margin", "same_within", "launch_spread", "seed", "labellings",
                                   "exact", "unit"), "old": result.files_old, "new": result.files_new,
        "agreement": result.agreement, "summary": {**result.summary, "over_margin": len(result.over_margin)},
        "missing": [one._asdict() for one in result.missing],
        **members(result, "findings", "differences", "cautions"),
        **({"states": [{"state": s.number, **members(s, "text", "share_old", "share_new")} for s in result.states]}
           if result.states else {}),
        **({"application": application_json(result.application)} if result.application else {}),
        "points": [{
            "point": row.key, **members(row, "block", "function"), **members(row.result, "call", "pes", "occurrence"),
            "variables": {name: str(value) for name, value in row.result.variables.items()},
            **members(row, "quantity", "doubts_old", "doubts_new", *JUDGED), **in_states(row)} for row in result.rows]}


def as_junit(result):
    """A test case for each point, and for each that a side lacks."""
    cases = [(row.block, row.label, _outcome(row)) for row in result.rows]
    cases += [("not measured", missing.text, ("error" if missing.failed else "skipped", missing.reason, ""))
              for missing in result.missing]
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-compare", cases, "\n".join(result.differences + result.cautions))


def _outcome(row):
    if row.over_margin:
        return "failure", f"slower: {change(row)} [{interval(row)}]", \
            f"{style.value_text(row.old, row.quantity)} -> {style.value_text(row.new, row.quantity)}"
    if row.verdict in (rows.CANNOT_TELL, rows.ONLY_OLD, rows.ONLY_NEW):
        return "skipped", ": ".join(filter(None, [row.verdict, row.reason])), ""
    return None


def application_json(found):
    return {"weights": found.path, **members(found.row, *JUDGED), "measured": found.measured,
            "not_measured": [{"what": what, "share": share} for what, share in found.lacking],
            "calls": found.calls}


def members(one, *names):
    return {name: getattr(one, name) for name in names}


def in_states(row):
    """Members of a point that was compared state by state."""
    if not row.states:
        return {}
    return {"overall": members(row.overall, *JUDGED),
            "states": [members(part, "state", "text", "share_old", "share_new", *JUDGED) for part in row.states]}
