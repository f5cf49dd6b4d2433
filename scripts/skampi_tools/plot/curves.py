"""Points of result files as curves: what is to be drawn together, against what, and under which name.

    points = load_all([Source(0, "a", read("a.json"))])
    for curve in curves(points):
        print(curve.label_parts(), curve.x, [(p.x, p.time) for p in curve.points])
"""

import fnmatch
import functools
import itertools
import math
import re
import statistics
from dataclasses import dataclass, field, replace

from ..points import aspect_text, aspects_of
from ..results import IN_ALL, MEDIAN, PER_SECOND
from ..states import common

NAN = math.nan
LOG_DECADES = 1.5  # values that span more are drawn on a logarithmic axis
# What the functions of non-blocking operations measure; longer names first.
PARTS = ("Quiet_Delayed", "Post", "Full", "Quiet", "Overlap")
_PART = re.compile(rf"(?P<stem>.+_Nonblocking)_(?P<part>{'|'.join(PARTS)})(?P<rest>_\w+)?")


@dataclass
class Source:
    """A result file and what it is called in a figure."""
    index: int
    label: str
    file: object  # ResultFile


@dataclass
class Part:
    """What of a point was measured in one state of the machine."""
    state: object  # CommonState, named
    value: object  # states.StateValue
    medians: list  # of rounds


@dataclass
class Point:
    """A result as it is drawn. Times in seconds; NaN: nothing to state."""
    source: Source
    block: str
    occurrence: int  # of the block's name in its file, from 1; 0: there is one of that name
    function: str
    variables: dict
    arguments: dict  # values by name
    sizes: set       # names of arguments in bytes
    pes: int
    placement: str
    bytes: float
    amounts: dict      # of an operation, by PER_SECOND: bytes or messages
    quantity: str
    time: float
    low: float
    high: float
    confidence: float  # of low and high; NaN: they are the standard error
    aimed: float       # confidence of the prediction interval
    next_low: float
    next_high: float
    doubtful: bool
    result: object     # of results.py
    per_pe: list
    samples: list
    medians: list
    is_rounds: bool
    what: str          # time is, in words
    members: str = ""
    stated: dict = field(default_factory=dict)  # what else is stated, in words by name (points.aspects_of)
    parts: list = field(default_factory=list)  # Part, where states of the machine are known
    state: object = None  # CommonState, where separate() made it the part of a point
    x: object = None   # set by curves()


def _number(value):
    return NAN if value is None or not math.isfinite(value) else float(value)


def _scalar(value):
    """A variable's value as something that can be compared: a number or a text."""
    if isinstance(value, (int, float)) and math.isfinite(value):
        return value
    return "" if value is None else str(value)


def load_all(sources):
    """The points of these files, with the states of the machine of all of them."""
    known = common.CommonStates([source.file for source in sources])
    return [point for place, source in enumerate(sources)
            for point in load(source, functools.partial(known.parts, place))]


def load(source, parts_of=lambda result: []):
    """The points of a file: aggregates over rounds where there are some, else results. Raw samples
    of all rounds are put together. parts_of: what a result has in each state (CommonStates.parts)."""
    file = source.file
    samples = {}
    for result in file.results + file.later:
        samples.setdefault(result.key, []).extend(
            x for x in result.samples if math.isfinite(x))
    per_pe = {result.key: result.per_pe for result in file.results}
    numbers_of = {}
    loaded = []
    for result in file.points:
        record = result.record
        block = result.block or ""
        numbers = numbers_of.setdefault(block, [])
        if result.number not in numbers:
            numbers.append(result.number)

        def number(member):
            return _number(record.get(member))

        shown = result.shown()
        time, low, high, confidence = map(_number, shown[1:])
        loaded.append(Point(
            source=source, block=block, occurrence=numbers.index(result.number) + 1,
            function=result.function or "",
            variables={name: _scalar(value) for name, value in result.variables.items()},
            arguments={name: _scalar(argument.get("value"))
                       for name, argument in result.arguments.items()},
            sizes={name for name, argument in result.arguments.items()
                   if argument.get("unit") == "bytes"},
            pes=result.pes, placement=result.pe_set.get("placement") or "",
            bytes=number("bytes"), amounts={rate: result.amount(rate) for rate in PER_SECOND}, quantity=result.quantity or "time",
            time=time, low=low, high=high, confidence=confidence, aimed=number("confidence"),
            next_low=number("next_low"), next_high=number("next_high"),
            doubtful=result.doubtful, result=result,
            per_pe=[_number(x) for x in result.per_pe or per_pe.get(result.key, [])],
            samples=samples.get(result.key, []), medians=[_number(x) for x in result.medians],
            is_rounds=result.is_rounds, what=shown.what, members=result.pe_set.get("members") or "",
            stated={name: text for name, text in aspects_of(result.stated).items() if name != "placement"},
            parts=[Part(*part) for part in parts_of(result)]))
    if file.of_trace():
        loaded = [_in_all(point, result) for point, result in zip(loaded, file.points)]
    for point in loaded:
        if len(numbers_of[point.block]) == 1:
            point.occurrence = 0
    return loaded


