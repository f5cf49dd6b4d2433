"""A history as text, as JSON, in the form of JUnit, and as numbers for Prometheus."""

from collections import Counter
from dataclasses import asdict

from .. import doubt, screen
from ..screen import printable
from ..style import change_text, count_text, value_text

MOST_SHOWN = 10  # points of a group that are listed without --all
MOST_TEXT = 160  # characters of a difference of the environment


def when_text(launch):
    """UTC, to the minute."""
    return f"{launch.when:%Y-%m-%d %H:%M}"


def where_text(one):
    """The block of a series, with the script."""
    return ": ".join(filter(None, [one.point.script, one.point.block]))


def _short(text):
    text = printable(text)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


def summary_text(history):
    if not history.launches:
        return "no launches"
    first, last = history.launches[0], history.launches[-1]
    return (f"{count_text(len(history.launches), 'launch', 'launches')}, "
            f"{when_text(first)} to {when_text(last)} (UTC); {len(history.series)} series of points, "
            f"{len(history.changed)} with changes")


def nothing_text(history):
    """Where no change was found: what that means."""
    if history.judged == len(history.series):
        return "no point has changed"
    few = f"too few launches to tell: a point needs at least {2 * history.least}"
    return f"none of the {history.judged} points with enough launches has changed; of the others: {few}" \
        if history.judged else few


def counts_text(group):
    slower = sum(member.change.ratio > 1 for member in group.members)
    faster = len(group.members) - slower
    return ", ".join(f"{count} {word}" for count, word in ((slower, "slower"), (faster, "faster")) if count)


def cautions(history):
    """What speaks against a history."""
    yield from doubt.together((launch.path, text) for launch in history.launches for text in launch.cautions)
    if doubts := [flags for launch in history.launches for flags in launch.doubts]:
        counts = Counter(flag for flags in doubts for flag in flags).most_common()
        total = sum(len(launch.values) for launch in history.launches)
        yield doubt.legend_text(len(doubts), total, counts).removeprefix(f"{doubt.MARK} ")
    if history.judged < len(history.series):
        yield (f"{len(history.series) - history.judged} of {len(history.series)} series have fewer than "
               f"{2 * history.least} launches: changes of these cannot be seen yet")
    if history.useless:
        yield f"{history.useless} values that are not above 0 do not count"
    if not history.complete:
        yield "there may be more changes: the search ended early"


def missing_lines(history):
    """Lines about what launches did not measure, and why: one line for all launches that lack the same."""
    counts = Counter(text for launch in history.launches for text in launch.missing)
    lines = [f"{text} (in {count} of {len(history.launches)} launches)" for text, count in counts.most_common(MOST_SHOWN)]
    return lines + ([f"and {len(counts) - MOST_SHOWN} more"] if len(counts) > MOST_SHOWN else [])


def as_text(history, everything=False):
    lines = [summary_text(history)]
    for group in history.groups:
        before, after = history.launches[group.before], history.launches[group.after]
        lines += ["", f"{when_text(after)}: {counts_text(group)} (the launch before: {when_text(before)})"]
        lines += [f"  environment: {_short(difference.text)}" for difference in group.differences]
        if not group.differences:
            lines.append("  environment: the headers of the files do not differ")
        shown = group.members if everything else group.members[:MOST_SHOWN]
        lines += _table([("change", "before", "after", "point")] + [_change_cells(member) for member in shown])
        if len(shown) < len(group.members):
            lines.append(f"  {len(group.members) - len(shown)} more: --all shows them")
    if not history.groups:
        lines.append(nothing_text(history))
    if missing := missing_lines(history):
        lines += ["", "not measured:", *(f"  {_short(line)}" for line in missing)]
    if history.limit is not None:
        lines += ["", *_over_lines(history, everything)]
    if everything:
        lines += ["", "all series, with their newest level:"]
        lines += _table([("level", "launches", "since", "point")] + [
            (value_text(one.segments[-1].level, one.point.quantity), str(one.segments[-1].count),
             when_text(history.launches[one.segments[-1].first]), _name(one)) for one in history.series])
    return "\n".join(lines) + "\n"


def _name(one):
    return printable(f"{where_text(one)}: {one.label}")


def _change_cells(member):
    quantity = member.series.point.quantity
    return (change_text(member.change.ratio)[0], value_text(member.change.old, quantity),
            value_text(member.change.new, quantity), _name(member.series))


