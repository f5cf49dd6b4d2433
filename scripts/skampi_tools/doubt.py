"""Doubt, defined once for all tools: which flags make a result doubtful, the mark of such results, the line that
explains the mark, and what else readers of a file must know before they believe it.

flags.json is written from the table of the C program, so skampi and the tools doubt the same results.
"""

import json
import math
import os
import re
from collections import Counter

from . import cli
from .style import count_text, number_text, time_text

MARK = "*"
IMPRECISE = "imprecise"
WIDEST_INTERVAL = 0.5  # as src/output/result.c has it

with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "flags.json"), encoding="utf-8") as _file:
    FLAGS = json.load(_file)


def speaks_against(flag):
    """Whether a flag makes a result doubtful. An unknown flag does."""
    return FLAGS[flag]["doubtful"] if flag in FLAGS else True


def meaning(flag):
    """In words, with what to do."""
    if flag not in FLAGS:
        return "not known to this version of the tools; see the notes of the results"
    return f"{FLAGS[flag]['means']}; {FLAGS[flag]['remedy']}"


def flags_of(record, shown):
    """Of a result or rounds record. Older files lack the flag of wide intervals. shown: what is shown of the record,
    with its interval."""
    flags = [str(flag) for flag in record.get("flags") or []]
    # Medians of the calls of a traced application have no interval, since they are no sample of anything.
    stated = ("standard_error" if record.get("median") is None and "median_low" not in record else "median_low") in record
    unknown = record.get("quantity") not in (None, "time") and shown.low != shown.low  # counted once, and exact
    wide = not shown.high - shown.low <= WIDEST_INTERVAL * abs(shown.value)
    if IMPRECISE not in flags and stated and not unknown and wide:
        flags.append(IMPRECISE)
    return flags


def over_rounds(flags):
    """The flags of a point over rounds or launches, of the lists of each: those that intervals over rounds do not
    cover, where at least half of the rounds have them."""
    counts = Counter(flag for several in flags for flag in dict.fromkeys(several))
    return [flag for flag, count in counts.items()
            if 2 * count >= len(flags) and not FLAGS.get(flag, {}).get("covered_by_rounds")]


def of_launches(results):
    """The flags that make a point doubtful, of its results in several launches, or in none."""
    flags = results[0].flags if len(results) == 1 else over_rounds([result.flags for result in results])
    return list(filter(speaks_against, flags))


def mark(doubtful):
    """Behind a value."""
    return f" {MARK}" if doubtful else ""


class Tally:
    """What the lines below a table say of results, which may come one after another."""

    def __init__(self, results=()):
        self.total = self.doubtful = 0
        self.flags = Counter()  # how many doubtful results have each
        self._subtracted = {}   # by what was: (results, the largest share, its seconds)
        for result in results:
            self.add(result)

    def add(self, result):
        flags = list(filter(speaks_against, result.flags))
        self.total += 1
        self.doubtful += bool(flags)
        self.flags.update(flags)
        if what := result.subtracted:
            share = math.inf if math.isnan(result.subtracted_share) else result.subtracted_share
            count, *most = self._subtracted.get(what, (0, 0.0, 0.0))
            self._subtracted[what] = (count + 1, *max(most, [share, result.subtracted_time]))

    def legend(self):
        """The line that explains the mark; "" where no result is doubtful."""
        return legend_text(self.doubtful, self.total, self.flags.most_common()) if self.doubtful else ""

    def subtracted(self):
        """Lines that say what was subtracted, where that was much of a result; of each kind the largest share."""
        return [f"subtracted: {what}, {time_text(seconds)} "
                f"({f'{number_text(100 * share, 2)} % of the result' if share <= 1 else 'more than the result'})"
                + ("" if count == 1 else f"; {count} results, this is the largest share")
                for what, (count, share, seconds) in self._subtracted.items()]

    def explanation(self, verbose=False):
        """Lines below what shows results: the legend, what was subtracted, and by verbose what each flag means."""
        lines = list(filter(None, [self.legend()]))
        if lines and verbose:
            lines += [f"  {flag}: {meaning(flag)}" for flag, _ in self.flags.most_common()]
        elif lines:
            lines[0] += "; -v says why" if verbose is False else ""
        return lines + self.subtracted()


def legend_text(doubtful, total, flags):
    """flags: (flag, how many doubtful results have it)."""
    reasons = ", ".join(f"{count} {flag}" for flag, count in flags)
    return f"{MARK} doubtful: {doubtful} of {count_text(total, 'result')}" + (f": {reasons}" if reasons else "")


def cautions(file):
    """What speaks against a complete ResultFile, in words: it is cut off, skampi warned, results are missing."""
    texts = [*file.doubts, *map(str, file.header.get("warnings") or [])]
    kinds = file.missing_kinds()
    unfinished = file.unfinished()
    if kinds or unfinished and not file.doubts:
        listed = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in kinds.most_common())
        many = sum(kinds.values())
        texts.append(f"{many} result{' is' if many == 1 else 's are'} missing ({listed})" if kinds else
                     "results may be missing")
        if unfinished:
            texts[-1] += (", and more may be" if kinds else "") + ("" if unfinished in file.doubts else f": {unfinished}")
    return texts


def show(target, files, report, document):
    """As cli.show(), with what the marks in the text mean below it."""
    def explained():
        report()
        for number, line in enumerate(Tally(point for file in files for point in file.points).explanation(None)):
            print(line if number else f"\n{line}")
    cli.show(target, explained, document)


def cautions_of(files):
    """cautions() with the names of the files."""
    return together((file.path, text) for file in files for text in cautions(file))


def together(said_of):
    """Lines of (path, text) pairs; what holds for several files, however its numbers differ, once."""
    said = {}
    for path, text in said_of:
        said.setdefault(re.sub(r"\d+(\.\d+)?", "0", text), []).append((path, text))
    for (path, text), *others in said.values():
        yield f"{path}{f' and {len(others)} more' if others else ''}: {text}"


def warn(*files):
    """Says cautions_of() on standard error."""
    for text in cautions_of(files):
        cli.warn(text)
