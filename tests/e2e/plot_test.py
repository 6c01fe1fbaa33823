#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of made-up datasets of each kind: what is in them, and the errors of `kaname plot`.

Usage: plot_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from service_harness import BAD_INPUT, NOT_FOUND, STATE, UNAVAILABLE, Facts

YEAR_S = 365.25 * 86400.0
EPOCHS_YEARS = (0.0, 1.0, 10.0)
KM_PER_DEGREE = 111.2
STEP_M = 1e5  # of a lattice of stations about the fault, in km a round number


def displacement(x, y, growth):
    """A made-up field [station][east, north, up], m, of a source at the origin; x, y in degrees."""
    far = np.exp(-(x**2 + y**2))
    return growth * np.stack([0.2 * far, -0.4 * y * far, 0.1 * x * far], axis=-1)


def write_dataset(path, sources, projected=True, events=()):
    """Sources are (id, size of its motion); the stations a lattice of 5 x 5 and one far away."""
    grid = np.linspace(-1.0, 1.0, 5)
    x, y = (np.append(v.ravel(), 30.0) for v in np.meshgrid(grid, grid))
    lon, lat = 135.0 + x, 33.0 + y
    greens = np.stack([[displacement(x, y, size * (1.0 + 0.05 * years)) for years in EPOCHS_YEARS]
                       for _, size in sources])
    n = len(sources)
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "made up"
        file.attrs["unit"] = "m per m of slip"
        file["source"] = [name for name, _ in sources]
        file["patch_id"] = [name.split("/")[0] for name, _ in sources]
        file["slip_component"] = ["dip_slip"] * n
        file["status"] = np.ones(n, dtype=np.int8)
        file["epoch"] = np.array(EPOCHS_YEARS) * YEAR_S
        file["station"] = [f"S{k:02d}" for k in range(x.size)]
        file["greens"] = greens
        file["patch_depth"] = np.full(n, 12e3)
        corners = 0.4 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        if projected:
            file["patch_lon"], file["patch_lat"] = np.full(n, 135.0), np.full(n, 33.0)
            file["station_lon"], file["station_lat"] = lon, lat
            file["outline_lon"] = np.tile(135.0 + corners[:, 0], (n, 1))
            file["outline_lat"] = np.tile(33.0 + corners[:, 1], (n, 1))
        else:
            file.attrs["crs"] = "none"
            for name, values in (("patch_x", np.zeros(n)), ("patch_y", np.zeros(n)),
                                 ("station_x", x * STEP_M), ("station_y", y * STEP_M),
                                 ("outline_x", np.tile(corners[:, 0] * STEP_M, (n, 1))),
                                 ("outline_y", np.tile(corners[:, 1] * STEP_M, (n, 1)))):
                file[name] = values
        if events:
            write_scenario(file, events)


def move_sides(path):
    """The first source becomes one of moved sides, which has no place."""
    with h5py.File(path, "r+") as file:
        file["slip_component"][0], file["patch_id"][0] = "boundary", "east,west"
        for name in ("patch_lon", "patch_lat", "outline_lon", "outline_lat"):
            file[name][0] = np.nan


def write_scenario(file, events):
    """Events are (name, time in years); a surface of 21 x 21 points."""
    group = file.create_group("events")
    group["name"] = [name for name, _ in events]
    group["moment_magnitude"] = np.full(len(events), 7.1)
    group["time"] = np.array([years for _, years in events]) * YEAR_S
    group["repeats"], group["interval"] = np.ones(len(events)), np.zeros(len(events))
    axis = np.linspace(-1.5, 1.5, 21)
    x, y = (v.ravel() for v in np.meshgrid(axis, axis))
    cell = np.arange(20 * 21).reshape(20, 21)[:, :20].ravel()
    surface = file.create_group("surface")
    surface["lon"], surface["lat"] = 135.0 + x, 33.0 + y
    surface["faces"] = np.concatenate([np.stack([cell, cell + 1, cell + 22], axis=-1),
                                       np.stack([cell, cell + 22, cell + 21], axis=-1)])
    surface["displacement"] = np.stack([displacement(x, y, 1.0 + 0.05 * years)
                                        for years in EPOCHS_YEARS])


