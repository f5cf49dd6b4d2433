"""Text on terminals: nothing in it commands them, wide characters take two columns, and lines end where the terminal
does."""

import functools
import itertools
import re
import shutil
import sys
import textwrap
import unicodedata

GAP = "  "  # between columns
UNKNOWN = 80  # columns
# Control characters, bytes that are not UTF-8, ends of lines, and what reverses the direction of text.
_COMMANDS = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_COMMANDS_IN_LINES = re.compile(_COMMANDS.pattern.replace("\0-\x1f", "\0-\x08\x0b-\x1f"))


def _escaped(found):
    code = ord(found[0])
    if 0xdc80 <= code <= 0xdcff:  # a byte that is not UTF-8
        code -= 0xdc00
    return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def printable(text, newlines=False):
    """Text that may come from anywhere, as a terminal may get it: control characters are shown escaped.
    newlines: ends of lines and tabs stay."""
    return (_COMMANDS_IN_LINES if newlines else _COMMANDS).sub(_escaped, str(text))


class PrintableStream:
    """A stream on which everything that is written becomes printable; on a terminal lines, which are written as a
    whole, are folded at its width."""

    def __init__(self, stream, folded=True):
        self.stream, self.folded = stream, folded and stream.isatty()

    def write(self, text):
        text = printable(text, newlines=True)
        return self.stream.write(fold(text, columns(), joined=False) if self.folded else text)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def raw(stream):
    """The stream on which everything is written as it is."""
    return getattr(stream, "stream", stream)


def overwrite(text):
    """Shows a text on standard error's terminal, in place of the one before; "" leaves none."""
    raw(sys.stderr).write(f"\r\x1b[K{printable(text)[:columns() - 1]}")
    sys.stderr.flush()


# ---- Widths ----


def columns():
    """Of the terminal: COLUMNS, or what standard output's terminal has."""
    return max(shutil.get_terminal_size((UNKNOWN, 24)).columns, 20)


def limit():
    """How long lines of tables may be; None: as long as they are, since another program reads them."""
    return columns() if sys.stdout.isatty() else None


def width(text):
    """Columns that a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text, columns_, left=False):
    blanks = " " * (columns_ - width(text))
    return text + blanks if left else blanks + text


# ---- Folding ----


def fold(text, most, joined=True):
    """Lines none of which is longer than `most`: what is too long goes on below its text. joined: lines without
    indentation are a paragraph."""
    lines = []
    for whole, group in itertools.groupby(text.split("\n"), lambda line: bool(line) and not line[0].isspace()):
        group = list(group)
        if joined and whole and max(map(width, group)) > most:
            group = [" ".join(group)]
        for line in group:
            lines += _folded(line, most) if width(line) > most else [line]
    return "\n".join(lines)


def _folded(line, most):
    begin = re.match(r" *(\S.*?  +(?=\S))?", line)[0]
    if len(begin) > most // 2:
        begin = re.match(" *", line)[0] + " " * 4
    return textwrap.wrap(line, most, subsequent_indent=" " * len(begin), break_long_words=False,
                         break_on_hyphens=False)


class Layout:
    """A table whose lines are no longer than a terminal's: titles are folded at their words, and then rows at their
    columns; what goes on in a further line is indented."""

    def __init__(self, titles, widths, left=(), most=None):
        """widths: of the cells. left: numbers of the columns that begin on the left. most: columns of the terminal;
        None: any."""
        self.titles, self.left = titles, left
        whole = [max(width(title), cells) for title, cells in zip(titles, widths)]
        if most and sum(whole) + len(GAP) * (len(whole) - 1) > most:
            whole = [max(cells, *map(width, title.split() or [""])) for title, cells in zip(titles, widths)]
        self.widths = whole
        self.groups = [[]]  # numbers of the columns in each line of a row
        used = 0
        for number, columns_ in enumerate(whole):
            if most and self.groups[-1] and used + columns_ > most:
                self.groups.append([])
                used = 2 * len(GAP)
            self.groups[-1].append(number)
            used += columns_ + len(GAP)

    def _line(self, place, cells):
        group = self.groups[place]
        return (2 * GAP if place else "") + GAP.join(
            padded(cell, self.widths[number], number in self.left) for number, cell in zip(group, cells))

    def head(self):
        """Lines of titles."""
        lines = []
        for place, group in enumerate(self.groups):
            folded = [textwrap.wrap(self.titles[number], self.widths[number], break_long_words=False,
                                    break_on_hyphens=False) for number in group]
            height = max(map(len, folded))
            lines += [self._line(place, [([""] * (height - len(title)) + title)[row] for title in folded])
                      for row in range(height)]
        return [line.rstrip() for line in lines]

    def lines(self, cells):
        """Lines of a row."""
        return [self._line(place, [cells[number] for number in group]).rstrip()
                for place, group in enumerate(self.groups)]


def table(rows, left=(0,), indent="", titled=True, folded=True):
    """A text for each row of texts, of several lines where the terminal is too narrow. left: numbers of the columns that
    begin on the left, as indices of lists. titled: the first row has the titles. folded: for a terminal."""
    return list(table_lines(lambda: rows, left, indent, titled, folded))


def table_lines(rows, left=(0,), indent="", titled=True, folded=True):
    """The same for many rows, which are kept nowhere. rows: a function that gives them; it is called several times."""
    def body():
        return itertools.islice(rows(), int(titled), None)

    first = next(iter(rows()), None)
    if first is None:
        return
    count = len(first)
    most = limit() if folded else None
    widths = functools.reduce(lambda widths, row: list(map(max, widths, map(width, row))), body(), [0] * count)
    layout = Layout(first if titled else [""] * count, widths, {number % count for number in left}, most and most - len(indent))
    for group in itertools.chain([layout.head()] if titled else [], map(layout.lines, body())):
        yield "\n".join((indent + line).rstrip() for line in group)
