"""The kinds of diagrams. Each draws what was chosen for a panel on its axes, and may add notes, which
are printed below the figure."""

from .heatmap import draw_heatmap
from .lines import draw_curve, draw_dots
from .samples import draw_distribution, draw_order, draw_spread, draw_violin
from .shares import draw_overlap, draw_stack
from .strip import draw_states

DRAW = {
    "curve": draw_curve, "dots": draw_dots, "stack": draw_stack, "share": draw_stack,
    "overlap": draw_overlap, "heatmap": draw_heatmap, "ecdf": draw_distribution,
    "histogram": draw_distribution, "violin": draw_violin, "order": draw_order,
    "spread": draw_spread, "states": draw_states,
}
