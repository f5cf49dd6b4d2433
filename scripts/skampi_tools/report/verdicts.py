"""What speaks for and against trusting result files.

check_file() and check_rounds() return Verdicts; a state is one of STATES, the worst first.
"""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

from .. import doubt, style
from ..cli import Error, read_json
from ..results import NOT_COMPLETE
from ..statistics import known

STATES = ("bad", "doubtful", "unknown", "note", "ok")

# As in the engine: above this a node was busy, below that many resolutions a time is marked.
BUSY_LOAD = 0.5
WELL_ABOVE = 10

# The engine refuses a timer that is off by ten times as much.
DISAGREEMENT = 1e-4
INVALID_SHARE = 0.25
WIDE_INTERVAL = 0.05
WIDE_SHARE = 0.1
FLAGGED_SHARE = 0.5
NOT_PRECISE = {doubt.IMPRECISE, "unstable"}
NOISY_ROUNDS = 0.1
FEWEST_ROUNDS = 5  # with fewer rounds there is no prediction interval
COVERAGE_VERSION = 1

STATUS = {
    0: ("ok", "all was measured"),
    1: ("bad", "internal error, failed write, or a failed assert of the script"),
    2: ("bad", "bad option, script, file or environment; nothing was measured"),
    3: ("doubtful", "finished, but some measurement failed, was left out or is not supported here"),
    4: ("doubtful", "stopped by the time limit"),
    5: ("bad", "stopped by the watchdog: no progress"),
}


@dataclass
class Verdict:
    check: str
    state: str
    text: str
    file: str = ""  # empty: about all of them


def check_end(file):
    if file.end is None:
        yield Verdict("File is complete", "bad", f"{NOT_COMPLETE}; the page shows what is there")
        return
    yield Verdict("File is complete", "ok", "ends with its end record")
    status, reason = file.end.get("status"), file.end.get("reason")
    if status is None:
        yield Verdict("Run ended well", "unknown", reason or "the file has no exit status")
        return
    other = f"ended by signal {status - 128}" if status > 128 else "not a status of skampi"
    state, text = STATUS.get(status, ("bad", other))
    yield Verdict("Run ended well", state,
                  f"exit status {status}: {text}" + (f": {reason}" if reason else ""))


def _graded(check, known, wrong, unknown, doubtful, ok):
    """A Verdict. known: whether the file says anything about it; wrong: whether that speaks against it; the rest: what is
    said of each."""
    state, text = ("unknown", unknown) if not known else ("doubtful", doubtful) if wrong else ("ok", ok)
    return Verdict(check, state, text)


def check_placement(header):
    binding = header.get("binding") or {}
    bound, pes = binding.get("bound") or 0, binding.get("pes") or 0
    yield _graded("PEs are bound", pes and binding.get("bound") is not None, bound < pes, "the file does not say",
                  f"{pes - bound} of {pes} PEs are not bound to one processor: they may move while they are timed",
                  f"all {pes}, each to one processor")
    nodes = header.get("nodes") or []
    sized = [n for n in nodes if n.get("processors")]
    crowded = [n for n in sized if n.get("pes", 0) > n["processors"]]
    yield _graded("Processors for all PEs", sized, crowded, "the file does not say how many there are",
                  "more PEs than processors on " + style.listed(
                      f"{n.get('name', '?')} ({n['pes']} on {n['processors']})" for n in crowded),
                  "no node has more PEs than processors")
    known = [n for n in sized if (n.get("load") if n.get("load") is not None else -1) >= 0]
    busy = [n for n in known if n["load"] / n["processors"] > BUSY_LOAD]
    yield _graded("Nodes were idle before", known, busy, "the file has no load of a node",
                  "busy with something else: " + style.listed(
                      f"{n.get('name', '?')} (load {n['load']:.2f} on {n['processors']} processors)" for n in busy),
                  f"load below {BUSY_LOAD} a processor on {style.count_text(len(known), 'node')}")
    governors = {n.get("governor", "") for n in nodes} - {"", "unknown", "not shown"}
    yield _graded("Processor frequency is held", governors, governors != {"performance"},
                  "the file names no frequency governor",
                  f"frequency governor {style.listed(sorted(governors))}: the frequency may change while measuring",
                  "frequency governor performance")


def too_short(result, resolution):
    if "flags" in result.record:  # the engine knows best
        return "below_resolution" in result.flags
    iterations = result.iterations or 1
    return result.quantity == "time" and 0 < result.best() * iterations < WELL_ABOVE * resolution


def check_timer(file):
    timer = file.header.get("timer") or {}
    resolution = timer.get("resolution")
    timed = [r for r in file.results + file.later if r.quantity == "time"]
    short = [r for r in timed if resolution and too_short(r, resolution)]
    fine = f"{WELL_ABOVE} times the resolution of {style.time_text(resolution)}"
    yield _graded("Timer is fine enough", resolution, short, "the file does not state its resolution",
                  f"{len(short)} of {style.count_text(len(timed), 'result')}: the timed region is shorter than {fine}: "
                  + style.listed((r.label() for r in short), 2),
                  f"{timer.get('name', '')}: resolution {style.time_text(resolution)}, no timed region is shorter than "
                  f"{WELL_ABOVE} times that")
    off = timer.get("disagreement")
    said = f"off by {style.number_text(abs(off or 0) * 1e6)} ppm"
    yield _graded("Timer agrees with the system's clock", off is not None, abs(off or 0) > DISAGREEMENT,
                  "the file does not say", said, said)
    for record in file.records:
        text = record.get("text") or ""
        if record["record"] == "comment" and text.startswith("warning: clocks of node "):
            yield Verdict("Clocks agree over the run", "doubtful", text[len("warning: "):])


def missing_text(files):
    """How many results are missing in all files, for the summary; HTML."""
    count = sum(file.missing() for file in files)
    linked = f"<a href='#missing'>{count} missing</a>"
    if any(file.unfinished() for file in files):
        return f"at least {linked}" if count else "unknown how many are missing"
    return linked if count else "none missing"


def check_results(file):
    points = file.points
    if not points:
        yield Verdict("There are results", "bad", "none in this file")
        return
    doubted = [r for r in points if r.doubtful]
    # A result that is only imprecise speaks not against the file.
    share = sum(bool(set(filter(doubt.speaks_against, r.flags)) - NOT_PRECISE) for r in doubted) / len(points)
    kinds = doubt.Tally(doubted).flags.most_common()
    yield Verdict("Results without doubt",
                  "ok" if not doubted else "bad" if share > FLAGGED_SHARE else "doubtful",
                  f"{len(doubted)} of {len(points)} doubtful"
                  + (f" ({style.listed(f'{name} {count}' for name, count in kinds)})" if kinds else ""))

    missing = file.missing_kinds()
    found = style.listed(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(missing.items()))
    unknown = file.unfinished()
    if unknown:
        found = f"{found or 'none is known'}; more may be: {unknown}"
    untold = file.end and file.end.get("status") is None and "missing_at_least" not in file.end
    yield Verdict("Nothing is missing",
                  "ok" if not missing and not unknown else
                  "unknown" if untold and not missing else "doubtful",
                  found or "every measurement has a result")

    every = file.results + file.later
    invalid, valid = (sum(r.record.get(name) or 0 for r in every) for name in ("invalid", "valid"))
    if every and valid + invalid:
        share = invalid / (valid + invalid)
        yield Verdict("Repetitions are valid", "doubtful" if share > INVALID_SHARE else "ok",
                      f"{style.percent_text(share)} late or overrun, and left out")

    yield check_precision(points)


def check_precision(points):
    widths = [half_width(r) for r in points if r.quantity == "time"]
    stated = known(widths)
    wide = sum(w > WIDE_INTERVAL for w in stated)
    limit = style.percent_text(WIDE_INTERVAL)
    if not stated:
        return Verdict("Medians are precise", "unknown", "no result states an interval of its median")
    without = len(widths) - len(stated)
    text = (f"interval of the median within {limit} of it in {len(stated) - wide} of "
            f"{style.count_text(len(widths), 'result')}"
            + (f"; {without} without an interval" if without else ""))
    return Verdict("Medians are precise",
                   "doubtful" if wide + without > WIDE_SHARE * len(widths) else "ok", text)


def half_width(result):
    """Half the width of the interval of the median, as a share of the median."""
    if not result.median > 0:
        return math.nan
    return (result.median_high - result.median_low) / 2 / result.median


def units_of(files):
    """(one, several): what the values of these files' aggregates are from."""
    launches = {file.of_launches() for file in files if file.rounds}
    if launches == {True}:
        return "launch", "launches"
    return ("round", "rounds") if True not in launches else ("round or launch", "rounds or launches")


