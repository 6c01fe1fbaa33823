# SPDX-License-Identifier: BSD-3-Clause
"""Figures of results. Their numbers are in data/, made by make_data.py."""
import pathlib

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

from style import BLUE, GREEN, GREY, INK, RED, label, panel, table

COAST = pathlib.Path(__file__).resolve().parents[2] / "deploy/scripts/plotting/coast/coast.npz"
SAMOS = (26.9, 38.05)  # centre of data/pgv.yaml
TOWNS = {"Karlovasi": (26.70, 37.79), "Kusadasi": (27.26, 37.86), "Cesme": (26.31, 38.32),
         "Izmir": (27.14, 38.42), "Seferihisar": (26.84, 38.20)}

VISCOSITIES = (("1e18", RED, "-"), ("1e19", BLUE, "--"), ("1e20", GREEN, ":"))


def postseismic():
    """Motion of two stations for three viscosities of the mantle."""
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.1), sharex=True)
    rows = table("postseismic.csv")
    for one, station, text in ((axes[0], "W100", "a. 100 km on the footwall's side"),
                               (axes[1], "E100", "b. 100 km on the hanging wall's side")):
        for viscosity, colour, dash in VISCOSITIES:
            series = [(float(r["years"]), 1e3 * float(r["east_m"])) for r in rows
                      if r["station"] == station and r["viscosity_pa_s"] == viscosity]
            one.plot(*zip(*series), color=colour, ls=dash, lw=1.7)
            if station == "W100":
                x, y = {"1e18": (20, 87), "1e19": (24, 45), "1e20": (22, 30)}[viscosity]
                label(one, x, y, f"mantle of 10$^{{{viscosity[2:]}}}$ Pa s", colour)
        one.set_xlabel("years since the slip")
        panel(one, text)
    axes[0].set_ylabel("east motion per metre of slip [mm]")
    return figure


def _patches(axes, rows, values, colours, limits, title):
    outlines = [[(float(r[f"lon{k}_deg"]), float(r[f"lat{k}_deg"])) for k in range(4)]
                for r in rows]
    drawn = PolyCollection(outlines, array=np.array(values), cmap=colours, edgecolor=GREY,
                           linewidth=0.4)
    drawn.set_clim(*limits)
    axes.add_collection(drawn)
    axes.autoscale_view()
    places = [(float(r["lon_deg"]), float(r["lat_deg"])) for r in table("stations.csv")]
    axes.plot(*zip(*places), "v", color=INK, ms=3)
    axes.set_aspect(1 / np.cos(np.radians(38.0)))
    axes.set_xlabel("longitude [°]")
    axes.set_xlim(141.3, 143.4)
    panel(axes, title)
    return drawn


def resolution():
    """Slip that made the data, slip that was found, and how well it is resolved."""
    figure, axes = plt.subplots(1, 3, figsize=(9.8, 3.5), sharey=True)
    rows = table("slip.csv")
    for one, key, title in ((axes[0], "true_m", "a. Slip that made the offsets"),
                            (axes[1], "slip_m", "b. Slip that was found")):
        drawn = _patches(one, rows, [float(r[key]) for r in rows], "YlOrRd", (0, 3), title)
    figure.colorbar(drawn, ax=axes[1], label="slip [m]", shrink=0.8)
    drawn = _patches(axes[2], rows, [float(r["resolution"]) for r in rows], "viridis", (0, 1),
                     "c. Resolution")
    figure.colorbar(drawn, ax=axes[2], label="diagonal of the resolution matrix", shrink=0.8)
    axes[0].set_ylabel("latitude [°]")
    return figure


def l_curve():
    """Misfit against roughness for all weights of the same inversion."""
    figure, axes = plt.subplots(figsize=(4.8, 3.4))
    rows = table("l_curve.csv")
    misfit, rough = ([float(r[key]) for r in rows] for key in ("misfit", "roughness"))
    rough = np.array(rough) / max(rough)
    axes.loglog(rough, misfit, "o-", color=BLUE, ms=4.5)
    for k, row in enumerate(rows):
        if row["chosen"] == "1":
            axes.plot(rough[k], misfit[k], "o", color=RED, ms=9, mfc="none", mew=2)
            axes.annotate(f"chosen: smoothness {row['smoothness']}", (rough[k], misfit[k]),
                          (0.35 * rough[k], 3.3), color=RED, ha="left",
                          arrowprops={"arrowstyle": "-", "color": RED, "lw": 0.8})
    axes.annotate("30", (rough[-1], misfit[-1]), (5, 2), textcoords="offset points", fontsize=8)
    axes.annotate("0.0001", (rough[0], misfit[0]), (-4, -12), textcoords="offset points",
                  fontsize=8, ha="center")
    axes.set_ylim(0.6, 30)
    axes.set_xlabel("roughness of the slip over its largest")
    axes.set_ylabel("misfit: chi$^2$ per observation")
    axes.set_xticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
    axes.set_xticks([], minor=True)
    axes.set_yticks([1, 3, 10, 30], ["1", "3", "10", "30"])
    axes.set_yticks([], minor=True)
    return figure


