"""What an application's trace says of its calls, as a script that measures them."""

import collections
import json
import os
import tempfile
import textwrap

from .. import launching, results, style, weights
from ..cli import Error

LEAST_SHARE = 0.001  # share of the time in communication; routines that take less are summed up
LEAST_WAITING = 0.1       # of the time in a collective routine, for arrivals to be measured late
SIZELESS = "nb"           # the parameter of functions whose routine has no size: bytes that they complete
MOST_DISTANCES = 6


class Trace:
    """program: skampi, which knows the functions. uses: [weights.Use]; header: of its results; distances: Counter of calls by the peer's distance; waits: whether it is
    known how long PEs wait."""

    def __init__(self, path, program):
        with tempfile.TemporaryDirectory() as folder:
            summary, explained = (os.path.join(folder, name) for name in ("summary.json", "explained.json"))
            launching.shmemtrace("summary", "--results", "-o", summary, path)
            file = results.read(summary)
            launching.shmemtrace("summary", "--json", "-o", explained, path)
            with open(explained, encoding="utf-8") as read:
                facts = json.load(read)
            self.pes, self.whole = facts["pes"], facts["whole"]
            self.command, self.library, self.date = (" ".join(facts[name].split()) for name in ("command", "library", "date"))
            self.distances = collections.Counter()
            for pair in facts["pairs"]:
                self.distances[(pair["peer"] - pair["pe"]) % self.pes] += pair["calls"]
            waited = self._waited(path, explained)
        self.waits = waited is not None
        functions = {}
        uses = weights.uses_of(file, lambda routine: functions.setdefault(routine, weights.measuring(routine, program)))
        spent = collections.Counter()
        for use in uses:
            spent[use.routine] += use.seconds
        self.uses = [use._replace(waiting=use.seconds * min(1.0, (waited or {}).get(use.routine, 0.0) / spent[use.routine]))
                     if use.seconds else use for use in uses]

    @staticmethod
    def _waited(path, explained):
        """{routine: seconds for other PEs}; None: not known, as of sums without events."""
        try:
            launching.shmemtrace("explain", "--json", explained, "-o", os.devnull, path)
        except Error:
            return None
        with open(explained, encoding="utf-8") as read:
            findings = json.load(read)["findings"]
        found = collections.Counter()
        for finding in findings:
            if finding["cause"] != "communication":
                found[finding["in"]["routine"]] += finding["waited"]
        return found


# ---- The script ----


def text_of(trace):
    if not trace.uses:
        raise Error("the application makes no calls between start and end that could be measured")
    total = sum(use.seconds for use in trace.uses)
    uses = sorted(trace.uses, key=lambda use: -use.seconds)
    puts = [use for use in uses if "put" in use.routine and use.bytes]
    # Bytes that a quiet or fence of this application completes: those of its mean put.
    completed = round(sum(use.bytes * use.calls for use in puts) / sum(use.calls for use in puts)) if puts else 8
    blocks, lines, lacking = {}, [], []
    for use in uses:
        measured = _measured(use, trace.pes, completed)
        own = use._replace(functions=(), call=measured[1] if measured else "")
        if measured:
            blocks.setdefault(measured[0]["name"], []).append((own, *measured))
        else:
            lacking.append(own)
    for function, points in blocks.items():
        lines += ["", f'begin measurement "{function}"', *_points(points, trace.pes), "end measurement"]
    largest = max([use.bytes for points in blocks.values() for use, *_ in points], default=0)
    head = _head(trace, total, blocks, lacking)
    return "\n".join([*head, f"set_skampi_buffer({max(1 << 16, 4 * trace.pes * largest)})", "set_precision(0.02, 1)", *lines, ""])


def _measured(use, pes, completed):
    """(description, the call as results state it, the values of its parameters); None: nothing measures it."""
    for one in use.functions:
        if one["who"] != "all" or one["pes"] > pes or any(own["type"] not in weights.SIMPLE for own in one["parameters"]):
            continue
        values = {own["name"]: _value(own, completed if own["name"] == SIZELESS else use.bytes) for own in one["parameters"]}
        call = ", ".join(f"{name}={value}" for name, value in values.items())
        return one, f"{one['name']}({call})", list(values.values())
    return None


def _value(parameter, size):
    if parameter["type"] in ("iterations", "rank"):
        return 0
    if parameter.get("unit") == "bytes" and (size or parameter["name"] != "size"):
        return min(max(size, parameter.get("minimum", 0)), parameter.get("maximum", size))
    return parameter["example"]


