#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rasters of motion towards a satellite: readers against files of an independent writer, cells, errors.

Usage: insar_test.py BIN_DIR SOURCE_DIR.
"""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built_package import BIN  # before all that may be missing

import h5py
import numpy as np

import damage
import invented
import invented_rasters as made
import kaname
from kaname.data import insar
from kaname.data.insar import at_stations, command, half_space
from kaname.data.insar.reading import read_here

try:
    import osgeo  # noqa: F401
    HAS_GDAL = True
except ImportError:
    HAS_GDAL = False
NEEDS_GDAL = unittest.skipUnless(HAS_GDAL, "no python3-gdal (deploy/scripts/packages.sh python)")
PHASE = {"unit": "radian", "wavelength_m": 0.05546576}


def read(path, **options):
    """Reads in this process, which takes a hundredth of the time of one of its own."""
    return read_here(path, insar.Reading(**options))


def work_folder(case):
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = work_folder(self)

    def refused(self, pattern, path, code="InvalidArgument", **options):
        with self.assertRaisesRegex(kaname.Error, pattern) as caught:
            read(path, **options)
        self.assertEqual(caught.exception.code, code)

    def check(self, raster, sign_of=made.motion, tolerance=2e-6):
        """The values are those of their places, and the look is the satellite's."""
        there = raster.valid
        np.testing.assert_allclose(raster.values[there], sign_of(raster.lon, raster.lat)[there], atol=tolerance)
        np.testing.assert_allclose(raster.look[:, there].T, np.tile(made.look(), (there.sum(), 1)), atol=1e-5)


