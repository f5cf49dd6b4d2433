"""A history as text, in the form of JUnit, and as numbers for Prometheus."""

from collections import Counter

from .. import doubt, screen
from ..screen import printable
from ..style import change_text, count_text, value_text
from .judging import there_of

MOST_SHOWN = 10  # points of a group that are listed without --all
MOST_TEXT = 160  # characters of a difference of the environment


def when_text(history, index):
    """Of a launch, UTC, to the minute."""
    return f"{history.launches[index].when:%Y-%m-%d %H:%M}"


def difference_text(difference):
    late, times, words = difference["late"], difference["times"], []
    if late:
        words.append(f"{count_text(abs(late), 'launch', 'launches')} {'later' if late > 0 else 'earlier'}")
    if times > 1:
        words.append(f"it changes at {times} launches in all")
    return f"{difference['name']}: {difference['old']} -> {difference['new']}" + (f" ({'; '.join(words)})" if words else "")


def _short(text):
    text = printable(text)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


def summary_text(history):
    if not history.launches:
        return "no launches"
    return (f"{count_text(len(history.launches), 'launch', 'launches')}, "
            f"{when_text(history, 0)} to {when_text(history, -1)} (UTC); {len(history.series)} series of points, "
            f"{sum(bool(one['changes']) for one in history.series)} with changes")


def nothing_text(history):
    """Where no change was found: what that means."""
    if history.judged == len(history.series):
        return "no point has changed"
    few = f"too few launches to tell: a point needs at least {2 * history.found['least']}"
    return f"none of the {history.judged} points with enough launches has changed; of the others: {few}" \
        if history.judged else few


def counts_text(group):
    slower = sum(change["ratio"] > 1 for change in group["points"])
    faster = len(group["points"]) - slower
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
               f"{2 * history.found['least']} launches: changes of these cannot be seen yet")
    if useless := sum(launch.useless for launch in history.launches):
        yield f"{useless} values that are not above 0 do not count"
    if not history.found["complete"]:
        yield "there may be more changes: the search ended early"


def missing_lines(history):
    """Lines about what launches did not measure, and why: one line for all launches that lack the same."""
    counts = Counter(text for launch in history.launches for text in launch.missing)
    lines = [f"{text} (in {count} of {len(history.launches)} launches)" for text, count in counts.most_common(MOST_SHOWN)]
    return lines + ([f"and {len(counts) - MOST_SHOWN} more"] if len(counts) > MOST_SHOWN else [])


def as_text(history, everything=False):
    lines, names = [summary_text(history)], [printable(": ".join(name)) for name in history.names]
    for group in history.found["changes"]:
        lines += ["", f"{when_text(history, group['after'])}: {counts_text(group)} (the launch before: "
                  f"{when_text(history, group['before'])})"]
        lines += [f"  environment: {_short(difference_text(difference))}" for difference in group["environment"]]
        if not group["environment"]:
            lines.append("  environment: the headers of the files do not differ")
        shown = group["points"] if everything else group["points"][:MOST_SHOWN]
        lines += _table([("change", "before", "after", "point"), *(
            (change_text(change["ratio"])[0], *(value_text(change[side], history.series[change["point"]]["quantity"])
                                                for side in ("old", "new")), names[change["point"]]) for change in shown)])
        if len(shown) < len(group["points"]):
            lines.append(f"  {len(group['points']) - len(shown)} more: --all shows them")
    if not history.found["changes"]:
        lines.append(nothing_text(history))
    if missing := missing_lines(history):
        lines += ["", "not measured:", *(f"  {_short(line)}" for line in missing)]
    if history.found["limit"] is not None:
        lines += ["", *_over_lines(history, names, everything)]
    if everything:
        lines += ["", "all series, with their newest level:"]
        lines += _table([("level", "launches", "since", "point")] + [
            (value_text(newest["level"], one["quantity"]), str(newest["count"]), when_text(history, newest["first"]), name)
            for one, name in zip(history.series, names) for newest in one["segments"][-1:]])
    return "\n".join(lines) + "\n"


def _over_lines(history, names, everything):
    over, baseline = history.over, history.found["baseline"]
    yield (f"slower than {f'at {printable(baseline)}' if baseline else 'before'} by more than "
           f"{100 * history.found['limit']:g} %: {len(over)} of {len(history.series)} series")
    shown = over if everything else over[:MOST_SHOWN]
    yield from _table([(change_text(history.series[number]["ratio"])[0],
                        f"since {when_text(history, history.series[number]['segments'][-1]['first'])}", names[number])
                       for number in shown])
    if len(shown) < len(over):
        yield f"  {len(over) - len(shown)} more: --all shows them"


def _table(rows):
    return screen.table(rows, (-1,), indent="  ", titled=False)


# ---- JUnit ----


def as_junit(history):
    """A test case for each series."""
    said = "\n".join(f"{entry['path']}: left out: {entry['reason']}" for entry in history.found["left_out"])
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-history", [(*name, _outcome(history, number)) for number, name in enumerate(history.names)],
                        said, timestamp=history.launches[-1].when.strftime("%Y-%m-%dT%H:%M:%S"))


def _outcome(history, number):
    one = history.series[number]
    newest, quantity = one["segments"][-1], one["quantity"]
    if one["over"]:
        message = (f"slower by {100 * (one['ratio'] - 1):.1f} %: {value_text(one['against'], quantity)} -> "
                   f"{value_text(newest['level'], quantity)} since {when_text(history, newest['first'])} (UTC)")
        differences = [difference_text(difference) for group in history.found["changes"] for difference in group["environment"]
                       if any(change["point"] == number and change["after"] == newest["first"] for change in group["points"])]
        return "failure", message, "\n".join(differences)
    if not one["judged"]:
        return "skipped", f"{len(there_of(one))} launches: at least {2 * history.found['least']} are needed", ""
    return None


# ---- OpenMetrics ----


def as_metrics(history):
    """Families of openmetrics.text()."""
    rows = [({"script": one["script"], "block": one["block"], "point": label}, one)
            for one, (_, label) in zip(history.series, history.names)]
    return [
        *(("skampi_history_level", unit, "Newest level of the point: median of its launches",
           [(labels, one["segments"][-1]["level"]) for labels, one in rows if (one["quantity"] == "bytes") == (unit == "bytes")])
          for unit in ("seconds", "bytes")),
        ("skampi_history_ratio", "", "Newest level over the one before, or over that of --baseline",
         [(labels, one["ratio"]) for labels, one in rows if one["judged"]]),
        *([("skampi_history_slower", "", "1: slower by more than --fail-over",
            [(labels, int(one["over"])) for labels, one in rows if one["judged"]])] if history.found["limit"] is not None else []),
        ("skampi_history_launches", "", "Launches that were read", [({}, len(history.launches))]),
        ("skampi_history_left_out", "", "Files that were left out", [({}, len(history.found["left_out"]))]),
        ("skampi_history_newest", "seconds", "When the newest launch was measured, since 1970",
         [({}, history.launches[-1].when.timestamp())])]
