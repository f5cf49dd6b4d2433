"""Result files as tables on the terminal: what skampi table prints of the records of a file, one after another.

A block is printed as soon as it ends, so a table follows a run that is still going on.
"""

import math
import re
from collections import Counter

from .. import doubt, screen, style
from ..formats.sko.header import facts
from ..formats.sko.texts import END, column_text, number_text, unit_text
from ..formats.sko.writer import (conditions_of, levels_text, missing_text, parts_texts, reason_text, rounds_text,
                                  states_texts, unit_name, unit_of)
from ..points import told_apart
from ..records import ROUNDS_BLOCK
from ..results import Result
from ..states import WORDS, set_text, sets_of, several, states_for, told_by
from ..states.common import control_text, share_text
from ..screen import printable

TITLES = {
    "mean": ("bytes", "mean of the middle", "standard error", "repetitions"),
    "median": ("bytes", "median", "from", "to", "repetitions"),
    "rounds": ("bytes", "median of rounds", "from", "to", "rounds"),
}
INDENT = "  "
NAMED_EMPTY = 5  # blocks that the time limit left empty; more are only counted
_NUMBER = re.compile(r"([-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?|-?inf|-?nan|---)")
_AFTER_WHOLE = re.compile("[.e]")


def _states_differ(values, interval):
    """Whether two of the StateValues differ by more than their intervals; one without has the width of the whole one."""
    median, low, high = interval
    below, above = (0 if math.isnan(end) else abs(end - median) for end in (low, high))
    ends = [(value.median - below if math.isnan(value.median_low) else value.median_low,
             value.median + above if math.isnan(value.median_high) else value.median_high) for value in values]
    return any(high < low for _, high in ends for low, _ in ends)


class Row:
    """One result. kind: a key of TITLES. unit: reported units per second; unit_name: "" where the file does not say."""

    def __init__(self, result, columns, states):
        """columns: names of the further ones that were asked for, or None. states: to be told apart."""
        record = self.record = result.record
        self.result = result
        self.kind = "rounds" if result.is_rounds else "mean" if record.get("median") is None else "median"
        names = ("time", "standard_error") if self.kind == "mean" else ("median", "median_low", "median_high")
        self.values = [getattr(result, name) for name in names]  # in seconds or bytes
        self.unit = unit_of(record)
        stated = record.get("unit") or result.quantity == "bytes" or result.columns is None
        self.unit_name = unit_name(record, self.unit).strip() or unit_text(self.unit) if stated else ""
        confidence = {"mean": math.nan, "rounds": result.reached, "median": result.confidence}[self.kind]
        self.confidence = f"{100 * confidence:.3g} %" if confidence > 0 else ""
        self.variables = {printable(name): style.NOTHING if value is None else printable(value)
                          for name, value in result.variables.items()}
        self.stated = None  # what tells it from others of the same call
        by_state = result.by_state() if states_for(result.pe_set, states) else {}
        self.by_state = {number: value.median for number, value in by_state.items()}
        self.differs = _states_differ(by_state.values(), self.interval())
        shown = record if result.columns is None else result.columns
        asked = columns if columns is not None else result.columns or ()
        self.columns = {}  # {title: text}
        for name in asked:
            if name in shown:
                text, unit = column_text(name, shown[name], self.unit, unit_name(record, self.unit).strip())
                self.columns[f"{name} [{unit}]" if unit else name] = text
        self.found = set(asked) & set(shown)
        self.counters = {printable(name): number_text(count["most"]) for name, count in result.counters.items()}

    def interval(self):
        """(value, lower end, upper end), NaN where there is none."""
        value, *ends = self.values
        return (value, *ends) if self.kind != "mean" else (value, value - ends[0], value + ends[0])

    def shape(self):
        """Rows of the same shape share a head."""
        return self.kind, list(self.variables), self.stated is None, [*self.columns, *self.counters]

    def texts(self, states, unit):
        """unit: units per second of the column. Numbers have the digits that the interval allows."""
        value, low, high = (end * unit for end in self.interval())
        values = [number_text(value * unit) for value in self.values]
        if self.result.quantity != "bytes" and low != high:
            places = style.decimals_for(value, (high - low) / 2)
            values = [_rounded(text, places) for text in values]
            if self.kind != "mean" and low < 0 <= value:
                values[1] = "0"
        size, count = self.result.bytes, self.result.rounds if self.kind == "rounds" else self.result.valid
        return [*self.variables.values(), *([] if self.stated is None else [self.stated]),
                str(int(size) if math.isfinite(size) else 0), *values, str(count or 0),
                *(number_text(self.by_state[number] * unit) if number in self.by_state else style.NOTHING
                  for number in states),
                *self.columns.values(), *self.counters.values()]

    def notes(self, conditions):
        """What -v says of it. conditions: those of the row before."""
        texts = [rounds_text(self.record, self.unit)] if self.kind == "rounds" else []
        texts += [*states_texts(self.record, self.unit), *parts_texts(self.record, self.unit)]
        texts += filter(None, [levels_text(self.record, self.unit)])
        texts += [f"flags: {', '.join(self.result.flags)}"] if self.result.flags else []
        own = conditions_of(self.record, self.unit) if self.unit_name else conditions
        texts += [f"note: {note}" for note in [*self.result.notes, *([f"conditions: {own}"] if own != conditions else [])]]
        return [f"  {printable(text)}" for text in texts], own


