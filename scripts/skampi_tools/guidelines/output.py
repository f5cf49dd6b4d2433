"""What the check of guidelines has found, as text, as JSON, and in the form of JUnit."""

from .. import doubt, screen, style
from ..screen import printable
from .checking import total


def side(terms):
    texts = []
    for term in terms:
        times = f"{term['times']:g} x " if term["times"] != 1 else ""
        values = ", ".join(f"{name}={value}" for name, value in term["arguments"].items())
        texts.append(f"{times}{printable(term['function'])}({printable(values)}){doubt.mark(term['doubtful'])}")
    return " + ".join(texts)


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
    if summaries:
        print("", *screen.table([("rule", "comparisons", "violations"), *(
            (printable(one["rule"]), str(one["comparisons"]), str(one["violations"])) for one in summaries)]), sep="\n")
    worst = [one["worst"] for one in summaries if one["worst"]]
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
        for c in checked:
            state = (f"{style.count_text(len(c.violations), 'violation')} at {style.count_text(c.points, 'point')}"
                     if c.points else "nothing in the files")
            print(f"{printable(c.rule.name)} [{printable(about(c.rule))}]: {state}; {printable(c.rule.why)}")


def totals(checked):
    counted = style.count_text
    print(f"{counted(len(all_violations(checked)), 'violation')} of "
          f"{counted(len({c.rule.name for c in checked if c.violations}), 'rule')}; "
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


def summaries_of(checked):
    """Of each rule in all its forms of which anything was compared, those with the worst violations first."""
    found = {}
    for c in checked:
        one = found.setdefault(c.rule.name, {"rule": c.rule.name, "comparisons": 0, "violations": 0, "worst": None})
        one["comparisons"] += c.points
        one["violations"] += len(c.violations)
        one["worst"] = max(filter(None, [one["worst"], *c.violations]), key=lambda v: v["factor"], default=None)
    return sorted((one for one in found.values() if one["comparisons"]),
                  key=lambda one: -one["worst"]["factor"] if one["worst"] else 0)


def _headline(violation):
    return f"{violation['factor']:.2f} times (at least {violation['least']:.2f})"


def show(violation):
    where = f", in {violation['where']}" if "where" in violation else ""
    print(f"\n{_headline(violation)}: {printable(violation['rule'])}")
    sides = violation["left"], violation["right"]
    unit, size = style.unit_for(map(total, sides))
    values = [style.fixed_text(total(s) / size, style.digits_for(total(s), (total(s, "high") - total(s, "low")) / 2))
              for s in sides]
    left, right = screen.table([(f"{value} {unit}",) for value in values], left=(), indent="  ", titled=False)
    print(f"{left}  {side(sides[0])} on {style.count_text(violation['pes'], 'PE')}{where}")
    print(f"{right}  {side(sides[1])}")


def about(rule):
    """What a rule in one of its forms is about."""
    return f"{rule.monotone} of {', '.join(rule.functions)}" if rule.monotone else rule.left[0].function


def all_violations(checked):
    return sorted((v for c in checked for v in c.violations), key=lambda v: -v["factor"])


def as_json(checked, measured, files):
    return {
        "guidelines_checked": 1, "files": files, "cautions": list(cautions(measured)), "violations": all_violations(checked),
        "rules": [{
            "rule": c.rule.name, "function": c.rule.left[0].function if c.rule.left else None,
            "points": c.points, "unclear": c.unclear, "undecided": c.undecided, "apart": c.apart,
            "violations": len(c.violations)} for c in checked],
        "summary": [{**one, "worst": one["worst"] and one["worst"]["factor"]} for one in summaries_of(checked)]}


def as_junit(checked, measured):
    """A test case for each rule in each of its forms."""
    cases = []
    for c in checked:
        name = " <= ".join(filter(None, [about(c.rule), " + ".join(term.function for term in c.rule.right)]))
        cases.append((c.rule.name, name, _outcome(c)))
    from .. import junit  # XML, which other options need not import
    return junit.report("skampi-guidelines", cases, "\n".join(cautions(measured)))


def _outcome(c):
    if not c.points:
        return "skipped", "nothing in the files", ""
    if not c.violations:
        return None
    lines = [f"{_headline(v)}: {side(v['left'])} on {style.count_text(v['pes'], 'PE')}; {side(v['right'])}"
             for v in all_violations([c])]
    return "failure", lines[0], "\n".join(lines)