def _in_all(point, result):
    """The time of all calls in a trace's summary: a call that is short in the median may make up most of the time. It
    is no estimate, and has no interval."""
    return replace(point, time=_number(result.mean * result.valid), low=NAN, high=NAN, confidence=NAN, what=IN_ALL,
                   amounts={rate: amount * result.valid for rate, amount in point.amounts.items()})


def separate(points):
    """For each state of the machine a point with what was measured in it; the points as they are if all
    were measured in one state. A point without a state, between others that have one, is in UNKNOWN."""
    if not common.differ(part.state for point in points for part in point.parts):
        return points
    def neighbours(point):
        return point.source.index, scope(point), point.function
    stated = {neighbours(point) for point in points if point.parts}
    return [one for point in points
            for one in _by_state(point) or
            [replace(point, state=common.UNKNOWN if neighbours(point) in stated else None)]]


def _by_state(point):
    if len(point.parts) == 1 and not point.is_rounds:
        return [replace(point, state=point.parts[0].state)]
    found = []
    for part in point.parts:
        value = part.value
        low, high = _number(value.median_low), _number(value.median_high)
        found.append(replace(
            point, time=_number(value.median), low=low, high=high,
            confidence=NAN if math.isnan(low) else point.confidence, next_low=_number(value.next_low),
            next_high=_number(value.next_high), medians=part.medians, parts=[part], state=part.state,
            what=point.what if point.is_rounds else MEDIAN))
    return found


# ---- Selecting ----


def contains(text, pattern):
    """As skampi --list: the text contains the pattern, or matches it where it has * or ?."""
    text, pattern = text.lower(), pattern.lower()
    return pattern in text or fnmatch.fnmatchcase(text, pattern)


def same_value(have, wanted):
    """Whether a variable has the value that a command line or a spec names."""
    if isinstance(have, (int, float)):
        try:
            return float(wanted) == have
        except (TypeError, ValueError):
            return False
    return str(have) == str(wanted)


def selects_file(selector, source):
    """Whether the key "file" of a selector, if it has one, takes this file."""
    wanted = selector.get("file", source.index + 1)
    if isinstance(wanted, int):
        return wanted == source.index + 1
    return any(fnmatch.fnmatchcase(name, wanted) for name in (source.label, source.file.path))


def selects(selector, point):
    """Whether a selector of a spec (its keys: spec.SELECTOR) takes this point."""
    patterns = {"block": point.block, "function": point.function, "placement": point.placement, "members": point.members}
    states = [part.state.number for part in point.parts] or [common.UNKNOWN.number]
    return (all(fnmatch.fnmatchcase(have, selector[key]) for key, have in patterns.items() if key in selector)
            and selects_file(selector, point.source)
            and all(selector.get(key, have) == have for key, have in (("occurrence", point.occurrence), ("pes", point.pes)))
            and ("state" not in selector or selector["state"] in states)
            and all((point.stated.get(name) or "") == wanted for name, wanted in selector.get("stated", {}).items())
            and all(name in values and same_value(values[name], wanted)
                    for key, values in (("variables", point.variables), ("arguments", point.arguments))
                    for name, wanted in selector.get(key, {}).items()))