def _rounded(text, places):
    """With no more digits than it has."""
    number = math.nan if text == style.NOTHING else float(text)
    if not math.isfinite(number):
        return text
    there = len(text.partition(".")[2]) if "e" not in text else places
    return f"{round(number, places):.{max(0, min(places, there))}f}"


def _whole(text):
    """The places of a number before its point; all places of any other text."""
    point = _AFTER_WHOLE.search(text) if _NUMBER.fullmatch(text) else None
    return point.start() if point else len(text)


class _Columns:
    """Rows of one shape below a head."""

    def __init__(self, rows):
        first = rows[0]
        names = {row.unit_name for row in rows}
        self.mixed = len(names) > 1 and bool({"", "bytes"} & names)  # else all are in the first one's
        self.unit = first.unit
        self.states = sorted({number for row in rows for number in row.by_state if any(row.differs for row in rows)})
        titles = self._titles(first, all(row.confidence == first.confidence for row in rows))
        self.after = []
        widths = []
        self.texts = {id(row): row.texts(self.states, row.unit if self.mixed else self.unit) for row in rows}
        for texts in zip(*self.texts.values()):
            self.after.append(max(len(text) - _whole(text) for text in texts))
            widths.append(max(map(screen.width, texts)) if self.after[-1] == 0 else
                          max(map(_whole, texts)) + self.after[-1])
        if self.mixed:
            titles.append("unit")
            widths.append(max(map(len, names)))
        most = screen.limit()
        self.layout = screen.Layout(titles, widths, {len(titles) - 1} if self.mixed else (),
                                    most and most - len(INDENT + doubt.mark(True)))

    def _titles(self, row, sure):
        own = list(TITLES[row.kind])
        if row.unit_name == "bytes" and not self.mixed:
            own[1] += " memory"
        if row.kind != "mean" and sure and row.confidence:
            own[2] = f"{row.confidence} {own[2]}"
        states = [f"in state {number}" for number in self.states]
        if row.unit_name and not self.mixed:
            own[1:-1] = [f"{title} [{row.unit_name}]" for title in own[1:-1]]
            states = [f"{title} [{row.unit_name}]" for title in states]
        stated = [] if row.stated is None else ["measured"]
        return [*row.variables, *stated, *own, *states, *row.columns, *row.counters]

    def head(self):
        return [INDENT + line for line in self.layout.head()]

    def lines(self, row):
        """Decimal points are below each other."""
        cells = [text + " " * (after - (len(text) - _whole(text)))
                 for text, after in zip(self.texts[id(row)], self.after)]
        found = [INDENT + line for line in self.layout.lines(cells + [row.unit_name] * self.mixed)]
        found[-1] += doubt.mark(row.result.doubtful)
        return found


