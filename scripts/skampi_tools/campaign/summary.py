"""What the launches of a campaign say together: launches as rounds, in the terms of
statistics.rounds_of(); by states of the machine, each of which has one number in all launches."""

import math
import re
from collections import Counter
from typing import NamedTuple

from .. import doubt, results, screen, style
from ..cli import finite
from ..points import STATED, missing_label, told_apart, with_variable
from ..states import states_for, told_by
from ..states.common import CommonStates, combined, control_text
from ..statistics import interquartile, known, rounds_of

MOST_MISSING = 20  # measurements without a result that are listed
POINT = ("block", "number", "function", "call", "arguments", "variables", "pe_set", "bytes", "quantity")


def spread_within(result):
    """The interquartile range inside one launch, in the unit of its value: of the samples, or with
    rounds in the launch of their medians where that is more; NaN if the file does not say."""
    if not result.is_rounds:
        return result.p75 - result.p25
    medians = known(result.medians)
    ranges = [result.within * result.median, interquartile(medians) if len(medians) > 1 else math.nan]
    return max(known(ranges), default=math.nan)


def _aggregate_states(by_state, confidence):
    """The states of a rounds record. by_state: of each launch {state: StateValue}."""
    entries = []
    for number in sorted({number for values in by_state for number in values}):
        medians = [values[number].median for values in by_state if number in values]
        rounds = rounds_of([value for value in medians if math.isfinite(value)], confidence=confidence)
        entries.append({"state": number, "rounds": rounds.count, **_members(rounds)})
    return entries


def _members(rounds):
    """Members of a record that a statistics.Rounds tells."""
    return finite({"median": rounds.median, "median_low": rounds.low, "median_high": rounds.high,
                   "reached": rounds.reached or None, "next_low": rounds.next_low, "next_high": rounds.next_high,
                   "between": rounds.between})


def aggregate_point(measured, confidence, by_state=()):
    """The rounds record of one point. measured: of each launch its Result, or None. by_state: of each
    launch {state: StateValue}."""
    there = [result for result in measured if result]
    values = [result.best() if result else math.nan for result in measured]
    finite_ones = [value for value in values if math.isfinite(value)]
    within = [spread for spread in map(spread_within, there) if math.isfinite(spread)]
    rounds = rounds_of(finite_ones, within, confidence)
    flags = Counter(flag for result in there for flag in dict.fromkeys(result.flags))
    notes = [f"{flag}: in {count} of {len(there)} launches" for flag, count in flags.items()]
    without = [number for number, value in enumerate(values, 1) if not math.isfinite(value)]
    if without:
        notes.append(f"nothing in {len(without)} of {len(measured)} launches: {style.listed(without, 10)}")
    record = {"record": "rounds", **{key: there[0].record.get(key) for key in POINT}, "point": there[0].key,
              **{key: there[0].stated[key] for key in STATED if key in there[0].stated}}
    record.update(rounds=len(finite_ones), **_members(rounds), confidence=confidence, within=finite(rounds.within),
                  medians=finite(values))
    if any(by_state):
        record["states"] = _aggregate_states(by_state, confidence)
        record["round_states"] = [next(iter(values)) if len(values) == 1 else 0 for values in by_state]
    if there[0].record.get("unit") is not None:
        record["unit"] = there[0].record["unit"]
    record["flags"], record["notes"] = doubt.over_rounds([result.flags for result in there]), notes
    return record


def states_of(campaign):
    """{configuration: States of its launches}, with numbers that mean the same in all configurations."""
    common, first, states = CommonStates([file for files in campaign.values() for file in files]), 0, {}
    for name, files in campaign.items():
        states[name] = States(common, range(first, first + len(files)))
        first += len(files)
    return states


class States(NamedTuple):
    """What a CommonStates says about some of its files."""
    common: CommonStates
    indices: range


def aggregate(files, confidence, states):
    """The rounds records of all points that any of these launches has, in the order of the first
    launch that has them. states: of states_of()."""
    common, indices = states
    launches = [file.by_key() for file in files]
    records = []
    for key in dict.fromkeys(key for points in launches for key in points):
        measured = [points.get(key) for points in launches]
        by_state = [common.values(index, result) if result else {} for index, result in zip(indices, measured)]
        records.append(aggregate_point(measured, confidence, by_state))
    # A block's points stay together when a later launch has more of them than the first.
    blocks = {}
    for record in records:
        blocks.setdefault((record["number"] or 0, record["block"]), []).append(record)
    return [record for block in blocks.values() for record in block]


