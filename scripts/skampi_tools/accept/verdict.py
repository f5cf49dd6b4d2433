"""Pass, fail or doubtful, with reasons and the nodes to look at; and the comparison with a reference."""

import math
from statistics import NormalDist

from ..cli import Error, finite, read_json
from ..statistics import deviation, known
from ..style import count_text, listed, number_text, percent_text
from .judge import FEWEST_UNITS, TAIL, trimmed_mean
from .values import BANDWIDTH, KINDS

VERSION = 1
STATUS = {"pass": 0, "fail": 1, "doubtful": 3}
MOST_MISSING = 0.05  # share of values that may be missing
MOST_CHANGE = 1.5  # factor by which the time of all pairs may change between passes
MOST_LINKS = 40000  # links that JSON lists for each kind; further ones are left out


# ---- In words ----


def name_of(test, places):
    names = places.names
    if test.what == "links":
        return "link " + " - ".join(names[site] for site in test.unit)
    if test.what == "pes":
        return f"PE {test.unit} on {places.hosts[test.unit]}"
    kind = "node " if places.of_nodes else ""
    return ("inside of " if test.what == "inside" else "") + kind + names[test.unit]


def said_of(test):
    value = test.value if test.value == test.value else test.first
    if test.test == TAIL:
        return f"in {percent_text(value, 2)} of measurements far above the usual time (losses, interruptions)"
    return f"{test.kind}: {percent_text(math.expm1(value), 2)} slower than the others"


def nodes_of(test, places):
    if test.what == "links":
        return [places.node_of(site) for site in test.unit]
    return [places.hosts[test.unit] if test.what == "pes" else places.node_of(test.unit)]


# ---- Numbers ----


def _summary(logs):
    """{seconds, error}: of passes' logarithms; the error is relative."""
    logs = known(logs)
    if not logs:
        return None
    error = deviation(logs) / math.sqrt(len(logs))
    return {"seconds": math.exp(trimmed_mean(logs)), "error": finite(error)}


def _levels(times, kind, same):
    return {turn: level for (stage, turn, one, class_), level in times.levels.items()
            if stage == 0 and one == kind and class_ == same}


def kinds_json(times):
    found = {}
    for kind in KINDS:
        between, inside = (_summary(list(_levels(times, kind, same).values())) for same in (False, True))
        if between or inside:
            found[kind] = {"bytes": times.bytes.get(kind), "between": between, "inside": inside}
    return found


def sites_json(case):
    """For each site its median time to the other sites, by kind."""
    times, found = case.times, []
    for site, name in enumerate(case.times.places.names):
        entry = {"name": name, "node": times.places.node_of(site)}
        for kind in KINDS:
            levels, table = _levels(times, kind, False), case.tables[kind]
            numbers = table.sites.get(site)
            entry[kind] = numbers and _summary([x + levels.get(turn, math.nan)
                                                for x, (_, turn) in zip(numbers, table.turns)])
        found.append(entry)
    return found


def links_json(case):
    """[site, site, differences by kind]: natural logarithms."""
    values = {}
    for place, kind in enumerate(KINDS):
        for link, numbers in case.tables[kind].links.items():
            if numbers := known(numbers):
                values.setdefault(link, [None, None])[place] = round(trimmed_mean(numbers), 5)
    return [[*link, *numbers] for link, numbers in sorted(values.items())] if len(values) <= MOST_LINKS else []


# ---- Against a reference ----


def read_reference(path):
    """What --json wrote for an accepted machine."""
    other = f"{path}: not what skampi accept --json has written"
    value = read_json(path, otherwise=other)
    if not isinstance(value, dict) or value.get("accept") != VERSION or not isinstance(value.get("kinds"), dict) \
            or not isinstance(value.get("sites"), list):
        raise Error(other)
    return value


def _pairs_of(now, reference):
    """(name, kind, now, before) of what both have."""
    before = {(site["name"], kind): site.get(kind) for site in reference["sites"] for kind in KINDS}
    for kind in KINDS:
        old, new = reference["kinds"].get(kind) or {}, now["kinds"].get(kind) or {}
        if old.get("bytes") != new.get("bytes") and old and new:
            raise Error(f"the reference has {kind} of {old.get('bytes')} bytes, this run of {new.get('bytes')}: "
                        "measure the same sizes (--small, --large)")
        for part, text in (("between", "all pairs"), ("inside", "all pairs inside of nodes")):
            yield text, kind, new.get(part), old.get(part)
    for site in now["sites"]:
        for kind in KINDS:
            yield site["name"], kind, site[kind], before.get((site["name"], kind))