def breaks_in(file):
    """{(block, its place among those of that name): texts} for breaks of curves where the library changes its
    protocol. file: a ResultFile."""
    from ..plot import breaks, curves  # only here: most tables are shown sooner without them
    found = {}
    for curve in curves.curves(curves.load(curves.Source(0, "", file))):
        texts = found.setdefault((curve.first.block, max(curve.first.occurrence, 1)), {})
        others = "".join(f", {name} = {value}" for name, value in {**curve.others(), **curve.split}.items())
        for _, mark in breaks.marks_of(curve):
            texts[f"{curve.first.function}{others}: {mark.sentence}"] = None
    return {block: list(texts) for block, texts in found.items()}


class Table:
    """Takes the entries of one file; write: a function that takes lines of output."""

    def __init__(self, write, verbose, file, columns=None, live=False):
        """columns: names of further columns; None: all that a .sko file has. live: the file is still being read; else
        states and rounds are known, and rows over all rounds take the place of those of the first one."""
        self.write = write
        self.verbose = verbose
        self.file = file
        self.columns = columns
        self.absent = set(columns or [])  # that no row had so far
        self.breaks = breaks_in(file) if verbose and not live and file.header.get("choices") else {}
        self.aggregated = set() if live else {result.key for result in file.rounds}
        self.tally = doubt.Tally()  # of points
        self.times = Counter()  # blocks of each name
        self.states_shown = False
        self.begun = False      # the file has a block
        self.name = None        # of the block that is open
        self.items = []         # of it: Result, or a text below the results before it
        self.late = 0           # measurements of the block that the time limit left out
        self.limited = False
        self.empty = []         # names of blocks of which it left nothing
        self.printed = 0        # blocks
        self.said = False       # something was printed outside blocks
        self.ending = False     # ... after the blocks

    def take(self, entry):
        """A Result, or another record."""
        kind = "result" if isinstance(entry, Result) else entry["record"]
        text = str(entry.get("text", "")) if kind in ("comment", "print") else ""
        if kind == "result":
            self._take_result(entry)
        elif kind == "header":
            self._take_header(entry)
        elif kind == "block":
            self.end_block()
            self.name, self.begun = entry["block"], True
        elif kind == "block_end":
            if self.verbose and entry.get("late_starts") is not None:
                self.items.append(f"windows: {entry['late_starts']} late starts, {entry.get('overruns', 0)} overruns, "
                                  f"{entry.get('window_changes', 0)} changes")
            self.end_block()
        elif kind == "missing":
            self._take_missing(entry)
        elif kind == "end":
            self._take_end(entry)
        elif text.startswith("warning: "):
            self._say(text)
        elif text and self.verbose:
            for line in text.removeprefix("#").splitlines():
                self._add(line)


    def _take_result(self, result):
        if not result.is_rounds and result.record.get("round", 1) > 1:
            return
        name = f"{result.block}{ROUNDS_BLOCK}" if result.is_rounds else result.block
        if self.name is None or result.is_rounds and self.name != name:
            if self.items or self.late:  # else it only has rounds, as blocks of a campaign's summary
                self.end_block()
            self.name, self.begun = name, True
        self.items.append(result)

    def _take_header(self, header):
        said = [f"SKaMPI Version {header['version']}"] if header.get("version") else []
        said += [f"Started at {header['started']}"] if header.get("started") else []
        for text in [*said, *facts(header)]:
            if self.verbose or text.startswith("warning: "):
                self._say(text)


    def _take_missing(self, record):
        if self.name is not None and record["kind"] == "time_limit":
            self.limited = True
            self.late += record.get("points", 1)
        elif self.name is not None or self.verbose:
            self._add(missing_text(record))

    def _take_end(self, end):
        self.end_block()
        if end.get("reason") and (self.verbose or not reason_text(end).startswith(END)):
            self._say(reason_text(end))
        if self.verbose and end.get("finished"):
            self._say(f"Finished at {end['finished']}")
        if self.verbose and end.get("duration") is not None:
            self._say(f"Total runtime {end['duration']:.0f} seconds")

    def _add(self, text):
        """To the block, if one is open."""
        if self.name is None:
            self._say(text)
        else:
            self.items.append(printable(text))

    def _say(self, text):
        """A line outside blocks."""
        if self.printed and not self.ending:
            self.write("")
            self.ending = True
        self.write(printable(text))
        self.said = True

    def end_block(self):
        if self.name is None:
            return
        name, items, late = self.name, self.items, self.late
        self.times[name] += 1
        self.name, self.items, self.late = None, [], 0
        begun = bool(items)
        for item in items:
            if isinstance(item, Result) and not self._has_rounds(item):
                self.tally.add(item)
        if not self.verbose:
            items = [item for item in items if not (isinstance(item, Result) and self._has_rounds(item))]
        if begun and not items and not late:
            return
        # After the time limit there may be many blocks of nothing.
        if not items and self.limited:
            self.empty.append(name)
            return
        if self.printed or self.said:
            self.write("")
        self.printed += 1
        self.write(printable(name))
        self._print_block(items)
        for text in self.breaks.get((name, self.times[name]), ()):
            self.write(f"  {printable(text)}")
        if late:
            self.write(f"  {late} measurement{' is' if late == 1 else 's are'} missing, since the time limit "
                       f"had ended")

    def _has_rounds(self, result):
        """Rows that rows over all rounds replace are only shown by -v."""
        return not result.is_rounds and result.key in self.aggregated

    def _print_block(self, items):
        told = several(self.file.states)
        items = [Row(item, self.columns, told) if isinstance(item, Result) else item for item in items]
        rows = [item for item in items if isinstance(item, Row)]
        results = [row.result for row in rows]
        # Rows that look alike get what is stated of their points and differs. The call of older files is not known.
        texts = told_apart(results, [(result.is_rounds, result.call, str(result.variables)) if result.call else id(result)
                                     for result in results])
        apart = any(texts)
        for row, text in zip(rows, texts):
            row.stated = printable(text) if apart else None
            self.absent -= row.found
        if any(row.differs for row in rows):
            for line in self._state_lines(told):
                self.write(f"  {line}")
        self._print_items(items)

    def _state_lines(self, states):
        """One for each set of PEs, but one for each state where several controls tell them apart."""
        self.states_shown = True
        sets = sets_of(states)
        for states in sets.values():
            told = told_by(states)
            whose = f" of {set_text(states[0])}" if len(sets) > 1 else ""
            if len(told) > 1:
                yield from (f"state {state.number}{whose}: {control_text(told, state.values)}, {share_text(state)}"
                            for state in states)
                continue
            word = f"{WORDS[told[0]]} "
            words = [f"{state.number} ({control_text(told, state.values)[len(word) * bool(place):]}, "
                     f"{share_text(state)})" for place, state in enumerate(states)]
            yield f"states{whose}: {', '.join(words)}"

    def _print_items(self, items):
        shape = columns = conditions = None
        for place, item in enumerate(items):
            if isinstance(item, str):
                self.write(f"  {item}")
                continue
            if columns is None or item.shape() != shape:
                if columns:
                    self.write("")
                shape, rows = item.shape(), []
                for other in items[place:]:
                    if isinstance(other, Row):
                        if other.shape() != shape:
                            break
                        rows.append(other)
                columns = _Columns(rows)
                for line in columns.head():
                    self.write(line)
            for line in columns.lines(item):
                self.write(line)
            if self.verbose:
                notes, conditions = item.notes(conditions)
                for line in notes:
                    self.write(f"  {line}")
        if not items:
            self.write("  nothing was measured")

    def finish(self):
        """False: the file has no block."""
        self.end_block()
        if not self.states_shown:
            states = self.file.states
            new = states if any(state.new for state in states) else []
            for line in self._state_lines(several(states) or new):
                self._say(line)
        if self.empty:
            count = len(self.empty)
            names = ", ".join(self.empty[:NAMED_EMPTY]) + (", ..." if count > NAMED_EMPTY else "")
            self._say(f"nothing was measured in {style.count_text(count, 'block')}, since the time "
                      f"limit had ended: {names}")
        for number, line in enumerate(self.tally.explanation(self.verbose)):
            self.write(line if number else f"\n{line}")
        return self.begun
