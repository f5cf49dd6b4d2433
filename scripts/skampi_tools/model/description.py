"""A fitted machine as a description for shmemsim, and as JSON."""

import math

from .. import cli, progress, screen, style
from ..statistics import median
from .data import BETWEEN, INSIDE, PLACE_WORDS
from .fitting import CLASSES, CONNECT, HAND_OVER, LINEAR, ONE_SIZE, OVERTAKES, ROUND_TRIPS, spread, unlock

DIGITS = 5
BUS, NODE = "network", "host"
STEP = "    "
ALONE_MEANS = {HAND_OVER: "from clear_lock until the set_lock of the next PE in the queue returns",
               CONNECT: "the first get of a process, less the second"}


def time_of(seconds):
    """A time as shmemsim reads it."""
    return "0 ns" if seconds <= 0 else style.short_time_text(seconds, DIGITS).replace("µ", "u")


def rate_of(per_byte):
    """A bandwidth as shmemsim reads it."""
    return style.rate_text(1 / per_byte, DIGITS) if per_byte > 0 else "infinite"


def size_of(count):
    """A size without rounding."""
    for name, size in (("MiB", 2**20), ("KiB", 2**10)):
        if count and count % size == 0:
            return f"{count // size} {name}"
    return f"{count} B"


def interval_text(value):
    """"+- 3 %" of a Value: half of its interval of 95 %."""
    if math.isnan(value.error):
        return ""
    if value.value == 0:
        return f"+- {time_of(value.error)}" if value.error > 0 else ""
    return f"+- {style.number_text(100 * value.relative, 2)} %"


def with_interval(value, form=time_of):
    """A Value and its interval, as shmemsim reads them."""
    return f"{form(value.value)} {interval_text(value)}".rstrip()


def residuals_text(residuals):
    """How far the description is from what was measured."""
    worst = max(abs(round(one.relative, 6)) for one in residuals)
    middle = median(abs(round(one.relative, 6)) for one in residuals)
    return (f"{style.count_text(len(residuals), 'result')}; deviation {style.percent_text(middle, 2)} in the median, "
            f"{style.percent_text(worst, 2)} at most")


