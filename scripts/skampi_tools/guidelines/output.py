"""What the check of guidelines has found, as text, as JSON, and in the form of JUnit."""

from dataclasses import dataclass

from .. import doubt, screen, style
from ..screen import printable
from . import checking


def side(terms):
    return " + ".join((f"{times:g} x " if times != 1 else "") + printable(cost.text()) + doubt.mark(cost.doubtful)
                      for times, cost in terms)


def total(terms, of="value"):
    return sum(times * getattr(cost, of) for times, cost in terms)


def cautions(measured):
    basis = {cost.basis for cost in measured}
    if basis & {"repetitions", "errors"}:
        yield ("intervals hold within one run alone; operations in which PEs wait for each other change "
               "their level by a factor of 2 to 4 from time to time: measure with --rounds 10, or "
               "give at least 5 launches, before you act on a violation")
    if "few launches" in basis:
        yield "fewer than 5 launches: intervals reach from the lowest to the highest of the launches'"


def report(checked, measured, rest, verbose):
    """rest: also violations that are not the worst of their rule."""
    totals(checked)
    for caution in cautions(measured):
        print(f"caution: {caution}")
    summaries = summaries_of(checked)
    summary(summaries)
    worst = [s.worst for s in summaries if s.worst]
    for violation in worst:
        show(violation)
    others = [v for v in all_violations(checked) if not any(v is w for w in worst)]
    if rest and others:
        print("\nThe other violations:")
        for violation in others:
            show(violation)
    elif others:
        print(f"\n{len(others)} more: --all shows them")
    if verbose:
        print()
        each_rule(checked)


def totals(checked):
    counted = style.count_text
    print(f"{counted(len(all_violations(checked)), 'violation')} of "
          f"{counted(len({v.rule.name for v in all_violations(checked)}), 'rule')}; "
          f"{len({c.rule.name for c in checked if c.points})} of "
          f"{counted(len({c.rule.name for c in checked}), 'rule')} could be checked, at "
          f"{counted(sum(c.points for c in checked), 'point')}")
    unclear = sum(c.unclear for c in checked)
    undecided = sum(c.undecided for c in checked)
    if unclear:
        print(f"unclear: {counted(unclear, 'more point')}, where the intervals overlap")
    if undecided:
        print(f"not checked: {counted(undecided, 'point')} without an interval, or with a time that is not "
              f"above 0")
    apart = sum(c.apart for c in checked)
    if apart:
        print(f"not compared: {counted(apart, 'point')}, as operations were not measured in the same state")


@dataclass
class Summary:
    """A rule in all its forms."""
    rule: str
    comparisons: int = 0
    violations: int = 0
    worst: checking.Violation = None  # None: there is none


def summaries_of(checked):
    """Of each rule of which anything was compared, those with the worst violations first."""
    found = {}
    for c in checked:
        one = found.setdefault(c.rule.name, Summary(c.rule.name))
        one.comparisons += c.points
        one.violations += len(c.violations)
        one.worst = max(filter(None, [one.worst, *c.violations]), key=lambda v: v.factor, default=None)
    return sorted((s for s in found.values() if s.comparisons),
                  key=lambda s: -s.worst.factor if s.worst else 0)


def summary(summaries):
    if not summaries:
        return
    rows = [("rule", "comparisons", "violations"),
            *((printable(s.rule), str(s.comparisons), str(s.violations)) for s in summaries)]
    print("", *screen.table(rows), sep="\n")


def show(violation):
    first = violation.left[0][1]
    where = f", in {first.where}" if first.state else ""
    print(f"\n{violation.factor:.2f} times (at least {violation.least:.2f}): "
          f"{printable(violation.rule.name)}")
    sides = violation.left, violation.right
    unit, size = style.unit_for(map(total, sides))
    values = [style.fixed_text(total(s) / size, style.digits_for(total(s), (total(s, "high") - total(s, "low")) / 2))
              for s in sides]
    left, right = screen.table([(f"{value} {unit}",) for value in values], left=(), indent="  ", titled=False)
    print(f"{left}  {side(violation.left)} on {style.count_text(first.pes, 'PE')}{where}")
    print(f"{right}  {side(violation.right)}")


def about(rule):
    """What a rule in one of its forms is about."""
    return f"{rule.monotone} of {', '.join(rule.functions)}" if rule.monotone else rule.left[0].function


def each_rule(checked):
    counted = style.count_text
    for c in checked:
        state = (f"{counted(len(c.violations), 'violation')} at {counted(c.points, 'point')}" if c.points
                 else "nothing in the files")
        print(f"{printable(c.rule.name)} [{printable(about(c.rule))}]: {state}; {printable(c.rule.why)}")


def all_violations(checked):
    return sorted((v for c in checked for v in c.violations), key=lambda v: -v.factor)


def as_json(checked, measured, files):
    def terms(side_):
        return [{"function": cost.function, "arguments": cost.arguments, "times": times,
                 "value": cost.value, "low": cost.low, "high": cost.high, "basis": cost.basis,
                 "doubtful": cost.doubtful}
                for times, cost in side_]

    return {
        "guidelines_checked": 1, "files": files, "cautions": list(cautions(measured)),
        "violations": [{
            "rule": v.rule.name, "why": v.rule.why, "tolerance": v.rule.tolerance,
            "factor": v.factor, "least": v.least, "pes": v.left[0][1].pes,
            **({"state": v.left[0][1].state, "where": v.left[0][1].where} if v.left[0][1].state else {}),
            "left": terms(v.left), "right": terms(v.right)} for v in all_violations(checked)],
        "rules": [{
            "rule": c.rule.name, "function": c.rule.left[0].function if c.rule.left else None,
            "points": c.points, "unclear": c.unclear, "undecided": c.undecided, "apart": c.apart,
            "violations": len(c.violations)} for c in checked],
        "summary": [{
            "rule": s.rule, "comparisons": s.comparisons, "violations": s.violations,
            "worst": s.worst.factor if s.worst else None} for s in summaries_of(checked)]}


def as_junit(checked, measured):
    """A test case for each rule in each of its forms."""
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-guidelines", [(c.rule.name, _name(c.rule), _outcome(c)) for c in checked],
                        "\n".join(cautions(measured)))


def _name(rule):
    """As about(), and different for each form."""
    return " <= ".join(filter(None, [about(rule), " + ".join(term.function for term in rule.right)]))


def _outcome(c):
    if not c.points:
        return "skipped", "nothing in the files", ""
    if not c.violations:
        return None
    lines = [f"{v.factor:.2f} times (at least {v.least:.2f}): {side(v.left)} on {style.count_text(v.left[0][1].pes, 'PE')}; "
             f"{side(v.right)}" for v in sorted(c.violations, key=lambda v: -v.factor)]
    return "failure", lines[0], "\n".join(lines)
