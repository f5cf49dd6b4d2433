"""How numbers and series look to people: units, and colours that also survive grey printing.

    time_text(1.234e-6)    "1.23 µs"
    size_text(65536)       "64 KiB"
    rate_text(2.5e9)       "2.5 GB/s"

Needs nothing but Python, so that every script can use it.
"""

import math

NOTHING = "---"  # as in .sko files: there is nothing to state

TIME_UNITS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))
SHORT_UNITS = (("ps", 1e-12), *TIME_UNITS)  # of controls, which are shorter than what is measured
SIZE_UNITS = (("B", 1), ("KiB", 2**10), ("MiB", 2**20), ("GiB", 2**30), ("TiB", 2**40))
RATE_UNITS = (("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12))
MESSAGE_UNITS = (("1/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9))

# The hues of Okabe & Ito, "Color Universal Design" (2008), which readers with any common colour
# vision distinguish; lightness is changed so that any two differ by at least 8 in CIE L*, and
# neighbours by at least 18: they differ in grey as well. For a white background.
PALETTE = ("#004c8c", "#e69f00", "#00885f", "#1a1a1a", "#cc79a7", "#b83200", "#88ccf0")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("solid", "dashed", "dotted", "dashdot")
GREY = "#6b6b6b"  # what is written small


def number_text(value, digits=3):
    """A number with this many significant digits, without trailing zeros: 1.50 is "1.5"."""
    if value is None or math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    if not 1e-4 <= abs(rounded) < 1e7:
        mantissa, exponent = f"{rounded:.{digits - 1}e}".split("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        return f"{mantissa}e{int(exponent)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def decimals_for(value, error):
    """Places after the point (before it, if negative) that the error allows: two digits of the error, and two of the
    value at least. error 0 or NaN: not known, two digits of the value."""
    def second_digit(number):
        return 1 - math.floor(math.log10(float(f"{abs(number):.2g}"))) if number and math.isfinite(number) else -math.inf
    places = max(second_digit(value), second_digit(error) if error > 0 else -math.inf)
    return 0 if places == -math.inf else places


def digits_for(value, error):
    """Significant digits of the value that decimals_for() leaves, at most 4; 3 if it is exact or its error is not known."""
    if not error > 0 or not value or not math.isfinite(value):
        return 3
    return min(4, decimals_for(value, error) + 1 + math.floor(math.log10(abs(value))))


def fixed_text(value, digits=3):
    """A number with this many significant digits, trailing zeros included: the numbers of a column compare by their
    digits."""
    text = number_text(value, digits)
    if not value or not math.isfinite(value) or "e" in text:
        return text
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits}g}")))))
    return f"{float(text):.{decimals}f}"


def choose_unit(value, units):
    """The (name, size) of the largest unit that the value reaches; the smallest one for less, and
    for what is no number. A value that would be printed as 1000 in a unit gets the next one."""
    chosen = units[0]
    for unit in units:
        if value is not None and math.isfinite(value) and abs(value) >= 0.9995 * unit[1]:
            chosen = unit
    return chosen


def unit_for(values, units=TIME_UNITS):
    """The (name, size) of the unit in which most of the values read well: the one of a column."""
    known = sorted(abs(value) for value in values if value and math.isfinite(value))
    return choose_unit(known[len(known) // 2] if known else math.nan, units)


def column(title, values, units=TIME_UNITS):
    """(title with the unit, text(value, error)) of a column with one unit, in the digits that the errors allow."""
    name, size = unit_for(values, units)

    def text(value, error=math.nan):
        return fixed_text(value / size, digits_for(value, error)) if math.isfinite(value) else NOTHING
    return f"{title} [{name}]", text


def _with_unit(value, units, digits):
    if value is None or not math.isfinite(value):
        return number_text(value)
    if value == 0:
        return f"0 {units[0][0]}"
    name, size = choose_unit(value, units)
    return f"{number_text(value / size, digits)} {name}"


def time_text(seconds, digits=3):
    """A time in the unit that suits it: ns, µs, ms or s."""
    return _with_unit(seconds, TIME_UNITS, digits)


def short_time_text(seconds, digits=3):
    """time_text() with a smaller unit, for times such as that of an addition: 285 ps."""
    return _with_unit(seconds, SHORT_UNITS, digits)


def seconds_text(seconds):
    """Of something to wait for: 1.2 s, 3 min, 2 h 5 min."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def rate_text(bytes_per_second, digits=3):
    """A bandwidth, decimal as networks are sold: GB/s is 10^9 bytes a second."""
    return _with_unit(bytes_per_second, RATE_UNITS, digits)


def size_text(count, digits=3):
    """A number of bytes, binary: 1024 is "1 KiB". Counts below 10000 that are no multiple of 1024
    stay exact: "1000 B"."""
    if count is None or not math.isfinite(count):
        return number_text(count)
    if abs(count) < 10000 and count % 1024:
        return f"{number_text(count, 4)} B"
    unit, size = "B", 1
    for name, candidate in SIZE_UNITS:
        if abs(count) >= candidate:
            unit, size = name, candidate
    value = count / size
    exact = number_text(value, 4) if value == int(value) else number_text(value, digits)
    return f"{exact} {unit}"


def value_text(value, quantity, digits=3):
    """Of a result: a time, or bytes."""
    return (size_text if quantity == "bytes" else time_text)(value, digits)


def change_text(ratio, low=math.nan, high=math.nan):
    """(a ratio, its interval) in one notation, with as many digits as the interval allows: "+10.3 %", "+9.1 % .. +11.2 %".
    Factors where any of them is beyond 2: "x 680", "x 620 .. x 750"."""
    known = [value for value in (ratio, low, high) if value > 0]
    width = high - low if high > low else math.nan
    if any(value >= 2 or value <= 0.5 for value in known):
        digits = 3 if not width >= 0.1 * ratio else 2
        def text(value):
            return f"x {number_text(value, digits)}"
    else:
        decimals = 1 if not width >= 0.1 else 0
        def text(value):
            return f"{round(100 * (value - 1), decimals) or 0.0:+.{decimals}f} %"
    def shown(value):
        return text(value) if value > 0 else NOTHING
    return shown(ratio), f"{shown(low)} .. {shown(high)}"


def percent_text(share, digits=3):
    """0.125 is "12.5 %"."""
    text = number_text(share if share is None else 100 * share, digits)
    return text if text == NOTHING else f"{text} %"


def count_text(count, noun, plural=None):
    """1 is "1 PE", 2 is "2 PEs". plural: of nouns that get more than an s."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def listed(names, most=4):
    """Names in a sentence; only the first when there are many."""
    names = list(map(str, names))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