def _missing(files):
    """One record for each thing that was not measured in some launches."""
    counts, first = Counter(), {}
    for file in files:
        for record in {str(sorted(r.items())): r for r in file.records
                       if r["record"] == "missing"}.values():
            key = tuple(record.get(name) for name in ("kind", "point", "block", "number", "call", "reason"))
            counts[key] += 1
            first.setdefault(key, record)
    for key, record in first.items():
        where = f"in {counts[key]} of {len(files)} launches"
        reason = record.get("reason")
        yield {**record, "reason": f"{reason} ({where})" if reason else where}


def _warnings(files):
    """Each warning once, however its numbers differ."""
    counts, first = Counter(), {}
    for file in files:
        for form, text in {re.sub(r"\d+(\.\d+)?", "0", text): text
                           for text in file.header.get("warnings") or []}.items():
            counts[form] += 1
            first.setdefault(form, text)
    return [f"{text} (in {counts[form]} of {len(files)} launches)" for form, text in first.items()]


def _header(campaign, definition, confidence):
    """The first launch's header, with what all launches have in common and what differs said."""
    files = [file for files in campaign.values() for file in files]
    header = dict(files[0].header)
    notes = []
    for name, own in campaign.items():
        notes.append(f"configuration {name}: {len(own)} of {definition['launches']} launches, "
                     f"{results.IN_PLACE}; intervals at {100 * confidence:g} %")
    libraries = list(dict.fromkeys(str(file.header.get("library")) for file in files))
    header["library"] = "; ".join(libraries)
    header["pes"] = max(file.header.get("pes") or 0 for file in files)
    header["started"] = min(str(file.header.get("started")) for file in files)
    variables = [file.header.get("environment") or {} for file in files]
    header["environment"] = {name: value for name, value in variables[0].items()
                             if all(other.get(name) == value for other in variables)}
    header["warnings"] = _warnings(files)
    hosts = {tuple(str(node.get("name")) for node in file.header.get("nodes") or [])
             for file in files}
    if len(hosts) > 1:
        notes.append(f"launches ran on {len(hosts)} different sets of nodes")
    header["notes"] = notes
    header.pop("rounds", None)
    return header


def summarize(campaign, points, definition, confidence, states, name_variable=None):
    """A ResultFile of rounds records with launches in the place of rounds. campaign: as from
    read_campaign(), without configurations that have no launch. points: {configuration:
    aggregate()}. states: as from states_of(), of these configurations or more. name_variable: of which each point gets the
    configuration's name as its first variable, so that those of several fit into one file."""
    summary = results.ResultFile("summary")
    summary.add(_header(campaign, definition, confidence))
    indices = [index for name in campaign for index in states[name].indices]
    for record in combined(next(iter(states.values())).common, indices):
        summary.add(record)
    blocks, missing = {}, []
    for name, files in campaign.items():
        for record in points[name]:
            if name_variable:
                record = with_variable(record, name_variable, name)
            blocks.setdefault((record["number"] or 0, record["block"]), []).append(record)
        missing += [with_variable(record, name_variable, name) if name_variable and "point" in record else record
                    for record in _missing(files)]
    for (number, block), records in sorted(blocks.items(), key=lambda item: item[0][0]):
        summary.add({"record": "block", "block": block, "number": number})
        for record in records:
            summary.add(record)
        summary.add({"record": "block_end", "block": block, "number": number, "duration": None})
    for record in missing:
        summary.add(record)
    files = [file for files in campaign.values() for file in files]
    whole = all(len(files) == definition["launches"] for files in campaign.values()) and \
        len(campaign) == len(definition["configurations"])
    summary.add({"record": "end",
                 "status": 0 if whole and all(file.end["status"] == 0 for file in files) else 3,
                 "finished": max(str(file.end["finished"]) for file in files),
                 "duration": sum(file.end.get("duration") or 0 for file in files),
                 "results": len(summary.rounds), "missing": len(missing)})
    return summary


# ---- For people ----


def _name(result):
    """The call, and the loop variables that the call does not show."""
    shown = {name: argument.get("value") for name, argument in result.arguments.items()}
    others = [f"{name}={value}" for name, value in result.variables.items()
              if name not in shown or shown[name] != value]
    return f"{result.call or ''} [{', '.join(others)}]".lstrip() if others else str(result.call)


