#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rasters of motion towards a satellite: readers against files of an independent writer.

Usage: insar_test.py BIN_DIR SOURCE_DIR.
"""
import pathlib
import sys
import tempfile
import unittest

from built_package import BIN  # noqa: F401  # before all that may be missing

import h5py
import numpy as np

import damage
import invented_rasters as made
import kaname
from kaname.data import insar
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

    def test_licsbas_has_velocities_in_mm_and_its_look_beside_it(self):
        values = 1e3 * made.motion(*made.places(24, 30))
        values[:3, :4] = np.nan
        for name, part in zip("ENU", made.look()):
            made.geotiff(self.folder / f"{name}.geo.tif", np.full((24, 30), part))
        path = made.geotiff(self.folder / "vel.geo.tif", values)

        raster = read(path, unit="mm/year")

        self.check(raster)
        self.assertTrue(raster.rate)
        self.assertEqual(int((~raster.valid).sum()), 12)
        self.refused("vel.geo.tif: unit: must be given .--unit.", path)

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
