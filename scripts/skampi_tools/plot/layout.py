"""Where the parts of a figure go, by the boxes that they take: legends cover no point and are not cut,
texts do not cover each other. Called once for each figure, after everything is drawn into it."""

import textwrap
import warnings
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from matplotlib import ticker
from matplotlib.axis import Tick
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

ROUNDS = 16  # turns of placing texts and measuring them again
CORNERS = ("upper right", "upper left", "lower right", "lower left", "center right", "center left",
           "upper center", "lower center", "center")
LEAST_AXES = 0.45  # share of a cell's width that a legend at the right leaves for the axes
NARROW, LEAST_NARROW = 12, 0.7  # cm of a cell's width, and what it leaves of less
MOST_LEGEND = 0.3  # share of a figure of fixed height that a legend below may take
DASHES = 3.7          # characters that a line in a legend is long, for its dashes to be seen beside its marker
LONG_LABEL = 48       # characters of a legend's line, where there are blanks
LEAST_HEIGHT = 0.2  # share of a figure of fixed height that axes keep if their legend can be smaller
LEAST_FONT = 4.0      # points
MOST_LINES = 3  # lines of a title or of the name of an axis
GAP = 3               # pixels between texts


class Cell(NamedTuple):
    """The part of the figure that belongs to axes and what is around them, in pixels."""
    left: float
    right: float
    row: int  # of the grid

    @property
    def width(self):
        return self.right - self.left


def _cell_of(axes):
    spec = axes.get_subplotspec().get_topmost_subplotspec()
    column = axes.figure.bbox.width / spec.get_gridspec().ncols
    return Cell(column * spec.colspan.start + GAP, column * spec.colspan.stop - GAP, spec.rowspan.start)


@dataclass
class Request:
    """The legend that axes want, and where it is. Two are equal if they look alike."""
    handles: list
    labels: list
    where: str           # inside, right or below: as long as it fits, in this order
    corner: str = field(default="best", compare=False)
    columns: int = None
    font: float = None
    below: float = 0.0   # points between the axes and the legend below them
    left: float = 0.0    # points by which it begins left of them
    height: float = field(default=0.0, compare=False)  # pixels, below

    def draw(self, axes):
        more = {"fontsize": self.font} if self.font else {}
        if any(isinstance(handle, Line2D) and handle.is_dashed() for handle in self.handles):
            more.update(handlelength=DASHES, markerscale=0.8)
        if self.where == "inside":
            more["loc"] = self.corner
        else:
            more.update(loc="upper left", borderaxespad=0, bbox_to_anchor=(1.01, 1.0))
        if self.where == "below":
            shift = ScaledTranslation(-self.left / 72, -self.below / 72, axes.figure.dpi_scale_trans)
            more.update(bbox_to_anchor=(0, 0), bbox_transform=axes.transAxes + shift, ncol=self.columns or 1, columnspacing=1.2)
        # matplotlib leaves out labels that begin with _.
        legend = axes.legend(self.handles, list(map(str, range(len(self.labels)))), **more)
        for text, label in zip(legend.get_texts(), self.labels):
            text.set_text(label)

        def between(renderer=None):
            """The part of its box between the sides of the axes: it may be wider without making them narrower."""
            box, frame = legend.get_window_extent(renderer), axes.get_window_extent(renderer)
            return Bbox.from_extents(frame.x0, box.y0, max(frame.x0 + 1, min(box.x1, frame.x1)), box.y1)
        if self.where == "below":
            legend.get_tightbbox = between

    def size(self, axes, renderer):
        self.draw(axes)
        return axes.get_legend().get_window_extent(renderer)


def ask(axes, handles, labels, where):
    """Says which legend the axes want; arrange() puts it there, or where it fits."""
    labels = ["\n".join(textwrap.wrap(label, LONG_LABEL, break_long_words=False)) for label in labels]
    axes.skampi_legend = Request(handles, labels, where)


def _wrapped(text, characters, most):
    lines = textwrap.wrap(text.replace("\n", " "), max(4, characters))
    if len(lines) > most:
        lines = lines[:most - 1] + [lines[most - 1][:max(1, characters - 1)].rstrip() + "…"]
    return "\n".join(lines)


# ---- What is free ----


