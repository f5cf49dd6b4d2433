"""Fits the machine description of shmemsim from what was measured: overhead o, latency L, gap g and time per byte G
of each class of operations (LogGP: Alexandrov, Ionescu, Schauser and Scheiman, J. Parallel Distrib. Comput. 44, 1997),
piecewise in the size, and tables of collectives.

    machine = fitted([results.read("model.json")])
    print(description.description(machine))

A description must give what was measured when shmemsim replays the same operation. There a put with its quiet takes
o + bytes G + 2 L and what the quiet takes itself, and a get o + bytes G + R; R, the round trip, is 2 L.
"""

import heapq
import math
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import piecewise, progress
from ..cli import Error
from ..piecewise import Value, combined
from ..statistics import NAN, known, median
from . import data as data_of
from .data import (BEHIND, BETWEEN, COLLECTIVES, COMPUTING, CONTENDED, EXCHANGE, FULL, FULL_QUIET, INSIDE, LATE, PLACES,
                   POST, STRIDED, WINDOW)

TRANSFERS = ("put", "get", "put-nbi", "get-nbi")
OWN = ("quiet", "fence", "wait")
LOCKS = ("lock", "unlock")
HAND_OVER, CONNECT = ALONE = ("hand-over", "connect")  # classes that have a latency, and nothing else
CLASSES = (*TRANSFERS, "atomic", *LOCKS, *ALONE, *OWN)
ONE_SIZE = ("atomic", *LOCKS)
# Their latency in a description is that of there and back.
ROUND_TRIPS = ("get", "get-nbi", "atomic", *LOCKS, *ALONE)
# Whose post is the overhead of a class, the first that was measured.
OVERHEAD_OF = {"put": ("put", "put-nbi"), "get": ("get-nbi", "put-nbi", "put"), "put-nbi": ("put-nbi", "put"),
               "get-nbi": ("get-nbi", "put-nbi"), "atomic": ("put-nbi", "put", "get-nbi")}
SMALL = 64            # bytes of a post that is overhead alone
LARGER = 512          # bytes of posts of which a few in a row are measured
VISIBLE = 1.1         # a gap, a busy target or one that receives shows if it makes calls longer than this factor
EACH, TOGETHER = "each", "together"  # how the elements of a strided call go: each by itself, or as one message
STRIDED_CALLS = {"put": "iput", "get": "iget"}
COMPLETES, OVERTAKES = "completes", "overtakes"  # whether clear_lock waits for open puts
WAITED = 1 / 3        # of the time that a put is open: so much longer takes a clear_lock that waits for it
LATER = 2             # a PE comes late if it comes that many times later than a collective takes
EVEN = 0.5            # of the longest time of a PE: if all need as long for locks, these are spread over the PEs
SERVED = ("get", "atomic")  # that a PE may have to serve in a call of its own
LOGARITHMIC, LINEAR = "log2(n)", "n - 1"
# How collectives grow that were measured on too few numbers of PEs: as shmemsim's default.
GROWTH = {"barrier": LOGARITHMIC, "broadcast": LOGARITHMIC, "reduce": LOGARITHMIC, "collect": LINEAR,
          "fcollect": LINEAR, "alltoall": LINEAR}
STEPS = {LOGARITHMIC: lambda pes: math.log2(pes), LINEAR: lambda pes: pes - 1}


class Cost(NamedTuple):
    """A piece of a class. Times in seconds, per_byte in seconds a byte; latency as in a description."""
    start: int
    overhead: Value
    latency: Value
    gap: Value
    per_byte: Value


class Residual(NamedTuple):
    """What was measured, and what the description gives."""
    bytes: int
    measured: float
    predicted: float

    @property
    def relative(self):
        return self.predicted / self.measured - 1


class Library(NamedTuple):
    """What libraries and lines do for messages between PEs."""
    receive: Value = Value(0.0)  # time of the target's for a message
    answer: Value = Value(0.0)   # time of the caller's for its answer
    asks: bool = False           # a quiet that has to wait asks the target, by one more message
    header: int = 0              # bytes that a message has besides its data, if the line limits how many come
    line: float = 0.0            # seconds that these take