def compare(now, reference, tolerance, alpha):
    """[{name, kind, ratio, state}]: slower than the tolerance ("slower"), perhaps ("doubtful"), or "ok". A z
    test of the logarithm of the ratio against that of 1 + tolerance, Bonferroni over all comparisons."""
    try:
        both = [entry for entry in _pairs_of(now, reference) if entry[2] and entry[3]]
        if not both:
            raise Error("the reference has nothing in common with this run")
        share, rows = alpha / len(both), []
        for name, kind, new, old in both:
            difference = math.log(new["seconds"] / old["seconds"]) - math.log1p(tolerance)
            error = math.hypot(new["error"] or 0.0, old["error"] or 0.0)
            certain = difference > -NormalDist().inv_cdf(share) * error and error > 0
            state = "ok" if difference <= 0 else "slower" if certain else "doubtful"
            rows.append({"name": name, "kind": kind, "ratio": new["seconds"] / old["seconds"], "state": state})
        return rows
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise Error(f"the reference is damaged: {error}") from None


# ---- Verdict ----


def doubts_of(case, planned):
    """Why a pass would be worth little. planned: values that should be there; 0: not known."""
    times, places = case.times, case.times.places
    doubts = list(times.doubts)
    if len(places.names) < FEWEST_UNITS:
        doubts.append(f"few data: {count_text(len(places.names), 'node' if places.of_nodes else 'PE')} cannot say "
                      f"which one is slow; {FEWEST_UNITS} can")
    got = sum(len(known(s.values)) for s in times.samples if s.stage == 0)
    there = got + times.missing if not planned else planned
    if there - got > MOST_MISSING * there:
        doubts.append(f"few data: {percent_text((there - got) / there, 2)} of the values are missing")
    for kind in KINDS:
        for same, where in ((False, "between sites"), (True, "inside of nodes")):
            levels = known(_levels(times, kind, same).values())
            change = math.exp(max(levels) - min(levels)) if levels else 1
            if change > MOST_CHANGE:
                doubts.append(f"the machine changed: {kind} {where} differed {number_text(change)} times from pass "
                              "to pass")
    if places.of_nodes and times.group > 1 and not places.in_order(times.group):
        doubts.append("PEs that follow each other are not on the same node: place them by blocks")
    if case.left_out:
        doubts.append(f"{count_text(case.left_out, 'suspect')} more than are re-tested")
    unsure = list(dict.fromkeys(name_of(test, places) for test in case.open))
    if unsure:
        doubts.append(f"not decided after re-tests, or not re-tested: {listed(unsure, 5)}")
    return doubts


def test_json(test, places):
    return {"unit": name_of(test, places), "nodes": nodes_of(test, places), "kind": test.kind, "test": test.test,
            "state": test.state, "covered": test.covered, "score": test.score, "first": test.first,
            "value": finite(test.value), "sound_up_to": test.null, "p": finite(test.p), "re_tests": test.passes,
            "text": said_of(test)}


def verdict(case, planned=0, reference=None, tolerance=0.05):
    """The result as JSON has it. With a reference each half of alpha is for outliers and for it: set
    case.alpha so."""
    times, places = case.times, case.times.places
    value = {"accept": VERSION, "verdict": "pass", "doubts": doubts_of(case, planned), "look_at": [],
             "library": times.header.get("library"), "started": times.header.get("started"),
             "nodes": places.nodes, "pes": len(places.hosts), "alpha": case.alpha, "least": case.least,
             "passes": len(times.turns(BANDWIDTH, {0})), "measurements": len(times.samples),
             "kinds": kinds_json(times), "sites": sites_json(case),
             "tests": [test_json(test, places) for test in case.tests], "links": links_json(case)}
    look = {}
    for test in case.accused:
        for node in nodes_of(test, places):
            look.setdefault(node, []).append(f"{name_of(test, places)}, {said_of(test)}")
    if reference:
        value["against"] = compare(value, reference, tolerance, case.alpha)
        node_of = {site["name"]: site["node"] for site in value["sites"]}
        for row in value["against"]:
            text = f"{row['kind']}: {number_text(row['ratio'])} times the reference"
            if row["state"] == "slower":
                look.setdefault(node_of.get(row["name"], "all nodes"), []).append(f"{row['name']}, {text}")
            elif row["state"] == "doubtful":
                value["doubts"].append(f"perhaps slower than the reference: {row['name']}, {text}")
    value["look_at"] = [{"node": node, "because": list(dict.fromkeys(texts))} for node, texts in look.items()]
    value["verdict"] = "fail" if look else "doubtful" if value["doubts"] else "pass"
    return value


def median_seconds(value, kind):
    """Median time (s) of all pairs between sites or, without such pairs, inside nodes; NaN: there are none."""
    found = value["kinds"].get(kind) or {}
    return (found.get("between") or found.get("inside") or {}).get("seconds", math.nan)

