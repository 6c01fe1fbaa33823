# SPDX-License-Identifier: BSD-3-Clause
"""The part of a map that is shown, and the scale of its arrows."""
import numpy as np

LONGEST = 0.15  # the longest arrow, as a part of the panel's width
SHORTEST = 0.005  # shorter ones are not drawn
SHOWN_FROM = 0.08  # the map holds stations that move by this part of the largest motion
KM_PER_DEGREE = 111.2
AROUND = 1.4  # a map of the surface, times what its stations and its slip take


class Box:
    """Sides of a map around points, longitudes and latitudes or km, with a margin; at least
    `least_deg` wide and high."""

    least_deg = 0.2

    def __init__(self, x, y, projected, least_deg=0.2):
        self.least_deg = least_deg
        keep = np.isfinite(x) & np.isfinite(y)
        x, y = np.asarray(x)[keep], np.asarray(y)[keep]
        self.squeeze = float(np.cos(np.radians(y.mean()))) if projected else 1.0
        self._fit(x, y, projected)

    def _fit(self, x, y, projected, wider=1.0):
        """Between 3:4 and 4:3 in shape."""
        width, height = wider * np.ptp(x) * self.squeeze, np.ptp(y)
        least = self.least_deg * (1.0 if projected else KM_PER_DEGREE)
        width, height = max(width, 0.85 * height, least), max(height, 0.75 * width, least)
        self._sides((x.min() + x.max()) / 2.0, (y.min() + y.max()) / 2.0, 1.1 * width, 1.1 * height)

    def _sides(self, x, y, width, height):
        self.width, self.height = width, height
        self.west, self.east = x - width / self.squeeze / 2.0, x + width / self.squeeze / 2.0
        self.south, self.north = y - height / 2.0, y + height / 2.0

    def holds(self, x, y):
        return (x > self.west) & (x < self.east) & (y > self.south) & (y < self.north)

    def apply(self, axes):
        # The aspect makes the panel locally true to angles: east and north are screen directions.
        axes.set(xlim=(self.west, self.east), ylim=(self.south, self.north),
                 aspect=1.0 / self.squeeze)


class Frame(Box):
    """Sides around what slips and the stations that move, with room for their arrows.

    motions: [station][east, north, up] of all panels, m; `scales`: for each row of panels the
    metres of motion per unit of y on the map. fields: of each panel [point][3] of the surface, or
    None."""

    def __init__(self, data, source, rows, width_km=None, fields=None):
        self.data, self.fields = data, fields
        outline = data.outline[source]
        outline = outline[np.all(np.isfinite(outline), axis=1)]
        motions = [motion for row in rows for motion in row]
        moves = np.zeros(data.x.size, dtype=bool)
        for motion in motions:
            size = np.hypot(motion[:, 0], motion[:, 1])
            moves |= size > SHOWN_FROM * np.nanmax(size, initial=0.0)
        x = np.concatenate([data.x[moves], outline[:, 0]])
        y = np.concatenate([data.y[moves], outline[:, 1]])
        self.squeeze = data.squeeze(float(y.mean()))
        if width_km is not None:
            self._centre(x, y, outline, width_km)
        else:
            self._around(x, y)
        self._scale(rows)
        # Arrow lengths follow the frame and the frame must hold the arrows: a few rounds settle it.
        for _ in range(0 if width_km is not None else 4):
            tips = [self.tips(data.x[moves], data.y[moves], motion[moves], scale)
                    for row, scale in zip(rows, self.scales) for motion in row]
            self._around(np.concatenate([x] + [t[0] for t in tips]),
                         np.concatenate([y] + [t[1] for t in tips]))
            self._scale(rows)

    def _scale(self, rows):
        shown = self.holds(self.data.x, self.data.y)
        self.longest = [max(float(np.nanmax(np.hypot(motion[shown, 0], motion[shown, 1]),
                                            initial=0.0)) for motion in row) or 1.0 for row in rows]
        if self.fields:
            inside = self.holds(*self.data.surface[:2])
            for k, row in enumerate(self.fields):
                # Beside the fault a few points move much farther than the rest.
                sizes = [np.hypot(field[inside, 0], field[inside, 1]) for field in row]
                most = max((float(np.percentile(s, 95)) for s in sizes if s.size), default=0.0)
                self.longest[k] = max(self.longest[k], most)
        self.scales = [longest / (LONGEST * self.width) for longest in self.longest]

    def _around(self, x, y):
        # The surface is shown beyond the stations.
        self._fit(x, y, self.data.projected, AROUND if self.fields else 1.0)

    def _centre(self, x, y, outline, width_km):
        """About what slips; about the stations where nothing does."""
        width = width_km / (KM_PER_DEGREE if self.data.projected else 1.0)
        middle = outline.mean(axis=0) if outline.size else (x.mean(), y.mean())
        self._sides(*middle, width, width)

    def tips(self, x, y, motion, scale):
        return (x + np.nan_to_num(motion[:, 0]) / scale / self.squeeze,
                y + np.nan_to_num(motion[:, 1]) / scale)