def _covers(box, axes, renderer):
    """Whether a box covers any part of the curves in these axes."""
    if axes.images:
        return True
    scale = axes.figure.dpi / 72
    for line in filter(Line2D.get_visible, axes.lines):
        path = line.get_transform().transform_path(line.get_path()).cleaned(remove_nans=True)
        marker = line.get_marker() not in (None, "", "None", "none")
        wide = box.padded((line.get_markersize() / 2 if marker else 0) * scale + line.get_linewidth() * scale)
        if wide.count_contains(path.vertices[path.codes != 0] if path.codes is not None else path.vertices):
            return True
        if line.get_linestyle() not in ("None", "none", "", " ") and path.intersects_bbox(wide, False):
            return True
    for collection in axes.collections:
        offsets = collection.get_offsets()
        if len(offsets) > 1:
            if box.padded(4 * scale).count_contains(collection.get_offset_transform().transform(offsets)):
                return True
            continue
        transform = collection.get_transform()
        if any(transform.transform_path(path).cleaned(remove_nans=True).intersects_bbox(box, True)
               for path in collection.get_paths()):
            return True
    if any(box.overlaps(text.get_window_extent(renderer)) for text in axes.texts):
        return True
    return any(patch.get_transform().transform_path(patch.get_path()).cleaned(remove_nans=True).
               intersects_bbox(box.padded(2 * scale), False) for patch in axes.patches)


def _inside(request, axes, renderer):
    """Puts the legend into a free place of the axes; False: there is none."""
    room = axes.get_window_extent(renderer).padded(1)
    known = request.corner
    for corner in dict.fromkeys([*([known] if known != "best" else []), *CORNERS]):
        request.corner = corner
        box = request.size(axes, renderer)
        if (room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1
                and not _covers(box, axes, renderer)):
            return True
    return False


# ---- Legends ----


def _place_legend(axes, request, cell, renderer, bottom, fixed):
    """Puts the legend where it fits as the axes are now; whether anything has changed."""
    before = replace(request)
    if request.where == "inside" and not _inside(request, axes, renderer):
        request.where = "below"
    if request.where == "right":
        box = request.size(axes, renderer)
        least = LEAST_NARROW if cell.width * 2.54 < NARROW * axes.figure.dpi else LEAST_AXES
        if box.width > (1 - least) * cell.width or box.x1 > cell.right + GAP or box.y0 < bottom:
            request.where = "below"
    if request.where == "below":
        box = request.size(axes, renderer)
        flat = axes.get_window_extent(renderer).height < LEAST_HEIGHT * axes.figure.bbox.height
        if fixed and request.columns and (box.y0 < bottom or flat):
            _smaller(axes, request)
        _below(axes, request, cell, renderer, fixed)
    return before != request


def _smaller(axes, request):
    font = axes.get_legend().get_texts()[0].get_fontsize()
    request.font = max(LEAST_FONT, font * 0.88)
    request.columns = None


def _below(axes, request, cell, renderer, fixed):
    points = 72 / axes.figure.dpi
    while True:
        if request.columns is None or request.size(axes, renderer).width > cell.width:
            _columns(axes, request, cell, renderer)
        box = request.size(axes, renderer)
        font = axes.get_legend().get_texts()[0].get_fontsize()
        tall = fixed and box.height > MOST_LEGEND * axes.figure.bbox.height
        if (not tall and box.width <= cell.width) or font <= LEAST_FONT:
            break
        _smaller(axes, request)
    request.height = box.height
    frame = axes.get_window_extent(renderer)
    under = axes.xaxis.get_tightbbox(renderer)
    below = round((frame.y0 - under.y0 if under else 0) * points + 4, 1)
    left = round(max(0.0, frame.x0 - max(cell.left, min(frame.x0, cell.right - box.width))) * points, 1)
    if abs(below - request.below) > 0.5 or abs(left - request.left) > 0.5:
        request.below, request.left = below, left
    request.draw(axes)


def _columns(axes, request, cell, renderer):
    """As many columns as there is room for; where one is too wide, its labels get more lines."""
    for columns in range(min(5, len(request.labels)), 0, -1):
        request.columns = columns
        box = request.size(axes, renderer)
        if box.width <= cell.width:
            return
    texts = [text.get_window_extent(renderer).width for text in axes.get_legend().get_texts()]
    widest = max(range(len(texts)), key=texts.__getitem__)
    keys = box.width - texts[widest]
    longest = max(len(line) for line in request.labels[widest].split("\n"))
    room = max(20.0, cell.width - keys)
    characters = max(8, int(longest * room / max(texts[widest], 1.0)) - 1)
    request.labels = [_wrapped(label, characters, 9) for label in request.labels]


