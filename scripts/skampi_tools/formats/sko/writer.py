"""Writes records as .sko, in the lines that skampi itself writes."""

import math
import re

from ... import style
from ...points import numbered, occurrence_of, start_of
from ...records import ROUNDS_BLOCK
from ...states import WORDS, controls_for, set_text, sets_of, several, state_of, states_for
from .header import facts
from .texts import (COUNTERS_END, DEFAULT_UNIT, END, LAST_WORDS, MISSING_WORDS, UNITS, buffers_text, ctime,
                    number_text, span_text, unit_text, variable_text)


class _Writer:
    def __init__(self, stream, unit, medians, states):
        self.stream = stream
        self.unit = unit
        self.medians = medians  # as comments
        self.sets = len(sets_of(states))
        # As skampi does, leaves out what never changes during the run.
        self.several = several(states)
        self.cut_off = not states  # they stand at the end
        self.with_states = self.several or any(state.known or state.new for state in states)
        self.block = None       # name of the one that is open
        self.printing = False   # the last record was printed by the script
        self.conditions = None  # stated last in it
        self.lost = {}          # in words; how often

    def line(self, text=""):
        self.stream.write(text + "\n")

    def comment(self, text):
        for line in str(text).splitlines() or [""]:
            self.line(f"# {line}")

    def lose(self, what):
        self.lost[what] = self.lost.get(what, 0) + 1

    def header(self, header):
        self.comment(f"SKaMPI Version {_one_line(header.get('version') or '(not stated)')}")
        self.line()
        if header.get("started"):
            self.comment(f"Started at {ctime(header['started'])}")
            self.line("\n")
        for fact in facts(header):
            self.comment(_one_line(fact))
        self.comment("result lines: loop variables, bytes, time (mean of the middle half), its "
                     "standard error (classic), valid repetitions, time per PE")
        self.line()

    def begin(self, name):
        self.block, self.conditions = name, None
        if name.endswith(ROUNDS_BLOCK):
            self.comment("result lines: loop variables, bytes, median of the rounds, half of its "
                         "interval, rounds")
        self.comment(f'begin result "{_one_line(name)}"')

    def end_block(self, record):
        if all(name in record for name in ("late_starts", "overruns", "window_changes")):
            self.comment(f"windows: {record['late_starts']} late starts, {record['overruns']} "
                         f"overruns, {record['window_changes']} changes")
        if self.block is not None:
            self.comment(f'end result "{_one_line(self.block)}"')
        if record.get("duration") is not None:
            self.comment(f"duration = {record['duration']:.2f} sec")
        self.line()
        self.block = None

    def row_begin(self, record, unit, value, error, count):
        """Up to the repetitions."""
        variables = "".join(f"{name}= {variable_text(value)} "
                            for name, value in (record.get("variables") or {}).items())
        size = record.get("bytes")
        whole = int(size) if size is not None and math.isfinite(size) else 0
        return (f"{variables}{whole:8d} {_scaled(value, unit):>9} "
                f"{_scaled(error, unit):>9} {count:8d}")

    def unit_of(self, record):
        return self.unit if self.unit and record.get("quantity") != "bytes" else unit_of(record)

    def result(self, record):
        unit = self.unit_of(record)
        line = self.row_begin(record, unit, record.get("time"), record.get("standard_error"),
                              record.get("valid", 0))
        for value in record.get("per_pe") or []:
            line += "     ---   " if value is None else f" {_scaled(value, unit):>9}"
        self.line(line)
        self.call(record)
        if self.medians and record.get("median") is not None:
            median, low, high = (_scaled(record.get(name), unit)
                                 for name in ("median", "median_low", "median_high"))
            self.comment(f"median: {median}{unit_name(record, unit)}, "
                         f"{_percent(record.get('confidence'))} interval [{low}, {high}]")
        if counters := record.get("counters"):
            most = [f" {name}= {number_text(count['most'])}" for name, count in counters.items()]
            mean = [f" {number_text(count['mean'])}" for count in counters.values()]
            self.comment(f"counters:{''.join(most)}{COUNTERS_END}{''.join(mean)}")
        self.controls(record, unit)
        self.after_row(record, unit)

    def call(self, record):
        """The rest of what identifies a point is in its line and in the conditions."""
        if record.get("call"):
            self.comment(numbered(f"call: {record['call']}", occurrence_of(record.get("point", ""))))

    def by_state(self, record):
        return self.cut_off or states_for(record.get("pe_set") or {}, self.several)

    def controls(self, record, unit):
        """Writes the controls of a result, from which states are derived. A result without one of them is in no state."""
        names = controls_for((record.get("pe_set") or {}).get("size"))
        if self.by_state(record) and all(record.get(name) is not None for name in names):
            self.comment(", ".join(f"{WORDS[name]}: {span_text(record[name])}" for name in names))
        for text in parts_texts(record, unit):
            self.comment(text)

    def state(self, record):
        """One of the run."""
        if not self.with_states:
            self.lose("states, where there is one")
            return
        state = state_of(record)
        controls = ", ".join(f"{WORDS[name]} {_range_text(control)}" for name, control in state.controls.items())
        share = record.get("share")
        earlier = ", only in earlier runs" if share == 0 else ""
        whose = f" of {set_text(state)}" if self.sets > 1 else ""
        self.comment(f"state {record['state']}{whose}: {controls}"
                     f"{f', {_percent(share)} of the time' if share else ''}"
                     f"{', new' if record.get('new') else ''}{earlier}")
        if record.get("seconds"):
            self.lose("how many seconds states lasted")


    def rounds(self, record):
        unit = self.unit_of(record)
        low, high = record.get("median_low"), record.get("median_high")
        half = None if low is None or high is None else (high - low) / 2
        self.line(self.row_begin(record, unit, record.get("median"), half,
                                 record.get("rounds", 0)))
        self.comment(rounds_text(record, unit))
        self.call(record)
        if record.get("launch_difference") is not None:
            self.lose("what intervals allow for from launch to launch")
        if self.by_state(record):
            for text in states_texts(record, unit):
                self.comment(text)
            for entry in record.get("states") or []:
                if entry.get("between") is not None:
                    self.lose("spreads in each state")
        self.after_row(record, unit)

    def after_row(self, record, unit):
        """What is noted of a row: levels, notes, and conditions where they are others than before."""
        if text := levels_text(record, unit):
            self.comment(text)
        if flags := record.get("flags"):
            self.comment(_one_line(f"flags: {', '.join(map(str, flags))}"))
        for note in record.get("notes") or []:
            self.comment(_one_line(f"note: {note}"))
        conditions = conditions_of(record, unit)
        if conditions != self.conditions:
            self.comment(f"note: conditions: {conditions}")
            self.conditions = conditions

    def take(self, record):
        kind = record["record"]
        if kind == "block":
            for line in (record.get("source") or "").splitlines():
                self.line(f"#> {line}")
            if record.get("source"):
                self.line()
            self.begin(record["block"])
        elif kind == "block_end":
            self.end_block(record)
        elif kind == "result" and record.get("round", 1) > 1:
            self.lose("results of later rounds")
        elif kind in ("result", "rounds"):
            name = record["block"] + (ROUNDS_BLOCK if kind == "rounds" else "")
            if self.block is None or self.block != name and kind == "rounds":
                if self.block is not None:
                    self.end_block({})
                self.begin(name)
            (self.result if kind == "result" else self.rounds)(record)
            for members, what in _NOT_HELD:
                if any(record.get(member) not in (None, [], {}, "") for member in members):
                    self.lose(what)
        elif kind == "missing":
            self.comment(_one_line(missing_text(record)))
            if record.get("point"):
                self.comment(_one_line(f"point: {record['point']}"))
        elif kind == "state":
            self.state(record)
        elif kind == "controls":
            self.lose("controls over time")
        elif kind == "comment":
            self.comment(record["text"])
        elif kind == "factors":
            for finding in record["findings"]:
                self.comment(_one_line(f"finding: {finding}"))
        elif kind == "print":
            for line in record["text"].splitlines():
                # Further lines of a printed text have no mark of their own.
                self.line(line if line.startswith("#") or self.printing else f"#P[0] {line}")
                self.printing = True
        elif kind == "end":
            self.end(record)
        else:
            self.lose(f"{kind} records")
        self.printing = kind == "print"

    def end(self, record):
        if self.block is not None and self.block.endswith(ROUNDS_BLOCK):
            self.end_block({})
        if reason := record.get("reason"):
            reason = reason_text(record)
            self.comment(_one_line(reason))
            if not reason.startswith("stopped by"):
                return
        self.line()
        if record.get("finished"):
            self.comment(f"Finished at {ctime(record['finished'])}")
        duration, timed = record.get("duration"), record.get("timed")
        if duration is not None:
            self.comment(f"Total runtime {duration:.0f} seconds")
            self.line()
            if timed is not None:
                self.comment(f"Timed regions: {timed:.3f} of {duration:.3f} seconds on PE 0")
        if library := record.get("library_end"):
            self.comment("end of the library, seconds on the PEs of PE 0's node:" + "".join(
                " ---" if x is None else f" {x:.4g}" for x in library))


