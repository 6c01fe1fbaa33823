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
from types import SimpleNamespace

from built_package import BIN  # before all that may be missing

import numpy as np

from kaname.__main__ import main
from kaname.data import geometry
from kaname.data.geometry.fit import _Problem, unwrapped
from kaname.data.geometry.layered import Layers, bessel_0_1, make_table
from kaname.data.geometry.result import plane_of, request
from kaname.data.geometry.sampler import diagnose, sample
from kaname.data.geometry import sources
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


def gnss(folder, rng, kind="rectangle", truth=TRUTH, amounts=SLIP, stations=14, sigma_mm=3.0, source=None):
    """Writes gnss.csv; places lie about 10 E, 40 N."""
    source = source or make_source(kind, 4e4, 1e4, {}, None, 0.25)
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


class InLayers(Case):
    LAYERS = Layers(np.array([5e3, 25e3]), np.array([20e9, 32e9, 75e9]), np.array([12e9, 34e9, 68e9]))
    FILE = ("structure:\n  materials:\n    - {name: soft, lambda_gpa: 20, mu_gpa: 12}\n"
            "    - {name: crust, vp_km_per_s: 6.0, vs_km_per_s: 3.5, density_g_per_cm3: 2.7}\n"
            "  layers:\n    - {material: soft, bottom_depth_km: 5}\n    - {material: crust}\n")

    def test_motion_is_that_of_a_mesh(self):
        # kaname run of this plane, which crosses the interface at 5 km, on a mesh with elements of 1 km at the fault
        # (predicted error: 0.6 % of the largest): east, north, up for strike slip, then for dip slip.
        lon = np.array([10.05, 10.15, 9.9, 10.2, 10.0, 10.5, 9.6])
        lat = np.array([40.02, 40.0, 40.05, 39.85, 40.25, 40.1, 39.8])
        mesh = np.array([[
            [.15793, .41857, .02086], [.12587, .18910, .03487], [-.00549, -.03154, .00098], [-.04363, .08100, -.01665],
            [.00727, -.01595, .00238], [.02500, .00942, -.00032], [-.01083, -.00500, -.00142]], [
            [-.08409, .05925, .45714], [-.06197, .03367, .07733], [.09664, -.03942, -.01357], [-.06907, .04511, -.01383],
            [.00825, -.00832, -.00304], [-.02007, -.00233, -.00163], [.01066, .00190, -.00110]]])
        across = 7e3 * np.cos(np.radians(40.0))  # from the top edge's middle, at 10 E, 40 N, to the rectangle's
        turn = np.radians(20.0)
        plane = {"east_m": across * np.cos(turn), "north_m": -across * np.sin(turn), "top_depth_m": 2e3, "strike_deg": 20.0,
                 "dip_deg": 40.0, "length_m": 24e3, "width_m": 14e3}
        ranges = {"top_depth_m": (0.0, 8e3), "width_m": (1e3, 2e4), "length_m": (1e3, 4e4)}
        source = make_source("rectangle", 6e4, 1e4, ranges, None, 0.25, self.LAYERS)
        half_space = make_source("rectangle", 6e4, 1e4, {}, None, self.LAYERS.poisson)
        for one, amounts in enumerate(np.eye(2)):
            largest = np.abs(mesh[one]).max()
            for of, bound in ((source, 0.012 * largest), (half_space, np.inf)):
                motion = np.stack([observed(of, plane, amounts, lon, lat, np.tile(e, (7, 1))) for e in np.eye(3)], axis=1)
                self.assertLess(np.abs(motion - mesh[one]).max(), bound)
            self.assertGreater(np.abs(motion - mesh[one]).max(), 0.04 * largest)  # what layers are for

    def test_a_half_space_as_a_layer_is_okada_s_and_mogi_s(self):
        # The table of a half-space alone takes the place of what layers change: twice the motion.
        whole = make_table(Layers(np.empty(0), np.array([4e10]), np.array([3e10])), 2e4, 3e4, less_half_space=False)
        given = {key: np.array([[value]]) for key, value in {
            **TRUTH, "top_depth_m": 9e3, "length_m": 8e3, "width_m": 4e3, "depth_m": 9e3}.items()}
        east, north = np.array([[3e3, -5e3, 8e3, 20e3, 1e3]]), np.array([[4e3, 6e3, -2e3, 10e3, -9e3]])
        nu = 4.0 / 14.0
        for component in (0, 1, 2):
            once, twice = (np.array(sources._rectangle(given, east, north, nu, (component,), table)[0])
                           for table in (None, whole))
            self.assertLess(np.abs(0.5 * twice - once).max(), 0.01 * np.abs(once).max(), component)
        mogi = sources._point(given, east, north, nu)
        twice = sources._layered_point(whole, given, east, north, mogi)
        self.assertLess(np.abs(0.5 * np.array(twice) - np.array(mogi)).max(), 0.01 * np.abs(mogi).max())

    def test_layers_of_one_rock_change_nothing(self):
        same = make_table(Layers(np.array([4e3, 12e3]), np.full(3, 3e10), np.full(3, 2e10)), 2e4, 3e4)
        self.assertLess(np.abs(same.values).max(), 1e-9)  # m for 1 km^3, which moves the ground above it by metres

    def test_bessel_functions_are_those_of_tables(self):
        first, second = bessel_0_1(np.array([0.0, 1.0, 5.0, 100.0]))  # Abramowitz and Stegun, table 9.1
        np.testing.assert_allclose(first, [1.0, 0.7651976866, -0.1775967713, 0.0199858503], atol=2e-10)
        np.testing.assert_allclose(second, [0.0, 0.4400505857, -0.3275791376, -0.0771453520], atol=2e-10)
        before, after = bessel_0_1(np.array([25.0, 25.0 + 1e-9]))
        np.testing.assert_allclose([before[0], after[0]], [before[1], after[1]], atol=1e-9)

    def test_point_by_the_command(self):
        layers = self.folder / "layers.yaml"
        layers.write_text(self.FILE)
        earth = geometry.read_layers(layers)
        np.testing.assert_allclose([earth.mu_pa[1], earth.lambda_pa[1]], [33.075e9, 31.05e9])
        truth, volume = {"east_m": 1e3, "north_m": 2e3, "depth_m": 8e3}, np.array([5e7])
        source = make_source("point", 4e4, 1e4, {}, None, 0.25, earth)
        path = gnss(self.folder, np.random.default_rng(2), "point", truth, volume, sigma_mm=0.3, source=source)
        code, text, err = self.command(path, "-o", self.folder / "found", "--source", "point", "--steps", 400, "--json",
                                       "--no-picture", "--layers", layers)
        self.assertEqual((code, err), (0, ""), text)
        for key, value in (("depth_m", 8e3), ("volume_m3", 5e7)):
            low, *_, high = json.loads(text)["quantiles"][key]
            margin = 0.25 * (high - low)
            self.assertTrue(low - margin < value < high + margin, (key, low, high))
            # A half-space has 6.6 km and 5.6e7 m3 for the same motion.
            self.assertLess(high - low, 0.1 * value)

    def test_refusals(self):
        path = gnss(self.folder, np.random.default_rng(1))
        layers = self.folder / "layers.yaml"
        for text, expected in (
                (self.FILE.replace("bottom_depth_km: 5", "bottom_depth_km: -5"),
                 "layers.yaml: structure.layers[0].bottom_depth_km: must increase, got -5"),
                (self.FILE.replace(", bottom_depth_km: 5", ""), "layers[0].bottom_depth_km: must be given for each"),
                (self.FILE.replace("material: crust", "material: rock"), "must be one of soft, crust, got 'rock'"),
                (self.FILE.replace("mu_gpa: 12", "mu_gpa: twelve"), "materials[0].mu_gpa: must be a number, got 'twelve'"),
                (self.FILE.replace("vs_km_per_s: 3.5, ", ""), "materials[1]: must have vp_km_per_s, vs_km_per_s and density"),
                (self.FILE.replace("vs_km_per_s: 3.5", "vs_km_per_s: 5.9"), "must have mu > 0 and lambda > -2/3 mu"),
                (self.FILE + "  surfaces: []\n", "must be flat layers alone")):
            layers.write_text(text)
            with self.subTest(expected):
                code, _, err = self.command(path, "--layers", layers)
                self.assertEqual(code, 2)
                self.assertIn(expected, err)
        for words, expected in ((b"\xff\xfe", "must be YAML"), (b"[1, 2]", "must hold a mapping"),
                                (b"[" * 5000, "must be YAML")):
            layers.write_bytes(words)
            code, _, err = self.command(path, "--layers", layers)
            self.assertEqual(code, 2)
            self.assertIn(f"{layers} {expected}", err)
        self.assertEqual(self.command(path, "--layers", self.folder)[0], 2)
        layers.write_text(self.FILE)
        for option in ("--poisson", "--rigidity-gpa"):
            code, _, err = self.command(path, "--layers", layers, option, "0.25")
            self.assertEqual(code, 2)
            self.assertIn(f"{option}: must be left out with --layers", err)

    def test_request_has_the_layers_and_the_moment_their_rigidity(self):
        source = make_source("rectangle", 2e4, 1e4, {}, None, 0.25, self.LAYERS)
        found = SimpleNamespace(source=source, best={**TRUTH, "centre_lon_deg": 10.0, "centre_lat_deg": 40.0})
        (self.folder / "found.yaml").write_text(request(found, "found", "stations.csv", 1.0, 30e9))
        again = geometry.read_layers(self.folder / "found.yaml")
        np.testing.assert_allclose([again.mu_pa, again.lambda_pa], [self.LAYERS.mu_pa, self.LAYERS.lambda_pa])
        np.testing.assert_array_equal(again.bottoms_m, self.LAYERS.bottoms_m)
        mean = _Problem._rigidity(found, {key: np.array([value]) for key, value in TRUTH.items()}, 30e9)[0]
        above = 2e3 / (10e3 * np.sin(np.radians(40.0)))  # the part of it that lies above 5 km
        self.assertAlmostEqual(mean / (above * 12e9 + (1.0 - above) * 34e9), 1.0, delta=0.01)


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
