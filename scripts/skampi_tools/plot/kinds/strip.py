"""Diagrams of the state of the machine over the time of a run."""

from matplotlib.lines import Line2D

from ... import style
from ...states import WORDS, common
from ..axes import Legend, set_ticks, x_axis, y_axis
from ..spec import TIME_UNITS

DOT = 2.2          # points
BAND = 0.12        # how dense the colour of a state's range is


def draw_states(axes, panel, chosen, notes):
    """Dots: a control when it was measured. Bands: the range of it that belongs to a state, grey where it belongs to
    several, which other controls tell apart."""
    series, strip = chosen[0]
    control = strip.control_of(series)
    wanted = TIME_UNITS.get(panel.get("unit"))
    unit, factor = next((one for one in style.TIME_UNITS if one[0] == wanted),
                        style.choose_unit(min(value for _, value, _ in strip.dots(control)), style.SHORT_UNITS))
    dots = [(at, value / factor, number) for at, value, number in strip.dots(control)]
    values = [value for _, value, _ in dots]
    name = WORDS[control].capitalize()
    y_axis(axes, {"y_scale": "log10", **panel}, values, None, f"{name} [{unit}]")
    x_axis(axes, {"x_scale": "linear", "x_label": "Time of the run [s]", **panel}, [at for at, _, _ in dots], False, "time")
    low, high = axes.get_ylim()
    legend = Legend()
    for number, below, above in strip.bands(control):
        bottom = low if below is None else max(low, below / factor)
        top = high if above is None else min(high, above / factor)
        if bottom < top:
            axes.axhspan(bottom, top, color=_color(number), alpha=BAND, linewidth=0, zorder=0)
    for named, state in strip.states:
        color = _color(named.number)
        _dots(axes, dots, named.number, color)
        legend.add(Line2D([], [], linestyle="none", marker="o", markersize=2 * DOT, color=color),
                   common.said_of(named, state))
    _dots(axes, dots, 0, style.GREY)
    axes.set_ylim(low, high)
    set_ticks(axes.yaxis, (low, high), "linear" if panel.get("y_scale") == "linear" else "log10", False,
              {value for _, state in strip.states if control in state.controls
               and low < (value := state.controls[control].value / factor) < high})
    legend.draw(axes, {"legend": "below", **panel})


def _color(number):
    return style.PALETTE[(number - 1) % len(style.PALETTE)] if number else style.GREY


def _dots(axes, dots, number, color):
    mine = [(at, value) for at, value, where in dots if where == number]
    if mine:
        axes.plot(*zip(*mine), linestyle="none", marker="o", markersize=DOT, markeredgewidth=0, color=color,
                  zorder=3)