def write_contours(path):
    rows = [f"{134 + 0.1 * i:.1f},{32 + 0.1 * j:.1f},{8 + 2 * j:.1f}"
            for j in range(21) for i in range(21)]
    path.write_text("lon_deg,lat_deg,depth_km\n" + "\n".join(rows) + "\n")


def legend_of(figure):
    return [text.get_text() for axes in figure.axes if axes.get_legend()
            for text in axes.get_legend().get_texts()]


def panels_of(figure):
    return [axes for axes in figure.axes if axes.get_title(loc="left")]


def arrows_and_names(axes, frame, data, motion, scale):
    """Names whose box holds a point of an arrow, in pixels; the arrows as the map has them."""
    at = frame.holds(data.x, data.y)
    tips = np.column_stack(frame.tips(data.x[at], data.y[at], motion[at], scale))
    part = np.linspace(0.0, 1.0, 40)[:, None, None]
    dots = np.column_stack([data.x[at], data.y[at]])
    points = axes.transData.transform(((1 - part) * dots + part * tips).reshape(-1, 2))
    names = [text for text in axes.texts if text.get_text().startswith("S")]
    boxes = [text.get_window_extent() for text in names]
    return names, [name.get_text() for name, box in zip(names, boxes)
                   if any(box.contains(*point) for point in points)]


def map_facts(facts, work, plotting):
    data = plotting.Dataset(work / "greens.h5")
    write_contours(work / "slab.csv")
    grid = plotting.read_depth_grid(work / "slab.csv")
    figure = plotting.draw_maps(data, 0, [0, 2], True, grid)
    panels = panels_of(figure)
    titles = [axes.get_title(loc="left") for axes in panels]
    facts.check("the map has both epochs and their change", titles == [
        "at once", "after 10 years", "change from 0 to 10 years"], titles)
    legend = legend_of(figure)
    facts.check("the legend has coastlines and the contours' depths",
                any("coastline" in text for text in legend)
                and any("depth of the interface: 10, 20, 30, 40 km" in text for text in legend),
                legend)
    facts.check("there is a coast on every panel",
                all(any(patch.get_gid() == "coast" for patch in axes.patches) for axes in panels))
    figure.canvas.draw()
    limits, scales = [], []
    for axes in panels:
        dots = [c for c in axes.collections if c.get_array() is not None]
        limits.append(dots[0].get_clim())
        scales.append([c.scale for c in axes.collections if hasattr(c, "scale")][0])
    facts.check("panels of a row share their scales, the change has its own",
                limits[0] == limits[1] and scales[0] == scales[1] and scales[2] < 0.5 * scales[0],
                f"{limits} {scales}")
    row = plotting.rows_of(data, 0, [0, 2], False)[0]
    frame = plotting.Frame(data, 0, [r.motions for r in plotting.rows_of(data, 0, [0, 2], True)])
    names, covering = arrows_and_names(panels[0], frame, data, row.motions[0], frame.scales[0])
    facts.check(f"{len(names)} names of stations are on the map and none covers an arrow",
                len(names) >= 15 and not covering, covering)
    facts.check("a station far away does not stretch the map", frame.east < 138.0, frame.east)
    write_dataset(work / "sides.h5", [("boundary", 1.0), ("a/dip_slip", 0.5)])
    move_sides(work / "sides.h5")
    sides = plotting.Dataset(work / "sides.h5")
    facts.check("a source without a place is drawn when it is named, and only then",
                sides.choose_source(None) == 1
                and plotting.draw_series(sides, 0, [0]).axes[0].get_ylabel() == "east [cm]"
                and len(panels_of(plotting.draw_maps(sides, 0, [0], False))) == 1)
    figure = plotting.draw_maps(data, 1, [0, 1, 2], False)
    facts.check("epochs that are named have a panel each", len(panels_of(figure)) == 3)


