#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads exports as their consumers' documented layouts say, and compares them with the dataset.

Usage: export_readers.py make FILE [fail]          a made-up dataset, with `fail` one source that failed
       export_readers.py check LAYOUT FOLDER FILE  exits 1 and names what differs

Written from the layouts in docs/user/export.md with numpy, h5py, json and csv alone, and looking at
nothing but the exported files, of the dataset only through h5py.
"""
import csv
import hashlib
import json
import pathlib
import re
import sys

import h5py
import numpy as np

YEAR_S = 365.25 * 86400.0
EPOCHS_YEARS = (0.0, 0.5, 1.0, 2.0)
STATIONS = ("KOCHI", "M.SITE", "室戸", "a, b", "E")
ROWS, COLUMNS = 2, 3
COMPONENTS = (("strike_slip", 0.0), ("dip_slip", 90.0))


def make(path, fails):
    """Values are random; the grid of patches is 2 x 3, its epochs are not regular."""
    random = np.random.default_rng(20260701)
    patches = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    sources = [(f"s{column:02d}d{row:02d}", row, column, *component)
               for row, column in patches for component in COMPONENTS]
    n = len(sources)
    row, column = (np.array([s[k] for s in sources], dtype=np.int32) for k in (1, 2))
    end, bottom = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1])
    with h5py.File(path, "w") as file:
        for name, value in (("name", "nankai test"), ("title", "made up"), ("kaname_version", "0"),
                            ("specification", "{}"), ("mesh_sha256", "ab"),
                            ("material_sha256", "cd"), ("slip_history", "step"),
                            ("unit", "m per m of slip"), ("tolerance", 1e-8), ("dof", 1234)):
            file.attrs[name] = value
        file["source"] = [f"{s[0]}/{s[3]}" for s in sources]
        file["patch_id"] = [s[0] for s in sources]
        file["slip_component"] = [s[3] for s in sources]
        file["failure"] = ["no convergence" if fails and k == 3 else "" for k in range(n)]
        file["status"] = np.array([2 if fails and k == 3 else 1 for k in range(n)], dtype=np.int8)
        file["rake"] = [s[4] for s in sources]
        file["epoch"] = np.array(EPOCHS_YEARS) * YEAR_S
        file["station"] = list(STATIONS)
        file["component"] = ["east", "north", "up"]
        greens = random.normal(size=(n, len(EPOCHS_YEARS), len(STATIONS), 3))
        if fails:
            greens[3] = np.nan
        file.create_dataset("greens", data=greens, chunks=(n, 2, 2, 3))
        file["patch_lon"], file["patch_lat"] = 135.0 + 0.4 * column, 33.0 - 0.2 * row
        file["patch_depth"] = 5e3 + 1e4 * row
        file["patch_x"], file["patch_y"] = 4e4 * column, -2e4 * row
        file["strike"], file["dip"] = np.full(n, 80.0), np.full(n, 20.0)
        file["patch_length"], file["patch_width"] = np.full(n, 4e4), np.full(n, 3e4)
        for name in ("patch_area", "slip_length", "slip_width", "slip_area", "potency", "rigidity"):
            file[name] = np.full(n, 1.2e9)
        file["outline_lon"] = 134.8 + 0.4 * (column[:, None] + end)
        file["outline_lat"] = 33.1 - 0.2 * (row[:, None] + bottom)
        file["outline_depth"] = 1e4 * (row[:, None] + bottom)
        file["outline_x"] = 4e4 * (column[:, None] + end)
        file["outline_y"] = -2e4 * (row[:, None] + bottom)
        file["hat"] = np.full(n, 2, dtype=np.int8)
        file["grid_row"], file["grid_column"] = row, column
        file["neighbours"] = np.full((n, 4), -1, dtype=np.int32)
        for kind in ("station", "snapped"):
            file[f"{kind}_lon"] = 134.0 + 0.1 * np.arange(len(STATIONS))
            file[f"{kind}_lat"] = 34.0 - 0.05 * np.arange(len(STATIONS))
            file[f"{kind}_depth"] = 100.0 * np.arange(len(STATIONS)) - 200.0
        file["crs"] = np.zeros((), dtype=np.int32)
        file["crs"].attrs["crs_wkt"] = "PROJCRS[]"


class Dataset:
    """The dataset by patch: greens[component of slip][patch, epoch, station, east north up]."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.all = file["greens"][()]
            self.epochs_s = file["epoch"][()]
            self.stations = [name.decode() for name in file["station"][()]]
            self.sources = [name.decode() for name in file["source"][()]]
            self.status = file["status"][()]
            patch = [name.decode() for name in file["patch_id"][()]]
            slip = [name.decode() for name in file["slip_component"][()]]
            self.patches = list(dict.fromkeys(patch))
            self.greens = {name: np.array([self.all[[k for k in range(len(slip)) if patch[k] == p
                                                     and slip[k] == name][0]]
                                           for p in self.patches]) for name, _ in COMPONENTS}
            self.place = {name: file[name][()] for name in file if re.match(
                "(patch|outline|station)_(lon|lat|depth)", name)}
        self.first = [patch.index(name) for name in self.patches]


