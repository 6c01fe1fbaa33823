# SPDX-License-Identifier: BSD-3-Clause
"""Names of stations where they cover neither arrows nor each other."""
import numpy as np
from matplotlib.patheffects import withStroke

from .common import INK

SIZE_PT = 8.0
AWAY_PT = 5.0  # from the dot to the nearest edge of the name
MAX_NAMES = 60  # more would be a grey mass
HALO = [withStroke(linewidth=1.6, foreground="white", alpha=0.75)]
COVERED = 100  # cost of covering a point of an arrow, a name or the rim; of a faint arrow it is 1
SAMPLES = 24  # points that stand for an arrow
# Where the middle of the name lies, seen from the dot: the sides first, then the corners.
SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)])


def _inside(points, box):
    x0, y0, x1, y1 = box
    return np.count_nonzero((points[:, 0] > x0) & (points[:, 0] < x1)
                            & (points[:, 1] > y0) & (points[:, 1] < y1))


def _cost(box, marks, faint, boxes, panel):
    """How much of what is drawn a name at `box` (x0, y0, x1, y1) would cover."""
    x0, y0, x1, y1 = box
    met = sum(x0 < b[2] and b[0] < x1 and y0 < b[3] and b[1] < y1 for b in boxes)
    out = x0 < panel.x0 or x1 > panel.x1 or y0 < panel.y0 or y1 > panel.y1
    return _inside(faint, box) + COVERED * (_inside(marks, box) + met + out)


def _samples(axes, dots, tips):
    """Points along arrows, in pixels."""
    part = np.linspace(0.0, 1.0, SAMPLES)[:, None, None]
    start, end = axes.transData.transform(dots), axes.transData.transform(tips)
    return ((1.0 - part) * start + part * end).reshape(-1, 2)


def draw_names(axes, names, dots, tips, faint=None):
    """Each name at the best of eight places around its dot, over no arrow; one that has no such
    place is left out. dots, tips: [n][2] in the axes' data; `faint`: those of arrows in the
    background, which names only shun. Gives the texts that were drawn.

    Call it when the layout stands: it measures in pixels."""
    if len(names) == 0 or len(names) > MAX_NAMES:
        return []
    figure = axes.figure
    pixel = figure.dpi / 72.0
    marks = _samples(axes, dots, tips)
    faint = _samples(axes, *faint) if faint else np.empty((0, 2))
    panel = axes.get_window_extent()
    renderer = figure.canvas.get_renderer()
    boxes, drawn = [], []
    for name, dot in zip(names, axes.transData.transform(dots)):
        text = axes.annotate(name, dot, xycoords="figure pixels", fontsize=SIZE_PT, color=INK,
                             ha="center", va="center", zorder=5, annotation_clip=False)
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2.0 + 1.0
        middles = dot + SIDES * (half + AWAY_PT * pixel)
        candidates = [(*(m - half), *(m + half)) for m in middles]
        costs = [_cost(box, marks, faint, boxes, panel) for box in candidates]
        best = int(np.argmin(costs))
        if costs[best] >= COVERED:
            text.remove()
            continue
        boxes.append(candidates[best])
        text.remove()
        offset = (middles[best] - dot) / pixel
        drawn.append(axes.annotate(
            name, axes.transData.inverted().transform(dot), xytext=offset,
            textcoords="offset points", fontsize=SIZE_PT, color=INK, ha="center", va="center",
            zorder=5, path_effects=HALO))
    return drawn
