"""Figures of a spec and points, page by page, and into files.

The same data and spec give the same bytes: no dates, no random names, no settings of the user's
matplotlib.
"""

import io
import logging
import os
import textwrap
import warnings

import matplotlib
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from .. import doubt, style
from ..cli import Error, created
from ..results import NOT_COMPLETE
from . import curves as cv, layout, strips
from .axes import MANY_CURVES, Scale, plain
from .kinds import DRAW
from .spec import BY_STATE

CM = 1 / 2.54  # inches
OF_ONE_UNIT = ("curve", "dots", "stack", "ecdf", "histogram", "violin", "order")
SUITS = (0.01, 1e5)  # numbers that are still read with ease
METADATA = {
    "svg": {"Date": None, "Creator": "skampi-plot"},
    "pdf": {"CreationDate": None, "Creator": "skampi-plot", "Producer": None},
    "png": {"Software": "skampi-plot"},
}

logging.getLogger("matplotlib").setLevel(logging.ERROR)


def settings(font):
    """The parameters of matplotlib, whatever the user's are."""
    matplotlib.rcdefaults()
    family = font.get("family", "DejaVu Sans")
    if family not in ("serif", "sans-serif", "monospace"):
        try:
            font_manager.findfont(family, fallback_to_default=False)
        except ValueError:
            raise Error(f"font.family: no font {family!r} is installed here; "
                        "serif, sans-serif and monospace always are") from None
        # Viewers of SVG may not have it.
        matplotlib.rcParams["font.sans-serif"] = [family, "DejaVu Sans", "Verdana", "Arial",
                                                  "sans-serif"]
        family = "sans-serif"
    size = font.get("size", 9)
    matplotlib.rcParams.update({
        "font.family": family, "font.size": size, "axes.titlesize": size * 1.1,
        "axes.labelsize": size, "xtick.labelsize": size * 0.9, "ytick.labelsize": size * 0.9,
        "legend.fontsize": size * 0.88, "svg.fonttype": "none", "svg.hashsalt": "skampi-plot",
        "pdf.fonttype": 42, "axes.spines.top": False, "axes.spines.right": False,
        "axes.linewidth": 0.7, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.5,
        "axes.axisbelow": True, "lines.linewidth": 1.4, "lines.markersize": size * 0.5,
        "legend.frameon": True, "legend.framealpha": 0.85, "legend.edgecolor": "none",
        "legend.handlelength": 2.6, "hatch.linewidth": 0.5, "axes.unicode_minus": True,
        "path.simplify": True, "mathtext.default": "regular",
    })
    return size


# ---- From spec to page ----


def _labels(series, found, at):
    """Labels of the curves of a series. Curves that differ only in the state of the machine share the label of the series."""
    if len(found) < 2:
        return [series.get("label", "")]
    names = cv.labels(found)[0]
    if "label" not in series:
        return names
    states = {curve.points[0].state.number for curve in found if curve.points[0].state}
    if len(states) == len(found):
        return [f"{series['label']}, {name}" for name in names]
    raise Error(f"{at}: one label, but it matches {len(found)} curves: "
                f"{'; '.join(names[:3])}{'; …' if len(names) > 3 else ''}")


def choose(panel, points, path):
    """[(series, curve)] that a panel shows, [(series, {part: curve})] for overlap, or [(series, strip)] for
    states; [] where nothing matches and the panel is optional."""
    kind = panel.get("kind", "curve")
    if kind == "states":
        return _strip(panel, points, path)
    if kind in BY_STATE and panel.get("states") != "together":
        points = points.separate
    chosen = []
    for number, series in enumerate(panel["series"]):
        at = f"{path}.series[{number}]"
        if kind == "overlap":
            parts = {part: _matching(series[part], panel, points, f"{at}.{part}") for part in ("full", "rest", "post")}
            for part, found in parts.items():
                if len(found) > 1:
                    raise Error(f"{at}.{part}: matches {len(found)} curves, but one is needed: "
                                f"{'; '.join(cv.labels(found)[0][:3])}")
            if all(parts.values()):
                chosen.append((series, {part: curve for part, (curve,) in parts.items()}))
            continue
        found = _matching(series, panel, points, at)
        for curve, label in zip(found, _labels(series, found, at)):
            chosen.append(({**series, "label": label} if label else series, curve))
    if kind not in ("overlap", "dots") and chosen:
        names = {curve.x for _, curve in chosen}
        if len(names) > 1:
            raise Error(f"{path}: its curves are drawn against different numbers "
                        f"({', '.join(sorted(str(n) for n in names))}): say which with the key x")
    return chosen


def _strip(panel, points, path):
    series = panel["series"][0]
    found = [strip for strip in strips.strips({point.source.index: point.source for point in points.points}.values())
             if strips.selects(series, strip)]
    if len(found) > 1 or len(panel["series"]) > 1:
        raise Error(f"{path}: a panel of kind states shows one set of PEs of one file: give it one series with "
                    f"file and members{': ' if found else ''}{'; '.join(strip.name for strip in found[:3])}")
    if not found and not panel.get("optional"):
        raise Error(f"{path}.series[0]: there is no such file with such a set of PEs and this control")
    return [(series, strip) for strip in found]