def scenario_facts(facts, work, plotting):
    data = plotting.Dataset(work / "scenario.h5")
    figure = plotting.draw_maps(data, data.choose_source(None), [0, 2])
    legend = legend_of(figure)
    facts.check("a scenario's map has its surface", "horizontal motion of the surface" in legend,
                legend)
    facts.check("its heading has the magnitudes",
                "first Mw 7.10; second Mw 7.10" in figure.get_suptitle()
                if hasattr(figure, "get_suptitle")
                else "first Mw 7.10; second Mw 7.10" in figure._suptitle.get_text())
    series = plotting.draw_series(data, 0, data.choose_stations(["S12", "S13"]))
    lines = [line for line in series.axes[0].lines if line.get_label().startswith("S")]
    events = [line for line in series.axes[0].lines if line.get_linestyle() == ":"]
    facts.check("a series has a line per station and marks the events",
                len(series.axes) == 3 and len(lines) == 2 and len(events) == 2,
                f"{len(series.axes)} {len(lines)} {len(events)}")
    east = data.displacement(0)[:, 12, 0]
    facts.check("a line has the station's values",
                np.allclose(lines[0].get_ydata(), east * 100.0)
                and np.allclose(lines[0].get_xdata(), EPOCHS_YEARS),
                f"{lines[0].get_ydata()} {east}")


SEAMS = (0.0, 90.0, 179.9, 180.0, -179.9)
BOX_KM = 3.0 * KM_PER_DEGREE  # about 400 km: what write_scenario() has, and half more


def moved_to(path, moved, lon, stretched=1.0):
    """A copy whose middle, 135 degrees east, is elsewhere, with stations and ground ``stretched`` times as far from
    it; longitudes from -180 to 180."""
    moved.write_bytes(path.read_bytes())
    with h5py.File(moved, "r+") as file:
        for name in ("patch_lon", "outline_lon", "station_lon", "surface/lon"):
            if name in file:
                away = (file[name][:] - 135.0) * (1.0 if name in ("patch_lon", "outline_lon") else stretched)
                file[name][...] = (away + lon + 180.0) % 360.0 - 180.0
        for name in ("station_lat", "surface/lat"):
            if name in file:
                file[name][...] = 33.0 + (file[name][:] - 33.0) * stretched


def unnamed(figure):
    """Pixels of a figure without what tells its longitude: land, sea and labels of the axes."""
    figure.set_dpi(50)
    for axes in figure.axes:
        axes.set_facecolor("white")
        axes.tick_params(labelbottom=False, labelleft=False)
        for patch in [patch for patch in axes.patches if patch.get_gid() in ("coast", "land")]:
            patch.remove()
        if axes.get_legend():
            axes.get_legend().remove()
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float) / 255.0


def seam_facts(facts, work, plotting):
    """The picture does not depend on the longitude, but for its labels."""
    for name, stretched in itertools.product(("scenario", "greens"), (1.0, 10.0)):
        pictures = {}
        for lon in SEAMS:
            moved_to(work / f"{name}.h5", work / "moved.h5", lon, stretched)
            data = plotting.Dataset(work / "moved.h5")
            figure = plotting.draw_maps(data, data.choose_source(None), [0], True, None, 1.2 * BOX_KM * stretched)
            pictures[lon] = unnamed(figure)
            plotting.close(figure)
        first = pictures[SEAMS[0]]
        off = {lon: float(np.abs(picture - first).mean()) for lon, picture in pictures.items()}
        facts.check(f"{name}: the picture of a box of {1.2 * BOX_KM * stretched:.0f} km is the same everywhere",
                    max(off.values()) < 1e-3 and first.std() > 0.02, (off, first.std()))
    moved_to(work / "scenario.h5", work / "moved.h5", 180.0)
    data = plotting.Dataset(work / "moved.h5")
    figure = plotting.draw_maps(data, data.choose_source(None), [0], True, None)
    figure.canvas.draw()
    labels = [text.get_text() for text in panels_of(figure)[0].get_xticklabels()]
    facts.check("its labels go on from east to west",
                any(t.endswith("E") for t in labels) and "180°" in labels and any(t.endswith("W") for t in labels),
                labels)