def same(what, found, expected, exact=True):
    """As the test's facts go: shapes and numbers agree, or the check ends."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    agree = np.array_equal(found, expected) if exact else np.allclose(found, expected, 1e-12, 1e-9)
    assert agree, f"{what}: differs"


def at_epoch(data, slip, epoch):
    """[component east north up][station][patch], and as rows: all east, all north, all up."""
    return data.greens[slip][:, epoch].transpose(2, 1, 0).reshape(-1, len(data.patches))


def check_csi(folder, data, epoch):
    for suffix, slip in (("SS", "strike_slip"), ("DS", "dip_slip")):
        gf = np.fromfile(folder / f"nankai_test_gnss_{suffix}.gf", dtype="d")
        n_slip = len(data.patches)
        gf = gf.reshape(gf.size // n_slip, n_slip)
        same(suffix, gf, at_epoch(data, slip, epoch))
    assert not list(folder.glob("*_TS.gf")), "opening came from nowhere"
    lines = (folder / "nankai_test_patches.gmt").read_text().splitlines()
    assert len(lines) == 5 * len(data.patches)
    for k, first in enumerate(data.first):
        head = lines[5 * k].split()
        assert head[0] == ">" and head[2] == "#" and head[6] == "#", head
        assert [int(word) for word in head[3:6]] == [k, len(data.patches) + k, 99999], head
        corners = np.array([line.split() for line in lines[5 * k + 1:5 * k + 5]], dtype=float)
        same("corners", corners, np.stack([data.place["outline_lon"][first],
                                           data.place["outline_lat"][first],
                                           data.place["outline_depth"][first] / 1e3], axis=1))
    sites = [line.split() for line in (folder / "nankai_test_gnss.enu").read_text().splitlines()]
    assert all(len(words) == 9 for words in sites), "names with blanks shift the columns"
    same("sites", [[float(words[1]), float(words[2])] for words in sites],
         np.stack([data.place["station_lon"], data.place["station_lat"]], axis=1))


def check_altar(folder, data, epoch):
    with h5py.File(folder / "static.gf.h5") as file:
        assert list(file) == ["static.gf"], f"more than one dataset: {list(file)}"
        gf = file["static.gf"]
        assert gf.dtype == np.float32
        same("static.gf", gf[()], np.hstack([at_epoch(data, slip, epoch) for slip, _ in COMPONENTS])
             .astype(np.float32))
    left = json.loads((folder / "manifest.json").read_text())["left_to_user"]
    assert any("static.Cd.h5" in text for text in left) and not list(folder.glob("static.[Cd]*"))


def check_beat(folder, data, epoch):
    # BEAT's data sets of one GNSS file: north, east, up.
    for var, slip in (("uparr", "dip_slip"), ("uperp", "strike_slip")):
        gf = np.load(folder / f"geodetic_{var}_static_0.traces.npy", allow_pickle=False)
        same(var, gf, data.greens[slip][:, epoch][:, :, [1, 0, 2]].transpose(0, 2, 1)
             .reshape(len(data.patches), -1))
        text = (folder / f"geodetic_{var}_static_0.yaml").read_text()
        config = dict(re.findall(r"^(\w+): *(\S+)$", text, re.M))
        dimensions = [int(k) for k in re.findall(r"^- (\d+)$", text, re.M)]
        assert text.startswith("--- !beat.GeodeticGFLibraryConfig\n")
        assert config["component"] == var and config["datatype"] == "geodetic"
        assert config["crust_ind"] == "0" and tuple(dimensions) == gf.shape
    facts = json.loads((folder / "manifest.json").read_text())
    assert facts["uparr_rake_deg"] - facts["uperp_rake_deg"] == 90.0


def check_pylith(folder, data, epoch):
    n = len(data.patches)
    for name, slip, component in (("leftlateral", "strike_slip", 1), ("reverse", "dip_slip", 2)):
        with h5py.File(folder / f"{name}-points.h5") as points:
            same("displacement", points["vertex_fields/displacement"][()],
                 data.greens[slip][:, epoch])
            same("time", points["time"][()].ravel(), np.arange(n))
            same("points", points["geometry/vertices"][()],
                 np.stack([data.place["station_lon"], data.place["station_lat"],
                           -data.place["station_depth"]], axis=1))
            assert [s.decode() for s in points["stations"][()]] == data.stations
        with h5py.File(folder / f"{name}-fault.h5") as fault:
            impulses = fault["vertex_fields/slip"][()]
            same("impulses", impulses[:, :, component], np.eye(n))
            assert np.count_nonzero(impulses) == n
            same("time", fault["time"][()].ravel(), np.arange(n))
            same("vertices", fault["geometry/vertices"][()],
                 np.stack([data.place["patch_lon"][data.first], data.place["patch_lat"][data.first],
                           -data.place["patch_depth"][data.first]], axis=1))
            cells = fault["viz/topology/cells"]
            same("cells", cells[()], [[0, 1, 4, 3], [1, 2, 5, 4]])
            assert cells.attrs["cell_dim"] == 2


def check_viscojapan(folder, data, _):
    for slip, _ in COMPONENTS:
        with h5py.File(folder / f"G_{slip}.h5") as file:
            same("epochs", file["epochs"][()], data.epochs_s / 86400.0)
            assert [site.decode() for site in file["sites"][()]] == data.stations
            field = file["data3d"]
            for k in range(len(data.epochs_s)):
                for site in range(len(data.stations)):
                    for component in range(3):
                        same("data3d", field[k, 3 * site + component],
                             data.greens[slip][:, k, site, component])


def check_pyrocko(folder, data, _):
    facts = json.loads((folder / "manifest.json").read_text())
    traces = np.load(folder / "traces.npy")
    times = facts["tmin_s"] + facts["deltat_s"] * np.arange(int(facts["samples"]))
    assert facts["deltat_s"] == 0.5 * YEAR_S and times[-1] == data.epochs_s[-1]
    ned = np.stack([data.all[..., 1], data.all[..., 0], -data.all[..., 2]], axis=-1)
    expected = np.empty_like(traces)
    for source, station, channel in np.ndindex(traces.shape[:3]):
        expected[source, station, channel] = np.interp(times, data.epochs_s,
                                                       ned[source, :, station, channel])
    same("traces", traces, expected, exact=False)
    on_epochs = [int(round(t / facts["deltat_s"])) for t in data.epochs_s]
    same("traces at epochs", traces[..., on_epochs], ned.transpose(0, 2, 3, 1))
    lines = (folder / "stations.txt").read_text().splitlines()
    assert len(lines) == 4 * len(data.stations)
    for k in range(len(data.stations)):
        code, lat, lon, elevation, depth, _ = lines[4 * k].split(None, 5)
        assert len(code.split(".")) == 3, code
        same("station", [float(lon), float(lat), float(elevation) - float(depth)],
             [data.place["station_lon"][k], data.place["station_lat"][k],
              -data.place["station_depth"][k]])
        assert [line.split() for line in lines[4 * k + 1:4 * k + 4]] == [
            ["N", "0", "0", "1"], ["E", "90", "0", "1"], ["D", "0", "90", "1"]]
    sources = (folder / "sources.yaml").read_text().split("--- !pf.RectangularSource\n")[1:]
    assert len(sources) == len(data.sources)
    rakes = [float(re.search(r"^rake: (\S+)$", text, re.M).group(1)) for text in sources]
    same("rakes", rakes, [rake for _ in data.patches for _, rake in COMPONENTS])


def check_csv(folder, data, _):
    done = [k for k in range(len(data.sources)) if data.status[k] == 1]
    with open(folder / "greens.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [(row["source"], float(row["epoch_s"]), row["station"]) for row in rows]
    assert keys == [(data.sources[k], t, name) for k in done for t in data.epochs_s
                    for name in data.stations]
    values = [[float(row[f"{axis}_m_per_m"]) for axis in ("east", "north", "up")] for row in rows]
    same("values", np.reshape(values, data.all[done].shape), data.all[done])


def check_geojson(folder, data, _):
    patches = json.loads((folder / "patches.geojson").read_text())
    assert patches["type"] == "FeatureCollection"
    assert [f["properties"]["patch"] for f in patches["features"]] == data.patches
    for first, feature in zip(data.first, patches["features"]):
        ring, = feature["geometry"]["coordinates"]
        assert feature["geometry"]["type"] == "Polygon" and len(ring) == 5 and ring[0] == ring[4]
        assert sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) > 0.0, "clockwise"
        corners = zip(data.place["outline_lon"][first], data.place["outline_lat"][first])
        assert {tuple(p) for p in ring} == set(corners)
        assert len(feature["properties"]["sources"]) == 2
    stations = json.loads((folder / "stations.geojson").read_text())["features"]
    assert [f["properties"]["station"] for f in stations] == data.stations
    same("stations", [f["geometry"]["coordinates"] for f in stations],
         np.stack([data.place["station_lon"], data.place["station_lat"]], axis=1))


def segments(path):
    """[(head, rows of numbers)] of a multi-segment table, passing over what ends its rows."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith(">"):
            found.append((line, []))
        elif not line.startswith("#"):
            found[-1][1].append(line.split())
    return found