@dataclass
class PlaceModel:
    """What holds inside a node, or between nodes."""
    costs: dict = field(default_factory=dict)      # {class: [Cost]}
    own: dict = field(default_factory=dict)        # {"quiet": Value, ...}
    busy: Value = None                             # of an atomic, at its target
    interrupts: dict = field(default_factory=dict) # {"interrupt": Value, "first-interrupt": Value}, if messages take time
    library: Library = Library()
    alone: dict = field(default_factory=dict)      # {HAND_OVER: Value, ...}
    strided: dict = field(default_factory=dict)    # {"iput": EACH, ...}
    progress: str = progress.UNCERTAIN             # whether gets and atomics are served while their target computes
    residuals: dict = field(default_factory=dict)  # {class: [Residual]}

    @property
    def base(self):
        """(latency one way, overhead, gap, per byte) of the bus or node itself: that of the smallest messages of the
        first class that was measured, and the bandwidth of its largest."""
        name = next(kind for kind in ("put", "put-nbi", "get", "get-nbi") if kind in self.costs)
        first, last = self.costs[name][0], self.costs[name][-1]
        half = 2 if name in ROUND_TRIPS else 1
        latency = Value(first.latency.value / half, first.latency.error / half)
        return latency, first.overhead, first.gap, last.per_byte


@dataclass
class Table:
    """A collective."""
    place: str
    rows: dict = field(default_factory=dict)       # {PEs: [piecewise.Piece]}
    last: dict = field(default_factory=dict)       # {PEs: Value}: what it takes the PE that comes last, where that is less
    growth: str = None                             # how it goes on beyond the rows
    chosen: bool = False                           # the growth was chosen by the measurements
    residuals: list = field(default_factory=list)


@dataclass
class Machine:
    data: data_of.Data
    places: dict = field(default_factory=dict)     # {INSIDE: PlaceModel, ...}
    tables: dict = field(default_factory=dict)     # {collective: Table}
    missing: list = field(default_factory=list)    # texts


# ---- Transfers ----


def _overhead(data, place, kind, piece):
    """What a post costs before anything depends on the size: of small messages their median, or that of a few somewhat larger
    ones, or what one more in a window takes, or, on a slow line, that of gets: whichever is least. (Many small ones in a row may
    have to wait meanwhile, since the processor also works for packets of the first ones, or since the line is busy, for which
    requests of gets are fewer bytes.) Of a later piece, where the line through its posts begins. The call of a put takes its
    bytes, too: then without them."""
    for source in OVERHEAD_OF[kind]:
        posts = data.points(place, source, POST)
        per_byte = piece.slope.value if kind == source == "put" else 0.0
        if piece.start == 0 and (small := [max(0.0, time - size * per_byte) for size, time in posts if size <= SMALL]):
            windows = _windows(data, place) if source == "put-nbi" else None
            few = [time for size, time in posts if SMALL < size <= LARGER]
            slow = _header_time(data, place) > 0
            asking = [time for size, time in data.points(place, "get-nbi", POST) if size <= LARGER and slow]
            values = [piecewise.middle(times) for times in (small, few, asking) if times]
            if windows and windows.step.value > 0:
                values.append(windows.step)
            return min(values, key=lambda value: value.value)
        if piece.start and (line := piecewise.line([p for p in posts if piece.start <= p[0] <= piece.end])):
            return line.intercept
    return None


def _full(data, place, kind, quiet):
    """[(bytes, seconds)] of an operation until it is complete, without what a quiet takes itself."""
    if data.of(place, kind, FULL):
        return data.points(place, kind, FULL)
    own = quiet.value if quiet else 0.0
    return [(size, time - own) for size, time in data.points(place, kind, FULL_QUIET) if time > own]


class Windows(NamedTuple):
    """A window of n small puts and their quiet takes base + n step."""
    step: Value
    base: float