class Index:
    """Points in their order. What a selector takes is found without looking at all of them, where it names a block and
    a function."""

    def __init__(self, points):
        self.points = points
        self._by_name = {}
        for point in points:
            for key in ((point.block, point.function), (point.block, None), (None, point.function)):
                self._by_name.setdefault(key, []).append(point)

    def selected(self, selector):
        key = tuple(_literal(selector.get(name)) for name in ("block", "function"))
        some = self.points if key == (None, None) else self._by_name.get(key, [])
        return [point for point in some if selects(selector, point)]

    @functools.cached_property
    def separate(self):
        """Of the same points by states of the machine."""
        return Index(separate(self.points))


def _literal(pattern):
    """The only text that the pattern matches; None where it may match several."""
    text = None if pattern is None else unescape(pattern)
    return text if text is not None and escape(text) == pattern else None


# ---- Against what ----


def value_of(point, name):
    """What a point has under that name: a loop variable, an argument, or "bytes" or "pes"."""
    if name in point.variables:
        return point.variables[name]
    if name in point.arguments:
        return point.arguments[name]
    if name == "bytes":
        return None if math.isnan(point.bytes) else point.bytes
    return point.pes if name == "pes" else None


def candidates(points):
    """Names of what these points can be drawn against: numbers that all have and that differ;
    loop variables first, those with the most values first, inner ones before outer ones."""
    def varying(names):
        found = []
        for name in names:
            values = [value_of(point, name) for point in points]
            if all(isinstance(value, (int, float)) for value in values) and len(set(values)) > 1:
                found.append((-len(set(values)), name))
        return [name for _, name in sorted(found, key=lambda pair: pair[0])]

    first = points[0]
    loops = varying(reversed([n for n in first.variables]))
    arguments = varying([n for n in first.arguments if n not in first.variables])
    arguments.sort(key=lambda name: name not in first.sizes)
    others = varying([n for n in ("bytes", "pes") if n not in loops + arguments])
    return loops + arguments + others


def is_size(points, name):
    """Whether that is a number of bytes in all points."""
    def of(point):
        value = value_of(point, name)
        return (name == "bytes" or name in point.sizes
                or any(point.arguments[size] == value for size in point.sizes)
                or (not point.arguments and value == point.bytes))
    return all(of(point) for point in points)


def scope(point):
    """Points of one scope share their x axis: they are of one block and have the same loop variables."""
    return (point.block, point.occurrence, tuple(point.variables))


# ---- Curves ----


@dataclass
class Curve:
    """Points of one file, block and function, in the order of x."""
    x: str  # name of what it is drawn against; None: nothing, and there is one point
    size: bool
    points: list
    split: dict = field(default_factory=dict)  # what else distinguishes it from others of its block
    repeated: int = 0  # the nth measurement of the very same; 0: there is one

    @property
    def first(self):
        return self.points[0]

    @property
    def placement(self):
        found = {point.placement for point in self.points}
        return found.pop() if len(found) == 1 else ""

    def others(self):
        """The loop variables besides x."""
        return {n: v for n, v in self.first.variables.items() if n != self.x}

    def stated_differently(self):
        """Names of what is stated of it and distinguishes it from others."""
        return [name for name in self.split if name not in (*self.first.arguments, "pes", "placement")]

    def selector(self, several_files):
        """What in a spec selects this curve alone."""
        first = self.first
        found = {
            "file": several_files and first.source.index + 1, "block": escape(first.block), "function": escape(first.function),
            "occurrence": first.occurrence, "variables": self.others(),
            "arguments": {name: value for name, value in self.split.items() if name in first.arguments},
            "pes": self.split.get("pes"), "placement": self.split.get("placement"),
            "stated": {name: first.stated.get(name) or "" for name in self.stated_differently()},
            "state": first.state and first.state.number, "repeated": self.repeated}
        always = {"block", "function", *({"pes", "placement"} & self.split.keys()), *(["state"] if first.state else [])}
        return {name: value for name, value in found.items() if value or name in always}

    def label_parts(self):
        """(what, text) in the order in which they are taken into labels."""
        first = self.first
        parts = [("block", first.block), ("function", first.function)]
        parts += [(name, f"{name} = {value}") for name, value in self.others().items()]
        parts += [(name, f"{name} = {value}") for name, value in self.split.items()
                  if name in first.arguments]
        if self.x != "pes" and len({point.pes for point in self.points}) == 1:
            parts.append(("pes", f"{first.pes} PEs"))
        parts.append(("placement", self.placement))
        parts += [(name, aspect_text(name, first.stated.get(name))) for name in self.stated_differently()]
        if first.state:
            parts.append(("state", common.text_of([point.state for point in self.points])))
        if first.occurrence:
            parts.append(("occurrence", f"block {first.occurrence} of that name"))
        if self.repeated:
            parts.append(("repeated", f"measurement {self.repeated} of the same"))
        return parts