def write_inversion(path, dip):
    """Three by two patches of 10 km, strike 90; all slip lies on one."""
    names = [f"s{i:02d}d{j:02d}" for j in range(2) for i in range(3)]
    along = np.array([i * 10.0 for _ in range(2) for i in range(3)])
    down = np.array([j * 10.0 for j in range(2) for _ in range(3)])
    corners = np.array([(-5, 0), (5, 0), (5, 10), (-5, 10)])
    across = np.cos(np.radians(dip)) / KM_PER_DEGREE
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "made up"
        file["window"], file["window_kind"] = ["coseismic"], ["step"]
        file["moment_magnitude"] = [6.5]
        file["patch"], file["patch_id"] = names, names
        file["patch_slip"] = [[0.0, 2.0, 0.0, 0.0, 0.0, 0.0]]
        file["patch_rake"] = [[np.nan, 180.0, np.nan, np.nan, np.nan, np.nan]]
        file["patch_lon"], file["strike"] = 180.0 + along / KM_PER_DEGREE, np.full(6, 90.0)
        file["patch_lat"], file["dip"] = -(down + 5.0) * across, np.full(6, dip)
        file["outline_lon"] = 180.0 + (along[:, None] + corners[:, 0]) / KM_PER_DEGREE
        file["outline_lat"] = -(down[:, None] + corners[:, 1]) * across
        file["outline_z"] = -1e3 * np.sin(np.radians(dip)) * (down[:, None] + corners[:, 1])
        file["posterior/quantile"] = [0.025, 0.5, 0.975]
        file["posterior/patch_slip"] = [[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]],
                                        [[0.0, 2.0, 0.0, 0.0, 0.0, 0.0]],
                                        [[0.5, 3.0, 0.5, 0.1, 0.1, 0.1]]]
        file["posterior/moment_magnitude"] = [[6.4], [6.5], [6.6]]
        file["posterior/probability"] = [[0.2, 1.0, 0.2, 0.0, 0.0, 0.0]]
        file["posterior/level"] = [0.1]
        draws = 10 ** np.random.default_rng(1).normal([18.5, 19.2], 0.1, (2, 30, 2))
        file["posterior/theta"] = ["mantle", "asthenosphere"]
        file["posterior/theta_draws"] = draws
        file["posterior/theta_range"] = [[1e18, 1e20]] * 2
        file["posterior/viscosity"] = np.quantile(draws, [0.025, 0.5, 0.975], axis=(0, 1))


def slip_facts(facts, work, plotting):
    write_inversion(work / "steep.h5", 90.0)
    figure = plotting.draw_slip(plotting.Slip(work / "steep.h5"))
    panels = panels_of(figure)
    titles = [axes.get_title(loc="left") for axes in panels]
    facts.check("a vertical fault is also shown face on", len(panels) == 2
                and titles[1] == "face on, strike 90°, dip 90°", titles)
    patches = panels[1].collections[0]
    sizes = [np.ptp(path.vertices, axis=0) for path in patches.get_paths()]
    facts.check("there each patch has its length and width",
                len(sizes) == 6 and all(np.allclose(size, 10.0, rtol=0.01) for size in sizes),
                sizes)
    facts.check("and its colour", np.argmax(patches.get_array()) == 1)
    figure.canvas.draw()
    legend = panels[0].get_legend().get_window_extent()
    facts.check("its legend lies beside the map, where it covers no patch",
                not legend.overlaps(panels[0].get_window_extent())
                and figure.bbox.containsx(legend.x0) and figure.bbox.containsy(legend.y0)
                and not legend.overlaps(panels[1].get_tightbbox()), legend)
    write_inversion(work / "flat.h5", 20.0)
    facts.check("one that dips gently has its map alone",
                len(panels_of(plotting.draw_slip(plotting.Slip(work / "flat.h5")))) == 1)