def _window_times(measured):
    """[(puts, Value of the seconds of all of them)], ascending: of several launches the median, since what receiving takes
    differs from one to the next."""
    groups = {}
    for one in measured:
        if one.window:
            groups.setdefault(one.window, []).append(
                one._replace(time=one.time * one.window, error=one.error * one.window))
    return [(window, _constant(groups[window])) for window in sorted(groups)]


def _windows(data, place):
    """The Windows of puts in one direction; None: not measured."""
    windows = _window_times(data.of(place, "put-nbi", WINDOW))
    if len(windows) < 2:
        return None
    (few, short), (many, long) = windows[0], windows[-1]
    step = (long.value - short.value) / (many - few)
    return Windows(combined(step, short.error / (many - few), long.error / (many - few)), long.value - many * step)


def _gap(data, place, overhead):
    """Between the beginnings of puts: what one more in a window takes. None: not measured; 0: no more than a post, or
    than the bytes take."""
    windows = _windows(data, place)
    if not windows:
        return None
    return windows.step if windows.step.value > VISIBLE * overhead else Value(0.0, 0.0)


def _header_time(data, place):
    """Seconds that the line needs for each message besides its data, if it limits how fast messages follow each other: then small
    posts in a row take longer by what their bytes take. 0: it does not, or that was not measured."""
    posts = [(size, time) for size, time in data.points(place, "put-nbi", POST) if size <= SMALL]
    found, pieces = piecewise.line(posts), piecewise.fit(_full(data, place, "put", None))
    if not found or not pieces:
        return 0.0
    least, most, per_byte = min(posts), max(posts), pieces[-1].slope.value
    shows = (most[0] - least[0]) * per_byte > (VISIBLE - 1) * least[1]
    if not shows or found.slope.value < per_byte / 2:
        return 0.0
    windows = _windows(data, place)
    size, time = (data.of(place, "put-nbi", WINDOW)[0].bytes, windows.step.value) if windows else least
    return max(0.0, time - size * per_byte)


# ---- Receiving ----


def asked_time(overhead, latency, library):
    """Seconds of a put and a quiet that asks, as shmemsim says: the target handles one after the other, and lines carry one
    after the other."""
    receive, answer = library.receive.value, library.answer.value
    there, back = max(0.0, latency - receive), max(0.0, latency - answer)
    handled = overhead + there + receive
    question = max(overhead + max(overhead, library.line) + there, handled) + receive
    return max(question, handled + library.line) + back + answer


def exchange_time(count, overhead, latency, library):
    """Seconds of n puts to each other at the same time until all are complete, as shmemsim says: in its quiet each PE
    handles the other's messages, and then the answers to its own, one by one in the order in which they come. If it asks,
    it does so after it has handled what had come before the quiet."""
    receive, answer = library.receive.value, library.answer.value
    posted = free = count * overhead
    there, back = max(0.0, latency - receive), max(0.0, latency - answer)
    coming = [((i + 1) * overhead + there, False) for i in range(count)]
    asks = library.asks
    while coming:
        if asks and coming[0][0] > posted:
            asks, free = False, free + overhead
            heapq.heappush(coming, (free + there, False))
            continue
        at, answers = heapq.heappop(coming)
        free = max(free, at) + (answer if answers else receive)
        if not answers:
            heapq.heappush(coming, (free + back, True))
    return free


def _solved(least, most, time):
    """The number at which a growing function reaches 0."""
    for _ in range(50):
        middle = (least + most) / 2
        if time(middle) < 0:
            least = middle
        else:
            most = middle
    return most


def _asks(model):
    """Whether a quiet asks: then a put takes about a message longer until it is complete than a get does."""
    get = next((kind for kind in ("get", "atomic") if kind in model.costs), None)
    if not get:
        return False
    longer = full_time(model.costs["put-nbi"], "put-nbi", 8) - full_time(model.costs[get], get, 8)
    return longer > model.costs["put-nbi"][0].overhead.value / 2


def _asked_latency(alone, overhead, library):
    """Latency one way [s] of a put that takes `alone` seconds with a quiet that asks; 0: the messages alone take as long."""
    solved = asked_time(overhead, 0.0, library) < alone
    return _solved(0.0, alone, lambda latency: asked_time(overhead, latency, library) - alone) if solved else 0.0