def escape(text):
    """A pattern that matches just this text."""
    return re.sub(r"([*?[])", r"[\1]", text)


def unescape(pattern):
    return re.sub(r"\[([*?[])\]", r"\1", pattern)


def curves(points, x=None):
    """Curves of these points, in the order of the files. x: what against; chosen for each scope
    where none is given. Points that have no such value are left out."""
    x_of = {}
    if x is None:
        scopes = {}
        for point in points:
            scopes.setdefault(scope(point), []).append(point)
        for key, members in scopes.items():
            x_of[key] = (candidates(members) or [None])[0]
    groups = {}
    for point in points:
        name = x if x is not None else x_of[scope(point)]
        point.x = None if name is None else value_of(point, name)
        if name is not None and not isinstance(point.x, (int, float)):
            continue
        others = tuple((n, v) for n, v in point.variables.items() if n != name)
        key = (point.source.index, scope(point), point.function, name, others,
               point.state and point.state.number)
        groups.setdefault(key, []).append(point)
    found = []
    for (_, _, _, name, *_), members in groups.items():
        found += _divide(name, members)
    return found


def _divide(name, members):
    """Curves of points that have all but arguments and PEs in common: points of the same x that
    differ in those belong to several."""
    by_x = {}
    for point in members:
        by_x.setdefault(point.x, []).append(point)

    def aspects(point):
        return {**{n: v for n, v in point.arguments.items() if n != name},
                "pes": point.pes, "placement": point.placement, **point.stated}

    split = []
    for same in by_x.values():
        for aspect in dict.fromkeys(aspect for point in same for aspect in aspects(point)):
            if aspect not in split and len({str(aspects(p).get(aspect)) for p in same}) > 1:
                split.append(aspect)
    groups = {}
    for point in members:
        have = {aspect: aspects(point).get(aspect) for aspect in split}
        groups.setdefault(str(have), (have, []))[1].append(point)
    found = []
    for have, group in groups.values():
        repeats = []
        for point in group:
            for repeat in repeats:
                if point.x not in repeat:
                    repeat[point.x] = point
                    break
            else:
                repeats.append({point.x: point})
        for number, repeat in enumerate(repeats, 1):
            ordered = sorted(repeat.values(), key=lambda p: 0 if p.x is None else p.x)
            size = name is not None and is_size(ordered, name)
            found.append(Curve(name, size, ordered, have, number if len(repeats) > 1 else 0))
    return found


# ---- Names ----


def shorten(texts):
    """The texts without what all of them begin and end with, and that: (texts, common). Words, or parts between commas, stay
    whole."""
    split = [re.findall(r"[^,:\s]+[,:]?\s*|\s+|[,:]", text) for text in texts]
    shortest = min(len(words) for words in split) if len(set(texts)) > 1 else 0
    begin = 0
    while begin < shortest - 1 and len({words[begin] for words in split}) == 1:
        begin += 1
    end = 0
    while end < shortest - 1 - begin and len({words[-1 - end] for words in split}) == 1:
        end += 1
    begin, end = "".join(split[0][:begin]), "".join(split[0][len(split[0]) - end:])
    short = [text[len(begin):len(text) - len(end)].strip(" ,:") for text in texts]
    if not all(short) or len(set(short)) != len(set(texts)):
        return list(texts), ""
    return short, ", ".join(part for part in (begin.strip(" ,:"), end.strip(" ,:")) if part)


def labels(found):
    """(labels, title): for each curve what distinguishes it from the others, and what all have in common."""
    parts = [dict(curve.label_parts()) for curve in found]
    names = []
    for part in parts:
        names += [name for name in part if name not in names]
    if len({curve.first.source.index for curve in found}) > 1:
        for curve, part in zip(found, parts):
            part["file"] = curve.first.source.label
        names.append("file")
    texts = [[] for _ in found]
    title = []
    for name in names:
        values = [part.get(name, "") for part in parts]
        if len(set(values)) == 1:
            if name in ("block", "state"):
                title.append(values[0])
            continue
        before = len({tuple(text) for text in texts})
        after = len({tuple(text) + (value,) for text, value in zip(texts, values)})
        if after == before and name not in ("file", "state"):
            continue
        if name == "block":
            values, common = shorten(values)
            title += [common] if common else []
        for text, value in zip(texts, values):
            if value:
                text.append(value)
    return [", ".join(text) for text in texts], ", ".join(part for part in title if part)