def write_waves(path, globe):
    """Two triangles of ground about a source on the coast of the Kii peninsula."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 1e4
    with h5py.File(path, "w") as file:
        file.attrs["title"], file.attrs["kind"] = "made up", "seismograms"
        file["source"], file["receiver"], file["component"] = ["q"], ["A", "B"], list("xyz")
        file["status"], file["failure"] = np.ones(1, dtype=np.int8), [""]
        file["time"] = np.linspace(0.0, 1.0, 20)
        file["seismograms"] = np.random.default_rng(1).normal(size=(1, 2, 3, 20)).astype("f4")
        file["seismograms"].attrs.update({"long_name": "velocity", "units": "m s-1"})
        for axis, source, receivers in zip("xyz", (0.0, 0.0, -5e3), ((3e3, 6e3), (0, 0), (0, 0))):
            file[f"source_{axis}"], file[f"receiver_{axis}"] = [source], np.array(receivers, float)
        file["ground/xyz"] = np.column_stack([corners, np.zeros(4)])
        file["ground/triangles"] = np.array([[0, 1, 2], [0, 2, 3]], dtype="i4")
        file["ground/peak_velocity"] = np.array([[[0.2, 0.1], [0.4, 0.1]]], dtype="f4")
        if globe:
            file["source_lon"], file["source_lat"] = [135.1], [34.05]
            file["receiver_lon"], file["receiver_lat"] = [135.13, 135.16], [34.05, 34.05]
            file["ground/lon"] = 135.1 + corners[:, 0] / 9.3e4
            file["ground/lat"] = 34.05 + corners[:, 1] / 1.11e5


def waves_facts(facts, work, plotting):
    write_waves(work / "globe.h5", True)
    write_waves(work / "box.h5", False)
    figure = plotting.draw_waves(plotting.Waves.of_file(work / "globe.h5", None, "z"))
    axes = figure.axes[0]
    figure.canvas.draw()
    labels = [text.get_text() for text in axes.get_xticklabels()]
    facts.check("the ground's peak velocity of a model on the globe is in longitude and latitude",
                all(text.endswith("°E") for text in labels if text)
                and axes.get_xlim()[0] < 135.0 < 135.2 < axes.get_xlim()[1], labels)
    facts.check("with the coast and its places",
                any(patch.get_gid() == "coast" for patch in axes.patches)
                and [text.get_text() for text in axes.get_legend().get_texts()]
                == ["coastline (Natural Earth)", "receiver", "source"], axes.patches)
    facts.check("its legend covers nothing of it", not axes.get_legend().get_window_extent()
                .overlaps(axes.get_window_extent()))
    box = plotting.draw_waves(plotting.Waves.of_file(work / "box.h5", None, "z")).axes[0]
    facts.check("that of another model is in x and y", box.get_xlabel() == "x [km]"
                and not any(patch.get_gid() == "coast" for patch in box.patches), box.get_xlabel())


def posterior_facts(facts, work, plotting):
    write_inversion(work / "sampled.h5", 20.0)
    figure = plotting.draw_posterior(plotting.Slip(work / "sampled.h5"),
                                     plotting.Posterior.open(work / "sampled.h5"))
    panels = panels_of(figure)
    values = [np.array(axes.collections[0].get_array()) for axes in panels]
    facts.check("a posterior has median, both ends and probability",
                [v[1] for v in values] == [2.0, 1.0, 3.0, 1.0], [list(v) for v in values])
    facts.check("and says the interval of Mw", "Mw 6.50 (6.40 to 6.60)"
                in panels[0].get_title(loc="left"), panels[0].get_title(loc="left"))
    figure = plotting.draw_viscosities("some", plotting.Posterior.open(work / "sampled.h5"))
    shown = [axes for axes in figure.axes if axes.get_visible()]
    facts.check("viscosities stand two by two, each with its interval", len(shown) == 3
                and shown[0].get_title(loc="left").startswith("mantle: ")
                and len(shown[1].lines[0].get_xdata()) == 60, [a.get_title() for a in shown])


def history_facts(facts, work, plotting):
    write_inversion(work / "history.h5", 20.0)
    rates = np.zeros((30, 6))
    rates[7, 1] = 3.0
    with h5py.File(work / "history.h5", "a") as file:
        file["history/edge"] = 86400.0 * np.linspace(0.0, 300.0, 31)
        file["window_begin"] = np.zeros(len(file["window"]))
        file["history/patch_rate"] = rates
        file["history/moment_rate"] = rates.sum(axis=1)
        file["history/moment_rate_sigma"] = np.full(30, 0.1)
    history = plotting.History.open(work / "history.h5")
    figure = plotting.draw_history(plotting.Slip(work / "history.h5"), history)
    panels = panels_of(figure)
    largest = [float(axes.collections[0].get_array().max()) for axes in panels[:-1]]
    titles = [axes.get_title(loc="left") for axes in panels[:-1]]
    facts.check("slip in time is a strip of maps, one after the other, each the mean of its steps",
                len(largest) == 12 and largest.count(0.0) == 11 and max(largest) in (1.0, 1.5)
                and titles[0] == "day 0 to 20", (titles, largest))
    facts.check("with the moment rate of all steps", len(panels[-1].patches) == 1
                and panels[-1].get_xlim() == (0.0, 300.0), panels[-1].get_xlim())
    facts.check("and one bar of colours", [axes.get_ylabel() for axes in figure.axes
                                           if axes not in panels] == ["slip rate [m per year]"])
    history.unit, history.events = "year", np.array([2.0])
    history.edges = np.linspace(-1.0, 9.0, 31)
    panels = panels_of(plotting.draw_history(plotting.Slip(work / "history.h5"), history))
    lines = [line.get_xdata()[0] for line in panels[-1].lines if line.get_linestyle() == "--"]
    facts.check("long ones are in years, with lines at sudden slip",
                panels[1].get_title(loc="left") == "year -0.3 to 0.7" and lines == [2.0],
                (panels[1].get_title(loc="left"), lines))


def call(work, *command, env=None):
    return subprocess.run([str(part) for part in command], cwd=work, capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, check=False)


def sides_facts(facts, work, kaname):
    """A side of an elastic box moves at a steady rate, and nothing slips: motion is linear."""
    half_km, depth_km, rate_m = 20.0, 20.0, 2.0
    (work / "stretched.yaml").write_text(f"""schema: kaname.v1.Scenario
