"""Result files as tables on the terminal: what skampi-table prints of a .sko file, line by line.

Numbers stay the texts that are in the file. A block is printed as soon as it ends, so a table follows a run
that is still going on.
"""

import math
import re
from collections import Counter

from .. import doubt, screen, style
from ..formats.sko.lines import (BEGIN, INCOMPLETE, MEDIAN, MISSING_WORDS, ROUNDS, ROUNDS_BLOCK, STATED_UNIT,
                                 STATE_ROUNDS, columns_of, controls_of, counters_of, number_text, part_of, split_row,
                                 state_of as state_record, unit_of, value_in)
from ..states import WORDS, find, set_text, sets_of, several, state_of, states_for, told_by
from ..states.common import control_text

TITLES = {
    "mean": ("bytes", "mean of the middle", "standard error", "repetitions"),
    "median": ("bytes", "median", "from", "to", "repetitions"),
    "rounds": ("bytes", "median of rounds", "from", "to", "rounds"),
}
INDENT = "  "
NAMED_EMPTY = 5  # blocks that the time limit left empty; more are only counted
_NUMBER = re.compile(r"([-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?|-?inf|-?nan|---)")
_LAST_WORDS = ("interrupted by ", "ended by ", "stopped by the time limit ")
_STATED_PES = re.compile(r"conditions: (\d{1,18}) PEs?\b")
# Comments that tell of the row before them; "state 1" and so on are others.
_OF_ROW = ("median", "rounds", "columns", "counters", "part", *WORDS.values())


class Row:
    """One result. kind: a key of TITLES."""

    def __init__(self, variables, fields, unit, pes):
        self.names = [name for name, _ in variables]
        self.cells = [text for _, text in variables]
        self.fields = fields[:4]
        self.columns = []   # (title, text), further ones
        self.counters = []  # (name, text)
        self.kind = "mean"
        self.unit = unit
        self.confidence = ""
        self.stated_flags = []
        self.notes = []
        self.pes = pes        # of its set; None: not stated
        self.controls = {}    # by name, as in a record of results
        self.parts = []       # records
        self.by_state = {}    # texts by the number of the state
        self.has_rounds = False  # a row over all rounds takes its place

    def interval(self):
        """(value, lower end, upper end), NaN where there is none."""
        value, *ends = (_number(text) for text in self.fields[1:4 if self.kind != "mean" else 3])
        return (value, *ends) if self.kind != "mean" else (value, value - ends[0], value + ends[0])

    @property
    def flags(self):
        """As of results.Result."""
        quantity = "bytes" if self.unit == "bytes" else "time"
        shown = doubt.Interval(*self.interval())
        return doubt.flags_of({"flags": self.stated_flags, "quantity": quantity, "standard_error": None}, shown)

    @property
    def doubtful(self):
        return any(map(doubt.speaks_against, self.flags))

    def key(self, block):
        """What finds the row of all rounds."""
        return (block, *zip(self.names, self.cells), self.fields[0])

    def change_unit(self, unit):
        """Of times."""
        factor = unit_of(unit) / unit_of(self.unit)
        for place in range(1, len(self.fields) - 1):
            number = _number(self.fields[place])
            self.fields[place] = number_text(number * factor)
        self.by_state = {state: number_text(_number(text) * factor) for state, text in self.by_state.items()}
        self.unit = unit

    def round(self):
        """To the digits that the interval allows."""
        value, low, high = self.interval()
        if self.unit == "bytes" or low == high:
            return
        places = style.decimals_for(value, (high - low) / 2)
        self.fields[1:-1] = [_rounded(text, places) for text in self.fields[1:-1]]
        if self.kind != "mean" and _number(self.fields[2]) < 0 <= value:
            self.fields[2] = "0"

    def shape(self):
        """Rows of the same shape share a head."""
        return self.kind, self.names, [name for name, _ in self.columns + self.counters]

    def texts(self, states):
        return (self.cells + self.fields + [self.by_state.get(number, style.NOTHING) for number in states] +
                [text for _, text in self.columns + self.counters])

    def in_unit(self, text):
        """A value that may have a unit of its own, in the row's."""
        unit = unit_of(self.unit)
        number, _, name = text.partition(" ")
        if name in ("", self.unit) or not unit:
            return number
        value = value_in(text, unit)
        return number_text(None if value is None else value * unit)

    def find_states(self, states):
        """Values by state, of what the comments said of controls. states: those to be told apart."""
        pes = {state.pes for state in states}
        if not states or self.pes is not None and None not in pes and self.pes not in pes:
            self.by_state.clear()
        states = states_for({"size": self.pes}, states)
        parts = [(find(states, part), part) for part in self.parts]
        numbers = {number for number, _ in parts} or {find(states, self.controls)}
        if len(numbers) == 1 and None not in numbers:
            self.by_state[numbers.pop()] = self.fields[1]
            return
        for number, part in sorted(parts, key=lambda found: found[1]["valid"]):  # of two in one state the larger
            if number is not None:
                self.by_state[number] = self.in_unit(part["median"])

    def show_median(self, kind, median, unit, confidence, low, high):
        self.kind = kind
        self.fields[1:3] = [median, low, high]
        self.unit = unit or self.unit
        self.confidence = "" if confidence in ("---", "0") else f"{confidence} %"