def _points(points, pes):
    """Lines of a block. Arrivals are late as in the application: PEs wait as long in the mean."""
    seconds, waiting, calls = (sum(getattr(use, name) for use, *_ in points) for name in ("seconds", "waiting", "calls"))
    late = waiting / calls * pes / (pes - 1) if pes > 1 and waiting > LEAST_WAITING * seconds and _takes_late(points[0][1]) else 0.0
    if late:
        yield f'  set_arrival_skew("one", {late:.3g})   # PEs wait {style.time_text(waiting / calls)} in the mean'
    yield f'  if is_supported("{points[0][1]["name"]}") then'
    calls = {}
    for use, one, call, values in sorted(points, key=lambda point: point[0].bytes):
        calls.setdefault(call, (one, values, []))[2].append(use)
    for one, values, uses in calls.values():
        yield from (f"    {use.line(pes)}" for use in uses)
        yield f"    measure MPI_COMM_WORLD : {one['name']}({', '.join(map(str, values))})"
    yield "  fi"
    if late:
        yield '  set_arrival_skew("none", 0)'


def _takes_late(one):
    """set_arrival_skew() applies to what starts by the clock, of collective routines."""
    return one["name"].endswith("_Synchro") or one["name"] in ("Shmem_Barrier", "Shmem_Sync")


def _comment(text, indent=""):
    return textwrap.wrap(text, 110, initial_indent=f"# {indent}", subsequent_indent=f"#   {indent}", break_long_words=False)


def _head(trace, total, blocks, lacking):
    def share(seconds):
        return style.percent_text(seconds / total, 2) if total else style.NOTHING

    measured = [(use, one) for points in blocks.values() for use, one, *_ in points]
    late = sum(use.waiting for use, one in measured if _takes_late(one))
    waiting = sum(use.waiting for use, one in measured if not _takes_late(one))
    covered = sum(use.seconds for use, _ in measured) - waiting
    spent = collections.Counter()
    for use, _ in measured:
        spent[use.routine] += use.seconds
    routines = ", ".join(f"{name} {share(seconds)}" for name, seconds in spent.most_common())
    yield f"# The calls of an application, written by skampi-script: {trace.command}"
    yield f"# on {trace.pes} PEs, {trace.library}, {trace.date}."
    yield f"#   oshrun -np {trace.pes} skampi -i THIS -o old.json"
    yield "#   skampi compare --weights THIS old/ new/"
    yield from _comment(f"All PEs together spend {style.time_text(total)} in communication (start and end aside); this measures what "
                        f"{share(covered)} of that is. Routines: {routines}. Lines with \"weight\" have sums over all PEs; "
                        "skampi compare and skampi tune read them.")
    calls = sum(trace.distances.values())
    if calls:
        most = ", ".join(f"PE + {distance}: {style.percent_text(count / calls, 2)}"
                         for distance, count in trace.distances.most_common(MOST_DISTANCES))
        yield from _comment(f"The application's calls go to {most}. Measured is PE + 1, from all PEs at once.")
    yield "# What is not expressed:"
    for text in _not_expressed(trace, share, waiting, late, lacking, total):
        yield from _comment(text, "  ")
    yield from (use.line(trace.pes) for use in lacking)
    yield ""


def _not_expressed(trace, share, waiting, late, lacking, total):
    yield "the order of the calls, and what is computed between them"
    if not trace.waits:
        yield "how long PEs wait for each other: this trace does not tell"
    if waiting:
        yield f"{share(waiting)}: waiting for other PEs in locks, for flags, and for data"
    if late:
        yield f"{share(late)}: waiting for late PEs in collective routines: here the last PE is late, by as much in the mean"
    if memory := [use.routine for use in trace.uses if "alloc" in use.routine or use.routine == "shmem_align"]:
        yield f"sizes in {', '.join(memory)}"
    small = [use for use in lacking if use.seconds < LEAST_SHARE * total]
    for use in lacking:
        if use not in small:
            yield f"{share(use.seconds)}: {use.routine} of {use.bytes} bytes, which nothing measures"
    if small:
        routines = ", ".join(dict.fromkeys(use.routine for use in small))
        yield f"{share(sum(use.seconds for use in small))}: {routines}, which nothing measures"
    if trace.whole is False:
        yield "calls that are missing in the trace"