def _coast(axes, west, east, south, north):
    with np.load(COAST) as file:
        sizes, steps = file["size"], file["step"] / float(file["per_degree"])
    for ring in np.split(steps, np.cumsum(sizes)[:-1]):
        lon, lat = np.cumsum(ring, axis=0).T
        if lon.max() > west and lon.min() < east and lat.max() > south and lat.min() < north:
            axes.plot(lon, lat, color=INK, lw=0.8)


def pgv_map():
    """Peak ground velocity of the earthquake off Samos."""
    figure, axes = plt.subplots(figsize=(6.6, 4.4))
    rows = table("pgv.csv")
    east, north, peak = (np.array([float(r[key]) for r in rows])
                         for key in ("east_km", "north_km", "pgv_m_per_s"))
    lon = SAMOS[0] + east / (111.3 * np.cos(np.radians(SAMOS[1])))
    lat = SAMOS[1] + north / 111.0
    drawn = axes.tricontourf(lon, lat, 100 * peak, levels=np.linspace(0, 100 * peak.max(), 12),
                             cmap="YlOrRd")
    window = (lon.min(), lon.max(), lat.min(), lat.max())
    _coast(axes, *window)
    for name, (x, y) in TOWNS.items():
        axes.plot(x, y, "^", color=BLUE, ms=5)
        label(axes, x + 0.02, y - 0.03, name, BLUE, 8, ha="left")
    axes.set_xlim(*window[:2])
    axes.set_ylim(*window[2:])
    axes.set_aspect(1 / np.cos(np.radians(SAMOS[1])))
    axes.set_xlabel("longitude [°]")
    axes.set_ylabel("latitude [°]")
    figure.colorbar(drawn, label="peak horizontal velocity below 0.1 Hz [cm/s]", shrink=0.85,
                    format="%.0f")
    return figure


def coulomb():
    """Coulomb stress change on faults parallel to one that slipped."""
    figure, axes = plt.subplots(figsize=(6.6, 3.9))
    rows = table("coulomb.csv")
    east, north, stress = (np.array([float(r[key]) for r in rows])
                           for key in ("east_km", "north_km", "coulomb_mpa"))
    drawn = axes.tricontourf(east, north, np.clip(stress, -0.999, 0.999), cmap="RdBu_r",
                             levels=np.linspace(-1, 1, 21))
    axes.plot([-20, 20], [0, 0], color=INK, lw=2.5)
    label(axes, 0, -2.6, "right-lateral slip of 1 m", "white", 8.5)
    axes.set_aspect("equal")
    axes.set_xlim(-48, 48)
    axes.set_ylim(-28, 28)
    axes.set_xlabel("east [km]")
    axes.set_ylabel("north [km]")
    figure.colorbar(drawn, label="Coulomb stress change [MPa]", shrink=0.75,
                    ticks=[-1, -0.5, 0, 0.5, 1])
    return figure


def time_functions():
    """Time functions of sources, each with its largest value 1."""
    figure, axes = plt.subplots(2, 4, figsize=(9.4, 3.4), sharey=True)
    x = np.linspace(0.0, 4.0, 161)
    step = x[1] - x[0]
    yoffe = np.sqrt(np.clip(1.6 - x, 0, None) / np.maximum(x, step / 3))
    triangle = np.clip(1 - np.abs(np.arange(-8, 9) * step) / 0.2, 0, None)  # smoothing 0.2 s
    smooth = np.convolve(yoffe, triangle)[:x.size]
    inside = (x > 0) & (x < 2)
    grow = np.where(x >= 2, 1.0, 0.0)
    grow[inside] = np.exp((x[inside] - 2) ** 2 / (x[inside] * (x[inside] - 4)))
    a = (np.pi * (x - 1)) ** 2
    band = 2 * np.sinc(2 * (x - 2)) - 0.5 * np.sinc(0.5 * (x - 2))
    shapes = {"ricker\nfrequency 1 Hz": (1 - 2 * a) * np.exp(-a),
              "gaussian\nwidth 0.4 s": np.exp(-((x - 1.6) / 0.4) ** 2 / 2),
              "band\n0.25 to 1 Hz": band / band.max(),
              "triangle\nduration 2 s": np.clip(1 - np.abs(x - 1), 0, None),
              "cosine\nduration 2 s": np.where(x < 2, (1 - np.cos(np.pi * x)) / 2, 0),
              "brune\ntau 0.5 s": x / 0.5 * np.exp(1 - x / 0.5),
              "yoffe\nrise_time 2 s": smooth / smooth.max(),
              "smoothed_step\nduration 2 s": grow}
    for one, (name, values) in zip(axes.ravel(), shapes.items()):
        one.axhline(0, color=GREY, lw=0.6)
        one.plot(x, values, color=BLUE, lw=1.5)
        one.text(0.97, 0.95, name, transform=one.transAxes, ha="right", va="top", fontsize=8)
        one.set_ylim(-0.6, 1.75)
        one.set_xticks([0, 2, 4])
    for one in axes[1]:
        one.set_xlabel("time [s]")
    return figure


FIGURES = {"postseismic": postseismic, "resolution": resolution, "l_curve": l_curve,
           "coulomb": coulomb, "pgv_map": pgv_map, "time_functions": time_functions}
