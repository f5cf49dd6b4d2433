"""Diagrams of the state of the machine over the time of a run."""

from matplotlib.lines import Line2D

from ... import named_states, style
from ..axes import Legend, set_ticks, x_axis, y_axis
from ..spec import TIME_UNITS

DOT = 2.2          # points
BAND = 0.12        # how dense the colour of a state's range is


def draw_states(axes, panel, chosen, notes):
    """Dots: the control when it was measured. Bands: the range of it that belongs to a state."""
    series, strip = chosen[0]
    wanted = TIME_UNITS.get(panel.get("unit"))
    unit, factor = next((one for one in style.TIME_UNITS if one[0] == wanted),
                        style.choose_unit(min(strip.values), style.TIME_UNITS))
    values = [value / factor for value in strip.values]
    name = named_states.control_text(strip.control).capitalize()
    y_axis(axes, {"y_scale": "log10", **panel}, values, None, f"{name} [{unit}]")
    x_axis(axes, {"x_scale": "linear", "x_label": "Time of the run [s]", **panel}, strip.at, False, "time")
    low, high = axes.get_ylim()
    legend = Legend()
    for named, state in strip.states:
        color = style.PALETTE[(named.number - 1) % len(style.PALETTE)]
        bottom = low if state.low is None else max(low, state.low / factor)
        top = high if state.high is None else min(high, state.high / factor)
        if bottom < top:
            axes.axhspan(bottom, top, color=color, alpha=BAND, linewidth=0, zorder=0)
        _dots(axes, strip, values, named.number, color)
        legend.add(Line2D([], [], linestyle="none", marker="o", markersize=2 * DOT, color=color),
                   named_states.said_of(named, state))
    _dots(axes, strip, values, 0, style.GREY)
    axes.set_ylim(low, high)
    set_ticks(axes.yaxis, (low, high), "linear" if panel.get("y_scale") == "linear" else "log10", False,
              {state.value / factor for _, state in strip.states if low < state.value / factor < high})
    legend.draw(axes, {"legend": "below", **panel})


def _dots(axes, strip, values, number, color):
    mine = [(at, value) for at, value, where in zip(strip.at, values, strip.numbers) if where == number]
    if mine:
        axes.plot(*zip(*mine), linestyle="none", marker="o", markersize=DOT, markeredgewidth=0, color=color,
                  zorder=3)
