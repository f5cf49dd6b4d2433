"""Breaks of curves at sizes where the library changes its protocol: which there are, and lines that mark them.

    for position, mark in marks_of(curve):
        print(position, mark.sentence)
"""

from .. import thresholds

NOTE = "dotted vertical lines: the curve breaks where the library changes its protocol"
SMALL = 0.78  # size of the text at a break, as a share of the font's


def marks_of(curve):
    """[(position on the x axis, thresholds.Mark)] of a curves.Curve."""
    first = curve.first
    if curve.x is None or any(point.quantity != "time" for point in curve.points):
        return []
    return thresholds.along(first.source.file.header, first.function, curve.placement,
                            [(point.x, point.bytes, point.time) for point in curve.points])


def _is_high(axes, curve_points, position):
    """Whether what is drawn near this place is in the upper half of the axes."""
    pixels = axes.transData.transform(curve_points)
    frame = axes.get_window_extent()
    x = axes.transData.transform((position, curve_points[0][1]))[0]
    near = min(pixels, key=lambda pixel: abs(pixel[0] - x))
    return near[1] > (frame.y0 + frame.y1) / 2


def draw(axes, chosen, drawn_points, color, notes):
    """A thin vertical line with a label for each threshold where a curve breaks; after the limits of the axes are set.
    drawn_points(curve): [(x, y)] as drawn."""
    low, high = axes.get_xlim()
    seen = set()
    for _, curve in chosen:
        points = drawn_points(curve)
        for position, mark in marks_of(curve) if points else ():
            if (position, mark.label) in seen or not low <= position <= high:
                continue
            seen.add((position, mark.label))
            axes.axvline(position, color=color, linestyle="dotted", linewidth=0.8, zorder=1)
            top = not _is_high(axes, points, position)
            axes.annotate(mark.label, (position, 1 if top else 0), xycoords=axes.get_xaxis_transform(),
                          xytext=(-1, -2 if top else 2), textcoords="offset points", rotation=90, ha="right",
                          va="top" if top else "bottom", color=color,
                          fontsize=SMALL * axes.yaxis.label.get_fontsize(), clip_on=True)
    if seen:
        notes.append(NOTE)