def _library(data, place, model):
    """The Library of a place. A message takes what one more put in a window takes in one direction, where that is more than
    posting it. What windows take longer in both directions at the same time is that and answers. An answer takes no longer
    than a message, else that would show in one direction, too: if so much is not enough, messages alone take that long.
    Where lines are slower than libraries, windows do not show what these need: then receiving takes as long as posting, as in
    LogP. Nothing: not measured, they do not, or targets need no call."""
    windows = _windows(data, place)
    measured = _window_times(data.of(place, "put-nbi", EXCHANGE))
    costs = model.costs.get("put-nbi")
    if model.progress != progress.INSIDE or not windows or not measured or not costs:
        return Library()
    count, both_ways = measured[-1]
    error = both_ways.error / count
    wanted = both_ways.value - (model.own["quiet"].value if "quiet" in model.own else 0.0)
    overhead, latency = costs[0].overhead.value, costs[0].latency.value
    asks = _asks(model)
    if line := _header_time(data, place):
        return Library(costs[0].overhead, asks=asks, header=round(line / model.base[-1].value), line=line)

    def longer(receive, answer):
        library = Library(Value(receive), Value(answer), asks)
        own = _asked_latency(overhead + 2 * latency, overhead, library) if asks else latency
        return exchange_time(count, overhead, own, library) - wanted

    if longer(0.0, 0.0) > (1 / VISIBLE - 1) * wanted:
        return Library()
    step = windows.step
    if step.value <= VISIBLE * overhead or longer(step.value, 0.0) >= 0 or longer(step.value, step.value) < 0:
        both = _solved(0.0, wanted / count, lambda receive: longer(receive, 0.0))
        return Library(combined(both, error, step.error), Value(0.0), asks)
    answer = _solved(0.0, step.value, lambda answer: longer(step.value, answer))
    return Library(step, combined(answer, error, step.error), asks)


def _set_library(data, place, model):
    """Sets the Library of a place, and what depends on it."""
    model.library = _library(data, place, model)
    if model.library.receive.value > 0:  # that is what puts in a row wait for
        for kind in TRANSFERS:
            if kind in model.costs:
                model.costs[kind] = [cost._replace(gap=Value(0.0)) for cost in model.costs[kind]]
    for kind in ("put", "put-nbi") if model.library.asks else ():
        model.costs[kind] = [cost._replace(latency=Value(
            _asked_latency(cost.overhead.value + 2 * cost.latency.value, cost.overhead.value, model.library),
            cost.latency.error)) for cost in model.costs.get(kind, [])]
        model.residuals[kind] = [one._replace(predicted=full_time(model.costs[kind], kind, one.bytes, model.library))
                                 for one in model.residuals.get(kind, [])]


def _transfer(data, place, kind, quiet):
    """[Cost] of a class; [] if it was not measured."""
    costs = []
    for piece in piecewise.fit(_full(data, place, kind, quiet)):
        overhead = _overhead(data, place, kind, piece) or Value(0.0)
        if overhead.value > piece.intercept.value:  # all of it keeps the caller busy
            overhead = piece.intercept
        round_trip = combined(piece.intercept.value - overhead.value, piece.intercept.error, overhead.error)
        half = 1 if kind in ROUND_TRIPS else 2
        latency = Value(round_trip.value / half, round_trip.error / half)
        gap = _gap(data, place, overhead.value) if "put" in kind else None
        costs.append(Cost(piece.start, overhead, latency, gap or Value(0.0), piece.slope))
    return costs


def full_time(costs, kind, size, library=Library()):
    """Seconds until an operation is complete, as shmemsim says."""
    cost = piecewise.piece_of(costs, size)
    if library.asks and kind not in ROUND_TRIPS:
        return size * cost.per_byte.value + asked_time(cost.overhead.value, cost.latency.value, library)
    trips = 1 if kind in ROUND_TRIPS else 2
    return cost.overhead.value + trips * cost.latency.value + size * cost.per_byte.value


