#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rasters of motion towards a satellite become points: covariogram, cells, errors, and the command.

Usage: insar_points_test.py BIN_DIR SOURCE_DIR.
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from built_package import BIN  # before all that may be missing

import numpy as np

import invented
import invented_rasters as made
import kaname
from command_case import CommandCase
from kaname.data import insar, view
from kaname.data.insar import at_stations, command, covariogram, half_space
from kaname.data.insar.reading import read_here


def large(values, name="made", step=0.001):
    """A raster of values with the look of an ascending orbit."""
    rows, columns = values.shape
    lon, lat = np.meshgrid(made.LON + step * np.arange(columns), made.LAT - step * np.arange(rows))
    look = np.broadcast_to(made.look()[:, None, None], (3, rows, columns))
    return insar.Raster(name, values, lon, lat, look)


def hump(raster, scale=1.0):
    x, y = raster.local_m()
    return 0.1 * np.exp(-((x - 2000.0) ** 2 + 1.5 * y**2) / (5000.0 * scale) ** 2)


class Reduction(unittest.TestCase):
    def test_the_covariogram_finds_sill_and_length_of_made_up_errors(self):
        for spherical, nugget in ((False, 0.0), (True, 0.002)):
            found = []
            blank = large(np.zeros((180, 180)))
            length = 2500.0 if spherical else 1000.0
            for seed in range(20):
                rng = np.random.default_rng(seed)
                values = made.noise((180, 180), blank.spacing_m, 0.005, length, rng, spherical)
                values += nugget * rng.standard_normal(values.shape)
                model = insar.fit(insar.empirical(blank.with_values(values)), "spherical" if spherical else "exponential")
                found.append((model.sill / 0.005**2, model.length_m / length, model.nugget - nugget**2))
            sill, length, excess = np.median(found, axis=0)
            self.assertLess(abs(sill - 1.0), 0.1)
            self.assertLess(abs(length - 1.0), 0.1)
            self.assertLess(abs(excess), 0.1 * 0.005**2)

    def test_what_a_plane_takes_of_the_errors_is_given_back(self):
        # A raster nine lengths wide.
        blank = large(np.zeros((180, 180)))
        length = 180 * min(blank.spacing_m) / 9.0
        found = []
        for seed in range(20):
            values = made.noise((180, 180), blank.spacing_m, 0.005, length, np.random.default_rng(seed))
            model = insar.fit(insar.empirical(blank.with_values(values)))
            found.append((model.sill / 0.005**2, model.length_m / length))
        for ratio in np.median(found, axis=0):
            self.assertLess(abs(ratio - 1.0), 0.1)

    def test_the_loss_is_that_of_planes_fitted_to_made_up_errors(self):
        # Errors four lengths wide, of which planes take a good part: gamma of what is left and the loss are gamma.
        blank = large(np.zeros((48, 48)))
        side = 48 * min(blank.spacing_m)
        length = side / 4.0
        truth = insar.Covariogram("exponential", 1.0, length)
        rng = np.random.default_rng(6)
        left = [insar.empirical(blank.with_values(made.noise((48, 48), blank.spacing_m, 1.0, length, rng)),
                                reach_m=0.7 * side) for _ in range(300)]
        gamma = np.mean([one.gamma for one in left], axis=0)
        lag, loss = covariogram.plane_loss(truth, left[0].there, left[0].step)
        loss = np.interp(left[0].lag_m, lag, loss)
        self.assertGreater(loss[-1], 0.1)
        np.testing.assert_allclose(gamma + loss, truth.gamma(left[0].lag_m), atol=0.025)

    def test_pixels_of_the_deformation_say_nothing_of_the_errors(self):
        blank = large(np.zeros((180, 180)))
        rng = np.random.default_rng(3)
        values = made.noise((180, 180), blank.spacing_m, 0.005, 1000.0, rng)
        plain = insar.fit(insar.empirical(blank.with_values(values)))

        points = insar.reduce(blank.with_values(values + 3.0 * hump(blank, 0.3)), 300)

        self.assertLess(abs(points.covariogram.sill / plain.sill - 1.0), 0.25)
        self.assertRegex(" ".join(points.notes), "deformation: [0-9]+ % of the pixels, found by their size")
        with self.assertRaisesRegex(kaname.Error, "deformation: must leave at least 200 pixels"):
            insar.reduce(blank.with_values(values), deformation=np.ones((180, 180), dtype=bool))

    def test_points_hold_the_truth_within_their_covariance(self):
        blank = large(np.zeros((256, 256)))
        truth = hump(blank)
        chi2 = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            errors = made.noise(truth.shape, blank.spacing_m, 0.004, 3000.0, rng)
            errors += 0.002 * rng.standard_normal(truth.shape)
            model = insar.Covariogram("exponential", 0.004**2, 3000.0, 0.002**2)

            points = insar.reduce(blank.with_values(truth + errors), 500, covariogram=model)

            self.assertLessEqual(len(points), 500)
            self.assertGreater(len(points), 400)
            left = points.los - self._truth_at(points)
            chi2.append(left @ np.linalg.solve(points.covariance, left) / len(points))
            self.assertGreater(np.mean(np.abs(left) < 1.96 * points.sigma), 0.9)
        self.assertLess(abs(np.mean(chi2) - 1.0), 0.15, chi2)

    @staticmethod
    def _truth_at(points):
        blank = large(np.zeros((256, 256)))
        x, y = insar.raster.local_m(points.lon, points.lat, *blank.centre)
        return 0.1 * np.exp(-((x - 2000.0) ** 2 + 1.5 * y**2) / 5000.0**2)

    def test_cells_without_errors_give_back_the_field_within_their_threshold(self):
        blank = large(np.zeros((256, 256)))
        raster = blank.with_values(hump(blank))

        points = insar.reduce(raster, 2000, threshold=0.006,
                              covariogram=insar.Covariogram("exponential", 1e-6, 1000.0))

        away = np.abs(points.los - self._truth_at(points))
        wide = points.size > 2
        self.assertLessEqual(points.spread[wide].max(), 0.006)
        self.assertLess((away - points.spread).max(), 1e-9)  # the middle's value lies within the cell's spread
        covered = np.zeros(raster.values.shape)
        for row, column, size in zip(points.cells.row, points.cells.column, points.cells.size):
            covered[row:row + size, column:column + size] += 1.0
        np.testing.assert_array_equal(covered, 1.0)
        self.assertEqual(int(points.pixels.sum()), raster.values.size)

    def test_areas_without_values_have_no_points(self):
        values = hump(large(np.zeros((128, 128))))
        values[:, :40] = np.nan
        values[70:, 90:] = np.nan
        model = insar.Covariogram("exponential", 1e-6, 1000.0)

        points = insar.reduce(large(values), 200, covariogram=model)

        self.assertGreater(points.lon.min(), made.LON + 0.001 * 38)
        filled = [np.isfinite(values[r:r + s, c:c + s]).mean() for r, c, s in
                  zip(points.cells.row, points.cells.column, points.cells.size)]
        self.assertGreaterEqual(min(filled), 0.5)

    def test_a_mean_of_many_pixels_has_the_variance_of_the_mean(self):
        blank = large(np.zeros((64, 64)))
        model = insar.Covariogram("exponential", 0.004**2, 700.0, 0.003**2)
        rng = np.random.default_rng(1)
        means = [np.mean((made.noise((64, 64), blank.spacing_m, 0.004, 700.0, rng)
                          + 0.003 * rng.standard_normal((64, 64))).reshape(4, 16, 4, 16), axis=(1, 3))
                 for _ in range(300)]
        points = insar.reduce(blank.with_values(made.noise((64, 64), blank.spacing_m, 0.004, 700.0, rng)), 16,
                              covariogram=model, smallest=16, largest=16)

        self.assertEqual(len(points), 16)
        self.assertLess(abs(np.mean(points.sigma**2) / np.mean(np.var(means, axis=0)) - 1.0), 0.1)

    def test_cells_are_small_where_the_fault_is_resolved(self):
        blank = large(np.zeros((256, 256)))
        lon, lat = blank.centre
        plane = half_space.Plane(lon - 0.05, lat, 1000.0, 0.0, 60.0, 8000.0, 6000.0)
        model = insar.Covariogram("exponential", 1e-6, 1000.0)
        flat = blank.with_values(1e-3 * np.ones((256, 256)))

        points = insar.reduce(flat, 300, "resolution", fault=plane, covariogram=model)

        x, y = insar.raster.local_m(points.lon, points.lat, lon - 0.05, lat)
        near = np.hypot(x, y) < 6000.0
        self.assertLessEqual(len(points), 300)
        self.assertLess(points.size[near].mean(), 0.5 * points.size[~near].mean())
        self.assertEqual(points.size.max(), points.size[~near].max())
        with self.assertRaisesRegex(kaname.Error, "fault.dip_deg: must be 0.1 to 90, got 95"):
            half_space.Plane(20.0, 38.0, 0.0, 0.0, 95.0, 1.0, 1.0)
        with self.assertRaisesRegex(kaname.Error, "fault.width_m: must be given"):
            half_space.Plane.of_mapping({"centre_lon_deg": 1, "centre_lat_deg": 2, "top_depth_km": 3, "strike_deg": 4,
                                         "dip_deg": 5, "length_km": 6})

    def test_the_half_space_gives_the_published_numbers(self):
        # Okada 1985, table 2, case 2: x = 2, y = 3, d = 4, dip 70 degrees, L = 3, W = 2.
        for component, published in ((0, (-8.689e-3, -4.298e-3, -2.747e-3)), (1, (-4.682e-3, -3.527e-2, -3.564e-2))):
            found = half_space.surface_motion(np.array([2.0]), np.array([3.0]), 4.0, np.radians(70.0), 3.0, 2.0, (component,))[0]
            np.testing.assert_allclose(np.ravel(found), published, rtol=2e-4)
        # A vertical right-lateral fault along north moves its west to the north.
        plane = half_space.Plane(20.0, 38.0, 0.0, 0.0, 90.0, 50e3, 20e3)
        look = np.array([[0.0, 1.0, 0.0]] * 2)
        north = half_space.greens(plane, 1, 1, np.array([19.98, 20.02]), np.array([38.0, 38.0]), look)[:, 0]
        self.assertLess(north[0], -0.3)  # the unit of slip is left lateral
        self.assertGreater(north[1], 0.3)

    def test_stations_have_windows_that_do_not_overlap(self):
        blank = large(np.zeros((128, 128)))
        lon, lat = (a.ravel() for a in np.meshgrid(made.LON + 0.001 * np.array([20.2, 60.4, 100.0, 300.0]),
                                                   made.LAT - 0.001 * np.array([30.0, 71.3])))
        at = at_stations.Stations(tuple(f"P{k}" for k in range(8)), lon, lat, "greens.h5")
        model = insar.Covariogram("exponential", 1e-6, 1000.0)

        points = insar.reduce(blank.with_values(1e-3 + blank.values + hump(blank)), at=at, covariogram=model)

        self.assertEqual(points.station, ("P0", "P1", "P2", "P4", "P5", "P6"))  # P3 and P7 lie off the raster
        np.testing.assert_array_equal(points.lon, lon[[0, 1, 2, 4, 5, 6]])
        taken = np.zeros((128, 128))
        for row, column, size in zip(points.cells.row, points.cells.column, points.cells.size):
            taken[row:row + size, column:column + size] += 1.0
        self.assertEqual(taken.max(), 1.0)
        data = points.to_xarray()
        np.testing.assert_allclose(data.sigma**2, np.diag(data.covariance))
        np.testing.assert_array_equal(data.look.sel(direction="up"), points.look[:, 2])
        self.assertEqual((data.los.units, data.station.values[3]), ("m", "P4"))
        with tempfile.TemporaryDirectory() as folder:
            paths = points.write(pathlib.Path(folder) / "out", nuisance=())
            self.assertIn(f'greens: "{os.path.relpath("greens.h5", paths["request"].parent)}"',
                          paths["request"].read_text())
            invented.write(pathlib.Path(folder) / "greens.h5")
            read_back = at_stations.Stations.of_file(pathlib.Path(folder) / "greens.h5")
            with kaname.open(pathlib.Path(folder) / "greens.h5") as data:
                self.assertEqual(read_back.station, data.stations.id)
                np.testing.assert_array_equal(read_back.lon, data.stations.lon)


