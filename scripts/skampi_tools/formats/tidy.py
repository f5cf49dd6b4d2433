"""Results as plain tables for other programs: tidy (one kind of row, a column for each argument), also for pandas; and JSON
Lines for Extra-P."""

import csv
import json

from ..cli import Error
from ..doubt import speaks_against

LOST = ["the header", "what is missing, and why", "notes", "settings"]
_BEFORE = ("block", "function", "pes", "placement", "bytes")
_AFTER = ("what", "value", "low", "high", "confidence", "unit", "repetitions", "bandwidth", "bus_bandwidth", "rate", "state",
          "doubtful", "flags", "point")


def _finite(value):
    return None if value is None or value != value else value


def _flat(value):
    return value if isinstance(value, (int, float, str)) else json.dumps(value)


def rows(file):
    """(columns, iterator of rows as dicts) of what is shown of each point: seconds or bytes; None where a point lacks it. Loop variables
    follow arguments, and give way to an argument of the same name."""
    named = {}
    for result in file.points:
        named.update(dict.fromkeys(result.arguments))
    for result in file.points:
        named.update(dict.fromkeys(result.variables))
    fixed = {*_BEFORE, *_AFTER}
    column = {name: f"{name}_" if name in fixed else name for name in named}
    columns = [*_BEFORE, *column.values(), *_AFTER]
    return columns, (dict.fromkeys(columns) | _row(result, column) for result in file.points)


def _row(result, column):
    shown = result.shown()
    values = {name: _flat(value) for name, value in result.variables.items()}
    values.update({name: _flat(argument["value"]) for name, argument in result.arguments.items()})
    return {
        "block": result.block, "function": result.function, "pes": result.pes,
        "placement": result.pe_set.get("placement"), "bytes": _finite(result.bytes),
        **{column[name]: value for name, value in values.items()},
        "what": shown.what, "value": _finite(shown.value), "low": _finite(shown.low), "high": _finite(shown.high),
        "confidence": _finite(shown.confidence), "unit": "B" if result.quantity == "bytes" else "s",
        "repetitions": result.valid, **{name: _finite(getattr(result, name)) for name in ("bandwidth", "bus_bandwidth", "rate")},
        "state": result.state, "doubtful": int(any(map(speaks_against, result.flags))),
        "flags": " ".join(map(str, result.flags)), "point": result.key,
    }


def write(stream, file):
    """As CSV with a head line. Returns what it cannot hold, in words."""
    columns, table = rows(file)
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return LOST


def frame(file):
    """The same as a table of pandas."""
    try:
        import pandas
    except ImportError:
        raise Error("this needs pandas, which is not installed: python3-pandas in Debian, pandas in pip") from None
    columns, table = rows(file)
    return pandas.DataFrame(list(table), columns=columns)


# ---- Extra-P ----


def _parameters(result):
    """{name: number}, as functions of which Extra-P models the time."""
    numbers = {"p": result.pes, "bytes": _finite(result.bytes)}
    for source in (result.variables, {name: argument["value"] for name, argument in result.arguments.items()}):
        numbers.update({name: value for name, value in source.items()
                        if isinstance(value, (int, float)) and not isinstance(value, bool)})
    return {name: value for name, value in numbers.items() if value is not None}


def _varied(parameters):
    """Names of what all points have, and not all alike: an experiment of Extra-P has one list of parameters. Of two that
    always agree, such as bytes and count, the second would leave the model undetermined."""
    kept = []
    for name in parameters[0]:
        values = [own.get(name) for own in parameters]
        if None not in values and len(set(values)) > 1 and not any(
                values == [own[other] for own in parameters] for other in kept):
            kept.append(name)
    return kept or ["p"]


def write_extrap(stream, file):
    """JSON Lines of Extra-P: a line for each sample where the file has raw samples, else one for each point. Returns what
    it cannot hold, in words."""
    points = [result for result in file.points if result.quantity == "time"]
    parameters = list(map(_parameters, points))
    names = _varied(parameters) if points else []
    for result, own in zip(points, parameters):
        for value in result.samples or [result.best()]:
            if value == value:
                json.dump({"params": {name: own[name] for name in names}, "callpath": f"{result.block}->{result.function}",
                           "metric": "time", "value": value}, stream)
                stream.write("\n")
    return [*LOST, "intervals", "values that are no times"]
