"""What operations were measured to cost, and where that violates a rule."""

import fnmatch
import itertools
import math
from dataclasses import dataclass, field

from ..states.common import CommonStates
from ..statistics import median, rounds_of
from .rules import Rule, evaluate

IGNORED = "iterations"  # how many operations are timed together is no matter of the operation
FEWEST_LAUNCHES = 5  # with fewer launches their median has no interval


@dataclass
class Cost:
    """What an operation was measured to cost, in seconds."""
    function: str
    arguments: dict  # by name, without iterations
    pes: int
    members: str
    cache: str
    value: float
    low: float
    high: float
    basis: str       # what the interval is of: launches, few launches, rounds, repetitions, errors
    state: int = 0   # of the machine, the same in all files; 0: there is one, or it is not known
    where: str = ""  # "state 2 (hand-over 164 ns)"
    doubtful: bool = False


def _own_interval(result):
    if result.median_low <= result.median_high:  # no NaN
        return result.median_low, result.median_high, "rounds" if result.is_rounds else "repetitions"
    if result.standard_error >= 0:
        return (result.best() - 2 * result.standard_error, result.best() + 2 * result.standard_error,
                "errors")
    return math.nan, math.nan, ""


def costs(files):
    """List of Cost. files: ResultFile objects, launches of one script. Of an operation that a file
    has several times (in blocks with other settings) the first counts. Where the machine was in several
    states, each has costs of its own."""
    found, doubtful, common = {}, set(), CommonStates(files)
    for index, file in enumerate(files):
        seen = set()
        for result in file.points:
            if (result.quantity or "time") != "time" or not math.isfinite(result.best()):
                continue
            values = {name: argument.get("value") if isinstance(argument, dict) else argument
                      for name, argument in result.arguments.items() if name != IGNORED}
            arguments = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
            key = (result.function, tuple(arguments.items()), result.pes,
                   result.pe_set.get("members", ""), result.record.get("cache") or "")
            if key not in seen:
                seen.add(key)
                for state, measured in _by_state(common, index, result):
                    found.setdefault((*key, state), []).append(measured)
                    if result.doubtful:
                        doubtful.add((*key, state))
    return [_cost(key, launches, common, key in doubtful) for key, launches in found.items()]


def _by_state(common, index, result):
    """(state, (value, low, high, basis)) of the result in each state."""
    values = common.values(index, result)
    if not values or any(common.alone(number) for number in values):
        return [(0, (result.best(), *_own_interval(result)))]
    if not result.is_rounds and len(values) == 1:
        return [(number, (result.best(), *_own_interval(result))) for number in values]
    basis = "rounds" if result.is_rounds else "repetitions"
    return [(number, (value.median, value.median_low, value.median_high, basis))
            for number, value in values.items() if math.isfinite(value.median)]


def _cost(key, launches, common, doubtful):
    function, arguments, pes, members, cache, state = key
    values = [value for value, *_ in launches]
    if len(launches) >= FEWEST_LAUNCHES:
        rounds = rounds_of(values)
        low, high, basis = rounds.low, rounds.high, "launches"
    else:
        low, high = min(own[1] for own in launches), max(own[2] for own in launches)
        basis = launches[0][3] if len(launches) == 1 else "few launches"
        if any(math.isnan(own[1]) for own in launches):
            low = high = math.nan
    return Cost(function, dict(arguments), pes or 0, members, cache, median(values), low, high, basis, state,
                common.text(state) if state else "", doubtful)


# ---- Checking ----


@dataclass
class RuleResult:
    """A rule, and how it went."""
    rule: Rule
    points: int = 0        # where it could be checked
    unclear: int = 0       # of these: it may be violated, but intervals overlap
    undecided: int = 0     # besides: values without interval, or not above 0
    apart: int = 0         # besides: the sides were not measured in the same state
    violations: list = field(default_factory=list)  # as JSON has them


def check(rules, measured):
    """List of RuleResult, in the order of the rules. measured: of costs()."""
    by_function = {}
    for cost in measured:
        by_function.setdefault(cost.function, []).append(cost)
    return [_check_monotone(rule, by_function) if rule.monotone else _check_sums(rule, by_function)
            for rule in rules]