class View(unittest.TestCase):
    """NAME.view.json of a raster and its points."""

    def raster(self):
        blank = large(np.zeros((100, 90)))
        x, y = blank.local_m()
        values = 1e-5 * x + 2e-6 * y
        values[40:70, :35] = np.nan
        values[0, 0] = np.nan  # one pixel of a mean
        return blank.with_values(values)

    def points(self, raster):
        return insar.reduce(raster, 60, covariogram=insar.Covariogram("spherical", 4e-6, 3000.0, 1e-6), name="made")

    def test_the_picture_has_means_from_the_north_west_however_rows_and_columns_run(self):
        raster = self.raster()
        wanted = np.full((25, 23), np.nan)
        for row in range(25):
            for column in range(23):
                block = 1e3 * raster.values[4 * row:4 * row + 4, 4 * column:4 * column + 4]
                if np.isfinite(block).mean() >= 0.5:
                    wanted[row, column] = np.nanmean(block)
        turned = [dataclasses.replace(raster, **{key: getattr(raster, key)[..., ::down, ::along]
                                                 for key in ("values", "lon", "lat", "look")})
                  for down, along in ((1, 1), (-1, 1), (1, -1))]
        with mock.patch.object(view, "MOST_SIDE", 25):
            found = [view.of_raster(one, self.points(one)) for one in turned]

        for one in found:
            values = np.array(one["values"], dtype=float).reshape(one["rows"], one["columns"])
            np.testing.assert_allclose(values, wanted, atol=0.0051)
            np.testing.assert_allclose([one[f"{side}_deg"] for side in ("west", "east", "south", "north")],
                                       [raster.lon.min() - 0.0005, raster.lon.min() - 0.0005 + 0.092,
                                        raster.lat.max() + 0.0005 - 0.1, raster.lat.max() + 0.0005], atol=1e-7)
            self.assertIn("the picture has means of 4 x 4 pixels", one["notes"])

    def test_points_and_covariogram_are_those_of_the_reduction(self):
        raster = self.raster()
        points = self.points(raster)
        found = json.loads(json.dumps(view.of_raster(raster, points), allow_nan=False))

        self.assertEqual((found["kaname_view"], found["kind"], found["unit"], found["pixels"]), (1, "raster", "mm", 9000 - 1051))
        np.testing.assert_allclose(found["points"]["value"], 1e3 * points.los, atol=0.0051)
        np.testing.assert_allclose(found["points"]["sigma"], 1e3 * points.sigma, atol=0.00051)
        np.testing.assert_allclose(found["look"], made.look(), atol=1e-5)
        for k in (0, len(points) - 1):
            corners = np.reshape(found["points"]["outline_deg"][k], (4, 2))
            row, column, size = (int(v[k]) for v in (points.cells.row, points.cells.column, points.cells.size))
            ends = min(row + size, 100) - 1, min(column + size, 90) - 1
            self.assertLess(corners[0, 0], raster.lon[row, column])
            self.assertGreater(corners[2, 0], raster.lon[ends])
            self.assertGreater(corners[0, 1], raster.lat[row, column])
            np.testing.assert_allclose(corners.mean(axis=0), [raster.lon[row, [column, ends[1]]].mean(),
                                                             raster.lat[[row, ends[0]], column].mean()], atol=2e-6)
        model = found["covariogram"]
        self.assertEqual((model["model"], model["sill"], model["length_km"], model["nugget"], model["observed"][5]),
                         ("spherical", 4.0, 3.0, 1.0, None))
        self.assertEqual((model["lag_km"][0], model["fitted"][0], model["fitted"][-1]), (0.0, 4.0, 0.0))
        self.assertAlmostEqual(np.interp(1.5, model["lag_km"], model["fitted"]), 4.0 * (1.0 - 0.75 + 0.0625), delta=0.01)

    def test_a_raster_in_radar_coordinates_becomes_a_grid_of_places(self):
        raster = self.raster()
        east, north = np.meshgrid(0.001 * np.arange(90), -0.001 * np.arange(100))
        turn = np.radians(12.0)
        raster = dataclasses.replace(raster, lon=made.LON + east * np.cos(turn) - north * np.sin(turn),
                                     lat=made.LAT + east * np.sin(turn) + north * np.cos(turn))
        plane = raster.with_values(np.where(raster.valid, 0.5 * (raster.lon - made.LON) + 0.2 * (raster.lat - made.LAT), np.nan))
        found = view.of_raster(plane, self.points(plane))

        values = np.array(found["values"], dtype=float).reshape(found["rows"], found["columns"])
        lon, lat = np.meshgrid(np.linspace(found["west_deg"], found["east_deg"], 2 * found["columns"] + 1)[1::2],
                               np.linspace(found["north_deg"], found["south_deg"], 2 * found["rows"] + 1)[1::2])
        away = values - 1e3 * (0.5 * (lon - made.LON) + 0.2 * (lat - made.LAT))
        self.assertLess(np.nanmax(np.abs(away)), 0.7)  # mm, of 0.7 mm a box
        self.assertTrue(0.3 < np.isfinite(values).mean() < 0.9)