# What result lines and the comments after them do not say.
_NOT_HELD = [
    (["mean", "min", "max", "p5", "p25", "p75", "p95", "p99", "p999", "deviation"],
     "statistics other than time and standard error"),
    (["arguments"], "arguments of calls one by one"),
    (["invalid", "late", "overruns", "warm_up", "window", "autocorrelation", "effective"],
     "how repetitions went"),
    (["samples"], "samples"), (["medians"], "medians of rounds"),
    (["hand_over_slowest", "hand_over_shared", "copy"], "most controls of results"),
]


# ---- What is said of a result, or of the end ----


def _scaled(value, unit):
    return number_text(None if value is None else value * unit)


def unit_of(record):
    """Reported units per second of a record."""
    if record.get("quantity") == "bytes":
        return 1.0
    own = record.get("unit")
    return own if own and own > 0 else UNITS[DEFAULT_UNIT]


def unit_name(record, unit):
    """The name of a unit after a blank; "" if it has no name."""
    if record.get("quantity") == "bytes":
        return " bytes"
    name = unit_text(unit)
    return f" {name}" if name in UNITS else ""


def rounds_text(record, unit):
    number = {name: _scaled(record.get(name), unit) for name in
              ("median", "median_low", "median_high", "next_low", "next_high")}
    percent = {name: _percent(record.get(name)) for name in ("reached", "confidence", "between", "within")}
    return (f"rounds: median {number['median']}{unit_name(record, unit)}, {percent['reached']} interval "
            f"[{number['median_low']}, {number['median_high']}], {percent['confidence']} prediction interval "
            f"[{number['next_low']}, {number['next_high']}], spread between rounds {percent['between']}, within rounds "
            f"{percent['within']}")