def _matching(selector, panel, points, at):
    some = points.selected(selector)
    wanted = selector.get("repeated")
    if panel.get("kind") == "dots" and "x" not in panel:
        found = [cv.Curve(None, False, [point], repeated=wanted and number) for number, point in enumerate(some, 1)]
        for curve in found:
            curve.first.x = None
    else:
        found = cv.curves(some, panel.get("x"))
    found = [c for c in found if wanted is None or c.repeated == wanted]
    if not found and not panel.get("optional"):
        raise Error(f"{at}: matches no result; skampi plot --list shows all")
    return found


def footer_lines(sources, subtracted, notes, width, short):
    """What was measured, where and how, in small lines of at most this many characters. short:
    without what only those who were there understand."""
    lines = []
    texts = {}
    for source in sources:
        header = source.file.header
        nodes = header.get("nodes") or []
        started, version = (str(header.get(name) or "") for name in ("started", "version"))
        names = "" if short else ", ".join(node.get("name", "") for node in nodes[:2])
        places = style.count_text(len(nodes), "node") if nodes else ""
        places += f" ({names}{', …' if len(nodes) > 2 else ''})" if names else ""
        script = header.get("script") or {}
        timer = (header.get("timer") or {}).get("name")
        pes = header.get("pes")
        text = " · ".join(part for part in (
            f"skampi {version.partition(' ')[0] if short else version}".strip(), str(header.get("library") or ""),
            f"{pes} PEs" + (f" on {places}" if places else "") if pes is not None else places,
            f"timer {timer}" if timer else "", started.partition("T")[0] if short else started,
            " ".join(os.path.basename(str(script[key])) for key in ("name", "checksum")
                     if script.get(key) and not short)) if part)
        warned = 0 if short else len(header.get("warnings") or [])
        if warned:
            text += f" · {style.count_text(warned, 'warning')} in the file"
        if source.file.end is None:
            text += f" · {NOT_COMPLETE.partition(':')[0]}" if source.file.unfinished() else ""
        elif source.file.end.get("status"):
            text += f" · ended with status {source.file.end['status']}"
        texts.setdefault(text, []).append(source.label)
    for text, labels in list(texts.items())[:4]:
        names = ", ".join(labels[:3]) + (", …" if len(labels) > 3 else "")
        lines.append(f"{names}: {text}" if len(sources) > 1 else text)
    if len(texts) > 4:
        lines.append(f"… and {len(texts) - 4} more files")
    lines += subtracted
    unique = list(dict.fromkeys(notes))
    if unique:
        lines.append("; ".join(unique))
    return [part for line in lines for part in textwrap.wrap(plain(line), max(20, width))[:3]]


def _points_of(chosen):
    return [point for _, what in chosen
            for curve in (what.values() if isinstance(what, dict) else [what]) for point in curve.points]


def _in_one_unit(panels):
    """Diagrams of the same quantity get the unit of all of them, where its numbers suit each."""
    groups = {}
    for place, (panel, chosen, _) in enumerate(panels):
        if panel.get("kind", "curve") in OF_ONE_UNIT and "unit" not in panel and chosen:
            groups.setdefault((panel.get("y"), chosen[0][1].first.quantity), []).append(place)
    for places in groups.values():
        points = [_points_of(panels[place][1]) for place in places]
        scale = Scale(panels[places[0]][0], [point for some in points for point in some])
        fits = all(SUITS[0] <= value <= SUITS[1] for some in points for value in scale.ends(some))
        if len(places) > 1 and fits and not scale.sizes:
            for place in places:
                panel, *others = panels[place]
                panels[place] = ({**panel, "unit": scale.name}, *others)
    return panels


def _characters(width_cm, font_size):
    """How many characters, about, fit this width."""
    return max(20, int(width_cm * CM * 72 / (0.56 * font_size)))


def _height_cm(panel, chosen):
    """What a panel needs."""
    if panel.get("kind") == "dots":
        return max(4, 0.55 * len({str(curve.label_parts()) for _, curve in chosen}) + 2.2)
    return 6 if panel.get("kind") == "states" else 9