def _interrupts(data, place):
    """What messages take from PEs that compute: each, at both its ends, and the first one more. Of none, few and more puts in both
    directions: in turn, what the computation itself loses, one message each way, and several. {}: not measured, or nothing."""
    puts = {}
    for one in data.of(place, "interrupt"):
        puts.setdefault(one.window, []).append(one.time)
    if len(puts) < 3:
        return {}
    (_, none), (few, short), *_, (many, long) = sorted((window, median(times)) for window, times in puts.items())
    each = max(0.0, (long - short) / (many - few) / 2)
    first = max(0.0, short - none - 2 * few * each)
    return {"interrupt": Value(each), "first-interrupt": Value(first)} if each or first else {}


# ---- Strided calls ----


def strided_time(costs, kind, elements, size, way, library=Library()):
    """Seconds until a strided call is complete, as shmemsim says; size: bytes of all elements."""
    if way == TOGETHER:
        return full_time(costs, kind, size, library)
    each = size // elements
    cost = piecewise.piece_of(costs, each)
    returns = cost.overhead.value + each * cost.per_byte.value + (cost.latency.value if kind in ROUND_TRIPS else 0)
    return (elements - 1) * max(returns, cost.gap.value) + full_time(costs, kind, each, library)


def _strided(data, place, model, kind):
    """Sets how strided calls go, by what is closer to their times."""
    measured = [one for one in data.of(place, kind, STRIDED) if one.elements > 1]
    costs = model.costs.get(kind)
    if not measured or not costs:
        return
    quiet = model.own["quiet"].value if kind == "put" and "quiet" in model.own else 0.0
    found = {way: [Residual(one.bytes, one.time, quiet + strided_time(costs, kind, one.elements, one.bytes, way, model.library))
                   for one in measured] for way in (EACH, TOGETHER)}
    way = min(found, key=lambda way: math.fsum(abs(math.log(one.predicted / one.measured)) for one in found[way]))
    model.strided[STRIDED_CALLS[kind]] = way
    model.residuals[STRIDED_CALLS[kind]] = found[way]


# ---- The other classes ----


def _constant(measured):
    """The Value of an operation without a size; None without measurements."""
    if not measured:
        return None
    value = piecewise.middle([one.time for one in measured])
    errors = [one.error / math.sqrt(len(measured)) for one in measured]
    return Value(value.value, max(known((value.error, median(errors))), default=NAN))


def _busy(data, place, fetch, overhead, round_trip):
    """How long an atomic keeps its target busy: what n PEs on one target take more than one each, if they do; else
    what is left of a fetch, if that shows, and no more than their turns leave room for."""
    shares = [(one.time / one.pes, one.error / one.pes) for one in data.of(place, "atomic", CONTENDED)
              if one.time > VISIBLE * fetch.value]
    if shares:
        share, error = max(shares)
        return Value(min(share, fetch.value - overhead.value), error)
    left = max(0.0, fetch.value - overhead.value - round_trip.value)
    if left < (VISIBLE - 1) * fetch.value:
        return Value(0.0, combined(0.0, fetch.error, overhead.error, round_trip.error).error)
    room = min((one.time / one.pes for one in data.of(place, "atomic", CONTENDED)), default=left)
    return combined(min(left, room), fetch.error, overhead.error, round_trip.error)


def _describe_fetch(model, kind, measured, call, overhead, busy):
    """Sets the cost of a class that takes o + R + busy, and its residuals; call: the Value of what was measured."""
    rest = max(0.0, call.value - overhead.value - busy.value)
    model.costs[kind] = [Cost(0, overhead, combined(rest, call.error, overhead.error, busy.error), Value(0.0), Value(0.0))]
    model.residuals[kind] = [Residual(8, one.time, overhead.value + rest + busy.value) for one in measured]


