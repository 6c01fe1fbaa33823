# SPDX-License-Identifier: BSD-3-Clause
"""Maps of an inversion: slip on its patches, observed and predicted motion of stations."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D

from . import ground
from .common import (GREY, INK, PlotError, beside, kind_of, length_text, middle_longitude,
                     nice_above, nice_below, open_dataset, texts)
from .frame import LONGEST, Box
from .maps import PANEL_IN, TITLE_LETTERS, draw_arrows

PREDICTED = "#c2571a"
SLIP_COLOURS = "YlOrRd"
LEAST_ARROW = 0.1  # slip below this part of the largest has no arrow
STEEP_DEG = 60.0  # from this dip on a fault is shown face on: from above it is a line
KM_PER_DEGREE = 111.2
AXES = ("east", "north")


def is_inversion(path):
    return kind_of(path) == "inversion"


class Slip:
    """inversion.h5 as its map needs it; arrays are [window][patch] or [patch]."""

    def __init__(self, path):
        with open_dataset(path) as file:
            if "outline_lon" not in file:
                raise PlotError(f"{path} has no projection: its patches cannot be put on a map")
            self.title = texts([file.attrs["title"]])[0]
            self.windows = texts(file["window"][:])
            self.rates = [k in ("steady", "coupling") for k in texts(file["window_kind"][:])]
            self.magnitude = file["moment_magnitude"][:]
            self.amount, self.rake = file["patch_slip"][:], file["patch_rake"][:]
            places = {}
            for index, patch in enumerate(texts(file["patch_id"][:])):
                places.setdefault(patch, index)
            first = [places[patch] for patch in texts(file["patch"][:])]
            self.outline = np.stack([file["outline_lon"][:][first],
                                     file["outline_lat"][:][first]], axis=-1)
            self.lon, self.lat, self.strike, self.dip = (
                file[name][:][first] for name in ("patch_lon", "patch_lat", "strike", "dip"))
            self.depth_km = (np.abs(file["outline_z"][:][first]) / 1e3 if "outline_z" in file
                             else None)
            self.fault = [patch.rpartition("/")[0] for patch in texts(file["patch"][:])]
            self.stations = [_horizontal(group) for group in file.get("data", {}).values()]
        self.about_one_longitude()


    def about_one_longitude(self):
        middle = middle_longitude(self.outline[..., 0])
        self.outline[..., 0] = beside(self.outline[..., 0], middle)
        self.lon = beside(self.lon, middle)
        self.stations = [(beside(s[0], middle), *s[1:]) for s in self.stations]

    def steep_faults(self):
        """Names and patches of faults that dip by STEEP_DEG and more."""
        if self.depth_km is None:
            return []
        groups = [(name, np.array([f == name for f in self.fault]))
                  for name in dict.fromkeys(self.fault)]
        return [(name, of) for name, of in groups if np.nanmedian(self.dip[of]) >= STEEP_DEG]

    def face_on(self, of):
        """Corners [patch][corner][along strike, down dip] in km of some patches, from the middle of
        the fault and from the ground."""
        x = (self.outline[of][..., 0] - self.lon[of].mean()) * KM_PER_DEGREE * np.cos(
            np.radians(self.lat[of].mean()))
        y = (self.outline[of][..., 1] - self.lat[of].mean()) * KM_PER_DEGREE
        strike, dip = np.radians(self.strike[of][0]), np.radians(np.nanmedian(self.dip[of]))
        return np.stack([x * np.sin(strike) + y * np.cos(strike),
                         self.depth_km[of] / np.sin(dip)], axis=-1)


def _horizontal(group):
    """lon, lat [station] and observed and predicted [station][east, north] at the last epoch,
    without what the measuring adds (frames, offsets); 0 where not measured."""
    names, components = texts(group["station"][:]), texts(group["component"][:])
    epoch = group["epoch"][:]
    rows = [k for k, c in enumerate(components) if c in AXES and epoch[k] == epoch.max()]
    at = {name: i for i, name in enumerate(dict.fromkeys(names[k] for k in rows))}
    lon, lat, observed, predicted = (np.zeros((len(at), n)) for n in (1, 1, 2, 2))
    for k in rows:
        i, axis = at[names[k]], AXES.index(components[k])
        lon[i], lat[i] = group["lon"][k], group["lat"][k]
        predicted[i, axis] = group["slip_part"][k]
        observed[i, axis] = group["observed"][k] - group["predicted"][k] + predicted[i, axis]
    return lon[:, 0], lat[:, 0], observed, predicted


def hanging_wall_motion(amount, rake, strike, dip):
    """East and north [patch] of slip vectors: cos(rake) along strike, sin(rake) cos(dip) up dip,
    which is to the left of strike. Angles in degrees."""
    strike, dip, rake = (np.radians(np.nan_to_num(a)) for a in (strike, dip, rake))
    along, updip = amount * np.cos(rake), amount * np.sin(rake) * np.cos(dip)
    return np.column_stack([along * np.sin(strike) - updip * np.cos(strike),
                            along * np.cos(strike) + updip * np.sin(strike)])


def draw_patches(axes, outlines, values, label, colours, largest=None):
    """Patches [patch][corner][lon, lat] in the colours of their values, and the bar where it has a
    label. Gives what a bar of several maps is made of."""
    patches = PolyCollection(outlines, array=values, cmap=colours, edgecolors=GREY,
                             linewidths=0.4, alpha=0.85, zorder=1.6)
    patches.set_clim(0.0, largest or float(np.nanmax(values, initial=0.0)) or 1.0)
    axes.add_collection(patches)
    if label:
        axes.figure.colorbar(patches, ax=axes, shrink=0.7, pad=0.02, label=label)
    return patches


def draw_slip_arrows(axes, frame, lon, lat, motion, amount):
    """Horizontal motion of the hanging wall, on each patch."""
    longest = float(np.nanmax(np.hypot(*motion.T), initial=0.0))
    if longest > 0.0:
        shown = amount > LEAST_ARROW * float(np.nanmax(amount))
        draw_arrows(axes, lon[shown], lat[shown], motion[shown],
                    longest / (0.5 * LONGEST * frame.width), INK, 0.0022, 3)


def _arrow_entry(colour, size, label):
    return Line2D([], [], color=colour, marker=r"$\rightarrow$", linestyle="none",
                  markersize=size, label=label)


def _draw_stations(axes, frame, slip):
    """Gives the legend's entries."""
    sizes = [np.hypot(*m.T) for s in slip.stations for m in s[2:]]
    longest = max((float(size.max()) for size in sizes if size.size), default=0.0)
    if not longest > 0.0:
        return []
    scale = longest / (LONGEST * frame.width)
    entries = []
    for k, (name, colour) in enumerate((("observed", INK), ("predicted", PREDICTED))):
        for station in slip.stations:
            arrows = draw_arrows(axes, station[0], station[1], station[2 + k], scale, colour,
                                 0.0034 - 0.0012 * k, 4 + k)
        entries.append(_arrow_entry(colour, 13, f"{name} motion of a station"))
    key = nice_below(longest)
    axes.quiverkey(arrows, 0.76, 1.025, key, length_text(key) + (
        " per year" if all(slip.rates) else ""), labelpos="E", color=INK)
    return entries