def _over_lines(history, everything):
    over = sorted(history.over, key=lambda pair: -pair[1].ratio)
    against = f"at {printable(history.baseline)}" if history.baseline else "before"
    yield (f"slower than {against} by more than {100 * history.limit:g} %: "
           f"{len(over)} of {len(history.series)} series")
    shown = over if everything else over[:MOST_SHOWN]
    yield from _table([(change_text(verdict.ratio)[0], f"since {when_text(history.launches[verdict.since])}", _name(one))
                       for one, verdict in shown])
    if len(shown) < len(over):
        yield f"  {len(over) - len(shown)} more: --all shows them"


def _table(rows):
    return screen.table(rows, (-1,), indent="  ", titled=False)


# ---- JSON ----


def as_json(history):
    numbers = {id(one): number for number, one in enumerate(history.series)}
    return {
        "history": 1, "alpha": history.alpha, "least": history.least, "seed": history.seed,
        "orders": history.orders, "complete": history.complete, "limit": history.limit,
        "baseline": history.baseline or None, "over": len(history.over),
        "launches": [{"file": launch.path, "started": launch.when.isoformat()} for launch in history.launches],
        "left_out": [entry._asdict() for entry in history.left_out],
        "changes": [{
            "before": group.before, "after": group.after,
            "environment": [difference._asdict() for difference in group.differences],
            "points": [{"point": numbers[id(member.series)], **member.change._asdict()} for member in group.members],
        } for group in history.groups],
        "points": [{
            **{name: value for name, value in one.point._asdict().items() if name != "key"}, "variables": dict(one.point.variables),
            **({"state": one.state, "state_text": one.state_text} if one.state else {}),
            "values": one.values,
            "segments": list(map(asdict, one.segments)),
            "changes": [change._asdict() for change in one.changes],
            "judged": verdict.judged, "over": verdict.over,
            "against": verdict.old, "ratio": verdict.ratio,
        } for one, verdict in zip(history.series, history.verdicts)]}


def as_junit(history):
    """A test case for each series."""
    said = "\n".join(f"{entry.path}: left out: {entry.reason}" for entry in history.left_out)
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-history", [(where_text(one), one.label, _outcome(history, one, verdict))
                                           for one, verdict in zip(history.series, history.verdicts)],
                        said, timestamp=history.launches[-1].when.strftime("%Y-%m-%dT%H:%M:%S"))


def _outcome(history, one, verdict):
    quantity = one.point.quantity
    if verdict.over:
        message = (f"slower by {100 * (verdict.ratio - 1):.1f} %: {value_text(verdict.old, quantity)} -> "
                   f"{value_text(verdict.new, quantity)} since {when_text(history.launches[verdict.since])} (UTC)")
        differences = [difference.text for group in history.groups for difference in group.differences
                       if any(member.series is one and member.change.after == verdict.since
                              for member in group.members)]
        return "failure", message, "\n".join(differences)
    if not verdict.judged:
        return "skipped", f"{len(one.there)} launches: at least {2 * history.least} are needed", ""
    return None


# ---- OpenMetrics ----


def as_metrics(history):
    """Families of openmetrics.text()."""
    rows = [({"script": one.point.script, "block": one.point.block, "point": one.label}, one, verdict)
            for one, verdict in zip(history.series, history.verdicts)]
    return [
        *(("skampi_history_level", unit, "Newest level of the point: median of its launches",
           [(labels, one.segments[-1].level) for labels, one, _ in rows if (one.point.quantity == "bytes") == (unit == "bytes")])
          for unit in ("seconds", "bytes")),
        ("skampi_history_ratio", "", "Newest level over the one before, or over that of --baseline",
         [(labels, verdict.ratio) for labels, _, verdict in rows if verdict.judged]),
        *([("skampi_history_slower", "", "1: slower by more than --fail-over",
            [(labels, int(verdict.over)) for labels, _, verdict in rows if verdict.judged])] if history.limit is not None else []),
        ("skampi_history_launches", "", "Launches that were read", [({}, len(history.launches))]),
        ("skampi_history_left_out", "", "Files that were left out", [({}, len(history.left_out))]),
        ("skampi_history_newest", "seconds", "When the newest launch was measured, since 1970",
         [({}, history.launches[-1].when.timestamp())])]
