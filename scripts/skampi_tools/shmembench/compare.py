"""Compares a trace with the list of expected calls: call by call, parameter by parameter."""

import csv
import fnmatch
import os
import re
from collections import Counter

from skampi_tools import cli, launching
from skampi_tools.shmembench.expected import ANY

AHEAD = 64  # calls after a difference among which both sides must agree again
_PLACE = re.compile(r"([a-z]\w*)\+(\d+)")
_WHOLE = re.compile(r"[-+]?\d+")
RESULT_ALWAYS = {"synchronization", "lock"}  # classes whose results every trace has; others only with an option of the recorder


def _rows(stream, path, needed):
    """Dictionaries of a CSV file."""
    try:
        reader = csv.DictReader(stream, strict=True)
        missing = [name for name in needed if name not in (reader.fieldnames or ())]
        if missing:
            raise cli.Error(f"{path}:1: no column {', '.join(missing)}")
        for row in reader:
            if None in row or None in row.values():
                raise cli.Error(f"{path}:{reader.line_num}: not as many columns as in the first line")
            if not _WHOLE.fullmatch(row["pe"]):
                raise cli.Error(f"{path}:{reader.line_num}: pe: {row['pe']} is not a number")
            yield row
    except csv.Error as error:
        raise cli.Error(f"{path}:{reader.line_num}: {error}") from None
    except UnicodeDecodeError:
        raise cli.Error(f"{path}: is not text") from None


def read(path, needed=("pe", "routine")):
    """Rows of a CSV file: of a list of expected calls, or with other columns."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(_rows(file, path, needed))


def read_trace(path, shmemtrace):
    """Rows of `shmemtrace dump --csv` or of a trace that it is asked to dump."""
    needed = ("pe", "thread", "routine", "class")
    if not os.path.isdir(path) and not path.endswith(".trace"):
        return read(path, needed)
    return list(_rows(launching.shmemtrace("dump", "--csv", path, program=shmemtrace).splitlines(), path, needed))


class Comparison:
    """Of one trace with one list. columns: what is compared besides the routine."""

    def __init__(self, columns, results):
        self.columns = [name for name in columns if name not in ("pe", "routine")]
        self.results = results
        self.bases = {}  # by label: what is known of the offset of a place; alike on all PEs
        self.counts = Counter()
        self.first = None
        self.examples = Counter()

    def _cell(self, column, wanted, got):
        if wanted == ANY or wanted == got:
            return True
        place = _PLACE.fullmatch(wanted)
        if place and column.endswith("_offset"):
            if not _WHOLE.fullmatch(got):
                return False
            base = int(got) - int(place.group(2))
            return base >= 0 and self.bases.setdefault(place.group(1), base) == base
        if _WHOLE.fullmatch(wanted) and _WHOLE.fullmatch(got):
            return int(wanted) == int(got)
        try:
            return float(wanted) == float(got)
        except ValueError:
            return False

    def differences(self, wanted, got):
        """Parameters that differ: (column, wanted, got)."""
        found = []
        for column in self.columns:
            value = got.get(column)
            if value is None:
                found.append((column, wanted[column], "no such column"))
            elif column == "result" and not value and not self.results and \
                    wanted.get("class") not in RESULT_ALWAYS:
                continue
            elif not self._cell(column, wanted[column], value):
                found.append((column, wanted[column] or "nothing", value or "nothing"))
        return found

    def note(self, text, kind):
        self.counts[kind] += 1
        if self.first is None:
            self.first = text

    def compare_pe(self, pe, wanted, got):
        """The calls of one PE in order; what is missing or too much is stepped over."""
        i = j = 0
        while i < len(wanted) or j < len(got):
            left = wanted[i]["routine"] if i < len(wanted) else None
            right = got[j]["routine"] if j < len(got) else None
            if left == right:
                found = self.differences(wanted[i], got[j])
                if found:
                    texts = [f"{name}: expected {a}, in the trace {b}" for name, a, b in found]
                    self.note(f"PE {pe}, call {i + 1}, {left}: {'; '.join(texts)}", "different")
                    self.examples.update((left, name) for name, _, _ in found)
                else:
                    self.counts["equal"] += 1
                i, j = i + 1, j + 1
                continue
            skip_left, skip_right = self._resume(wanted, i, got, j)
            self.note(f"PE {pe}, call {i + 1}: expected {left or 'no more'}, in the trace "
                      f"{right or 'no more'}", "missing" if skip_left else "surplus")
            self.counts["missing"] += max(0, skip_left - 1) if skip_left else 0
            self.counts["surplus"] += skip_right - (0 if skip_left else 1) if skip_right else 0
            i, j = i + skip_left, j + skip_right

    @staticmethod
    def _resume(wanted, i, got, j):
        """How many calls to step over on both sides until both go on alike."""
        def name(rows, index):
            return rows[index]["routine"] if index < len(rows) else None

        if i >= len(wanted):
            return 0, len(got) - j
        if j >= len(got):
            return len(wanted) - i, 0
        for distance in range(1, AHEAD):
            for skip in ((0, distance), (distance, 0)):
                if all(name(wanted, i + skip[0] + k) == name(got, j + skip[1] + k) for k in range(3)):
                    return skip
        return 1, 1


def _by_pe(rows, kept):
    calls = {}
    for row in rows:
        if kept(row):
            calls.setdefault(int(row["pe"]), []).append(row)
    return calls


def _fits(row, patterns):
    """Whether the call is one of these classes or routines, as shmemtrace --only understands them."""
    return any(row.get("class") == pattern or fnmatch.fnmatchcase(row["routine"], pattern)
               or fnmatch.fnmatchcase(row["routine"], f"shmem_{pattern}") for pattern in patterns)


def compare(trace, wanted, queries=False, results=False, only=None, exclude=()):
    """Comparison of rows of a trace with rows of a list. only, exclude: what was recorded; of the
    trace nothing is left out for them."""
    def recorded(row):
        return (queries or row.get("class") != "query") and not _fits(row, exclude) and (
            only is None or _fits(row, only))

    comparison = Comparison(wanted[0].keys() if wanted else (), results)
    threads = {(row["pe"], row["thread"]) for row in trace}
    wanted_calls = _by_pe(wanted, recorded)
    calls = _by_pe(trace, lambda row: queries or row["class"] != "query")
    if len(threads) > len({pe for pe, _ in threads}):
        comparison.note("the trace has several threads of a PE, the list one", "surplus")
    for pe in sorted(set(wanted_calls) | set(calls)):
        if pe not in calls or pe not in wanted_calls:
            where = "trace" if pe not in calls else "list"
            comparison.note(f"PE {pe} is not in the {where}", "different")
        comparison.compare_pe(pe, wanted_calls.get(pe, []), calls.get(pe, []))
    return comparison