def _atomic(data, place, model):
    """Sets costs["atomic"] and busy: a fetching atomic takes o + R + busy."""
    fetch = _constant(data.of(place, "atomic"))
    source = next((kind for kind in ("put", "put-nbi", "get", "get-nbi") if kind in model.costs), None)
    if not fetch or not source:
        return
    first = model.costs[source][0]
    trips = 1 if source in ROUND_TRIPS else 2
    overhead = _overhead(data, place, "atomic", piecewise.Piece(0, 0, None, None)) or first.overhead
    overhead = min(overhead, fetch, key=lambda value: value.value)
    model.busy = _busy(data, place, fetch, overhead,
                       Value(trips * first.latency.value, trips * first.latency.error))
    _describe_fetch(model, "atomic", data.of(place, "atomic"), fetch, overhead, model.busy)


def _lock(data, place, model, kind):
    """Sets the cost of setting or clearing a lock, which takes o + R + busy, as an atomic that fetches. Of locks that are
    spread, some are at the PE itself: between nodes these cost nothing in comparison."""
    measured = data.of(place, kind)
    if place == BETWEEN and spread(data):
        measured = [one._replace(time=one.time * one.pes / (one.pes - 1), error=one.error * one.pes / (one.pes - 1))
                    for one in measured]
    call = _constant(measured)
    source = next((other for other in ("atomic", *TRANSFERS) if other in model.costs), None)
    if not call or not source:
        return
    overhead = min(model.costs[source][0].overhead, call, key=lambda value: value.value)
    _describe_fetch(model, kind, measured, call, overhead, model.busy or Value(0.0))


def unlock(data):
    """COMPLETES or OVERTAKES; None if no put was open long enough to say so. A clear_lock right behind a put takes longer by
    what the put is still open, or by half of it, if those that need a message anyway wait for both together."""
    for place in (BETWEEN, INSIDE):
        posts, puts, alone, behind = (
            _constant([one for one in data.of(place, kind, part) if one.bytes <= SMALL])
            for kind, part in (("put-nbi", POST), ("put-nbi", FULL_QUIET), ("unlock", FULL), ("unlock", BEHIND)))
        quiet = _constant(data.of(place, "quiet"))
        if not (posts and puts and alone and behind and quiet):
            continue
        still_open = puts.value - posts.value - quiet.value
        if still_open > posts.value:
            return COMPLETES if behind.value - posts.value - alone.value > WAITED * still_open else OVERTAKES
    return None


def spread(data):
    """Whether locks are at all PEs, each at another one; else, or if that is not known, they are at the first."""
    for place in (BETWEEN, INSIDE):
        even = [one.evenness for kind in LOCKS for one in data.of(place, kind) if math.isfinite(one.evenness)]
        if even:
            return median(even) >= EVEN
    return False


def _served(data, place):
    """What skampi table progress says of gets and atomics on a PE that computes: INSIDE if one of them waits for the PE's next
    call; else YES if one is known not to; else UNCERTAIN."""
    verdicts = []
    for kind in SERVED:
        measured = data.of(place, kind, COMPUTING)
        alone = {one.bytes: one for one in measured if one.computation == 0}
        verdicts += [progress.target_row(kind, one.pes, one.bytes, one.computation, _interval(alone[one.bytes]),
                                         _interval(one)).verdict
                     for one in measured if one.computation > 0 and one.bytes in alone]
    if progress.INSIDE in verdicts:
        return progress.INSIDE
    return progress.YES if progress.YES in verdicts else progress.UNCERTAIN


def _interval(measured):
    error = measured.error if math.isfinite(measured.error) else 0.0
    return progress.Time(measured.time, measured.time - error, measured.time + error)


def _place_model(data, place):
    model = PlaceModel()
    for kind in OWN:
        if value := _constant(data.of(place, kind)):
            model.own[kind] = value
    quiet = model.own.get("quiet")
    for kind in TRANSFERS:
        if costs := _transfer(data, place, kind, quiet):
            model.costs[kind] = costs
            model.residuals[kind] = [Residual(size, time, full_time(costs, kind, size))
                                     for size, time in _full(data, place, kind, quiet)]
    _atomic(data, place, model)
    model.interrupts = _interrupts(data, place)
    for kind in LOCKS:
        _lock(data, place, model, kind)
    model.alone = {kind: value for kind in ALONE if (value := _constant(data.of(place, kind))) and value.value > 0}
    model.progress = _served(data, place)
    _set_library(data, place, model)
    for kind in STRIDED_CALLS:  # now that gaps are known: messages that are received have none
        _strided(data, place, model, kind)
    for kind, call in STRIDED_CALLS.items():  # a library that moves each element by itself does so in both directions
        if kind in model.costs and model.strided:
            model.strided.setdefault(call, next(iter(model.strided.values())))
    return model


