"""A verdict as one HTML page: what to look at, heat maps of links, sites and suspicions."""

import math

from ..report.markup import bullets, esc, plain_page
from ..report.tables import Column, number_cell, percent_cell, table, text_cell
from ..style import percent_text
from .output import headline, time_of
from .values import KINDS

FEWEST_SITES = 5  # with fewer sites a table shows the links
CELLS = 64  # cells along a side of a heat map; if there are more sites, some share cells
CELL = 11  # width of a cell in units of the picture
MARGIN = 90
STRONGEST = 0.2     # difference that has the full colour
STATES = {"pass": "ok", "fail": "bad", "doubtful": "doubtful"}
MOST_ROWS = 2000

STYLE = """
svg.heat { max-width: 60rem; width: 100%; height: auto; }
svg.heat text { font-size: 8px; fill: var(--fore); }
"""


def _color(difference):
    """A colour for a difference: blue (faster), white (none) to red (slower)."""
    share = max(-1.0, min(1.0, difference / STRONGEST))
    other = round(255 * (1 - abs(share)))
    return f"rgb(255,{other},{other})" if share > 0 else f"rgb({other},{other},255)"


def heat_map(value, place):
    """SVG of the links of a kind; sites that share a cell show their slowest link. Empty without links."""
    names, known = [site["name"] for site in value["sites"]], {}
    share = max(1, math.ceil(len(names) / CELLS))
    for a, b, *numbers in value["links"]:
        if numbers[place] is None:
            continue
        cell = max(a, b) // share, min(a, b) // share
        if cell not in known or numbers[place] > known[cell][0]:
            known[cell] = numbers[place], f"{names[a]} - {names[b]}"
    if not known:
        return ""
    count = math.ceil(len(names) / share)
    parts = []
    for (row, column), (number, text) in sorted(known.items()):
        for x, y in {(row, column), (column, row)}:
            parts.append(f'<rect x="{MARGIN + CELL * x}" y="{MARGIN + CELL * y}" width="{CELL}" height="{CELL}" '
                         f'fill="{_color(number)}"><title>{esc(text)}: {percent_text(math.expm1(number), 2)}'
                         "</title></rect>")
    for i in range(count):
        at = MARGIN + CELL * i + 8
        parts.append(f'<text x="{MARGIN - 4}" y="{at}" text-anchor="end">{esc(names[i * share])}</text>'
                     f'<text transform="translate({at} {MARGIN - 4}) rotate(-60)">{esc(names[i * share])}</text>')
    width = MARGIN + CELL * count + 40
    return (f'<svg class="heat" style="max-width: min(60rem, {2 * width}px)" viewBox="0 0 {width} {width}" '
            'role="img" aria-label="Heat map of links">'
            f'{"".join(parts)}</svg>')


def color_key():
    """What the colours of a heat map mean: from 20 % faster to 20 % slower."""
    shown = [STRONGEST * step / 4 for step in range(-4, 5)]
    parts = [f'<rect x="{20 + 22 * i}" y="0" width="22" height="{CELL}" fill="{_color(share)}"/>'
             for i, share in enumerate(shown)]
    parts += [f'<text x="{31 + 22 * i}" y="{CELL + 10}" text-anchor="middle">{esc(text)}</text>'
              for i, text in ((0, f"{percent_text(STRONGEST)} faster"), (4, "usual pair"),
                              (8, f"{percent_text(STRONGEST)} slower"))]
    return ('<svg class="heat" style="max-width: 26rem" viewBox="0 0 240 24" role="img" '
            'aria-label="What the colours mean">'
            f'{"".join(parts)}</svg>')


def _links(value, place):
    """A heat map; of few sites, whose map would be some squares, a table. Empty without links."""
    names = [site["name"] for site in value["sites"]]
    if len(names) >= FEWEST_SITES:
        picture = heat_map(value, place)
        return picture and ("<p>Each square is a link; its colour says how much slower or faster it is:</p>"
                            f"{color_key()}{picture}")
    links = [(f"{names[a]} - {names[b]}", numbers[place]) for a, b, *numbers in value["links"]
             if numbers[place] is not None]
    if len(links) == 1:
        return f"<p>There is one link, {esc(links[0][0])}: no other is there that it can be compared with.</p>"
    return table([Column("link", [text_cell(name) for name, _ in links]),
                  Column("slower than the usual pair by", [percent_cell(math.expm1(number)) for _, number in links])],
                 "Links", sortable=False) if links else ""


def _test_cells(test):
    """By the titles of columns."""
    share = test["value"] if test["value"] is not None else test["first"]
    slower = test["test"] == "slower"
    state = test["state"] + (" (explained by another)" if test["covered"] else "")
    return {"unit": text_cell(test["unit"]), "what": text_cell(test["kind"] if slower else "tail"), "state": text_cell(state),
            "re-tests": number_cell(test["re_tests"]), "slower by": percent_cell(math.expm1(share) if slower else None),
            "sound up to": percent_cell(math.expm1(test["sound_up_to"]) if slower else None),
            "probability if sound": number_cell(test["p"], digits=2)}


def page(value):
    body = [f'<h1 class="{STATES[value["verdict"]]}">{esc(headline(value))}</h1>',
            f'<p>{esc(value["library"] or "")}, {esc(value["started"] or "")}; {value["pes"]} PEs on '
            f'{value["nodes"]} nodes</p>',
            bullets(f"{kind}: {text}" for kind in KINDS if (text := time_of(value, kind)))]
    for entry in value["look_at"]:
        body.append(f"<h2>{esc(entry['node'])}</h2>{bullets(entry['because'])}")
    if value["doubts"]:
        body.append(f"<h2>Doubts</h2>{bullets(value['doubts'])}")
    for place, kind in enumerate(KINDS):
        if links := _links(value, place):
            body.append(f"<h2>Links: {kind}</h2>{links}")
    if rows := list(map(_test_cells, value["tests"])):
        body.append("<h2>Suspicions</h2>" + table([Column(title, [row[title] for row in rows]) for title in rows[0]],
                                                  "Suspicions", sortable=False))
    sites = value["sites"][:MOST_ROWS]
    body.append("<h2>Sites</h2>" + table([
        Column("site", [text_cell(site["name"]) for site in sites]),
        *(Column(kind, [number_cell(site[kind]["seconds"], 1e-6) if site[kind] else None for site in sites], "µs")
          for kind in KINDS)], "Sites", sortable=False))
    return plain_page("skampi-accept", body, STYLE)