def _value_and_interval(measured, quantity, text):
    """measured: a Result or a StateValue. text: writes times in the unit of the column; bytes state theirs."""
    low, high = measured.median_low, measured.median_high
    if quantity == "bytes":
        def text(value, _):
            return style.size_text(value)
    value, *ends = (text(value, (high - low) / 2) for value in (measured.median, low, high))
    return value, " - ".join(ends) if math.isfinite(low) else style.NOTHING


def _state_rows(result, summary, several, text):
    """A row a state, where there are several."""
    values = result.by_state()
    mine = states_for(result.pe_set, summary.states)
    states, told = {state.number: state for state in mine}, told_by(mine)
    if len(values) < 2:
        return []
    return [[f"  state {number} ({control_text(told, states[number].values)}, "
             f"{style.percent_text(states[number].share, 2)} of the time)", *([""] if several else []),
             *_value_and_interval(value, result.quantity, text),
             style.percent_text(value.between, 2), "", str(value.count)]
            for number, value in values.items()]


def table(campaign, summaries):
    """Lines of text: a table a block, a line a point and configuration. summaries: {configuration:
    ResultFile of summarize()}."""
    several = len(campaign) > 1
    blocks = {}
    for name, summary in summaries.items():
        own = {}
        for result in summary.rounds:
            own.setdefault((result.number or 0, str(result.block)), []).append(result)
        for block, results_ in own.items():
            names = list(map(_name, results_))
            for result, label, apart in zip(results_, names, told_apart(results_, names)):
                blocks.setdefault(block, {}).setdefault(", ".join(filter(None, [label, apart])), []).append((name, result))
    lines = []
    for (_, block), points in sorted(blocks.items(), key=lambda item: item[0][0]):
        times = [result.median for cells in points.values() for _, result in cells if result.quantity != "bytes"]
        median_, text = style.column("median", times) if times else ("median", None)
        interval = median_.replace("median", "interval")
        rows = [["point", *(["configuration"] if several else []), median_, interval, "between",
                 "within", "launches"]]
        for label, cells in points.items():
            for number, (name, result) in enumerate(cells):
                rows.append([label if number == 0 else "", *([name] if several else []),
                             *_value_and_interval(result, result.quantity, text),
                             style.percent_text(result.between, 2),
                             style.percent_text(result.within, 2),
                             f"{result.record['rounds']}{doubt.mark(result.doubtful)}"])
                rows += _state_rows(result, summaries[name], several, text)
        lines += [block, *screen.table(rows, (*range(1 + several), -1), indent="  "), ""]
    return lines + _not_measured(summaries, several) + _footnotes(summaries)


def _not_measured(summaries, several):
    """Lines about what launches did not measure, and why."""
    lines = []
    for name, summary in summaries.items():
        missing = [record for record in summary.records if record["record"] == "missing"]
        if missing:
            lines.append(f"not measured{f', {name}' if several else ''}:")
        for record in missing[:MOST_MISSING]:
            lines.append(screen.printable(f"  {missing_label(record)}: {record['reason']}"))
        if len(missing) > MOST_MISSING:
            lines.append(f"  and {len(missing) - MOST_MISSING} more, see summary.json")
    return [*lines, ""] if lines else []


def _footnotes(summaries):
    points = [result for summary in summaries.values() for result in summary.rounds]
    if not points:
        return ["nothing was measured"]
    confidence = points[0].confidence
    lines = [f"interval: {100 * confidence:g} % confidence interval of the median of launches",
             "between: interquartile range of launches / median; within: the same inside launches"]
    short = [r for r in points if r.record["rounds"] and not r.record.get("reached")]
    weak = sorted({r.reached for r in points if r.reached < confidence})
    if short:
        lines.append(f"{len(short)} of {len(points)} points have fewer than 5 launches, too few for an "
                     f"interval")
    if weak:
        lines.append(f"intervals only reach {100 * weak[0]:.3g} %: 95 % needs at least 6 launches")
    if noted := sum(bool(r.notes) for r in points):
        lines.append(f"{noted} of {style.count_text(len(points), 'point')} have notes, see summary.json")
    return lines + doubt.Tally(points).explanation(None)