class MintPy(Case):
    def test_geocoded_velocities_stand_in_the_middle_of_their_pixels(self):
        values = made.motion(*made.places(24, 30))
        values[3, 4:9] = np.nan
        values[4, 4:9] = 0.0  # MintPy's other way

        raster = read(made.mintpy(self.folder, values))

        self.check(raster)
        self.assertTrue(raster.rate)
        self.assertEqual(int(raster.valid.sum()), 24 * 30 - 10)
        np.testing.assert_allclose([raster.lon[0, 0], raster.lat[0, 0]], [made.LON + 0.002, made.LAT - 0.002])

    def test_a_series_gives_the_motion_between_two_days(self):
        path = made.mintpy_series(self.folder, ["20200216", "20200228", "20200229", "20200312"])

        self.check(read(path), lambda *at: 3.0 * made.motion(*at), 1e-5)
        self.check(read(path, dates=("20200228", "20200229")))
        self.refused("dates: must be days of the series, of which 20200312 is the nearest, got 20210101", path,
                     dates=("20200216", "20210101"))
        self.refused("date: must be a day of the calendar as YYYYMMDD, got '20190229'", path,
                     dates=("20190229", "20200312"))
        self.refused("dates: must be a day and a later one", path, dates=("20200312", "20200216"))

    def test_radar_coordinates_take_their_places_from_the_lookup(self):
        path, lon, lat = made.mintpy_radar(self.folder)

        raster = read(path)

        self.check(raster, tolerance=1e-5)  # without azimuthAngle the heading gives the look
        self.assertEqual(int((~raster.valid).sum()), 3)
        np.testing.assert_allclose(raster.lon[5:], lon[5:])
        np.testing.assert_allclose(raster.lat[5:], lat[5:])
        (self.folder / "geometryRadar.h5").unlink()
        self.refused("geometry: must be given .--geometry geometryRadar.h5., for the raster is in radar", path)

    def test_units_are_the_files_own(self):
        values = made.motion(*made.places(24, 30))
        for unit, factor in (("mm/year", 1e3), ("cm/yr", 1e2), ("m/year", 1.0)):
            self.check(read(made.mintpy(self.folder, factor * values, unit=unit)), tolerance=1e-5)
        self.refused("values: must have a median size of at most 1 m/year, got .*; is their unit another one",
                     made.mintpy(self.folder, 1e3 * values + 5.0))
        self.refused("unit: must be m, cm, mm, .* or radian, got 'furlong'", made.mintpy(self.folder, unit="furlong"))

    def test_a_look_that_no_satellite_of_the_orbit_has_is_refused(self):
        self.refused("look: must point east from the ground, for the satellite is descending and looks right, got an "
                     "eastward component of -0.589", made.mintpy(self.folder, ORBIT_DIRECTION="DESCENDING"))
        read(made.mintpy(self.folder, ORBIT_DIRECTION="DESCENDING", ANTENNA_SIDE=1))
        path = made.mintpy(self.folder)
        self.refused("look: must point up, .* got an upward component of -0.7986; --turn-look turns", path,
                     turn_look=True)
        with h5py.File(self.folder / "geometryGeo.h5", "a") as file:
            file["incidenceAngle"][...] = np.radians(made.INCIDENCE_DEG)
            file["azimuthAngle"][...] = np.radians(90.0 - made.HEADING_DEG)
        self.refused("incidence: must be in degrees, got at most 0.6458; if it is in radians, give --angles", path)
        self.check(read(path, angles="radians"))

    def test_what_a_file_lacks_is_named(self):
        path = made.mintpy(self.folder)
        self.refused("is not there", self.folder / "none.h5", "NotFound")
        self.refused("variable: must be a dataset of the file .velocity., got 'rate'", path, variable="rate")
        self.refused("dates: must be left out, for velocity has none", path, dates=("20200101", "20200102"))
        self.refused("X_STEP: must be a number, got 'wide'", made.mintpy(self.folder, X_STEP="wide"))
        self.refused("longitudes: must be -360 to 360 degrees, got", made.mintpy(self.folder, X_FIRST=4e5))
        self.refused("values: must be finite in 4 pixels", made.mintpy(self.folder, np.full((24, 30), np.nan)))
        made.mintpy(self.folder)
        with h5py.File(self.folder / "geometryGeo.h5", "a") as file:
            del file["incidenceAngle"]
            file["incidenceAngle"] = np.ones((3, 4))
        self.refused("incidenceAngle: must have the 24 x 30 pixels of the values, got shape .3, 4.", path)
        with h5py.File(path, "a") as file:
            h5py.h5g.create(file.id, b"\xff\xfe")  # a name that is no text
            file.move("velocity", "rate")
        self.refused("variable: must be a dataset of the file .rate., got 'velocity or timeseries", path)
        path.write_bytes(b"no HDF5 at all")
        self.refused("velocity.h5: must be a readable HDF5 file", path)

    def test_a_mask_and_an_area_leave_out_pixels(self):
        path = made.mintpy(self.folder)
        kept = np.ones((24, 30), dtype=bool)
        kept[:, :10] = False
        with h5py.File(self.folder / "maskTempCoh.h5", "w") as file:
            file["mask"] = kept

        raster = read(path, mask=str(self.folder / "maskTempCoh.h5"))
        part = insar.within(raster, (made.LON + 0.048, made.LON + 0.0801, made.LAT - 0.0401, made.LAT))

        np.testing.assert_array_equal(raster.valid, kept)
        self.assertEqual(part.values.shape, (10, 8))
        relative = insar.referenced(raster, (made.LON + 0.1, made.LON + 0.12, made.LAT - 0.02, made.LAT))
        self.assertAlmostEqual(float(np.median(relative.values[:5, 25:])), 0.0)
        plane = insar.deramped(raster.with_values(0.2 * raster.lon - 0.1 * raster.lat))
        self.assertLess(np.abs(plane.values).max(), 1e-9)
        with self.assertRaisesRegex(kaname.Error, "bounds: must hold values of velocity.h5, which lies within 20.002"):
            insar.within(raster, (0.0, 1.0, 0.0, 1.0))
        with self.assertRaisesRegex(kaname.Error, "bounds: must be west, east, south, north .*, got 0 1 1 0"):
            insar.within(raster, (0.0, 1.0, 1.0, 0.0))