def draw_face(axes, slip, window, name, of, largest, label):
    """One fault face on: slip on its patches, and its direction as seen from the hanging wall."""
    corners = slip.face_on(of)
    draw_patches(axes, corners, slip.amount[window][of], label, SLIP_COLOURS, largest)
    amount, rake = slip.amount[window][of], np.radians(np.nan_to_num(slip.rake[window][of]))
    middle = corners.mean(axis=1)
    shown = amount > LEAST_ARROW * max(float(np.nanmax(slip.amount[window])), 1e-300)
    axes.quiver(middle[shown, 0], middle[shown, 1], (amount * np.cos(rake))[shown],
                (amount * np.sin(rake))[shown], color=INK, width=0.0022, pivot="middle",
                scale=30.0 * largest, scale_units="width", zorder=3)
    low, high = corners.reshape(-1, 2).min(axis=0), corners.reshape(-1, 2).max(axis=0)
    margin = 0.03 * (high[0] - low[0])
    axes.set(xlim=(low[0] - margin, high[0] + margin), ylim=(high[1] + margin, min(0.0, low[1])),
             aspect="equal", xlabel="along strike [km]", ylabel="down dip [km]")
    axes.set_title(f"{name + ', ' if name else ''}face on, strike {slip.strike[of][0]:.0f}°, "
                   f"dip {np.nanmedian(slip.dip[of]):.0f}°", loc="left", fontsize=11)
    axes.tick_params(colors=INK, labelsize=9.5)


def draw_slip(slip, grid=None):
    """A figure with a map of each window's slip; stations on the last. Steep faults also face on."""
    lon = np.concatenate([slip.outline[..., 0].ravel(), *(s[0] for s in slip.stations)])
    lat = np.concatenate([slip.outline[..., 1].ravel(), *(s[1] for s in slip.stations)])
    frame = Box(lon, lat, True)
    coast = list(ground.coast_rings(frame))
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    n = len(slip.windows)
    steep = slip.steep_faults()
    map_in = PANEL_IN * frame.height / frame.width
    faces_in = [float(np.clip(PANEL_IN * np.ptp(face[..., 1]) / np.ptp(face[..., 0]), 1.0, 5.0))
                for face in (slip.face_on(of) for _, of in steep)]
    figure, cells = plt.subplots(1 + len(steep), n, squeeze=False, constrained_layout=True,
                                 gridspec_kw={"height_ratios": [map_in, *faces_in]},
                                 figsize=((PANEL_IN + 1.8) * n,
                                          map_in + sum(faces_in) + 0.8 * len(steep) + 2.2))
    for w, axes in enumerate(cells[0]):
        ground.draw_axes(axes, frame, True)
        entries = ground.draw_coast(axes, frame, coast, True) if coast else []
        entries += ground.draw_contours(axes, frame, grid) if grid else []
        unit = "m per year" if slip.rates[w] else "m"
        what = "slip deficit" if slip.rates[w] else "slip"
        draw_patches(axes, slip.outline, slip.amount[w], f"{what} [{unit}]", SLIP_COLOURS,
                     nice_above(float(slip.amount[w].max())))
        draw_slip_arrows(axes, frame, slip.lon, slip.lat, hanging_wall_motion(
            slip.amount[w], slip.rake[w], slip.strike, slip.dip), slip.amount[w])
        entries.append(_arrow_entry(INK, 8, f"{what}: motion of the hanging wall"))
        if w == n - 1:
            entries += _draw_stations(axes, frame, slip)
        # Below the map, where it covers no patch.
        axes.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=2,
                    fontsize=9, frameon=False)
        magnitude = f": Mw {slip.magnitude[w]:.2f}" if np.isfinite(slip.magnitude[w]) else ""
        axes.set_title(slip.windows[w] + magnitude + (" a year" if slip.rates[w] else ""),
                       loc="left", fontsize=12)
        for (name, of), face in zip(steep, cells[1:, w]):
            draw_face(face, slip, w, name, of, nice_above(float(slip.amount[w].max())),
                      f"{what} [{unit}]")
    figure.suptitle(textwrap.shorten(slip.title, TITLE_LETTERS, placeholder=" ..."), fontsize=14)
    return figure
