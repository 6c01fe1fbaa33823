# SPDX-License-Identifier: BSD-3-Clause
"""A record section: seismograms of one source by receiver, beside a section of the model."""
import textwrap

import matplotlib.pyplot as plt
import numpy as np

from . import ground
from .common import GREY, INK, PlotError, beside, kind_of, open_dataset, texts
from .frame import Box
from .maps import TITLE_LETTERS

SOURCE, RECEIVER = "#c2571a", "#1f5fa8"
COLOURS, PEAK_COLOURS = "Greys", "YlOrRd"
MOST_RECEIVERS = 60  # traces that can be told apart
MOST_NAMES = 20
LEAST_DEG = 0.01  # of a map: models of a kilometre fill it


def is_waves(path):
    return kind_of(path) == "seismograms"


def prefixed(largest, unit):
    """Factor and name of the unit in which `largest` is 1 to 1000."""
    for factor, prefix in ((1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")):
        if largest >= factor:
            return factor, prefix + unit
    return 1e-9, "n" + unit


def _places(file, source):
    """Longitudes and latitudes of the ground's points, the receivers and the source, counted from
    the source's longitude."""
    middle = float(file["source_lon"][source])
    return [(beside(lon, middle), lat) for lon, lat in (
        (file["ground/lon"][:], file["ground/lat"][:]),
        (file["receiver_lon"][:], file["receiver_lat"][:]),
        (np.array([middle]), np.array([file["source_lat"][source]])))]


class Waves:
    """One source of an open seismograms.h5 as its picture needs it; `path` is the file's name."""

    def __init__(self, file, path, source, component):
        self.title = texts([file.attrs["title"]])[0]
        ids = texts(file["source"][:])
        status = file["status"][:]
        done = np.flatnonzero(status == 1)
        if source is None and done.size == 0:
            raise PlotError(f"{path} has no source that is done")
        if source is not None and source not in ids:
            raise PlotError(f"--source: must be one of {', '.join(ids[:20])}, got '{source}'")
        k = int(done[0]) if source is None else ids.index(source)
        if status[k] != 1:
            raise PlotError(f"--source: {ids[k]} has no seismograms: "
                            f"{texts(file['failure'][k:k + 1])[0]}")
        components = texts(file["component"][:])
        if component not in components:
            raise PlotError(f"--component: must be {' or '.join(components)}, "
                            f"got '{component}'")
        self.source, self.component = ids[k], component
        self.time = file["time"][:]
        self.quantity, unit = (texts([file["seismograms"].attrs[name]])[0]
                               for name in ("long_name", "units"))
        self.unit = unit.replace(" s-1", "/s")
        self.traces = file["seismograms"][k, :, components.index(component), :]
        self.names = texts(file["receiver"][:])
        self.at = np.stack([file[f"source_{axis}"][k] for axis in "xyz"])
        self.receivers = np.stack([file[f"receiver_{axis}"][:] for axis in "xyz"], axis=-1)
        self.ground = self.globe = None
        if "ground/peak_velocity" in file:
            self.ground = (file["ground/xyz"][:], file["ground/triangles"][:],
                           file["ground/peak_velocity"][k, :, 0])
            if "ground/lon" in file and "source_lon" in file:
                self.globe = _places(file, k)
        self.section = None
        if "section_vp" in file:
            self.section = (file["section_x"][:], file["section_z"][:], file["section_vp"][:])

    @classmethod
    def of_file(cls, path, source, component):
        with open_dataset(path) as file:
            return cls(file, path, source, component)

    def distance(self):
        return np.linalg.norm(self.receivers - self.at, axis=1)


def draw_model(axes, waves):
    x, z, vp = waves.section
    factor, unit = prefixed(max(np.ptp(x), np.ptp(z)), "m")
    if np.nanmax(vp) - np.nanmin(vp) > 0.0:
        image = axes.pcolormesh(x / factor, z / factor, vp, cmap=COLOURS, shading="nearest",
                                vmin=0.7 * np.nanmin(vp))
        axes.figure.colorbar(image, ax=axes, shrink=0.6, label="P-wave speed [m/s]")
    else:
        axes.pcolormesh(x / factor, z / factor, vp, cmap=COLOURS, shading="nearest",
                        vmin=0.0, vmax=3.0 * np.nanmax(vp))
    axes.plot(waves.receivers[:, 0] / factor, waves.receivers[:, 2] / factor, "v",
              color=RECEIVER, markersize=7, label="receiver", clip_on=False)
    axes.plot(waves.at[0] / factor, waves.at[2] / factor, "*", color=SOURCE, markersize=15,
              label="source", clip_on=False)
    axes.set_aspect("equal")
    axes.set_xlabel(f"x [{unit}]")
    axes.set_ylabel(f"z [{unit}]")
    axes.legend(loc="lower left", frameon=True, fontsize=9)


def draw_ground(axes, waves):
    """The largest horizontal speed of the ground, as a map: in longitude and latitude with coasts
    where the model has a place on the globe."""
    xyz, triangles, peak = waves.ground
    entries = []
    if waves.globe is not None:
        points, receivers, at = waves.globe
        frame = Box(*points, True, LEAST_DEG)
        ground.draw_axes(axes, frame, True)
        coast = list(ground.coast_rings(frame))
        entries = ground.draw_coast(axes, frame, coast, True) if coast else []
    else:
        factor, unit = prefixed(max(np.ptp(xyz[:, 0]), np.ptp(xyz[:, 1])), "m")
        points, receivers, at = (xyz.T[:2] / factor, waves.receivers.T[:2] / factor,
                                 waves.at[:2, None] / factor)
        axes.set_aspect("equal")
        axes.set_xlabel(f"x [{unit}]")
        axes.set_ylabel(f"y [{unit}]")
    speed, name = prefixed(max(float(np.nanmax(peak)), 1e-12), "m/s")
    image = axes.tripcolor(*points, triangles, facecolors=peak / speed, cmap=PEAK_COLOURS,
                           vmin=0.0, zorder=0.8)
    axes.figure.colorbar(image, ax=axes, shrink=0.6, label=f"peak horizontal velocity [{name}]")
    entries += axes.plot(*receivers, "v", color=RECEIVER, markersize=7, label="receiver",
                         clip_on=False, zorder=4)
    entries += axes.plot(*at, "*", color=SOURCE, markeredgecolor="white", markersize=16,
                         label="source", clip_on=False, zorder=4)
    axes.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3,
                frameon=False, fontsize=9)


def draw_section(axes, waves):
    """Traces by distance from the source."""
    order = np.argsort(waves.distance(), kind="stable")
    if order.size > MOST_RECEIVERS:
        order = order[np.linspace(0, order.size - 1, MOST_RECEIVERS).astype(int)]
    traces = waves.traces[order]
    largest = float(np.nanmax(np.abs(traces), initial=0.0))
    if not largest > 0.0:
        raise PlotError(f"the source {waves.source} moves no receiver along {waves.component}")
    factor, unit = prefixed(waves.time[-1], "s")
    for row, (receiver, trace) in enumerate(zip(order, traces)):
        axes.plot(waves.time / factor, row - 0.9 * trace / largest, color=INK, linewidth=0.8)
        if order.size <= MOST_NAMES:
            distance = float(waves.distance()[receiver])
            metres, name = prefixed(max(distance, 1e-9), "m")
            axes.annotate(f"{waves.names[receiver]}  {distance / metres:.3g} {name}",
                          (1.0, row), xycoords=("axes fraction", "data"),
                          xytext=(5, 0), textcoords="offset points", va="center", fontsize=9,
                          color=GREY)
    amplitude, length = prefixed(largest, waves.unit)
    axes.set_title(f"{waves.quantity} along {waves.component}, at most "
                   f"{largest / amplitude:.3g} {length}", fontsize=11)
    axes.set_yticks([])
    axes.set_ylim(order.size, -1.0)
    axes.set_xlim(waves.time[0] / factor, waves.time[-1] / factor)
    axes.set_xlabel(f"time [{unit}]")
    axes.set_ylabel("receivers by distance from the source")
    axes.grid(axis="x", color="#dedbd3", linewidth=0.6)


def draw_waves(waves):
    plt.rcParams.update({"font.size": 10.5, "text.color": INK, "axes.labelcolor": INK})
    figure, (model, section) = plt.subplots(1, 2, constrained_layout=True, figsize=(13.0, 7.0),
                                            width_ratios=(1.0, 1.5))
    if waves.section is not None:
        draw_model(model, waves)
    elif waves.ground is not None:
        draw_ground(model, waves)
    else:
        model.set_axis_off()
    draw_section(section, waves)
    title = textwrap.shorten(waves.title, TITLE_LETTERS, placeholder=" ...")
    figure.suptitle(f"{title}\nsource {waves.source}", fontsize=13, linespacing=1.35)
    return figure
