#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sources of few parameters from tables of motion: formulas, sampler, command, refusals.

Usage: geometry_test.py BIN_DIR SOURCE_DIR.
"""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_package import BIN  # before all that may be missing

import numpy as np

from kaname.__main__ import main
from kaname.data import geometry
from kaname.data.geometry.fit import unwrapped
from kaname.data.geometry.result import plane_of
from kaname.data.geometry.sampler import diagnose, sample
from kaname.data.geometry.sources import make_source
from kaname.data.geometry.tables import read_table
from kaname.data.insar.half_space import surface_motion
from kaname.data.insar.raster import local_m
from kaname.errors import Error

TRUTH = {"east_m": 2e3, "north_m": -1e3, "top_depth_m": 3e3, "strike_deg": 350.0, "dip_deg": 40.0, "length_m": 18e3,
         "width_m": 10e3}
SLIP = np.array([0.4, 1.2])


def observed(source, truth, amounts, lon, lat, direction):
    """Motion without errors, by the formulas that the first test holds."""
    x, y = local_m(lon, lat, 10.0, 40.0)
    values = np.array([[truth[name] for name in source.names]])
    return source.motion(values, x, y, np.arange(lon.size), direction)[0] @ amounts


def gnss(folder, rng, kind="rectangle", truth=TRUTH, amounts=SLIP, stations=14, sigma_mm=3.0):
    """Writes gnss.csv; places lie about 10 E, 40 N."""
    source = make_source(kind, 4e4, 1e4, {}, None, 0.25)
    lon, lat = (np.concatenate([[c - 0.3, c + 0.3], c + rng.uniform(-0.3, 0.3, stations - 2)]) for c in (10.0, 40.0))
    motion = np.stack([observed(source, truth, amounts, lon, lat, np.tile(e, (stations, 1))) for e in np.eye(3)], axis=1)
    motion = 1e3 * motion + sigma_mm * rng.normal(size=motion.shape)
    rows = [f"G{k:02d},{lon[k]},{lat[k]},{motion[k, 0]},{motion[k, 1]},{motion[k, 2]}" + f",{sigma_mm}" * 3
            for k in range(stations)]
    path = folder / "gnss.csv"
    path.write_text("station,lon_deg,lat_deg,east_mm,north_mm,up_mm,east_sigma,north_sigma,up_sigma\n" + "\n".join(rows) + "\n")
    return path


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["data", "geometry", *map(str, words)])
        return code, out.getvalue(), err.getvalue()


class Formulas(unittest.TestCase):
    def test_okada_1985_table_2_case_2(self):
        motion = surface_motion(np.array([2.0]), np.array([3.0]), 4.0, np.radians(70.0), 3.0, 2.0, (0, 1, 2))
        np.testing.assert_allclose(np.array(motion)[:, :, 0], [
            [-8.689e-3, -4.298e-3, -2.747e-3], [-4.682e-3, -3.527e-2, -3.564e-2], [-2.660e-4, 1.056e-2, 3.214e-3]],
            rtol=4e-4)  # printed with four digits

    def test_point_is_mogi_s(self):
        source = make_source("point", 1e4, 1e3, {}, None, 0.25)
        up, east = (source.motion(np.array([[0.0, 0.0, 4e3]]), np.array([3e3]), np.array([0.0]), np.array([0]),
                                  np.array([e]))[0, 0, 0] for e in ([0, 0, 1.0], [1.0, 0, 0]))
        self.assertAlmostEqual(up / east, 4.0 / 3.0, places=12)
        self.assertAlmostEqual(up, 0.75 / np.pi * 4e3 / 5e3**3, places=20)

    def test_angles_have_no_jump(self):
        values = unwrapped("strike_deg", np.array([359.0, 1.0, 358.0, 2.0]))
        self.assertLess(np.ptp(values), 5.0)
        self.assertEqual(list(unwrapped("rake_deg", np.array([-179.0, 179.0]))), [181.0, 179.0])


class Sampler(unittest.TestCase):
    def test_two_hills_have_their_shares_and_widths(self):
        def log_density(values):
            hills = [np.log(share) - 0.5 * (((values - middle) / [0.3, 0.1]) ** 2).sum(axis=1)
                     for share, middle in ((0.7, [-2.0, 1.0]), (0.3, [2.0, -1.0]))]
            return np.logaddexp(*hills)

        found = sample(log_density, np.full(2, -5.0), np.full(2, 5.0), np.zeros(2), steps=2000, wanted=2e3, seed=4)
        values = found.values.reshape(-1, 2)
        left = values[:, 0] < 0
        self.assertAlmostEqual(left.mean(), 0.7, delta=0.06)
        np.testing.assert_allclose(values[left].std(axis=0), [0.3, 0.1], rtol=0.05)
        self.assertLess(found.r_hat.max(), 1.05)

    def test_effective_samples_and_r_hat_are_those_of_known_series(self):
        rng = np.random.default_rng(3)
        series = np.empty((2, 3000, 20, 2))  # e' = 0.9 e + noise: 19 draws stand for one
        series[:, 0] = rng.normal(size=(2, 20, 2))
        for k in range(1, 3000):
            series[:, k] = 0.9 * series[:, k - 1] + np.sqrt(0.19) * rng.normal(size=(2, 20, 2))
        effective, r_hat = diagnose(series, np.zeros(2))
        np.testing.assert_allclose(effective, series[..., 0].size / 19.0, rtol=0.15)
        self.assertLess(r_hat.max(), 1.01)
        series[0, ..., 1] += 4.0  # one ensemble is on another hill
        self.assertGreater(diagnose(series, np.zeros(2))[1][1], 1.5)

    def test_angles_are_diagnosed_about_their_mean(self):
        rng = np.random.default_rng(4)
        values = (rng.normal(0.0, 3.0, (2, 500, 20, 1))) % 360.0  # on both sides of north
        self.assertLess(diagnose(values, np.array([360.0]))[1][0], 1.01)


class Fits(Case):
    def test_rectangle_by_the_command(self):
        path = gnss(self.folder, np.random.default_rng(7))
        out = self.folder / "found"
        ends = {"strike_deg": "300:400", "dip_deg": "10:80", "length_km": "5:30", "width_km": "3:20", "top_depth_km": "0:8",
                "east_km": "-10:10", "north_km": "-10:10"}
        code, text, err = self.command(path, "-o", out, "--steps", 400, "--json", "--seed", 3,
                                       *(f"--range={key}={text}" for key, text in ends.items()))
        self.assertEqual((code, err), (0, ""), text)
        report = json.loads(text)
        for name, value in {**TRUTH, "slip_m": 1.2649}.items():
            if name not in ("east_m", "north_m"):
                low, *_, high = report["quantiles"][name]
                margin = 0.25 * (high - low)  # 95 % of a single draw; nine numbers here
                with self.subTest(name):
                    turn = 360.0 * round((0.5 * (low + high) - value) / 360.0) if name == "strike_deg" else 0.0
                    self.assertTrue(low - margin < value + turn < high + margin, (low, value, high))
        self.assertGreater(report["tables"]["gnss"]["variance_reduction"], 0.98)
        self.assertTrue((out / "geometry.png").read_bytes().startswith(b"\x89PNG"))
        valid = subprocess.run([BIN / "kaname", "validate", out / "greens.yaml"], capture_output=True, text=True)
        self.assertEqual(valid.returncode, 0, valid.stderr)
        self.assertEqual(self.command(path, "-o", out)[0], 6)  # files are there

    def test_point_has_the_width_of_its_linearised_posterior(self):
        truth = {"east_m": 1e3, "north_m": 2e3, "depth_m": 4e3}
        table = read_table(str(gnss(self.folder, np.random.default_rng(1), "point", truth, np.array([2e7]), sigma_mm=0.5)))
        found = geometry.fit([table], "point", steps=400, wanted=1500.0)
        self.assertTrue(found.converged)
        data, seen = found.to_xarray(), table.to_xarray()
        np.testing.assert_array_equal(data.depth_m, found.samples["depth_m"])
        self.assertEqual((data.volume_m3.units, data.depth_m.best, data.depth_m.r_hat, data.source),
                         ("m3", found.best["depth_m"], found.r_hat["depth_m"], "point"))
        np.testing.assert_array_equal(seen.direction.sel(component="up"), table.direction[:, 2])
        self.assertEqual((seen.observed.units, seen.station.values[-1]), ("m", table.station[-1]))
        step = np.array([1.0, 1.0, 1.0])
        middle = np.array([found.best[name] for name in found.source.names])
        x, y = local_m(table.lon, table.lat, *found.reference)
        row = np.arange(len(table))

        def motion(values):
            return found.source.motion(values[None, :], x, y, row, table.direction)[0][:, 0] * found.best["volume_m3"]

        jacobian = np.stack([motion(middle + step * e) - motion(middle - step * e) for e in np.eye(3)], axis=1) / 2.0
        jacobian = np.concatenate([jacobian, motion(middle)[:, None] / found.best["volume_m3"]], axis=1)
        factor = np.sqrt(np.mean(found.samples["factor_gnss"] ** 2))
        width = factor * np.sqrt(np.diag(np.linalg.inv(jacobian.T @ (jacobian / table.sigma[:, None] ** 2))))
        for name, sigma in zip((*found.source.names, "volume_m3"), width):
            self.assertAlmostEqual(found.samples[name].std() / sigma, 1.0, delta=0.1, msg=name)
            true = truth.get(name, 2e7)
            if name in truth and name != "depth_m":  # the reference is the middle of the data
                true += dict(zip(("east_m", "north_m"), local_m(10.0, 40.0, *found.reference)))[name]
            self.assertLess(abs(found.samples[name].mean() - true) / sigma, 3.0, name)

    def test_plane_of_the_request_is_the_best_one_enlarged_in_its_own_plane(self):
        found = type("Found", (), {"best": {**TRUTH, "centre_lon_deg": 10.0, "centre_lat_deg": 40.0}})
        plane = plane_of(found, 2.0)
        dip, strike = np.radians(40.0), np.radians(350.0)
        up = 3e3 / np.sin(dip)  # Half a width would be above the ground.
        self.assertEqual((plane["top_depth_km"], plane["length_km"], plane["width_km"]), (0.0, 36.0, 20.0))
        x, y = local_m(plane["centre_lon_deg"], plane["centre_lat_deg"], 10.0, 40.0)
        np.testing.assert_allclose([x, y], [-up * np.cos(dip) * np.cos(strike), up * np.cos(dip) * np.sin(strike)], atol=1.0)


class Refusals(Case):
    def refused(self, *words):
        code, _, err = self.command(*words)
        self.assertEqual(code, 2, err)
        return err

    def test_tables(self):
        good = gnss(self.folder, np.random.default_rng(1)).read_text()
        bad = self.folder / "bad.csv"
        for text, expected in (
                (good.replace(",3.0,3.0,3.0", ",3.0,-1,3.0", 1), "sigma: must be > 0"),
                (good.replace("lat_deg", "breadth"), "lat_deg: must be a column"),
                (good.replace("_mm", "_inch"), "must have east, north, up or los with a unit"),
                (good.replace("G03,", "G03,x", 1), "row 4: lon_deg: must be a number, got 'x"),
                ("station,lon_deg,lat_deg,los_mm,sigma\n" + "A,1,2,3,1\n" * 5, "must have look_east"),
                ("station,lon_deg,lat_deg,los_mm,sigma,look_east,look_north,look_up\n" + "A,1,2,3,1,0,0,2\n" * 5,
                 "row 1: look: must have length 1")):
            bad.write_text(text)
            with self.subTest(expected), self.assertRaises(Error) as caught:
                read_table(bad)
            self.assertIn(expected, str(caught.exception))

    def test_options(self):
        path = gnss(self.folder, np.random.default_rng(1))
        (self.folder / "small.csv").write_text("1,0\n0,1\n")
        for words, expected in (
                (["--poisson", "0.6"], "--poisson: must be 0 to 0.499, got 0.6"),
                (["--range", "dip_deg=50:20"], "--range dip_deg: must rise within 0.1 to 90, got 50:20"),
                (["--range", "depth_km=1:2"], "must name parameters of a rectangle, got depth_m"),
                (["--covariance", self.folder / "small.csv", "--"], "must have 42 lines of 42 numbers"),
                ([path], "TABLE: must have different names")):
            with self.subTest(expected):
                self.assertIn(expected, self.refused("-o", self.folder / "none", *words, path))
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