# ---- Texts ----


def _collide(boxes):
    return any(a.x1 + GAP > b.x0 and b.x1 + GAP > a.x0 and a.y1 > b.y0 and b.y1 > a.y0
               for a, b in zip(boxes, boxes[1:]))


def _thin_ticks(axis, renderer):
    """Leaves out ticks whose texts would touch; names of rows get smaller first. Whether anything has
    changed."""
    low, high = sorted(axis.get_view_interval())
    room = (high - low) * 1e-6
    shown = [tick for tick in axis.get_major_ticks() if low - room <= tick.get_loc() <= high + room
             and tick.label1.get_visible() and tick.label1.get_text()]
    ticks = [(tick.get_loc(), tick.label1, tick.label1.get_window_extent(renderer)) for tick in sorted(shown, key=Tick.get_loc)]
    if len(ticks) < 2 or not _collide([box for _, _, box in ticks]):
        return False
    named = isinstance(axis.get_major_formatter(), ticker.FixedFormatter)
    size = ticks[0][1].get_fontsize()
    if named and size > LEAST_FONT + 1:
        axis.set_tick_params(labelsize=max(LEAST_FONT + 1, size * 0.85))
        return True
    if ticks[0][1].get_rotation():
        return False  # slanted names: their boxes meet, they do not
    step = next((n for n in range(2, len(ticks))
                 if not _collide([box for _, _, box in ticks[::n]])), len(ticks))
    kept = ticks[::step]
    if named:
        axis.set_ticks([place for place, _, _ in kept], [label.get_text() for _, label, _ in kept])
    else:
        axis.set_major_locator(ticker.FixedLocator([place for place, _, _ in kept]))
    return True


def _fit_texts(axes, cell, renderer):
    """Wraps titles and names of axes that are longer than the room for them; whether any has changed."""
    frame, changed = axes.get_window_extent(renderer), False
    for text in filter(Text.get_text, (axes.xaxis.label, axes.yaxis.label, axes._left_title)):
        box, written = text.get_window_extent(renderer), text.get_text()
        length, room = box.width, cell.right - frame.x0
        if text is axes.yaxis.label:
            length, room = box.height, frame.height
        elif text is axes.xaxis.label:
            middle = (box.x0 + box.x1) / 2
            room = 2 * min(middle - cell.left, cell.right - middle)
        if 0 < room < length:
            longest = max(map(len, written.split("\n")))
            text.set_text(_wrapped(written, min(longest - 1, int(longest * room / length)), MOST_LINES))
            changed |= text.get_text() != written
    return changed


# ---- The figure ----


def arrange(figure, frame, fixed):
    """Places everything. frame(): where the axes go, as for tight_layout, at the figure's present height;
    fixed: that height must stay, else it grows by what legends below axes need."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    requests = [(axes, axes.skampi_legend) for axes in figure.axes if hasattr(axes, "skampi_legend")]
    cells = {id(axes): _cell_of(axes) for axes in figure.axes}
    for axes, request in requests:
        request.draw(axes)
    grown = {}
    for _ in range(ROUNDS):
        rect = frame()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a tiny figure is drawn as well as it can be
            figure.tight_layout(rect=rect, pad=0.6, w_pad=1.5, h_pad=1.5)
        changed = False
        for axes, request in requests:
            changed |= _place_legend(axes, request, cells[id(axes)], renderer,
                                     rect[1] * figure.bbox.height, fixed)
        if not fixed:
            for row in {cell.row for cell in cells.values()}:
                need = max((request.height / figure.dpi for axes, request in requests
                            if cells[id(axes)].row == row), default=0)
                if need > grown.get(row, 0) + 0.02:
                    width, height = figure.get_size_inches()
                    figure.set_size_inches(width, height + need - grown.get(row, 0))
                    grown[row] = need
                    changed = True
        if changed:
            continue
        for axes in figure.axes:  # at last: what is left out does not come back
            for axis in (axes.xaxis, axes.yaxis):
                changed |= _thin_ticks(axis, renderer)
            changed |= _fit_texts(axes, cells[id(axes)], renderer)
        if not changed:
            break