# ---- Collectives ----


def _growth(rows, name):
    """(how times grow with the PEs, whether the measurements say so): with three numbers of PEs or more, what leaves
    smaller deviations of the time of the smallest size."""
    if len(rows) < 3:
        return GROWTH[name], False
    times = {pes: pieces[0].time(pieces[0].end) for pes, pieces in rows.items()}

    def deviation(steps):
        logarithms = [math.log(time / steps(pes)) for pes, time in times.items() if time > 0]
        middle = math.fsum(logarithms) / len(logarithms)
        return math.fsum((one - middle) ** 2 for one in logarithms)

    return min(STEPS, key=lambda growth: deviation(STEPS[growth])), True


def _last(measured, pes, time):
    """The Value of what a collective takes a PE that finds all others in it; None: not measured, or as long as they take
    together. Of several measurements that in which it was late by least: caches get cold meanwhile."""
    late = [one for one in measured if one.pes == pes and one.lateness > LATER * time]
    least = min((one.lateness for one in late), default=None)
    value = _constant([one for one in late if one.lateness == least])
    return value if value and value.value * VISIBLE < time else None


def _table(data, name, place):
    """The Table of a collective; None without results."""
    table = Table(place)
    measured = data.of(place, name) or data.of(place, name, data_of.TOGETHER)
    for pes in sorted({one.pes for one in measured}):
        points = [(one.bytes, one.time) for one in measured if one.pes == pes]
        pieces = piecewise.fit(points)
        if pieces:
            table.rows[pes] = pieces
            if last := _last(data.of(place, name, LATE), pes, pieces[0].time(pieces[0].start)):
                table.last[pes] = last
            table.residuals += [Residual(size, time, piecewise.piece_of(pieces, size).time(size))
                                for size, time in points if time > 0]
    if not table.rows:
        return None
    table.growth, table.chosen = _growth(table.rows, name)
    return table


# ---- All of it ----


def _missing(machine):
    """One text for each place and the collectives that lack something."""
    texts = []
    for place, model in machine.places.items():
        lacking = [kind for kind in (*CLASSES, *STRIDED_CALLS.values())
                   if kind not in ALONE and kind not in model.costs and kind not in model.own and kind not in model.strided]
        if model.progress == progress.UNCERTAIN:
            lacking.append("progress")
        if lacking:
            texts.append(f"{data_of.PLACE_WORDS[place]}: {', '.join(lacking)}")
    lacking = [name for name in COLLECTIVES if name not in machine.tables]
    if lacking:
        texts.append(f"collectives: {', '.join(lacking)}")
    return texts


def fitted(files, state=None):
    """The Machine that ResultFiles describe. state: number of the state of the machine."""
    for file in files:
        if file.format == "sko":
            raise Error(f"{file.path}: .sko does not say which functions were measured; write JSON: skampi -o model.json")
    data = data_of.gather(files, state)
    places = {place: _place_model(data, place) for place in PLACES}
    machine = Machine(data, {place: model for place, model in places.items() if set(model.costs) & set(TRANSFERS)})
    if not machine.places:
        refused = f" ({'; '.join(data.refused)})" if data.refused else ""
        raise Error(f"no put or get of 2 PEs to fit a machine from{refused}; measure with: "
                    "oshrun -np 2 skampi -i model.ski -o model.json")
    for name in COLLECTIVES:
        # Between nodes, if there are any: programs that use several nodes spend their time there. What they take
        # inside a node would be far too little then.
        if table := _table(data, name, BETWEEN if BETWEEN in machine.places else INSIDE):
            machine.tables[name] = table
    machine.missing = _missing(machine)
    return machine