class _Lines:
    """The text, with comments behind what they explain."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def add(self, text, comment=""):
        line = STEP * self.depth + text
        self.lines.append(f"{line:<36}  # {comment}" if comment else line)

    def begin(self, text, comment=""):
        self.add(text + " {", comment)
        self.depth += 1

    def end(self):
        self.depth -= 1
        self.add("}")

    def value(self, name, value, form=time_of):
        self.add(f"{name} {with_interval(value, form)}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def _header(lines, machine, files):
    lines.add(f"# Machine description for shmemsim, made by skampi-model {cli.version()}.")
    for file in files:
        hosts = ", ".join(screen.printable(node.get("name")) for node in file.header.get("nodes") or [])
        lines.add(f"# From {screen.printable(file.path)}: {style.count_text(file.header.get('pes') or 0, 'PE')}"
                  f"{' on ' + hosts if hosts else ''}, {screen.printable(file.header.get('library') or '?')}")
    for text in machine.data.states:
        lines.add(f"# State of the machine with {text}")
    if machine.data.mixed:
        lines.add(f"# Of all states, since most of their results are of others: {', '.join(machine.data.mixed)}")
    lines.add("# +-: half of an interval of 95 %.")
    for text in machine.data.lacking:
        lines.add(f"# {screen.printable(text)}")
    for text in machine.missing:
        lines.add(f"# Not measured, {text}")


def _base(lines, model):
    latency, overhead, gap, per_byte = model.base
    lines.value("latency", latency)
    lines.value("bandwidth", per_byte, rate_of)
    lines.value("overhead", overhead)
    lines.value("gap", gap)
    if model.library.header:
        lines.add(f"header {model.library.header} B")
    own = {"receive": model.library.receive, "answer": model.library.answer}
    for name, value in ({name: value for name, value in own.items() if value.value > 0} | model.interrupts).items():
        lines.value(name, value)
    if model.library.asks:
        lines.add("quiet asks", "a put takes about a message longer until it is complete than a get does")
    if model.busy:
        lines.value("atomic", model.busy)


def _costs(lines, model):
    for call, way in model.strided.items():
        residuals = model.residuals.get(call)
        lines.add(f"{call} {way}", residuals_text(residuals) if residuals else "not measured: as calls in the other direction")
    for kind in CLASSES:
        if kind in model.own:
            lines.add(f"cost {kind} {{ overhead {with_interval(model.own[kind])} }}")
        if kind in model.alone:
            lines.begin(f"cost {kind}", ALONE_MEANS[kind])
            lines.value("latency", model.alone[kind])
            lines.end()
        if kind not in model.costs:
            continue
        lines.begin(f"cost {kind}", residuals_text(model.residuals[kind]))
        for cost in model.costs[kind]:
            lines.add(f"from {size_of(cost.start)}")
            lines.value("  overhead", cost.overhead)
            lines.value("  latency", cost.latency)
            lines.value("  gap", cost.gap)
            if kind not in ONE_SIZE:
                lines.value("  bandwidth", cost.per_byte, rate_of)
        lines.end()


def _node(lines, machine, nodes):
    inside, between = machine.places.get(INSIDE), machine.places.get(BETWEEN)
    lines.add("")
    lines.begin(f"node {NODE}")
    lines.add(f"count {nodes}")
    if cores := min(machine.data.hosts.values(), default=0):
        lines.add(f"cores {cores}")
    if between:
        lines.add(f"bus {BUS}")
    if not inside:
        lines.add(f"# Not measured {PLACE_WORDS[INSIDE]}: as {PLACE_WORDS[BETWEEN]}.")
    _base(lines, inside or between)
    if _progress(machine) == progress.INSIDE:
        lines.add("progress inside", "gets or atomics wait for the next call of a target that computes")
    _costs(lines, inside or between)
    lines.end()


def _progress(machine):
    """Whether a PE serves gets and atomics of others only inside its calls. What was measured between nodes decides, if it was."""
    found = [machine.places[place].progress for place in (BETWEEN, INSIDE) if place in machine.places]
    return next((verdict for verdict in found if verdict != progress.UNCERTAIN), progress.UNCERTAIN)


def _table(lines, name, table):
    lines.add("")
    beyond = "table linear" if table.growth == LINEAR else "table"
    lines.begin(f"collective {name} {beyond}", f"{PLACE_WORDS[table.place]}; {residuals_text(table.residuals)}")
    why = "what fits best" if table.chosen else "the default, as few numbers of PEs are measured"
    lines.add(f"# Other numbers of PEs are not measured: shmemsim extrapolates by {table.growth} ({why}).")
    for pes, pieces in table.rows.items():
        lines.begin(f"pes {pes}")
        for number, piece in enumerate(pieces):
            lines.add(f"from {size_of(piece.start)}")
            lines.value("  time", piece.intercept)
            lines.value("  bandwidth", piece.slope, rate_of)
            if number == 0 and pes in table.last:
                lines.value("  last", table.last[pes])
        lines.end()
    lines.end()


def description(machine, files, nodes=None, model_errors=()):
    """The text of a machine description. nodes: how many; else as many as the files name. model_errors: shares, of programs
    without and with several threads a PE; 0: not stated."""
    count = nodes or max(1, len(machine.data.hosts))
    if BETWEEN not in machine.places:
        if nodes and nodes > 1:
            raise cli.Error(f"--nodes {nodes}: nothing was measured between nodes; measure on two nodes, or leave "
                            "--nodes out")
        count = 1
    lines = _Lines()
    _header(lines, machine, files)
    if between := machine.places.get(BETWEEN):
        lines.add("")
        lines.begin(f"bus {BUS}")
        _base(lines, between)
        _costs(lines, between)
        lines.end()
    _node(lines, machine, count)
    if spread(machine.data):
        lines.add("")
        lines.add("locks spread")
    if way := unlock(machine.data):
        lines.add("")
        lines.add(f"unlock {way}", "a clear_lock behind a put " +
                  ("takes no longer" if way == OVERTAKES else "takes longer, by the time that the put is open"))
    if any(model_errors):
        lines.add("")
    for whose, error in zip(("", "threads "), model_errors):
        if error:
            lines.add(f"model loggp {whose}+- {style.number_text(100 * error, 3)} %",
                      "run times; tests/bench/accuracy.py calibrates that for your machine")
    for name, table in machine.tables.items():
        _table(lines, name, table)
    return lines.text()


# ---- JSON ----


def _place_json(model):
    return {
        "costs": {kind: [{"from": cost.start, "round_trip": kind in ROUND_TRIPS,
                          **{name: getattr(cost, name)._asdict() for name in ("overhead", "latency", "gap", "per_byte")}}
                         for cost in costs] for kind, costs in model.costs.items()},
        "own": {kind: value._asdict() for kind, value in model.own.items()},
        "atomic": model.busy and model.busy._asdict(),
        **{kind.replace("-", "_"): (value := model.alone.get(kind)) and value._asdict() for kind in (HAND_OVER, CONNECT)},
        "header": model.library.header, "receive": model.library.receive._asdict(), "answer": model.library.answer._asdict(),
        **{name: value._asdict() for name, value in model.interrupts.items()},
        "quiet": "asks" if model.library.asks else "waits",
        "strided": model.strided,
        "progress": model.progress,
        "residuals": {kind: [one._asdict() for one in found] for kind, found in model.residuals.items()}}


def as_json(machine, files):
    """Times in seconds, per_byte in seconds a byte; error is half of an interval of 95 %, null: not known."""
    return {
        "model": 1, "files": [file.path for file in files], "states": machine.data.states,
        "mixed": machine.data.mixed, "lacking": machine.data.lacking, "missing": machine.missing, "left_out": machine.data.refused,
        "unlock": unlock(machine.data),
        "progress": {progress.YES: "self", progress.INSIDE: "inside"}.get(_progress(machine)),
        "places": {place: _place_json(model) for place, model in machine.places.items()},
        "collectives": {name: {"place": table.place, "growth": table.growth, "growth_chosen": table.chosen,
                               "rows": {str(pes): [{"from": piece.start, "time": piece.intercept._asdict(),
                                                    "per_byte": piece.slope._asdict()} for piece in pieces]
                                        for pes, pieces in table.rows.items()},
                               "last": {str(pes): value._asdict() for pes, value in table.last.items()},
                               "residuals": [one._asdict() for one in table.residuals]}
                        for name, table in machine.tables.items()}}