def states_texts(record, unit):
    """What rounds were in each state."""
    for entry in record.get("states") or []:
        number = {name: _scaled(entry.get(name), unit) for name in
                  ("median", "median_low", "median_high", "next_low", "next_high")}
        yield (f"state {entry['state']}: {style.count_text(entry['rounds'], 'round')}, median "
               f"{number['median']}{unit_name(record, unit)}, {_percent(entry.get('reached'))} interval "
               f"[{number['median_low']}, {number['median_high']}], {_percent(record.get('confidence'))} prediction interval "
               f"[{number['next_low']}, {number['next_high']}]")


def parts_texts(record, unit):
    """What repetitions were in each part."""
    name = unit_name(record, unit)
    for part in record.get("parts") or []:
        median, p25, p75 = (f"{_scaled(part.get(quantile), unit)}{name}" for quantile in ("median", "p25", "p75"))
        where = ", ".join(f"{word} {span_text(part[control])}" for control, word in WORDS.items() if control in part)
        yield (f"part: {where}: {style.count_text(part['valid'], 'repetition')}, median {median}, quartiles {p25} to "
               f"{p75}")


def levels_text(record, unit):
    """"": it has no levels."""
    name = unit_name(record, unit)
    levels = [f"{_scaled(level['value'], unit)}{name} {_percent(level['share'])}"
              for level in record.get("levels") or [] if level["share"] is not None]
    return f"levels: {', '.join([f'{levels[0]} of time', *levels[1:]])}" if levels else ""


def conditions_of(record, unit):
    pe_set = record.get("pe_set") or {}
    size = pe_set.get("size")
    parts = []
    if size is not None:
        parts.append(f"{style.count_text(size, 'PE')} {pe_set.get('placement', '')}".strip())
    if pe_set.get("members"):
        parts.append(f"PEs {pe_set['members']}")
    if start := start_of(record):
        parts.append(start)
    if record.get("run_time"):
        parts.append(f"{record['run_time']} run time")
    if record.get("buffers"):
        parts.append(buffers_text(record))
    parts += record.get("settings") or []
    parts.append("values in bytes" if record.get("quantity") == "bytes" else f"times in {unit_text(unit)}")
    return "; ".join(parts)


def missing_text(record):
    kind = MISSING_WORDS.get(record["kind"], record["kind"].replace("_", " "))
    return f"{kind}: {record['call']}: {record.get('reason', '')}"


def reason_text(end):
    """Why a run ended before its end."""
    reason = end["reason"]
    if end.get("status") is None and not re.match(LAST_WORDS, reason):
        return END + reason
    return reason if re.match(LAST_WORDS + "|stopped by the time limit", reason) else f"ended by an error: {reason}"


def _range_text(control):
    """Of a state: its value, and its bounds if it has some."""
    low, high = (None if end is None else span_text(end) for end in (control.low, control.high))
    return span_text(control.value) + (f" ({low} to {high})" if low and high else f" (below {high})" if high else
                                       f" (above {low})" if low else "")


def _one_line(text):
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text


def _percent(share):
    return "---" if share is None else f"{100 * share:.3g} %"


def write(stream, file, unit=None, medians=False):
    """unit: name of that to print times in; else each result's own. medians: in comments, with their
    intervals. Returns what .sko cannot hold, in words."""
    writer = _Writer(stream, UNITS[unit] if unit else None, medians, file.states)
    writer.header(file.header)
    for record, following in zip(file.records, [*file.records[1:], {}]):
        # Blocks of a campaign's summary only have rounds, which open a block of their own.
        if (record["record"] != "block" or following.get("record") != "rounds"
                or record.get("source")):
            writer.take(record)
    return list(writer.lost)