def part_of(function):
    """(operation, part) of a function that measures a part of a non-blocking operation, as
    ("Shmem_Put_Nonblocking", "Post"); with the timer inside the loop ("..._IterationTimer") that
    belongs to the operation. None for others."""
    match = _PART.fullmatch(function)
    if not match:
        return None
    return match["stem"] + (match["rest"] or ""), match["part"]


def overlap_of(full, rest, post):
    """(percent, low, high) that a computation hides of what follows the post:
    100 (full - rest) / (full - post). The interval is that of the worst combinations of the three
    intervals' ends. NaN if full is not clearly above post: there is nothing to overlap."""
    def ratio(f, r, p):
        return 100 * (f - r) / (f - p)

    def ends(point):
        return [v for v in (point.low, point.high) if math.isfinite(v)] or [point.time]
    times = (full.time, rest.time, post.time)
    if not all(math.isfinite(t) for t in times) or min(ends(full)) <= max(ends(post)):
        return NAN, NAN, NAN
    corners = [ratio(*c) for c in itertools.product(ends(full), ends(rest), ends(post))]
    return ratio(*times), min(corners), max(corners)


# ---- Axes ----


def spread_of(medians):
    """Percent: the standard error of the mean of independent runs, sigma / (mean sqrt(k)). NaN of fewer
    than two."""
    if len(medians) < 2 or not statistics.fmean(medians) > 0:
        return math.nan
    return (100 * statistics.stdev(medians)
            / (statistics.fmean(medians) * math.sqrt(len(medians))))


def wants_log(values):
    """Whether these values are better drawn on a logarithmic axis: they span enough, and hardly any
    is not above zero."""
    finite = [v for v in values if math.isfinite(v)]
    positive = [v for v in finite if v > 0]
    if len(positive) < 2 or 3 * (len(finite) - len(positive)) > len(finite):
        return False
    return math.log10(max(positive)) - math.log10(min(positive)) > LOG_DECADES


def spacing(values):
    """"log2", "log10" or "linear": how numbers to draw against are spaced."""
    positive = sorted({v for v in values if v > 0})
    if len(positive) < 3 or any(v < 0 for v in values) or positive[-1] < 8 * positive[0]:
        return "linear"

    def unevenness(numbers):
        gaps = [b - a for a, b in zip(numbers, numbers[1:])]
        return statistics.pstdev(gaps) / statistics.fmean(gaps)
    if unevenness(positive) <= unevenness([math.log(v) for v in positive]):
        return "linear"

    def powers_of(base):
        return sum(abs(e - round(e)) < 1e-9 for e in (math.log(v, base) for v in positive))
    return "log10" if powers_of(10) > powers_of(2) else "log2"


def even_ticks(low, high, most=7):
    """Places of labelled ticks, a multiple of 1, 2 or 5 apart."""
    raw = (high - low) / most
    if not raw > 0 or not math.isfinite(raw):
        return [low]
    size = 10.0 ** math.floor(math.log10(raw))
    step = next((size * factor for factor in (1, 2, 5, 10) if size * factor >= raw * (1 - 1e-9)), raw)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [(first + i) * step for i in range(count)] if 0 < count <= 4 * most else [low, high]


def log_ticks(low, high, base, most=7):
    """Places of labelled ticks between two positive limits: powers, or where there are hardly any, finer ones."""
    first, last = math.ceil(math.log(low, base) - 1e-9), math.floor(math.log(high, base) + 1e-9)
    if last - first >= 2:
        return [float(base)**power for power in range(first, last + 1, math.ceil((last - first + 1) / most))]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [tick for power in decades for tick in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)
            if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
    return fine if len(fine) > 2 else even_ticks(low, high, most)


def distinct_texts(values, text, digits=3):
    """text(value, digits) of ticks, with as many more digits as they need to differ."""
    for count in range(digits, 13):
        texts = [text(value, count) for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts
