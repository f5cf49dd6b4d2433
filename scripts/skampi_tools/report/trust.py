"""Whether result files can be trusted, in one line: trustworthy, doubtful or broken, and because of what.

REASONS is the only place that says which reason makes results doubtful and which broken. What is not in it, such
as something that a file does not say, is no reason.
"""

from .. import doubt, style
from ..screen import printable
from . import verdicts as v

TRUSTWORTHY, DOUBTFUL, BROKEN = "trustworthy", "doubtful", "broken"
STATUS = {TRUSTWORTHY: 0, DOUBTFUL: 3, BROKEN: 1}
FLAG, MEMBER, MISSING, SELF_CHECK = "flag", "member", "missing", "self-check"
OTHER = "any other"
SHOWN = 4  # reasons that the line of the verdict gives

# (check of verdicts.py, its state), (FLAG, name), (MEMBER, its name), (MISSING, kind), (SELF_CHECK, what).
REASONS = {
    **dict.fromkeys((
        (SELF_CHECK, "no check was made"), (SELF_CHECK, "no check is ok"), (MISSING, "failed"), ("File is complete", "bad"),
        ("Run ended well", "bad"), ("There are results", "bad"), ("Results without doubt", "bad")), BROKEN),
    **dict.fromkeys((
        (SELF_CHECK, "a check is not ok"), (MEMBER, "not_cold"),
        ("Run ended well", "unknown"), ("Medians are precise", "unknown"),
        *((MISSING, kind) for kind in ("unsupported", "skipped", "time_limit", "not_measurable", "too_large", "state", OTHER)),
        *((FLAG, name) for name in (*filter(doubt.speaks_against, doubt.FLAGS), OTHER)),
        *((check, "doubtful") for check in (
            "Run ended well", "Reading the file", "Warning of skampi", "PEs are bound", "Processors for all PEs",
            "Nodes were idle before", "Processor frequency is held", "Timer is fine enough",
            "Timer agrees with the system's clock", "Clocks agree over the run", "Repetitions are valid",
            "Medians are precise", "Covers changes over time", "Prediction intervals hold"))), DOUBTFUL),
}

# The results of the self-check are known waits, also of 0 and with changing levels: its checks judge them.
LEFT_TO_SELF_CHECK = ("Results without doubt", "Timer is fine enough", "Repetitions are valid", "Medians are precise",
                      "Covers changes over time")
KEPT_FLAGS = ("clocks_moved",)  # flags that count in the self-check, too
# Where all known times were met, it does not matter what might have disturbed them.
MIGHT_DISTURB = ("Warning of skampi", "PEs are bound", "Processors for all PEs", "Nodes were idle before",
                 "Processor frequency is held")


def severity_of(what, which):
    """What the table says; None: it is no reason."""
    return REASONS.get((what, which)) or REASONS.get((what, OTHER))


def _of_results(file, self_check):
    """What is missing, and flags and members of what is there."""
    total = style.count_text(len(file.points), "result")
    for kind, count in file.missing_kinds().items():
        yield MISSING, kind, f"{style.count_text(count, 'result')} missing: {kind.replace('_', ' ')}"
    for flag, count in doubt.Tally(file.points).flags.most_common():
        if not self_check or flag in KEPT_FLAGS:
            yield FLAG, flag, f"flag {flag.replace('_', ' ')} on {count} of {total}"
    if count := sum(r.not_cold is not None for r in file.points):
        yield MEMBER, "not_cold", f"not everything is cold in {count} of {total}"


def _self_check(checks):
    """checks: Verdicts of what the self-check printed."""
    wrong = [x for x in checks if x.state != "ok"]
    if not checks:
        yield SELF_CHECK, "no check was made", "the self-check printed no check"
    elif len(wrong) == len(checks):
        yield SELF_CHECK, "no check is ok", f"no check of the self-check is ok, of {len(checks)}"
    for check in wrong:
        yield SELF_CHECK, "a check is not ok", f"{check.check.replace('Self-check, ', 'self-check of ')}: {check.text}"


def _said_twice(what, which, text, found):
    """Whether a check only repeats what a flag, a missing result or another check says."""
    kinds = {(one, other) for one, other, _ in found}
    return ((what, which) == ("Timer is fine enough", "doubtful") and (FLAG, "below_resolution") in kinds
            or (what, which) == ("Run ended well", "doubtful") and any(one == MISSING for one, _ in kinds)
            or what == "Warning of skampi" and "was busy before the run" in text
            and ("Nodes were idle before", "doubtful") in kinds)


def reasons_of(file, name=""):
    """Verdicts against one ResultFile, the worst first; their states are DOUBTFUL and BROKEN. name: of the file, in the texts."""
    verdicts = v.check_file(file)
    self_check = v.is_self_check(file)
    printed = [x for x in verdicts if x.check.startswith("Self-check")]
    met = printed and all(check.state == "ok" for check in printed)
    left_out = (*LEFT_TO_SELF_CHECK, *(MIGHT_DISTURB if met else ())) if self_check else ()
    found = [*(_self_check(printed) if self_check else ()), *_of_results(file, self_check)]
    checks = [(x.check, x.state, f"{x.check}? {x.text}" if x.state == "unknown" else x.text) for x in verdicts
              if x.check not in left_out]
    found += [x for x in checks if not _said_twice(*x, found + checks)]
    reasons = [v.Verdict(what, severity, text, name) for what, which, text in found
               if (severity := severity_of(what, which))]
    return sorted(reasons, key=lambda reason: reason.state != BROKEN)


def judge(files, coverage=None):
    """(TRUSTWORTHY, DOUBTFUL or BROKEN; as of reasons_of()). files: (short name, ResultFile) pairs;
    coverage: a verdicts.Coverage."""
    many = len(files) > 1
    reasons = [reason for name, file in files for reason in reasons_of(file, name if many else "")]
    if coverage:
        held = coverage.verdict
        if severity := severity_of(held.check, held.state):
            reasons.append(v.Verdict(held.check, severity, held.text))
    reasons.sort(key=lambda reason: reason.state != BROKEN)
    return (reasons[0].state if reasons else TRUSTWORTHY), reasons


def known_times(files):
    """How many checks against known times files of the self-check have. files: as of judge()."""
    return sum(check.check.startswith("Self-check") for _, file in files for check in v.check_self(file))


def _said(reason):
    return printable(f"{reason.file}: {reason.text}" if reason.file else reason.text)


def line(outcome, reasons, known=0):
    """The last line, with the reasons that decided. known: of known_times()."""
    if outcome == TRUSTWORTHY:
        return outcome + (f": times of this machine can be trusted; {style.count_text(known, 'check')} against known "
                          "times passed" if known else "")
    texts = list(dict.fromkeys(_said(r) for r in reasons if r.state == outcome))
    more = f"; and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return f"{outcome}: because {'; '.join(texts[:SHOWN])}{more}"


def text(outcome, reasons, known=0):
    """All reasons, one a line, and at last the one line."""
    lines = dict.fromkeys(f"{r.state}: {_said(r)}" for r in reasons)
    return "".join(f"{one}\n" for one in (*lines, line(outcome, reasons, known)))