def check_gmt(folder, data, epoch):
    outlines = segments(folder / "patches.gmt")
    for (head, rows), first, name in zip(outlines, data.first, data.patches, strict=True):
        assert head == f'> -Z{data.place["patch_depth"][first] / 1e3:g} -L"{name}"', head
        corners = np.stack([data.place["outline_lon"][first], data.place["outline_lat"][first],
                            data.place["outline_depth"][first] / 1e3], axis=1)
        same("outline", np.array(rows, dtype=float), corners[[0, 1, 2, 3, 0]])
    horizontal, vertical = (segments(folder / f"{name}.gmt") for name in ("horizontal", "vertical"))
    assert [head for head, _ in horizontal] == [f'> -L"{name}"' for name in data.sources]
    for k, ((_, arrows), (_, heights)) in enumerate(zip(horizontal, vertical, strict=True)):
        same("arrows", np.array([row[2:4] for row in arrows], dtype=float),
             data.all[k, epoch, :, :2])
        same("heights", np.array([row[2] for row in heights], dtype=float), data.all[k, epoch, :, 2])


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], "fail" in sys.argv[3:])
        return
    layout, folder, path = sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    data = Dataset(path)
    facts = json.loads((folder / "manifest.json").read_text())
    assert facts["layout"] == layout
    assert facts["dataset"]["sha256"] == hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    assert facts["patches"] == data.patches and facts["stations"] == data.stations
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        [f["name"] for f in facts["files"]] + ["manifest.json"])
    epochs = [e["epoch_s"] for e in facts["epochs"]]
    epoch = int(np.argmin(np.abs(data.epochs_s - epochs[0]))) if epochs else 0
    globals()["check_" + layout](folder, data, epoch)


if __name__ == "__main__":
    main()