def check_rounds(file):
    """Whether the file says anything about another time."""
    one, several = units_of([file])
    if not file.rounds:
        return Verdict("Covers changes over time", "note",
                       "measured once: intervals say how precise this run's medians are, not where the "
                       "next run's will be; --rounds or skampi campaign says that")
    few = [r for r in file.rounds if math.isnan(r.next_low) or math.isnan(r.next_high)]
    between = sorted(known(r.between for r in file.rounds))
    if few:
        return Verdict("Covers changes over time", "doubtful",
                       f"{len(few)} of {style.count_text(len(file.rounds), 'point')} without a prediction interval: "
                       f"at least {FEWEST_ROUNDS} {several} are needed")
    spread = between[len(between) // 2] if between else math.nan
    return Verdict("Covers changes over time", "doubtful" if spread > NOISY_ROUNDS else "ok",
                   f"{style.count_text(len(file.rounds), 'point')} in {several}; spread between {several} (interquartile "
                   f"range over median), typically {style.percent_text(spread)}")


SELF_CHECK = re.compile(r"^(?:#?P\[\d+\] )?(.*?)[: ]+(ok|DOUBTFUL): (.*)$")


def script_name(file):
    """"" where the header does not say."""
    return str((file.header.get("script") or {}).get("name") or "")


def is_self_check(file):
    """Whether inputs/selfcheck.ski wrote the file."""
    return "selfcheck" in script_name(file)


def check_self(file):
    """What inputs/selfcheck.ski prints: "WHAT ok: HOW" or "WHAT DOUBTFUL: HOW". It is text since a script can say what it
    computes only by print. tests/e2e/test_clocks.py fails where the script prints what this does not understand."""
    if not is_self_check(file):
        return
    for record in file.records:
        if record["record"] == "print":
            if match := SELF_CHECK.match(str(record.get("text", "")).strip()):
                what, verdict, how = match.groups()
                yield Verdict(f"Self-check, {what}", "ok" if verdict == "ok" else "doubtful", how)


def check_file(file, name=""):
    """All verdicts on one file, in an order that reads well."""
    verdicts = [*check_self(file), *check_end(file)]
    verdicts += [Verdict("Reading the file", "doubtful", doubt) for doubt in file.doubts
                 if not doubt.startswith("no end")]  # which has been said
    for warning in file.header.get("warnings") or []:
        verdicts.append(Verdict("Warning of skampi", "doubtful", str(warning)))
    verdicts += [*check_placement(file.header), *check_timer(file), *check_results(file),
                 check_rounds(file)]
    for verdict in verdicts:
        verdict.file = name
    return verdicts


class Coverage(NamedTuple):
    """What skampi campaign coverage --json measured."""
    sentence: str
    verdict: Verdict


def read_coverage(path):
    """The Coverage in a file that skampi campaign coverage --json wrote."""
    other = f"{path}: not what skampi campaign coverage --json writes"
    record = read_json(path, otherwise=other)
    try:
        if record["coverage"] != COVERAGE_VERSION:
            raise Error(f"{path}: version {record['coverage']!r} of skampi campaign coverage's output, but this "
                        f"tool knows version {COVERAGE_VERSION}: use the skampi that belongs to it")
        state, kept = {True: ("ok", "the promise is kept"), False: ("doubtful", "the promise is not kept"),
                       None: ("unknown", "too few runs to say more")}[record["promise"]]
        ratio, promised = record["width_ratio"], record["promised"]
        width = ("widths were not judged" if ratio is None else
                 f"they were {style.number_text(float(ratio))} times as wide as the observed spread needs")
        sentence = (f"in {style.count_text(int(record['runs']), 'run')} intervals contained "
                    f"{style.percent_text(float(record['contained']))} of later medians (promised: at least "
                    f"{style.percent_text(float(promised['contained']))}), and {width} (promised: at most "
                    f"{style.number_text(float(promised['width_ratio']))}): {kept}")
    except (ValueError, KeyError, TypeError, OverflowError):
        raise Error(other) from None
    return Coverage(sentence, Verdict("Prediction intervals hold", state, f"by skampi campaign coverage, {sentence}"))


def worst(verdicts):
    return min((v.state for v in verdicts), key=STATES.index, default="ok")