def total(terms, of="value"):
    return sum(term["times"] * term[of] for term in terms)


def _judge(checked, *sides):
    """sides: left and right, lists of (times, Cost)."""
    first, rule = sides[0][0][1], checked.rule
    left, right = ([{"function": cost.function, "arguments": cost.arguments, "times": times,
                     **{name: getattr(cost, name) for name in ("value", "low", "high", "basis", "doubtful")}}
                    for times, cost in side] for side in sides)
    low, high, value, bound = total(left, "low"), total(right, "high"), total(left), total(right)
    if math.isnan(low) or math.isnan(high) or value <= 0 or bound <= 0 or high <= 0:
        checked.undecided += 1
        return
    checked.points += 1
    limit = 1 + rule.tolerance
    if low > limit * high:  # factor: left over right; least: the least that the intervals allow
        checked.violations.append({
            "rule": rule.name, "why": rule.why, "tolerance": rule.tolerance, "factor": value / bound, "least": low / high,
            "pes": first.pes, **({"state": first.state, "where": first.where} if first.state else {}),
            "left": left, "right": right})
    elif value > limit * bound:
        checked.unclear += 1


def _candidates(term, values, first, by_function, same_state=True):
    """Measured costs that a term means, once the first term of the left side is chosen: on equal PEs and, where the cache
    matters, in the same state of it."""
    for cost in by_function.get(term.function, ()):
        if cost.pes != first.pes or cost.members != first.members or not set(term.arguments) <= set(cost.arguments):
            continue
        if same_state and cost.state != first.state or first.cache and cost.cache and first.cache != cost.cache:
            continue
        wanted = {name: evaluate(tree, values) for name, tree in term.arguments.items()}
        if all(value == (wanted[name] if name in wanted else first.arguments.get(name, value))
               for name, value in cost.arguments.items()):
            times = evaluate(term.times, values)
            if times is not None and times >= 0:
                yield times, cost


def _check_sums(rule, by_function):
    checked = RuleResult(rule)
    head = rule.left[0]
    for first in by_function.get(head.function, ()):
        values = {**first.arguments, "pes": first.pes}
        if first.pes < rule.least_pes:
            continue
        own = [(times, cost) for times, cost in _candidates(head, values, first, by_function)
               if cost is first]
        terms = rule.left[1:] + rule.right
        others = [list(_candidates(term, values, first, by_function)) for term in terms]
        if not all(others) and all(any(_candidates(term, values, first, by_function, same_state=False))
                                   for term in [head, *terms]):
            checked.apart += 1
        for combination in itertools.product(own, *others):
            _judge(checked, list(combination[:len(rule.left)]), list(combination[len(rule.left):]))
    return checked


def _check_monotone(rule, by_function):
    checked = RuleResult(rule)
    name = rule.monotone
    groups = {}
    for function, list_ in by_function.items():
        if not any(fnmatch.fnmatchcase(function, p) for p in rule.functions) or any(
                fnmatch.fnmatchcase(function, p) for p in rule.excepted):
            continue
        for cost in list_:
            if isinstance(cost.arguments.get(name), (int, float)) and cost.pes >= rule.least_pes:
                rest = tuple((n, v) for n, v in cost.arguments.items() if n != name)
                groups.setdefault((function, rest, cost.pes, cost.members, cost.cache), {}
                                  ).setdefault(cost.state, []).append(cost)
    for states in groups.values():
        _check_growth(checked, name, states.values())
    return checked


def _check_growth(checked, name, groups):
    """groups: of each state the costs of one function that differ in this argument alone."""
    largest = max(cost.arguments[name] for group in groups for cost in group)
    for group in groups:
        group.sort(key=lambda cost: cost.arguments[name])
        checked.apart += group[-1].arguments[name] < largest
        for number, cost in enumerate(group[:-1]):
            # One violation a size: by the larger one that takes the least time for certain.
            larger = [c for c in group[number + 1:] if math.isfinite(c.high)]
            if larger:
                _judge(checked, [(1, cost)], [(1, min(larger, key=lambda c: c.high))])
            else:
                checked.undecided += 1
