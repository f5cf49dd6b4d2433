"""What a tuning has found: as text, as JSON, as a page."""

import math

from .. import style
from ..compare.rows import CANNOT_TELL, FASTER, SLOWER, UNCHANGED
from ..report.markup import esc, plain_page
from ..report.tables import Column, table, text_cell
from ..screen import printable
from ..statistics import median
from . import rules
from .race import OPEN

MOST_LINES = 30


def points_of(chosen, proof):
    """A dict for each point that something was chosen for."""
    rows = {row.key: row for row in proof.comparison.rows} if proof else {}
    found = []
    for race in chosen.races:
        for key, verdict in race.verdicts().items():
            result, row = race.points[key], rows.get(key)
            found.append({
                "choice": race.choice.name, "point": key, "label": f"{result.block}: {result.label()}", "pes": result.pes,
                "bytes": result.record.get("bytes") or 0, "default": race.times[key][race.default],
                "search": verdict.state, "best": verdict.best.text, "best_gain": verdict.gain,
                "chosen": chosen.at(race, key).text, "weight": chosen.weights.of(result),
                "proof": row and {"verdict": row.verdict, "ratio": row.ratio, "low": row.low, "high": row.high,
                                  "reached": row.reached, "over_tolerance": row.over_margin}})
    return found


def as_json(chosen, search, proofs, files, environment, settings):
    proof = proofs[-1] if proofs else None
    points = points_of(chosen, proof)
    return {
        "tuned": 1, "tolerance": settings.tolerance, "alpha": settings.alpha, "files": files,
        "launches": search.launches, "rules": rules.rule_count(chosen.tables),
        "environment": environment, "set": chosen.sets(), "use": chosen.launch_line(environment),
        "choices": [{"choice": race.choice.name, "rules": race.choice.rules,
                     "candidates": {one.name: one.text for one in race.choice.candidates},
                     "defects": {one.text: why for one, why in race.defects.items()}} for race in search.races],
        "proofs": [{"directory": one.directory, **one.comparison.summary, "over_tolerance": len(one.worse),
                    "violated_guidelines": one.violations, "not_in_force": one.not_in_force} for one in proofs],
        **gains_of(points), "points": points}


def gains_of(points):
    """Of the points where something is chosen: the median gain, and that of all their time by weights."""
    proven = [(point["weight"], point["proof"]["ratio"]) for point in points
              if point["chosen"] != "default" and point["proof"] and point["proof"]["ratio"] > 0]
    total = sum(weight for weight, _ in proven)
    return {"median_gain": 1 - median([ratio for _, ratio in proven]) if proven else math.nan,
            "weighted_gain": 1 - sum(weight * ratio for weight, ratio in proven) / total if total else math.nan}


def headline(value):
    proof = value["proofs"][-1] if value["proofs"] else None
    if all(point["chosen"] == "default" for point in value["points"]):
        return "keep the default: nothing is proven to be better"
    if proof and proof["not_in_force"]:
        return "not proven: the library does not use these settings"
    if not value["files"]:
        return "chosen, but not proven: the default stays"
    return (f"proven: {style.count_text(proof[FASTER], 'point')} of {proof['points']} faster, "
            f"none found slower by more than {style.percent_text(value['tolerance'])}; median gain where something is chosen "
            f"{style.percent_text(value['median_gain'], 2)}")


def choices_lines(value):
    """What is chosen where: consecutive points of a choice together."""
    lines, last = [], None
    for point in sorted(value["points"], key=lambda p: (p["choice"], p["pes"] or 0, p["bytes"])):
        own = point["choice"], point["pes"], point["chosen"]
        if own == last:
            lines[-1][3] = point["bytes"]
        else:
            lines.append([*own[:2], point["bytes"], point["bytes"], own[2]])
        last = own
    return [(choice, style.count_text(pes or 0, "PE"),
             style.size_text(low) + (f" - {style.size_text(high)}" if high != low else ""), text)
            for choice, pes, low, high, text in lines]


def as_text(value):
    lines = [headline(value), ""]
    lines += ["  ".join(row) for row in choices_lines(value) if row[3] != "default"] or ["no choice differs from the default"]
    for choice in value["choices"]:
        lines += [f"defect: {choice['choice']}: {text} is left out: {why}" for text, why in choice["defects"].items()]
    undecided = [point for point in value["points"] if point["search"] == OPEN and point["best"] != "default" and
                 point["chosen"] == "default"]
    if undecided:
        lines.append(f"not decided, so the default stays, {style.count_text(len(undecided), 'point')}:")
        lines += [f"  {point['label']}: perhaps {point['best']} ({style.percent_text(point['best_gain'], 2)} less time)"
                  for point in undecided[:MOST_LINES]]
        if len(undecided) > MOST_LINES:
            lines.append(f"  ... {len(undecided) - MOST_LINES} more: see tune.json")
    for number, proof in enumerate(value["proofs"], 1):
        counts = ", ".join(f"{proof[verdict]} {verdict}" for verdict in (FASTER, UNCHANGED, SLOWER, CANNOT_TELL))
        lines.append(f"proof {number}: {counts}; slower by more than the tolerance: {proof['over_tolerance']}")
        if proof["violated_guidelines"]:
            lines.append("  violated guidelines: " + ", ".join(f"{name} {count}" for name, count in
                                                              proof["violated_guidelines"].items()))
        lines += [f"  not in force: {text}" for text in proof["not_in_force"]]
    return "".join(printable(line) + "\n" for line in lines + how_to_use(value))


def how_to_use(value):
    if not value["files"]:
        return []
    return ["", "to use it:", f"  {value['use']}",
            "in a job script:", f"  . {next(path for path in value['files'] if path.endswith('.env'))}"]


def _change(point):
    proof = point["proof"]
    if not proof or not proof["ratio"] or not proof["ratio"] > 0:
        return "", ""
    low, high = (math.nan if proof[end] is None else proof[end] for end in ("low", "high"))
    return style.change_text(proof["ratio"], low, high)


def _table(titles, rows, name):
    columns = [Column(title, [text_cell(row[place]) for row in rows]) for place, title in enumerate(titles)]
    return table(columns, name, sortable=False) if rows else ""


def page(value):
    body = [f"<h1>{esc(headline(value))}</h1>", f"<pre>{esc(chr(10).join(how_to_use(value)))}</pre>",
            "<h2>What is chosen</h2>",
            _table(("choice", "PEs", "size", "chosen"), choices_lines(value), "What is chosen")]
    defects = [(choice["choice"], text, why) for choice in value["choices"] for text, why in choice["defects"].items()]
    if defects:
        body.append("<h2>Defects of the library</h2>" + _table(("choice", "candidate", "left out because"), defects, "Defects"))
    points = [(point["label"], style.time_text(point["default"]), point["search"],
               f"{point['best']} ({style.percent_text(point['best_gain'], 2)} less time)", point["chosen"],
               *(text or "" for text in _change(point)), (point["proof"] or {}).get("verdict", "")) for point in value["points"]]
    body.append("<h2>Points</h2>" + _table(("point", "default", "search", "fastest in the search", "chosen", "tuned against default",
                                           "interval", "proof"), points, "Points"))
    body.append("<h2>What was tried</h2>" + _table(
        ("choice", "candidates"), [(choice["choice"], "; ".join(choice["candidates"].values())) for choice in value["choices"]],
        "What was tried"))
    return plain_page("skampi-tune", body)