@NEEDS_GDAL
class Grids(Case):
    def test_gmtsar_has_its_look_beside_it_and_no_unit(self):
        for classic in (False, True):
            path = made.gmtsar(self.folder, classic=classic)
            self.check(read(path, unit="mm"))
        self.refused("los_ll.grd: unit: must be given .--unit. as m, cm, mm, .* for the file does not name it", path)
        made.grd(self.folder / "look_u.grd", np.full((24, 30), 0.2))
        self.refused("look: must have length 1 within 0.01, got 0.634", path, unit="mm")
        made.grd(self.folder / "look_u.grd", np.full((24, 29), 0.8))
        self.refused("look_u.grd: pixels: must be the 24 x 30 of los_ll.grd, got 24 x 29", path, unit="mm")
        (self.folder / "look_u.grd").unlink()
        self.refused("los_ll.grd: look: must be given .--look E N U", path, unit="mm")
        self.check(read(path, unit="mm", incidence_deg=made.INCIDENCE_DEG, heading_deg=made.HEADING_DEG))

    def test_licsar_is_phase_that_is_zero_where_there_is_none(self):
        path = made.licsar(self.folder)

        raster = read(path, **PHASE)

        self.check(raster)
        self.assertEqual(int((~raster.valid).sum()), 4)
        self.refused("wavelength: must be given .--wavelength-m. to turn radians into metres", path, unit="radian")
        self.refused("wavelength: must be 0.005 to 2 m, got 5.5", path, unit="radian", wavelength_m=5.5)

    def test_wrapped_phase_is_refused_by_its_values_and_by_its_name(self):
        wrapped = np.angle(np.exp(2000.0j * made.motion(*made.places(24, 30))))
        made.licsar(self.folder)
        path = made.geotiff(self.folder / "phase.tif", wrapped)
        self.refused("phase: must be unwrapped, got values that fill one turn from -3.1", path, **PHASE)
        path = made.geotiff(self.folder / "phase.tif", wrapped + np.pi)
        self.refused("phase: must be unwrapped", path, **PHASE)
        path = made.geotiff(self.folder / "20190101_20190113.geo.diff_pha.tif", wrapped)
        self.refused("phase: must be unwrapped, got a file with the name of wrapped phase", path, **PHASE)

    def test_isce_has_phase_in_band_2_and_angles_in_one_file(self):
        path = made.isce(self.folder)

        self.check(read(path, unit="radian", wavelength_m=0.236057))
        self.refused("band: must be 1 to 2 .--band., got 3", path, unit="radian", band=3)
        self.check(read(self.folder / "filt_topophase.unw.geo.xml", unit="radian", wavelength_m=0.236057))
        text = path.read_text()
        path.write_text(text.replace(">filt_topophase.unw.geo<", ">/etc/hostname<"))
        self.refused("SourceFilename: must be a file of raw values in the same folder, got '/etc/hostname'", path)
        path.write_text(text.replace(">filt_topophase.unw.geo<", ">/vsicurl/http://127.0.0.1/x<"))
        self.refused("SourceFilename: must be a file of raw values in the same folder", path)

    def test_map_projections_become_degrees(self):
        from osgeo import osr

        source, degrees = osr.SpatialReference(), osr.SpatialReference()
        source.ImportFromEPSG(32634)
        degrees.ImportFromEPSG(4326)
        turn = osr.CoordinateTransformation(source, degrees)
        path = made.geotiff(self.folder / "utm.tif", np.full((80, 90), 0.01), wkt="EPSG:32634", corner=(4e5, 4.3e6),
                            step=1000.0)

        raster = read(path, unit="m", incidence_deg=30.0, heading_deg=190.0, orbit="descending")

        for row, column in ((0, 0), (40, 33), (79, 89)):
            lat, lon, _ = turn.TransformPoint(4e5 + 1000.0 * (column + 0.5), 4.3e6 - 1000.0 * (row + 0.5))
            away = 111e3 * np.hypot(raster.lon[row, column] - lon, raster.lat[row, column] - lat)
            self.assertLess(away, 0.3)

    def test_what_is_no_grid_is_refused(self):
        path = self.folder / "notes.tif"
        path.write_text("no grid")
        self.refused("notes.tif: must be a readable grid", path, unit="m")
        made.gmtsar(self.folder)
        self.refused("look_x.grd is not there", self.folder / "los_ll.grd", "NotFound",
                     look=("look_x.grd", "look_n.grd", "look_u.grd"), unit="mm")