name: stretched
region: {{centre_lon_deg: 142, centre_lat_deg: 38, size_east_km: {2 * half_km}, size_north_km: {2 * half_km},
         depth_km: {depth_km}}}
structure: {{materials: [{{name: rock, lambda_gpa: 30, mu_gpa: 30}}], layers: [{{material: rock}}]}}
boundaries:
  west: roller
  south: roller
  north: roller
  bottom: roller
  east: {{displacement: {{east_m: {rate_m}}}, time: {{kind: steady, duration_years: 1}}}}
stations: {{list: [{{id: M, lon_deg: 142, lat_deg: 38}}, {{id: E, lon_deg: 142.1, lat_deg: 38}}]}}
mesh: {{size_at_fault_km: 20, size_far_km: 20}}
time: {{end_years: 2, epochs_years: [0, 1, 2]}}
""")
    done = call(work, kaname, "run", "--local", "stretched.yaml", "--output", "stretched")
    facts.check("a box that sides alone move runs, with no word of slip", done.returncode == 0
                and "coseismic" not in done.stderr + done.stdout, done.stdout + done.stderr)
    with h5py.File(work / "stretched/greens.h5") as file:
        total = file["greens"][list(file["source"].asstr()).index("total")]
    # sigma_zz = e_yy = 0: e_zz = -lambda / (lambda + 2 mu) e_xx. A degree of longitude at 38 is 87.83 km (WGS 84).
    east = rate_m * np.outer([0.0, 1.0, 2.0], 0.5 * (1.0 + np.array([0.0, 8.783]) / half_km))
    up = -np.outer([0.0, 1.0, 2.0], np.full(2, rate_m / (2.0 * half_km) / 3.0 * depth_km))
    # The grid's east, along which the side moves, is 0.06 degrees from that of the second station.
    off = max(np.abs(np.hypot(total[..., 0], total[..., 1]) - east).max(), np.abs(total[..., 2] - up).max())
    facts.check("its stations move linearly with the distance and the time", off < 1e-4
                and np.abs(total[..., 1]).max() < 2e-3 * east.max(), (off, total))
    done = call(work, kaname, "plot", "stretched/greens.h5")
    facts.check("and it is drawn", done.returncode == 0 and (work / "stretched/greens_map.png").stat().st_size > 20_000,
                done.stdout + done.stderr)


def command_facts(facts, work, command):
    def refused(fact, code, words, *arguments, env=None):
        done = call(work, *command, *arguments, env=env)
        facts.check(fact, done.returncode == code and words in done.stderr
                    and done.stderr.startswith("error: ") and "Traceback" not in done.stderr,
                    f"exit {done.returncode}: {done.stdout}{done.stderr}")

    done = call(work, *command, "greens.h5")
    facts.check("the picture lies beside the dataset, by its name",
                done.returncode == 0 and "greens_map.png: source a/dip_slip" in done.stdout,
                done.stdout + done.stderr)
    size = (work / "greens_map.png").stat().st_size
    facts.check(f"it has a picture's size ({size} bytes)", 30_000 < size < 1_500_000)
    refused("a picture is not written over", STATE, "--force", "greens.h5")
    done = call(work, *command, "greens.h5", "--force", "--source", "b/dip_slip", "--epoch", "1",
                "--json")
    facts.check("--force writes over it, --json names it",
                done.returncode == 0 and json.loads(done.stdout)["source"] == "b/dip_slip"
                and json.loads(done.stdout)["written"] == ["greens_map.png"],
                done.stdout + done.stderr)
    done = call(work, *command, "plain.h5", "--station", "S03", "-o", "series.png")
    facts.check("a dataset without a projection is drawn",
                done.returncode == 0 and call(work, *command, "plain.h5").returncode == 0,
                done.stderr)
    refused("an unknown source is told", BAD_INPUT, "no source 'zz'", "greens.h5", "--source", "zz",
            "-o", "x.png")
    refused("an unknown station of a list is told", BAD_INPUT, "no station 'zz'", "greens.h5",
            "--station", "S03,zz", "-o", "x.png")
    refused("an epoch that is not there is told with those that are", BAD_INPUT, "0, 1, 10",
            "greens.h5", "--epoch", "3", "-o", "x.png")
    refused("a missing dataset is told", NOT_FOUND, "nothing.h5", "nothing.h5")
    (work / "text.h5").write_text("no dataset")
    refused("what is no dataset is told", BAD_INPUT, "text.h5", "text.h5")
    refused("a folder that is not there is told", NOT_FOUND, "--output", "greens.h5", "-o",
            "none/x.png")
    (work / "without/matplotlib").mkdir(parents=True)
    (work / "without/matplotlib/__init__.py").write_text(
        "raise ModuleNotFoundError(name='matplotlib')\n")
    refused("without matplotlib the package is named", UNAVAILABLE, "python3-matplotlib",
            "greens.h5", "-o", "x.png", env={"PYTHONPATH": str(work / "without")})


class Plotting:
    """The modules of deploy/scripts under one name."""

    def __init__(self, source):
        sys.path.insert(0, str(source / "deploy/scripts"))
        sys.dont_write_bytecode = True
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib.pyplot import close
        from plotting.dataset import Dataset
        from plotting.frame import Frame
        from plotting.ground import read_depth_grid
        from plotting.history import History, draw_history
        from plotting.maps import draw_maps, rows_of
        from plotting.series import draw_series
        from plotting.posterior import Posterior, draw_posterior, draw_viscosities
        from plotting.slip import Slip, draw_slip
        from plotting.waves import Waves, draw_waves
        self.Waves, self.draw_waves = Waves, draw_waves
        self.close = close
        self.Posterior, self.draw_posterior = Posterior, draw_posterior
        self.draw_viscosities = draw_viscosities
        self.History, self.draw_history = History, draw_history
        self.Slip, self.draw_slip = Slip, draw_slip
        self.Dataset, self.Frame, self.read_depth_grid = Dataset, Frame, read_depth_grid
        self.draw_maps, self.rows_of, self.draw_series = draw_maps, rows_of, draw_series


def main():
    bin_dir, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    facts = Facts()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        write_dataset(work / "greens.h5", [("a/dip_slip", 1.0), ("b/dip_slip", 0.5)])
        write_dataset(work / "plain.h5", [("a/dip_slip", 1.0)], projected=False)
        write_dataset(work / "scenario.h5", [("total", 1.0), ("first", 0.5), ("second", 0.5)],
                      events=[("first", 0.0), ("second", 5.0)])
        plotting = Plotting(source)
        map_facts(facts, work, plotting)
        scenario_facts(facts, work, plotting)
        seam_facts(facts, work, plotting)
        slip_facts(facts, work, plotting)
        waves_facts(facts, work, plotting)
        posterior_facts(facts, work, plotting)
        history_facts(facts, work, plotting)
        command_facts(facts, work, [bin_dir / "kaname", "plot"])
        sides_facts(facts, work, bin_dir / "kaname")
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
