#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Slip and motion as files of other programs, read back by readers of their own and, where it has one, by `kaname`.

Usage: export_test.py BIN_DIR SOURCE_DIR.
"""
import json
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

from built_package import BIN  # before all that may be missing

import h5py
import netCDF4
import numpy as np

import damage
import invented
import kaname
from command_case import CommandCase
from kaname.data import export
from kaname.data.export import command

COLUMNS = "patch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,rake_deg,slip_m"
SCENARIO = """schema: kaname.v1.Scenario
name: made-up
structure:
  materials: [{{name: rock, lambda_gpa: 40, mu_gpa: 40}}]
  layers: [{{material: rock}}]
stations: {{list: [{{id: A, lon_deg: 142.05, lat_deg: 38.1}}]}}
time: {{end_years: 0, epochs_years: [0]}}
events: [{{name: e, slip_model: {0}}}]
"""


def table(path, curved=False):
    """Writes two faults: 6 x 4 patches of 10 x 8 km and 3 x 2 of 5 x 5 km; curved: each patch has angles of its own."""
    rows = [COLUMNS]
    for name, nx, nz, length, width, strike, dip, lon, lat in (("main", 6, 4, 10.0, 8.0, 200.0, 20.0, 142.0, 38.0),
                                                               ("splay", 3, 2, 5.0, 5.0, 195.0, 50.0, 142.6, 38.2)):
        s, d = np.radians([strike, dip])
        for j in range(nz):
            for i in range(nx):
                along, down = (i - 0.5 * (nx - 1)) * length, (j + 0.5) * width
                east = along * np.sin(s) + down * np.cos(d) * np.cos(s)
                north = along * np.cos(s) - down * np.cos(d) * np.sin(s)
                turn = (3.0 * i, 2.0 * j) if curved else (0.0, 0.0)
                rows.append(f"{name}/s{i:02d}d{j:02d},{lon + east / 87.8:.8f},{lat + north / 111.0:.8f},"
                            f"{5.0 + down * np.sin(d):.6f},{length},{width},{strike + turn[0]},{dip + turn[1]},"
                            f"{80.0 + 5.0 * i},{0.5 + 0.3 * i + 0.2 * j:.4f}")
    path.write_text("\n".join(rows) + "\n")
    return path


def surface(path, epochs=(0.0, 1.0, 2.0)):
    """Writes the ground of a scenario: second-order triangles over 2 x 2 degrees, motion quadratic in place, but for
    nodes on a trace that stand there twice."""
    n = 21
    axis = np.linspace(0.0, 2.0, n)
    lon, lat = (a.ravel() for a in np.meshgrid(141.0 + axis, 37.0 + axis))
    faces = []
    for j in range(0, n - 1, 2):
        for i in range(0, n - 1, 2):
            a = j * n + i
            faces += [(a, a + 2, a + 2 * n, a + 1, a + n + 1, a + n),
                      (a + 2, a + 2 * n + 2, a + 2 * n, a + n + 2, a + 2 * n + 1, a + n + 1)]
    with h5py.File(path, "w") as file:
        group = file.create_group("surface")
        group["lon"], group["lat"], group["faces"] = lon, lat, np.array(faces, dtype=np.int32)
        group["epoch"] = np.array(epochs) * 365.25 * 86400.0
        group["displacement"] = np.stack([(1.0 + 0.5 * k) * motion(lon, lat) for k in range(len(epochs))])
    return path


def motion(lon, lat):
    x, y = lon - 142.0, lat - 38.0
    return np.stack([1.0 + 0.2 * x, -0.5 + 0.1 * y * y, 2.0 - x * x - 0.5 * x * y], axis=-1)


class Case(CommandCase):
    command = command

    def refused(self, pattern, *words, code="InvalidArgument"):
        with self.assertRaisesRegex(kaname.Error, pattern) as caught:
            self.run_command(*words)
        self.assertEqual(caught.exception.code, code)

    def written(self, path, to, *words):
        out = self.folder / f"out.{to}"
        self.run_command(path, "--to", to, "-o", out, "--mu-gpa", 40, "--force", *words)
        return out


class Slip(Case):
    def said_of(self, path):
        """Returns what `kaname` says of an event with this slip model: patches, magnitude, moment, largest slip."""
        request = self.folder / "request.yaml"
        request.write_text(SCENARIO.format(path.name))
        done = subprocess.run([BIN / "kaname", "validate", request], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return re.search("event e: .*", done.stdout)[0]

    def test_kaname_reads_back_the_same_moment_and_slip(self):
        for curved in (False, True):
            path = table(self.folder / "slip.csv", curved)
            whole = self.said_of(path)
            for to in ("fsp", "param", "rupt", "gmt"):
                self.assertEqual(self.said_of(self.written(path, to)), whole, to)

    def test_fsp_holds_each_patch_where_it_was(self):
        path = table(self.folder / "slip.csv")
        given = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)

        lines = self.written(path, "fsp", "--title", "Made up", "--hypocentre", 142.1, 38.1, 12).read_text().split("\n")

        self.assertIn("% Event : Made up", lines)
        self.assertTrue(any("LAT = 38.1000  LON = 142.1000  DEP = 12.000" in line for line in lines))
        self.assertEqual([line.split()[-1] for line in lines if line.startswith("% Nsbfs")], ["24", "6"])
        rows = np.array([[float(v) for v in line.split()] for line in lines if line and not line.startswith("%")])
        for column, name, within in ((0, "lat_centre_deg", 1e-6), (1, "lon_centre_deg", 1e-6), (4, "depth_centre_km", 1e-5),
                                     (5, "slip_m", 1e-6), (6, "rake_deg", 1e-4)):
            np.testing.assert_allclose(rows[:, column], given[name], atol=within)
        np.testing.assert_allclose(rows[:, 7], 40e9 * 1e6 * given["length_km"] * given["width_km"] * given["slip_m"], rtol=1e-6)

    def test_param_is_in_centimetres_and_dyne_centimetres(self):
        path = table(self.folder / "slip.csv")

        lines = self.written(path, "param").read_text().split("\n")

        self.assertEqual(lines[0], "#Total number of fault_segments=     2")
        rows = np.array([[float(v) for v in line.split()] for line in lines if len(line.split()) == 11 and line[0] != "#"])
        self.assertEqual(rows.shape, (30, 11))
        slip = export.read_slip(path, 40e9)
        self.assertAlmostEqual(rows[:, 10].sum() / (1e7 * slip.moment.sum()), 1.0, places=6)
        self.assertAlmostEqual(rows[0, 3], 50.0)
        corners = np.array([[float(v) for v in line.split()] for line in lines[4:8]])
        np.testing.assert_allclose(corners.mean(axis=0), [rows[:24, 1].mean(), rows[:24, 0].mean(), rows[:24, 2].mean()],
                                   atol=2e-3)

    def test_sdm_counts_dip_slip_down_and_finds_neighbours_in_local_coordinates(self):
        path = table(self.folder / "slip.csv")
        given = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)

        lines = self.written(path, "sdm").read_text().split("\n")
        patches = np.loadtxt(self.written(path, "sdm-patches"), skiprows=1)

        self.assertEqual(lines[0].split()[:10], ["lat_deg", "lon_deg", "depth_km", "x_local_km", "y_local_km", "length_km",
                                                 "width_km", "slp_strk_m", "slp_ddip_m", "slp_am_m"])
        self.assertEqual([k for k, line in enumerate(lines[:-1]) if not line.strip()], [25])  # between the faults
        rows = np.array([[float(v) for v in line.split()] for line in lines[1:] if line.strip()])
        self.assertEqual((rows.shape, patches.shape), ((30, 17), (30, 9)))
        np.testing.assert_array_equal(patches[:, [0, 1, 2, 5, 6, 7, 8]], rows[:, [0, 1, 2, 5, 6, 10, 11]])
        # SDM goes down the dip first: row 5 is the second column's second patch.
        one = given[list(given["patch"]).index("main/s01d01")]
        np.testing.assert_allclose(rows[5, :3], [one["lat_centre_deg"], one["lon_centre_deg"], one["depth_centre_km"]], atol=1e-4)
        np.testing.assert_allclose(rows[5, 3:7], [15.0, 12.0, 10.0, 8.0])
        rake = np.radians(85.0)  # reverse slip goes up the dip
        np.testing.assert_allclose(rows[5, 7:10], [np.cos(rake), -np.sin(rake), 1.0], atol=1e-6)
        moment = (rows[:, 5] * rows[:, 6] * np.hypot(rows[:, 7], rows[:, 8])).sum()
        self.assertAlmostEqual(moment / (given["length_km"] * given["width_km"] * given["slip_m"]).sum(), 1.0, places=6)
        for k, (x, y, length, width) in enumerate(patches[:, 3:7]):  # the search of sdmdisc.f to the left
            away = np.hypot(patches[:, 3] - (x - length), patches[:, 4] - y)
            away[k] = np.inf
            found = int(np.argmin(away)) if away.min() <= 0.5 * np.hypot(length, width) else None
            first_column = k < 4 or 24 <= k < 26
            self.assertEqual(found, None if first_column else k - (4 if k < 24 else 2))

    def test_tdefnode_has_nodes_at_corners_with_the_dip_to_the_right(self):
        path = table(self.folder / "slip.csv")
        given = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)

        lines = iter(self.written(path, "tdefnode").read_text().splitlines())

        for name, number, columns, rows in (("main", 1, 7, 5), ("splay", 2, 4, 3)):
            self.assertEqual(next(lines), f"FA: {name} {number}")
            self.assertEqual(next(lines).split(), [str(columns), str(rows), "HANG", "FOOT", "0"])
            nodes = np.empty((rows, columns, 3))
            for row in range(rows):
                nodes[row, :, 2] = float(next(lines))
                nodes[row, :, :2] = [[float(v) for v in next(lines).split()] for _ in range(columns)]
            means = 0.25 * (nodes[1:, 1:] + nodes[:-1, 1:] + nodes[1:, :-1] + nodes[:-1, :-1])
            for j, i in np.ndindex(rows - 1, columns - 1):
                one = given[list(given["patch"]).index(f"{name}/s{i:02d}d{j:02d}")]
                np.testing.assert_allclose(means[j, i], [one["lon_centre_deg"], one["lat_centre_deg"], one["depth_centre_km"]],
                                           atol=2e-4)
            along, down = nodes[0, 1] - nodes[0, 0], nodes[1, 0] - nodes[0, 0]
            self.assertLess(along[0] * down[1] - along[1] * down[0], 0.0)
            self.assertGreater(down[2], 0.0)
        self.assertIsNone(next(lines, None))
        text = path.read_text()
        depth = f"{5.0 + 12.0 * np.sin(np.radians(20.0)):.6f}"  # of the second row
        path.write_text(text.replace(depth, "9.904242", 1))
        self.refused("slip: main: must have rows of one depth .within 50 m. for nodes of TDEFNODE, got 7.736 to 8.136 km in row 2",
                     path, "--to", "tdefnode", "-o", self.folder / "x")
        path.write_text(text.replace("main/s00d00,", "main/one,"))
        self.refused("slip: main: must be a grid, whose patches are named sIIdJJ", path, "--to", "tdefnode", "-o",
                     self.folder / "x")

    def test_kml_and_gmt_have_a_ring_for_each_patch(self):
        path = table(self.folder / "slip.csv")
        names = {"k": "http://www.opengis.net/kml/2.2"}

        root = xml.fromstring(self.written(path, "kml", "--title", "A & B").read_text())

        self.assertEqual(root.find("k:Document/k:name", names).text, "A & B")
        rings = [r.text.split() for r in root.iter("{http://www.opengis.net/kml/2.2}coordinates")]
        self.assertEqual((len(rings), {len(r) for r in rings}), (30, {5}))
        self.assertEqual(rings[0][0], rings[0][4])
        groups = self.written(path, "gmt").read_text().split(">")[1:]
        self.assertEqual(len(groups), 30)
        first = np.array([[float(v) for v in line.split()] for line in groups[0].split("\n")[1:5]])
        np.testing.assert_allclose(first.mean(axis=0)[2], 5.0 + 4.0 * np.sin(np.radians(20.0)), atol=1e-5)
        self.assertEqual(float(groups[0].split()[0][2:]), 0.5)

    def test_an_inversion_is_slip_too(self):
        values = invented.write(self.folder / "greens.h5")
        invented.write_offsets(self.folder / "offsets.csv", values)
        result = kaname.invert(self.folder / "greens.h5", self.folder / "offsets.csv", program=False,
                               regularisation={"choice": "fixed", "smoothness": [0.1], "sparsity": [0.0]})
        path = result.write(self.folder / "inversion.h5")

        slip = export.read_slip(path, 40e9)
        lines = self.written(path, "fsp").read_text().split("\n")

        first, amount, rake = result.slip_vectors()
        rows = np.array([[float(v) for v in line.split()] for line in lines if line and not line.startswith("%")])
        order = [k for group in slip.segments() for k in group]
        np.testing.assert_allclose(rows[:, 5], amount[order], atol=1e-6)
        np.testing.assert_allclose(slip.length_m * slip.width_m, result.places["patch_area"][first], rtol=1e-9)
        self.assertEqual(len(order), invented.COLUMNS * invented.ROWS)

    def test_what_is_wrong_is_named(self):
        path = table(self.folder / "slip.csv")
        text = path.read_text()
        out = self.folder / "a.fsp"
        for old, new, pattern in (
                ("slip_m", "slip_cm", "slip.csv: slip_m: must be a column"), (",85.0,", ",x,", "slip.csv:3: rake_deg: must be -360 to 720, got x"),
                (",0.5000", ",500", "slip.csv:2: slip_m: must be 0 to 100, got 500"), (",0.5000", "", "slip.csv:2: columns: must be 10, got 9")):
            path.write_text(text.replace(old, new, 1))
            self.refused(pattern, path, "--to", "fsp", "-o", out)
        path.write_text(text)
        self.refused("mu_gpa: must be > 0, got -3", path, "--to", "fsp", "--mu-gpa", -3)
        self.refused("none.csv is not there", self.folder / "none.csv", "--to", "fsp", "-o", out, code="NotFound")
        self.refused("--to: must be fsp, param, .* or jagurs, got 'gif'", path, "--to", "gif")
        self.run_command(path, "--to", "fsp", "-o", out)
        self.refused("a.fsp is there; --force replaces it", path, "--to", "fsp", "-o", out, code="Conflict")
        damage.fuzz(self, lambda: export.models.fsp(export.read_slip(path, 3e10), "t"), [path], 300)


class Ground(Case):
    def read_type1(self, path):
        rows = np.loadtxt(path)
        times, lon, lat = (np.unique(rows[:, k]) for k in (0, 1, 2))
        dz = rows[:, 3].reshape(times.size, lat.size, lon.size)
        np.testing.assert_array_equal(rows[:lon.size, 2], lat.max())  # begins in the north-west
        np.testing.assert_array_equal(rows[:lon.size, 1], lon)
        return times, lon, lat, dz[:, ::-1]

    def read_type3(self, path):
        with open(path, encoding="ascii") as file:
            head = {}
            for _ in range(9):
                value, key = file.readline().split()
                head[key] = float(value)
            values = np.loadtxt(file)
        mx, my, mt = (int(head[k]) for k in ("mx", "my", "mt"))
        return (head["t0"] + head["dt"] * np.arange(mt), head["xlower"] + head["dx"] * np.arange(mx),
                head["ylower"] + head["dy"] * np.arange(my), values.reshape(mt, my, mx)[:, ::-1])

    def test_both_types_hold_the_motion_of_second_order_triangles(self):
        path = surface(self.folder / "greens.h5")
        words = ("--spacing-arcsec", 360, "--bounds", 141.3, 142.5, 37.5, 38.6)

        one = self.read_type1(self.written(path, "dtopo1", *words))
        three = self.read_type3(self.written(path, "dtopo3", *words, "--rise-s", 20))

        truth = motion(*np.meshgrid(one[1], one[2]))[..., 2]
        np.testing.assert_allclose(one[3][0], truth, atol=1e-8)
        data = export.dtopo.on_grid(export.dtopo.read_surface(path, None), 0.1, (141.3, 142.5, 37.5, 38.6)).to_xarray()
        np.testing.assert_allclose(data.up.sel(lat=38.0, lon=142.0, method="nearest").values, [2.0], atol=1e-8)
        np.testing.assert_allclose(three[3][1], truth, atol=1e-8)
        np.testing.assert_array_equal(three[3][0], 0.0)
        np.testing.assert_array_equal(three[0], [0.0, 20.0])
        self.assertLessEqual(one[1][0], 141.3)
        self.assertGreaterEqual(one[2][-1], 38.6)
        several = self.read_type1(self.written(path, "dtopo1", *words, "--epochs-years", 0, 2))
        np.testing.assert_allclose(several[0], [0.0, 2 * 365.25 * 86400.0])
        np.testing.assert_allclose(several[3][1], 2.0 * truth, atol=1e-8)

    def test_horizontal_motion_of_a_slope_lifts_the_water(self):
        path = surface(self.folder / "greens.h5")
        lon, lat = np.linspace(141.0, 143.0, 41), np.linspace(37.0, 39.0, 41)
        east, north = (lon - 142.0) * 87_800.0, (lat - 38.0) * 111_000.0
        slope = -4000.0 - 0.05 * east[None, :] + 0.02 * north[:, None]  # deeper to the east, shallower to the north
        for down in (False, True):
            with netCDF4.Dataset(self.folder / "sea.grd", "w") as file:
                for name, axis in (("lon", lon), ("lat", lat)):
                    file.createDimension(name, axis.size)
                    file.createVariable(name, "f8", (name,))[:] = axis
                file.createVariable("z", "f8", ("lat", "lon"))[:] = -slope if down else slope
            words = ["--bathymetry", self.folder / "sea.grd", "--spacing-arcsec", 360, "--bounds", 141.5, 142.4, 37.6, 38.4]
            _, x, y, dz = self.read_type3(self.written(path, "dtopo3", *words, *(["--bathymetry-down"] if down else [])))
            u = motion(*np.meshgrid(x, y))
            np.testing.assert_allclose(dz[0], u[..., 2] + 0.05 * u[..., 0] - 0.02 * u[..., 1], atol=1e-3)
        words[-4:] = [100, 101, 37, 38]
        self.refused("sea.grd: bathymetry: must hold 99.9 to 101.1", path, "--to", "dtopo3", "-o", self.folder / "x", *words)

    def test_jagurs_has_a_classic_grid_of_one_time(self):
        path = surface(self.folder / "greens.h5")
        out = self.written(path, "jagurs", "--spacing-arcsec", 720, "--epochs-years", 1)
        self.assertEqual(out.read_bytes()[:3], b"CDF")
        with netCDF4.Dataset(out) as file:
            x, y, z = (np.array(file[name][:]) for name in ("lon", "lat", "z"))
        inside = np.ix_((y > 37.0) & (y < 39.0), (x > 141.0) & (x < 143.0))
        np.testing.assert_allclose(z[inside], 1.5 * motion(*np.meshgrid(x, y))[inside][..., 2], atol=1e-5)
        self.refused("epochs_years, rise_s: must leave one time", path, "--to", "jagurs", "-o", self.folder / "x",
                     "--epochs-years", 0, 1, "--spacing-arcsec", 720)

    def test_what_is_wrong_is_named(self):
        path = surface(self.folder / "greens.h5", (0.0, 1.0, 3.0))
        out = self.folder / "x"
        self.refused("epochs: must be epochs of the dataset, of which 1 years is the nearest, got 1.2", path, "--to", "dtopo1",
                     "-o", out, "--epochs-years", 1.2)
        self.refused("times: must be regular for dtopotype 3; dtopotype 1 takes any", path, "--to", "dtopo3", "-o", out,
                     "--epochs-years", 0, 1, 3, "--spacing-arcsec", 720)
        self.refused("bounds: must be west east south north, got 2 1 0 1", path, "--to", "dtopo1", "-o", out, "--bounds", 2, 1, 0, 1)
        self.refused("spacing: must give at most 50000000 values", path, "--to", "dtopo1", "-o", out, "--spacing-arcsec", 0.1)
        self.assertEqual(list(self.folder.glob("x*")), [])
        invented.write(self.folder / "other.h5")
        self.refused("other.h5: surface: must be a group of the dataset", self.folder / "other.h5", "--to", "dtopo1", "-o", out)
        facts = json.loads(self.run_command(path, "--to", "dtopo1", "-o", out, "--json", "--spacing-arcsec", 720))
        self.assertEqual(facts["times_s"], [0.0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
