#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Readers of GNSS files: what they read, what they refuse, and that no input breaks them.

Usage: gnss_test.py BIN_DIR SOURCE_DIR.
"""
import pathlib
import sys
import tempfile
import unittest

from built_package import SOURCE  # noqa: F401, before all that may be missing

import numpy as np

import gnss_files as files
from kaname.data import gnss
from kaname.errors import Error

LON, LAT = -122.45, 38.62
DAYS = files.dates("2015-12-27", range(8))
MOTION = np.random.default_rng(3).normal(0.0, 0.004, (8, 3))
MOTION[0] = 0.0
SIGMA = (0.00065, 0.00067, 0.00328)
FULL = np.array([[2.0, 0.6, -0.4], [0.6, 3.0, 0.9], [-0.4, 0.9, 4.0]]) * 1e-6


def sinex(epoch="10:209:43200", **how):
    rng = np.random.default_rng(11)
    n = 12 if how.get("velocities", True) else 6
    root = rng.normal(0.0, 1e-3, (n, n + 3))
    stations = [("ALGO", files.cartesian(281.93, 45.96, 202.0), (-0.0165, -0.0041, 0.0032)),
                ("YELL", files.cartesian(245.52, 62.48, 181.0), (-0.0208, -0.0012, -0.0021))]
    return files.sinex(stations, epoch, root @ root.T, **how), stations, root @ root.T


SITES = [("ALGO_GPS", -78.07, 45.96, (-16.2, 2.3, 3.1), (0.2, 0.3, 0.9), 0.12),
         ("YELL_GPS", -114.48, 62.48, (-18.1, -11.2, 5.4), (0.3, 0.2, 1.1), -0.05)]
TEXTS = {"P403.tenv3": lambda: files.tenv3("P403", LON, LAT, DAYS, MOTION, SIGMA),
         "P403.txyz2": lambda: files.txyz2("P403", LON, LAT, DAYS, MOTION, FULL),
         "P403.pbo.final_igs14.pos": lambda: files.pos("P403", LON, LAT, DAYS, MOTION, SIGMA),
         "P403.series": lambda: files.gipsyx(DAYS, MOTION, SIGMA),
         "globk.org": lambda: files.globk(SITES),
         "igs.snx": lambda: sinex()[0],
         "steps.txt": lambda: "P403 11MAR11 2 1585.0 301.2 9.1 official2011\nP403 14JUN02 1 Antenna_Type_Changed\n"}


class Folder(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def refused(self, name, text):
        with self.assertRaises(Error) as caught:
            gnss.read(self.put(name, text))
        return caught.exception.message


class Readers(Folder):
    def test_each_format_has_the_motion_that_was_written(self):
        for name in ("P403.tenv3", "P403.txyz2", "P403.pbo.final_igs14.pos", "P403.series"):
            with self.subTest(name):
                series = gnss.read(self.put(name, TEXTS[name]())).series["P403"]
                np.testing.assert_allclose(series.position_m, MOTION, atol=2e-5)
                self.assertEqual(series.mjd.tolist(), [files.mjd(day) + 0.5 for day in DAYS])
                if name != "P403.series":
                    np.testing.assert_allclose((series.lon_deg, series.lat_deg), (LON, LAT), atol=1e-6)
                if name != "P403.txyz2":
                    np.testing.assert_allclose(series.sigma_m[0], SIGMA, atol=6e-6)
                    np.testing.assert_allclose(series.correlation[0], (0.058, -0.565, 0.044), atol=2e-3)

    def test_leap_days_are_days_of_each_format(self):
        days = files.dates("2016-02-27", range(8))
        for name, text in (("P403.tenv3", files.tenv3("P403", LON, LAT, days, MOTION, SIGMA)),
                           ("P404.txyz2", files.txyz2("P404", LON, LAT, days, MOTION, FULL)),
                           ("P405.pos", files.pos("P405", LON, LAT, days, MOTION, SIGMA)),
                           ("P406.series", files.gipsyx(days, MOTION, SIGMA))):
            self.put(name, text)
        found = gnss.read(self.folder).series

        for series in found.values():
            self.assertEqual(series.mjd.tolist(), [57445.5 + k for k in range(8)])  # 27 February is 57445
            self.assertEqual(series.time[2], np.datetime64("2016-02-29T12:00"))
        self.assertEqual(len(found), 4)

    def test_a_station_with_one_component_is_refused_by_name(self):
        lines = TEXTS["P403.tenv3"]().splitlines()
        alone = [" ".join([*line.split()[:14], "nan", "nan", *line.split()[16:]]) for line in lines[1:]]
        self.assertIn("P403.tenv3: epochs: must be one or more with finite numbers, got '0'",
                      self.refused("P403.tenv3", "\n".join([lines[0], *alone])))

    def test_a_series_is_an_xarray_dataset(self):
        data = gnss.read(self.put("P403.tenv3", TEXTS["P403.tenv3"]())).series["P403"].to_xarray()

        np.testing.assert_allclose(data.position.sel(component="north", time="2016-01-01").item(), MOTION[5, 1], atol=2e-6)
        self.assertEqual((data.sizes["time"], data.position.units, data.station), (8, "m", "P403"))
        self.assertAlmostEqual(data.correlation.sel(pair="east-up").values[0], -0.5649)

    def test_covariance_of_cartesian_positions_turns_with_them(self):
        series = gnss.read(self.put("P403.txyz2", TEXTS["P403.txyz2"]())).series["P403"]

        turned = files.axes(LON, LAT) @ FULL @ files.axes(LON, LAT).T
        sigma = np.sqrt(np.diag(turned))
        np.testing.assert_allclose(series.sigma_m[0], sigma, rtol=2e-3)
        np.testing.assert_allclose(series.correlation[0], (turned / np.outer(sigma, sigma))[[0, 0, 1], [1, 2, 2]], atol=3e-3)

    def test_a_real_series_moves_on_the_ellipsoid_and_has_the_rate_of_its_windows(self):
        path = SOURCE / "tests/data/gnss/P395.pbo.igs14.pos"
        series = gnss.read(path).series["P395"]
        rows = np.array([line.split()[:24] for line in path.read_text().split("\n*YYYY")[1].splitlines()[1:]]).astype(float)

        self.assertEqual((len(series.mjd), series.station), (48, "P395"))
        np.testing.assert_array_equal(series.sigma_m, rows[:, [19, 18, 20]])
        np.testing.assert_array_equal(series.correlation, rows[:, [21, 23, 22]])
        # The radii of WGS84 at 45.02 degrees make motion of latitude and longitude; the file's dN and dE are of a sphere.
        lat = np.radians(45.0222796408)
        w = 1.0 - 0.00669437999014 * np.sin(lat)**2
        of_lat, of_lon = 6378137.0 * (1.0 - 0.00669437999014) / w**1.5, 6378137.0 / w**0.5 * np.cos(lat)
        moved = np.radians(rows[:, [13, 12]] - rows[0, [13, 12]]) * [of_lon, of_lat]
        np.testing.assert_allclose(series.position_m[:, :2], moved, atol=2e-5)
        self.assertGreater(np.abs(rows[:, 16] - rows[0, 16] - moved[:, 0]).max(), 1e-4)
        # Twelve years between two Februaries have no season in their rate.
        first, last = series.mjd < 53776, (series.mjd > 58150) & (series.mjd < 58160)
        rate = (series.position_m[last].mean(0) - series.position_m[first].mean(0)) / 12.0
        fit = gnss.fit(series, bin_days=1)["P395"]
        off = np.abs(fit.value[fit.row("rate")] - rate)
        self.assertTrue((off < 2.0 * fit.sigma[fit.row("rate")]).all(), (fit.value, fit.sigma, rate))
        self.assertTrue((fit.sigma[fit.row("rate")] < [6e-4, 6e-4, 1.2e-3]).all(), fit.sigma)

    def test_an_old_tenv3_has_its_place_by_eastings_and_northings(self):
        text = files.tenv3("COVE", -112.844, LAT, DAYS, MOTION, SIGMA, places=False)
        series = gnss.read(self.put("COVE.tenv3", text)).series["COVE"]

        self.assertAlmostEqual(series.lat_deg, LAT, delta=0.02)  # 4,276,712 m from the equator
        self.assertAlmostEqual(series.lon_deg, -112.844, delta=0.001)

    def test_repeats_disorder_gaps_and_nan_follow_rules_and_are_noted(self):
        lines = TEXTS["P403.tenv3"]().splitlines()
        worse = lines[3].replace(f"{SIGMA[2]:.6f}", "0.009000").replace(f"{MOTION[2, 2] + 0.35:9.6f}", " 9.000000")
        lost = lines[6].replace(f"{MOTION[5, 0] + 0.41:9.6f}", "      nan")
        series = gnss.read(self.put("P403.tenv3", "\n".join([lines[0], *lines[4:6], lost, *lines[7:], worse, *lines[1:4]]))).series["P403"]

        np.testing.assert_allclose(series.position_m, np.delete(MOTION, 5, axis=0), atol=2e-5)
        self.assertEqual(len(series.notes), 3)

    def test_antenna_changes_are_noted_by_day(self):
        series = gnss.read(self.put("P403.tenv3", files.tenv3("P403", LON, LAT, DAYS, MOTION, SIGMA, [0.1] * 5 + [0.2] * 3))).series["P403"]

        self.assertEqual(series.antenna_changes, [files.mjd(DAYS[5]) + 0.5])

    def test_globk_velocities_keep_their_correlation(self):
        table = gnss.read(self.put("globk.org", TEXTS["globk.org"]())).velocities[0]

        self.assertEqual(table.station, ["ALGO", "YELL"])
        np.testing.assert_allclose(table.rate_m[1] * 1e3, (-18.1, -11.2, 5.4))
        np.testing.assert_allclose(table.lon_deg, (-78.07, -114.48))
        np.testing.assert_allclose(table.covariance_m2[0, 1] * 1e6, 0.12 * 0.2 * 0.3)

    def test_sinex_velocities_have_the_whole_covariance(self):
        for kind, part in (("COVA", "L"), ("CORR", "L"), ("INFO", "U"), ("COVA", "U")):
            with self.subTest(kind + part):
                text, stations, covariance = sinex(kind=kind, part=part)
                table = gnss.read(self.put("igs.snx", text)).velocities[0]

                turn = np.zeros((6, 12))
                for k, (_, xyz, rate) in enumerate(stations):
                    lon, lat = (281.93, 45.96) if k == 0 else (245.52, 62.48)
                    turn[3 * k:3 * k + 3, 6 * k + 3:6 * k + 6] = files.axes(lon, lat)
                    np.testing.assert_allclose(table.rate_m[k], files.axes(lon, lat) @ rate, atol=1e-8)
                expected = turn @ covariance @ turn.T
                np.testing.assert_allclose(table.covariance_m2, expected, rtol=1e-4, atol=1e-5 * expected.max())

    def test_sinex_positions_of_many_files_make_series(self):
        for name, epoch in (("a.snx", "09:001:43200"), ("b.snx", "09:008:43200"), ("c.snx", "08:366:43200")):
            self.put(name, sinex(epoch, velocities=False)[0])
        series = gnss.read(self.folder).series

        self.assertEqual(sorted(series), ["ALGO", "YELL"])
        self.assertEqual(series["ALGO"].mjd.tolist(), [files.mjd(d) + 0.5 for d in files.dates("2008-12-31", (0, 1, 8))])

    def test_steps_of_unr_are_earthquakes_and_equipment(self):
        steps = gnss.read_steps(self.put("steps.txt", TEXTS["steps.txt"]()))

        self.assertEqual([(s.station, s.mjd, s.earthquake) for s in steps], [
            ("P403", float(files.mjd(files.dates("2011-03-11", [0])[0])), True),
            ("P403", float(files.mjd(files.dates("2014-06-02", [0])[0])), False)])


class Refusals(Folder):
    def test_each_names_file_line_field_rule_and_value(self):
        tenv3, pos = TEXTS["P403.tenv3"](), TEXTS["P403.pbo.final_igs14.pos"]()
        for name, text, said in (
                ("a.tenv3", tenv3.replace("15DEC28", "15DEC32"), "a.tenv3:3: date: must be a date as 10JUL28, got '15DEC32'"),
                ("b.tenv3", tenv3.replace("0.003280", "-0.003280", 1), "b.tenv3:2: sigma up: must be > 0, got '-0.003280'"),
                ("c.tenv3", tenv3.replace("57384", "57394"), "c.tenv3:3: modified Julian day: must be that of the date, got '57394'"),
                ("d.tenv3", tenv3.replace("-0.564900", "-1.564900", 1), "d.tenv3:2: correlation east-up: must be -1 to 1, got '-1.564900'"),
                ("e.tenv3", tenv3.replace("P403 15DEC29", "P404 15DEC29"), "e.tenv3:4: station: must be P403 as in the first row, got 'P404'"),
                ("f.tenv3", tenv3.splitlines()[0], "f.tenv3: epochs: must be one or more with finite numbers, got '0'"),
                ("g.pos", pos.replace("End Field", "End"), "g.pos:1: header: must have a line 'End Field Description', got 'PBO Station"),
                ("h.pos", pos.replace("0.00328", "inf", 1), "h.pos:15: Su: must be finite or nan, got 'inf'"),
                ("i.txyz2", TEXTS["P403.txyz2"]().replace(" -", " -9", 1), "i.txyz2:1: x, y, z: must lie 6.3e6 to 6.5e6 m from the Earth's centre"),
                ("n.pos", files.pos("P403", LON, LAT, DAYS, 1e3 * MOTION, [1e3 * s for s in SIGMA]),
                 "n.pos: standard deviations: must have a median of at most 0.2 m; are they in mm?, got '3.28'"),
                ("o.tenv3", tenv3.replace("15DEC28", "15FEB29"), "o.tenv3:3: date: must be a date as 10JUL28, got '15FEB29'"),
                ("p.pos", pos.replace(" 20151228", " 20150229"), "p.pos:16: date: must be a date as 20110311, got '20150229'"),
                ("q.series", TEXTS["P403.series"]().replace("2015 12 28", "2015  2 29"),
                 "q.series:2: date: must be year, month and day, got '2015 2 29'"),
                ("r.snx", sinex("15:366:43200")[0], "epoch: must have at most 365 days, for 2015 is no leap year, got '15:366:43200'"),
                ("j.snx", sinex()[0].replace("-SOLUTION/MATRIX", "*SOLUTION/MATRIX"), "must have an end, the file may have been cut"),
                ("k.snx", sinex()[0].replace("VELX   ALGO", "VELY   ALGO"), "type: must be there once for station ALGO, got 'VELY'"),
                ("l.org", "PARAMETER ESTIMATES\n", "l.org:1: summary: must begin with a line 'SUMMARY VELOCITY")):
            with self.subTest(name):
                self.assertIn(said, self.refused(name, text))

    def test_a_station_is_in_one_file(self):
        self.put("P403.tenv3", TEXTS["P403.tenv3"]())
        self.put("P403.pos", TEXTS["P403.pbo.final_igs14.pos"]())
        with self.assertRaises(Error) as caught:
            gnss.read(self.folder)
        self.assertIn("station: must be in one file, and is in", caught.exception.message)

    def test_a_folder_without_series_names_the_endings(self):
        self.put("notes.txt", "")
        with self.assertRaises(Error) as caught:
            gnss.read(self.folder)
        self.assertIn("folder: must have files that end in one of .tenv3 .txyz2", caught.exception.message)

    def test_damaged_files_end_in_an_error_of_the_package_alone(self):
        rng = np.random.default_rng(5)
        words = ["nan", "inf", "-inf", "1e400", "-1", "0", "", "99999999999999999999", "x", "\x00", "é", "00:000:00000",
                 "+SOLUTION/ESTIMATE", "1e30", "-SITE/ID", "00JAN00", "٣"]
        for name, make in TEXTS.items():
            whole = make()
            taken = refused = 0
            for _ in range(300):
                text = list(whole)
                if rng.random() < 0.3:
                    text = text[:int(rng.integers(len(text)))]
                for _ in range(int(rng.integers(1, 4))):
                    at = int(rng.integers(len(text) + 1))
                    if rng.random() < 0.5:
                        text[at:at + int(rng.integers(1, 12))] = words[int(rng.integers(len(words)))]
                    else:
                        text[at:at + 1] = chr(int(rng.integers(1, 0x250)))
                path = self.put(name, "".join(text))
                try:
                    gnss.read_steps(path) if name == "steps.txt" else gnss.read(path)
                    taken += 1
                except Error:
                    refused += 1
            self.assertGreater(refused, 20, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