class Command(CommandCase):
    command = command

    def velocity(self):
        blank = large(np.zeros((160, 160)))
        errors = made.noise((160, 160), blank.spacing_m, 0.004, 1500.0, np.random.default_rng(5))
        return made.mintpy(self.folder, 1e3 * (hump(blank, 0.3) + errors), unit="mm/year", X_STEP=0.001, Y_STEP=-0.001)

    def test_one_command_makes_what_invert_takes(self):
        path = self.velocity()
        out = self.folder / "out"

        said = self.run_command(path, "--points", 120, "-o", out, "--ramp")

        self.assertIn("next: kaname invert", said)

        with open(out / "velocity.csv", encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file if not line.startswith("#")]
        self.assertEqual(rows[0][:8], ["station", "lon_deg", "lat_deg", "los_m_per_year", "sigma", "look_east",
                                       "look_north", "look_up"])
        matrix = np.loadtxt(out / "velocity_covariance.csv", delimiter=",")
        n = len(rows) - 1
        self.assertEqual(matrix.shape, (n, n))
        np.testing.assert_allclose(np.sqrt(np.diag(matrix)), [float(row[4]) for row in rows[1:]], rtol=1e-4)
        np.linalg.cholesky(matrix)
        self.assertTrue((out / "velocity.png").stat().st_size > 10_000)
        shown = json.loads((out / "velocity.view.json").read_text())
        self.assertEqual((shown["title"], shown["unit"], shown["points"]["id"]), ("velocity", "mm/year", [row[0] for row in rows[1:]]))
        self.assertGreater(sum(value is not None for value in shown["covariogram"]["observed"]), 10)
        with self.assertRaisesRegex(kaname.Error, "velocity.csv is there; --force replaces it"):
            self.run_command(path, "-o", out)
        program = BIN / "kaname"
        if program.exists():
            # The program reads table and covariance, and misses the Green's functions alone.
            done = subprocess.run([program, "validate", out / "inversion.yaml"], capture_output=True, text=True,
                                  check=False)
            self.assertNotIn("covariance", done.stderr)
            self.assertIn("greens", done.stderr)

    def test_options_that_do_not_fit_are_named(self):
        path = self.velocity()
        for words, pattern in ((["--noise-sigma-m", 0.01], "noise_length_km: must be given with the others"),
                               (["--noise-sigma-m", -1, "--noise-length-km", 1], "noise_sigma_m: must be > 0, got -1"),
                               (["--points", 2], "points: must be at least 4, got 2"),
                               (["--smallest", 3], "smallest cell: must be a power of 2 in pixels, got 3"),
                               (["--fraction", 0], "fraction: must be above 0 and at most 1, got 0"),
                               (["--resolution", 0.1], "resolution: must be given with --fault"),
                               (["--threshold-mm", 0.001], "threshold: must leave at most 1000 points, got"),
                               (["--name", "A b"], "name: must have 1 to 63 lower-case letters"),
                               (["--incidence-deg", 30], "incidence_deg, heading_deg: must be given both or none"),
                               (["--fault", self.folder / "none.yaml"], "none.yaml is not there")):
            # Reads in this process, where the first test of the command has one of its own.
            with mock.patch.object(command, "read", read_here), self.assertRaisesRegex(kaname.Error, pattern):
                self.run_command(path, "-o", self.folder / "out", "--no-picture", *words)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