def _number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def _rounded(text, places):
    """With no more digits than it has."""
    number = _number(text)
    if not math.isfinite(number):
        return text
    there = len(text.partition(".")[2]) if "e" not in text else places
    return f"{round(number, places):.{max(0, min(places, there))}f}"


def _whole(text):
    """The places of a number before its point; all places of any other text."""
    point = re.search("[.e]", text) if _NUMBER.fullmatch(text) else None
    return point.start() if point else len(text)


class _Columns:
    """Rows of one shape below a head."""

    def __init__(self, rows):
        first = rows[0]
        units = {row.unit for row in rows}
        if len(units) > 1 and all(unit != "bytes" and unit_of(unit) for unit in units):
            for row in rows:
                row.change_unit(first.unit)
        self.mixed = any(row.unit != first.unit for row in rows)
        for row in rows:
            row.round()
        self.states = sorted({number for row in rows for number in row.by_state})
        titles = self._titles(first, all(row.confidence == first.confidence for row in rows))
        self.after = []
        widths = []
        for texts in zip(*(row.texts(self.states) for row in rows)):
            self.after.append(max(len(text) - _whole(text) for text in texts))
            widths.append(max(map(screen.width, texts)) if self.after[-1] == 0 else
                          max(map(_whole, texts)) + self.after[-1])
        if self.mixed:
            titles.append("unit")
            widths.append(max(len(row.unit) for row in rows))
        most = screen.limit()
        self.layout = screen.Layout(titles, widths, {len(titles) - 1} if self.mixed else (),
                                    most and most - len(INDENT + doubt.mark(True)))

    def _titles(self, row, sure):
        own = list(TITLES[row.kind])
        if row.unit == "bytes" and not self.mixed:
            own[1] += " memory"
        if row.kind != "mean" and sure and row.confidence:
            own[2] = f"{row.confidence} {own[2]}"
        if row.unit and not self.mixed:
            own[1:-1] = [f"{title} [{row.unit}]" for title in own[1:-1]]
        states = [f"in state {number}" for number in self.states]
        if row.unit and not self.mixed:
            states = [f"{title} [{row.unit}]" for title in states]
        return row.names + own + states + [name for name, _ in row.columns + row.counters]

    def head(self):
        return [INDENT + line for line in self.layout.head()]

    def lines(self, row):
        """Decimal points are below each other."""
        cells = [text + " " * (after - (len(text) - _whole(text)))
                 for text, after in zip(row.texts(self.states), self.after)]
        found = [INDENT + line for line in self.layout.lines(cells + [row.unit] * self.mixed)]
        found[-1] += doubt.mark(row.doubtful)
        return found


def _share_text(state):
    share = "only in earlier runs" if state.share == 0 else f"{style.percent_text(state.share)} of the time"
    return f"{share}{', new' if state.new else ''}"


def states_in(lines):
    """The states of a file."""
    records = (state_record(line[1:].strip()) for line in lines if line.startswith("# state "))
    return [state_of(record) for record in records if record]


