"""How .sko files and tables write numbers, times and what belongs to a result.

The forms are those of src/output/output_sko.c and of what the engine prints; lines.py reads them."""

import datetime
import json
import math

from ...records import RATES, SECONDS, VALUES

UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
SHORT_UNITS = {"ps": 1e12, **UNITS}  # of controls
DEFAULT_UNIT = "us"
_SIGNIFICANT = 4
_LEAST_DECIMAL = -9
TIME_FORMAT = "%a %b %d %H:%M:%S %Y"  # of ctime()
COUNTERS_END = " per operation, most of any PE; mean of PEs:"
# Kinds of missing records that have other words here.
MISSING_WORDS = {"state": "not in this state"}
END = "end: "  # of a converted file: all it knows of the end
LAST_WORDS = (r"interrupted by signal (?P<signal>\d{1,3})\b|ended by (?P<watchdog>the watchdog)?|"
               r"error: PE \d+ was ended by signal (?P<crash>\d{1,3})\b")
PLACES = ("source_in_page", "target_in_page")  # of a page, in conditions
MEGA = 1e6


def number_text(value):
    """At least four significant digits and one decimal, as skampi prints it."""
    if value is None or math.isnan(value):
        return "---"
    decimals = 1
    if value != 0 and math.isfinite(value):
        leading = math.floor(math.log10(abs(value)))
        if leading < _LEAST_DECIMAL:
            return f"{value:.{_SIGNIFICANT - 1}e}"
        decimals = max(_SIGNIFICANT - 1 - leading, 1)
    return f"{value:.{decimals}f}"


def buffers_text(record):
    if record["buffers"] == "none":
        return "no buffers"
    words = [f"{record['buffers']} buffers"] + ([record["cache"]] if record.get("cache") else [])
    places = [f"{name.partition('_')[0]} at {record[name]:g}" for name in PLACES if record.get(name) is not None]
    return ", ".join(words + places) + (" of a page" if places else "")


def variable_text(value):
    """Of a loop variable, as skampi prints it: in quotes unless it is one word of ASCII."""
    text = "---" if value is None else str(value)
    word = text and all("!" <= c <= "~" and c not in '"\\' for c in text)
    return text if word else json.dumps(text, ensure_ascii=False)


def ctime(text):
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).strftime(TIME_FORMAT + " %z").rstrip()
    except ValueError:
        return text


def unit_text(unit):
    return next((name for name, value in UNITS.items() if value == unit), f"1/{unit!r} s")


def span_text(seconds):
    """Of a control, in the unit that suits it: 61.00 ns."""
    if not seconds or not math.isfinite(seconds):
        return f"{number_text(seconds)} ns"
    name = next((name for name, unit in SHORT_UNITS.items() if abs(seconds) * unit < 1000), "s")
    return f"{number_text(seconds * SHORT_UNITS[name])} {name}"


def column_text(name, value, unit, unit_name):
    """(text, its unit) of a member of a record, as skampi --columns shows it. unit_name: of results; "": it has none."""
    if name in VALUES:
        return number_text(None if value is None else value * unit), unit_name
    if name in RATES:
        return number_text(None if value is None else value / MEGA), RATES[name]
    if name in SECONDS:
        return number_text(value), "s"
    return str(value) if type(value) is int else number_text(value), ""