class Kite(Case):
    def test_a_scene_is_read_by_either_file(self):
        path = made.kite(self.folder)
        for one in (path, path.with_suffix(".yml")):
            raster = read(one)
            self.check(raster)
            self.assertFalse(raster.rate)

    def test_what_is_wrong_with_a_scene_is_named(self):
        path = made.kite(self.folder)
        text = path.with_suffix(".yml").read_text()
        for old, new, pattern in (
                ("dE: 0.004", "dE: wide", "scene.yml: frame.dE: must be a number, got 'wide'"),
                ("dN: 0.004", "dN: -1", "frame.dN: must be > 0, got -1"),
                ("spacing: degree", "spacing: foot", "frame.spacing: must be degree or meter, got 'foot'"),
                ("frame: !kite", "fame: !kite", "scene.yml: frame: must be a mapping"),
                ("meta:", "a: &a [1]\nb: *a\nmeta:", "must not have YAML aliases"),
                ("frame:", "frame: [", "must be a scene of kite")):
            path.with_suffix(".yml").write_text(text.replace(old, new))
            self.refused(pattern, path)
        path.with_suffix(".yml").write_text(text)
        np.savez(path, np.zeros((4, 5)), np.full((4, 5), 53.0), np.zeros((4, 5)))
        self.refused("theta: must be at most 1.571 radians, got 53; is its unit degrees", path)
        np.savez(path, np.array([["a"]]), 1, 1)
        self.refused("arr_0: must hold numbers, got type <U1", path)
        np.savez(path, np.array([[object()]], dtype=object), 1, 1)
        self.refused("scene.npz: must be a readable npz file", path)
        path.with_suffix(".yml").unlink()
        self.refused("scene.yml is not there, the other file of scene.npz", path, "NotFound")


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
        with tempfile.TemporaryDirectory() as folder:
            paths = points.write(pathlib.Path(folder) / "out", nuisance=())
            self.assertIn(f'greens: "{os.path.relpath("greens.h5", paths["request"].parent)}"',
                          paths["request"].read_text())
            invented.write(pathlib.Path(folder) / "greens.h5")
            read_back = at_stations.Stations.of_file(pathlib.Path(folder) / "greens.h5")
            with kaname.open(pathlib.Path(folder) / "greens.h5") as data:
                self.assertEqual(read_back.station, data.stations.id)
                np.testing.assert_array_equal(read_back.lon, data.stations.lon)


class Command(Case):
    def run_command(self, *words):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            command.main([str(word) for word in words])
        return said.getvalue()

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
            with self.assertRaisesRegex(kaname.Error, pattern):
                self.run_command(path, "-o", self.folder / "out", "--no-picture", *words)
        self.assertFalse((self.folder / "out").exists())


class Damage(Case):
    """Bytes changed at random: a file is read, or refused with the package's own error, also where HDF5 or GDAL
    breaks down."""

    def fuzz(self, paths, count, options=None):
        """``paths[0]`` is read with ``count`` damages of all of them."""
        damage.fuzz(self, lambda: read(paths[0], **(options or {})), paths, count,
                    lambda: insar.read(paths[0], **(options or {})))

    def test_mintpy(self):
        path = made.mintpy(self.folder, rows=8, columns=9)
        self.fuzz([path, self.folder / "geometryGeo.h5"], 300)
        self.fuzz([made.mintpy_series(self.folder, ["20200216", "20200228"], rows=8, columns=9)], 100)

    def test_kite(self):
        path = made.kite(self.folder, rows=8, columns=9)
        self.fuzz([path, path.with_suffix(".yml")], 300)

    @NEEDS_GDAL
    def test_grids(self):
        for classic in (False, True):
            path = made.gmtsar(self.folder, rows=8, columns=9, classic=classic)
            self.fuzz([path, self.folder / "look_e.grd"], 150, {"unit": "mm"})
        self.fuzz([made.licsar(self.folder, rows=8, columns=9)], 300, PHASE)
        path = made.isce(self.folder, rows=8, columns=9)
        self.fuzz([path, self.folder / "los.rdr.geo.vrt", self.folder / "los.rdr.geo"], 300, PHASE)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