def rounds_in(lines):
    """How many rows over all rounds there are of each point, by Row.key()."""
    found, block = Counter(), None
    for line in lines:
        line = line.rstrip("\r\n")
        if line.startswith("#"):
            begin = BEGIN.fullmatch(line[2:].rstrip(" \t"))
            if begin or line.startswith("# end result"):
                block = begin and begin.group(1)
        elif block and block.endswith(ROUNDS_BLOCK) and (row := split_row(line)):
            found[Row(*row, "", None).key(block[:-len(ROUNDS_BLOCK)])] += 1
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
    """Takes the lines of one file; write: a function that takes lines of output."""

    def __init__(self, write, verbose, states=(), columns=None, breaks=None, rounds=()):
        """states, rounds: of the file, where they are known before its lines are taken (states_in, rounds_in): rows
        over all rounds take the place of those of the first one. columns: names of further columns; None: all that
        the file has. breaks: texts below blocks (breaks_in)."""
        self.write = write
        self.verbose = verbose
        self.columns = columns
        self.absent = set(columns or [])  # that no row had so far
        self.states = list(states)
        self.known_before = bool(states)
        self.breaks = breaks or {}
        self.rounds = Counter(rounds)
        self.results = []       # Rows of points
        self.times = Counter()  # blocks of each name
        self.states_shown = False
        self.begun = False      # the file has a block
        self.name = None        # of the block that is open
        self.items = []         # of it: Row, or a text below the rows before it
        self.row = None         # what comments belong to
        self.unit = ""          # stated last in the block
        self.pes = None         # the same
        self.late = 0           # measurements of the block that the time limit left out
        self.limited = False
        self.empty = []         # names of blocks of which it left nothing
        self.printed = 0        # blocks
        self.said = False       # something was printed outside blocks
        self.ending = False     # ... after the blocks

    def take(self, line):
        if begin := line.startswith('# begin result "') and BEGIN.fullmatch(line[2:].rstrip(" \t")):
            self.end_block()
            self.name, self.unit, self.pes, self.begun = begin.group(1), "", None, True
        elif line.startswith("# end result"):
            self.end_block()
        elif line.startswith("#"):
            self._take_comment(line)
        elif self.name is not None and (row := split_row(line)):
            self.row = Row(*row, self.unit, self.pes)
            self.items.append(self.row)

    def _take_comment(self, line):
        text = line[1:].strip(" \t")
        kind, _, rest = text.partition(": ")
        inside = self.name is not None
        if text.startswith(_LAST_WORDS):
            self.end_block()
            self._say(text)
        elif kind == "warning" and rest:
            self._say(text)
        elif inside and kind in (*INCOMPLETE, *MISSING_WORDS.values(), "skipped"):
            self.items.append(text)
        elif inside and kind == "time limit":
            self.limited = True
            self.late += 1
        elif inside and kind == "note":
            self._take_note(rest)
        elif inside and kind == "flags" and self.row:
            self.row.stated_flags = rest.split(", ")
            if self.verbose:
                self.items.append(f"  {text}")
        else:
            state = state_record(text) if kind.startswith("state ") else None
            if state and not self.known_before:
                self.states.append(state_of(state))
            elif inside and self.row and (kind in _OF_ROW or kind.startswith("state ")):
                self._add_to_row(kind, rest, text)
            if self.verbose:
                self._say_all(line, text)

    def _take_note(self, text):
        if text.startswith("conditions: "):
            stated = STATED_UNIT.search(text)
            self.unit = stated.group(1).strip() if stated else ""
            pes = _STATED_PES.match(text)
            self.pes = int(pes.group(1)) if pes else None
            if self.row:
                self.row.unit, self.row.pes = self.unit, self.pes
        if self.row:
            self.row.notes.append(text)
        if self.verbose:
            self.items.append(f"  note: {text}")

    def _add_to_row(self, kind, rest, text):
        if kind == "columns":
            found = {name: (f"{name} [{unit}]" if unit else name, text) for name, text, unit in columns_of(rest) or []}
            self.row.columns = [found[name] for name in self.columns or found if name in found]
            self.absent -= found.keys()
        elif kind == "counters":
            self.row.counters += [(name, most) for name, most, _ in counters_of(rest) or []]
        elif kind in WORDS.values():
            self.row.controls.update(controls_of(text) or {})
        elif kind == "part":
            self.row.parts += filter(None, [part_of(rest)])
        elif kind.startswith("state "):
            if found := STATE_ROUNDS.fullmatch(text):
                state, _, median, unit = found.groups()[:4]
                self.row.by_state[int(state)] = self.row.in_unit(f"{median} {unit or ''}".strip())
        elif self.row.kind == "mean":  # in a damaged file two may follow one row
            found = MEDIAN.fullmatch(rest) if kind == "median" else ROUNDS.fullmatch(text)
            if found:
                self.row.show_median(kind, *found.groups()[:5])

    def _say_all(self, line, text):
        if self.name is None:
            if text and not text.startswith("duration = "):
                self._say(text)
        elif line.startswith("#P["):
            self.items.append(line[1:])
        else:
            # What was added to a row.
            of_row = text.partition(": ")[0] in _OF_ROW or text.startswith("state ")
            self.items.append(f"  {text}" if of_row else text)

    def _say(self, text):
        """A line outside blocks."""
        if self.printed and not self.ending:
            self.write("")
            self.ending = True
        self.write(text)
        self.said = True

    def end_block(self):
        if self.name is None:
            return
        name, items, late = self.name, self.items, self.late
        self.times[name] += 1
        self.name, self.items, self.row, self.late = None, [], None, 0
        begun = bool(items)
        if not name.endswith(ROUNDS_BLOCK):
            items = self._without_rounds(name, items)
        self.results += [row for row in items if isinstance(row, Row) and not row.has_rounds]
        if begun and not items and not late:
            return
        # After the time limit there may be many blocks of nothing.
        if not items and self.limited:
            self.empty.append(name)
            return
        if self.printed or self.said:
            self.write("")
        self.printed += 1
        self.write(name)
        told = several(self.states)
        for row in items:
            if isinstance(row, Row):
                row.find_states(told)
        if any(isinstance(row, Row) and row.by_state for row in items):
            for line in self._state_lines(told):
                self.write(f"  {line}")
        self._print_items(items)
        for text in self.breaks.get((name, self.times[name]), ()):
            self.write(f"  {text}")
        if late:
            self.write(f"  {late} measurement{' is' if late == 1 else 's are'} missing, since the time limit "
                       f"had ended")

    def _without_rounds(self, name, items):
        """Rows that rows over all rounds replace are only shown by -v."""
        kept, hidden = [], False
        for item in items:
            if isinstance(item, Row):
                item.has_rounds = self.rounds[item.key(name)] > 0
                self.rounds[item.key(name)] -= item.has_rounds
                hidden = item.has_rounds and not self.verbose
            if not (hidden and isinstance(item, Row)):
                kept.append(item)
        return kept

    def _state_lines(self, states):
        """One for each set of PEs, but one for each state where several controls tell them apart."""
        self.states_shown = True
        sets = sets_of(states)
        for states in sets.values():
            told = told_by(states)
            whose = f" of {set_text(states[0])}" if len(sets) > 1 else ""
            if len(told) > 1:
                yield from (f"state {state.number}{whose}: {control_text(told, state.values)}, {_share_text(state)}"
                            for state in states)
                continue
            word = f"{WORDS[told[0]]} "
            words = [f"{state.number} ({control_text(told, state.values)[len(word) * bool(place):]}, "
                     f"{_share_text(state)})" for place, state in enumerate(states)]
            yield f"states{whose}: {', '.join(words)}"

    def _print_items(self, items):
        shape = columns = None
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
        if not items:
            self.write("  nothing was measured")

    def finish(self):
        """False: the file has no block."""
        self.end_block()
        if not self.states_shown:
            new = self.states if any(state.new for state in self.states) else []
            for line in self._state_lines(several(self.states) or new):
                self._say(line)
        if self.empty:
            count = len(self.empty)
            names = ", ".join(self.empty[:NAMED_EMPTY]) + (", ..." if count > NAMED_EMPTY else "")
            self._say(f"nothing was measured in {count} block{'' if count == 1 else 's'}, since the time "
                      f"limit had ended: {names}")
        for number, line in enumerate(doubt.explanation(self.results, self.verbose)):
            self.write(line if number else f"\n{line}")
        return self.begun