def _page(spec, panels, size):
    """A figure of these (panel, chosen, path)."""
    # Many curves have their legend beside the axes.
    wide = any(len(chosen) >= MANY_CURVES and panel.get("kind", "curve") == "curve"
               for panel, chosen, _ in panels)
    notes = []

    def draw(axes, entry, room):
        panel, chosen, path = entry
        if panel.get("title"):
            title = textwrap.wrap(plain(panel["title"]), _characters(
                room * (0.6 if panel.get("kind") == "dots" else 0.85), size * 1.2))
            if len(title) > 2:
                title = [title[0], title[1][:-1] + "…"]
            axes.set_title("\n".join(title), loc="left", fontweight="bold")
        try:
            DRAW[panel.get("kind", "curve")](axes, {"kind": "curve", **panel}, chosen, notes)
        except Error as error:
            raise Error(f"{path}: {error}") from None

    points = [point for _, chosen, _ in panels for point in _points_of(chosen)]
    subtracted = doubt.Tally({id(point): point.result for point in points}.values()).subtracted()
    of_strips = [what for _, chosen, _ in panels for _, what in chosen if isinstance(what, strips.Strip)]
    found = {one.source.index: one.source for one in points + of_strips}
    sources = [found[index] for index in sorted(found)]

    def small_print(characters):
        placements = {point.placement for point in points}
        where = [f"PEs {placements.pop()}"] if len(placements) == 1 and "" not in placements else []
        return footer_lines(sources, subtracted, notes + where, characters, spec.get("footer") == "short")
    return composed(spec, size, panels, spec.get("columns", 1 if wide else 2),
                    lambda columns: 20 if wide else 16 if columns == 1 else 12.5 * columns,
                    lambda entry: _height_cm(*entry[:2]), draw, small_print)


def composed(spec, size, panels, columns, width, height, draw, small_print):
    """A figure of panels in rows of so many columns. width(columns), height(panel): in cm, unless the spec says it.
    draw(axes, panel, its width). small_print(characters): the lines of the footer, of at most that length."""
    rows = [panels[begin:begin + columns] for begin in range(0, len(panels), columns)]
    row_cm, columns = [max(map(height, row)) for row in rows], len(rows[0])
    across = spec.get("width_cm", width(columns))
    figure = Figure(figsize=(across * CM, spec.get("height_cm", sum(row_cm) + 1.2) * CM), dpi=spec.get("dpi", 150))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(len(rows), columns, height_ratios=row_cm)
    for number, panel in enumerate(panels):
        draw(figure.add_subplot(grid[number // columns, number % columns]), panel, across / columns)
    frame_figure(figure, spec, size, across, small_print)
    return figure


def frame_figure(figure, spec, size, width, small_print):
    """Adds title and footer, and puts everything where nothing touches."""
    title = footer = None
    title_lines = footer_height = 0
    if spec.get("title"):
        lines = textwrap.wrap(plain(spec["title"]), _characters(width, size * 1.4))[:2]
        title = figure.text(0.01, 1, "\n".join(lines), va="top", fontsize=size * 1.3, fontweight="bold")
        title_lines = len(lines)
    if spec.get("footer", True):
        lines = small_print(_characters(width, size * 0.72))
        footer = figure.text(0.01, 0, "\n".join(lines), va="bottom", fontsize=size * 0.72,
                             color=style.GREY, linespacing=1.25)
        footer_height = len(lines) * 0.72 * 1.35 + 0.7

    def frame():
        """Places title and footer; where the panels go, between them."""
        line = size / 72 / figure.get_size_inches()[1]  # height of the font, of the figure's height 1
        if title:
            title.set_y(1 - 0.4 * line)
        if footer:
            footer.set_y(0.4 * line)
        top = 1 - title_lines * 1.7 * line
        return 0, min(footer_height * line, 0.5), 1, max(top, 0.6)

    layout.arrange(figure, frame, "height_cm" in spec)


def pages(spec, points, where):
    """The figures of a spec, one after the other. cli.Error with the key, where the spec does not
    fit the data."""
    try:
        size = settings(spec.get("font", {}))
        panels, points = [], cv.Index(points)
        for number, panel in enumerate(spec["panels"]):
            path = f"panels[{number}]"
            chosen = choose(panel, points, path)
            if chosen:
                panels.append((panel, chosen, path))
        if not panels:
            raise Error("none of its panels has any data")
        panels = _in_one_unit(panels)
        per_page = spec.get("panels_per_page", len(panels))
        for begin in range(0, len(panels), per_page):
            yield _page(spec, panels[begin:begin + per_page], size)
    except Error as error:
        raise Error(f"{where}: {error}") from None


def write(figures, path, form):
    """Writes them to the path; several figures that are no PDF to NAME-1, NAME-2, ... Returns the
    paths written."""
    streams = [io.BytesIO() for _ in (figures if form != "pdf" else [None])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font does not have
        if form == "pdf":
            with PdfPages(streams[0], metadata=METADATA["pdf"]) as document:
                for figure in figures:
                    FigureCanvasPdf(figure)
                    document.savefig(figure)
        else:
            for figure, stream in zip(figures, streams):
                (FigureCanvasSVG if form == "svg" else FigureCanvasAgg)(figure)
                figure.savefig(stream, format=form, metadata=METADATA[form])
    stem, suffix = os.path.splitext(path)
    paths = [path] if len(streams) == 1 else [f"{stem}-{i}{suffix}" for i in range(1, len(streams) + 1)]
    for name, stream in zip(paths, streams):
        with created(name, "wb") as file:
            file.write(stream.getvalue())
    return paths
