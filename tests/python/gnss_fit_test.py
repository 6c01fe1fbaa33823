#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trajectories of made-up GNSS series: their noise, sigmas, outliers, tables, and the way to a slip map.

Usage: gnss_fit_test.py BIN_DIR SOURCE_DIR.
"""
import contextlib
import functools
import io
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

import gnss_files as files
import invented
import kaname
from kaname.__main__ import main
from kaname.data import gnss, view
from kaname.data.gnss import noise
from kaname.errors import Error

FIRST = files.mjd(files.dates("2010-01-01", [0])[0])
DAY_YEARS = 1 / 365.25
EVENT, ANTENNA = 500, 800  # days since the first


def fractional(index, length):
    """h of Williams 2003, one after the other."""
    h = [1.0]
    for k in range(1, length):
        h.append(h[-1] * (k - 1 - index / 2) / k)
    return np.array(h)


def power_law(index, length, rng):
    """Noise [day][3] of variance 1 per step, by the sum itself."""
    h, white = fractional(index, length), rng.normal(size=(length, 3))
    return np.stack([np.convolve(h, white[:, c])[:length] for c in range(3)], axis=1)


def series(station, rng, days=1200, index=-1.0, amplitude_m=0.005, white_m=0.001, outliers=0):
    """A series with everything, the truth of its terms [term][3] and which epochs are outliers."""
    t = (np.arange(days) - 0.5 * (days - 1)) * DAY_YEARS
    phase = 2 * np.pi * (FIRST + np.arange(days) + 0.5 - 51544) * DAY_YEARS
    truth = {"rate": rng.normal(0, 0.01, 3), **{name: rng.normal(0, 0.003, 3) for name in (
        "annual_sin", "annual_cos", "semiannual_sin", "semiannual_cos")},
        "step_2011-05-16": rng.normal(0, 0.03, 3), "step_2012-03-11": rng.normal(0, 0.01, 3)}
    columns = [t, np.sin(phase), np.cos(phase), np.sin(2 * phase), np.cos(2 * phase),
               np.arange(days) > EVENT, np.arange(days) >= ANTENNA]
    motion = sum(np.outer(c, v) for c, v in zip(columns, truth.values()))
    motion += power_law(index, days, rng) * amplitude_m * DAY_YEARS**(-index / 4) + rng.normal(0, white_m, (days, 3))
    there = rng.random(days) > 0.06
    there[[0, -1]] = True
    bad = np.zeros(days, dtype=bool)
    bad[rng.choice(np.flatnonzero(there)[30:-30], outliers, replace=False)] = True
    motion[bad] += rng.choice([-1.0, 1.0], (outliers, 3)) * rng.uniform(0.05, 0.3, (outliers, 3))
    motion = motion[there] - motion[0]
    n = len(motion)
    mjd = FIRST + np.flatnonzero(there) + 0.5
    return gnss.Series(station, 140.0, 38.0, 0.0, mjd, motion, np.full((n, 3), 0.001), np.zeros((n, 3)), "",
                       [float(FIRST + ANTENNA)]), truth, bad[there]


def network(many, **how):
    made = [series(f"S{k:02d}", np.random.default_rng([5, k]), **how) for k in range(many)]
    return gnss.Network({one.station: one for one, _, _ in made}), [truth for _, truth, _ in made]


@functools.lru_cache(maxsize=None)
def with_outliers():
    """A series, which of its epochs are outliers, and its fit."""
    one, _, bad = series("S", np.random.default_rng(8), outliers=25)
    return one, bad, gnss.fit(one, ["2011-05-16"], spectral_index=-1.0)["S"]


class Noise(unittest.TestCase):
    def test_covariance_of_means_is_that_of_the_daily_process(self):
        day = np.array([0, 1, 2, 5, 6, 7, 8, 9, 20, 21, 22, 30])
        bins = noise.bins_of(day, [7], [7], 5)
        for index in (-0.4, -1.0, -2.0):
            h = fractional(index, 31)
            lower = np.array([[h[i - j] if i >= j else 0.0 for j in range(31)] for i in range(31)])
            mean = np.array([[1.0 / (b - a) if a <= d < b else 0.0 for d in range(31)] for a, b in zip(bins.first, bins.last)])
            np.testing.assert_allclose(noise.power_law_of_means(bins, index), mean @ lower @ lower.T @ mean.T, rtol=1e-9)

    def test_no_bin_lies_on_both_sides_of_a_step(self):
        bins = noise.bins_of(np.arange(400), [100, 253], [100], 14)

        self.assertTrue({100, 253} <= set(bins.first.tolist()))
        self.assertEqual((bins.last - bins.first)[bins.first == 100], 1)
        self.assertEqual(int(bins.count.sum()), 400)

    def test_bins_and_days_give_the_same_within_a_part_of_sigma(self):
        one, _, _ = series("S", np.random.default_rng(2), days=900)
        coarse, daily = (gnss.fit(one, ["2011-05-16"], spectral_index=-1.0, bin_days=n)["S"] for n in (None, 1))

        self.assertLess(np.abs((coarse.value - daily.value) / daily.sigma).max(), 0.6)
        np.testing.assert_allclose(coarse.sigma, daily.sigma, rtol=0.25)

    def test_amplitudes_are_found_again(self):
        found = gnss.fit(network(12)[0], ["2011-05-16"], spectral_index=-1.0)

        noises = [n for one in found.values() for n in one.noise]
        self.assertAlmostEqual(np.median([n["power_law_mm_per_year_power"] for n in noises]), 5.0, delta=0.5)
        self.assertAlmostEqual(np.median([n["white_mm"] for n in noises]), 1.0, delta=0.25)


class Trajectories(unittest.TestCase):
    def test_sigmas_hold_the_truth_as_often_as_they_say(self):
        for index, law in ((-1.0, ""), (-0.6, "log")):
            net, truths = network(10, index=index)
            found = gnss.fit(net, ["2011-05-16"], law=law)

            for truth in truths:
                truth.update({"log_2011-05-16": np.zeros(3)} if law else {})
            inside = [np.abs(one.value[one.row(name)] - value) < 1.96 * one.sigma[one.row(name)]
                      for one, truth in zip(found.values(), truths) for name, value in truth.items()]
            self.assertEqual(len(found), 10)
            self.assertTrue(0.90 <= np.mean(inside) <= 0.97, np.mean(inside))

    def test_outliers_are_left_out_and_nothing_else(self):
        one, bad, found = with_outliers()

        event = np.floor(one.mjd) == FIRST + EVENT
        self.assertTrue((~found.used)[bad].all())
        self.assertLessEqual(int((~found.used & ~bad & ~event).sum()), 2)

    def test_a_view_has_the_extremes_both_sides_of_steps_and_what_was_left_out(self):
        one, _, found = with_outliers()
        made = view.of_series({"S": found}, "made")["stations"][0]

        rows = np.searchsorted(one.mjd, made["mjd"])
        np.testing.assert_array_equal(one.mjd[rows], made["mjd"])
        self.assertTrue(0.5 * view.MOST_EPOCHS < len(rows) <= view.MOST_EPOCHS < one.mjd.size, len(rows))
        for key, values in (("observed", one.position_m), ("fitted", found.model_m), ("residual", found.residual_m)):
            np.testing.assert_allclose(np.array(made[key]).T, 1e3 * values[rows], atol=0.0051)
        np.testing.assert_array_equal(rows[made["left_out"]], np.flatnonzero(~found.used))
        used = np.flatnonzero(found.used)
        extremes = [used[choose(values[used], axis=0)] for values in (found.residual_m, one.position_m)
                    for choose in (np.argmin, np.argmax)]
        steps = np.searchsorted(one.mjd, [step["mjd"] for step in made["steps"]])
        self.assertEqual(set(np.concatenate([*extremes, steps - 1, steps])) - set(rows), set())
        self.assertEqual([(step["name"], step["mjd"], step["earthquake"]) for step in made["steps"]],
                         [("2011-05-16", FIRST + EVENT + 1, True), ("2012-03-11", FIRST + ANTENNA, False)])
        np.testing.assert_allclose(made["rate"], 1e3 * found.block("rate")[0], atol=0.0006)
        np.testing.assert_allclose(made["steps"][0]["sigma"], 1e3 * found.sigma[found.row("step_2011-05-16")], atol=0.0006)

    def test_thinning_keeps_the_extremes_of_each_column_in_each_bin(self):
        rng = np.random.default_rng(3)
        at, values = np.sort(rng.random(500)) * 100.0, rng.normal(size=(500, 2))
        kept = view.thinned(at, values, 40)

        bins = np.minimum(10 * (at - at[0]) / (at[-1] - at[0]), 9.999).astype(int)
        wanted = {np.flatnonzero(bins == b)[choose(values[bins == b, c])]
                  for b in range(10) for c in range(2) for choose in (np.argmin, np.argmax)}
        self.assertEqual(set(kept.tolist()), wanted)
        self.assertEqual(view.thinned(at[:1], values[:1], 40).tolist(), [0])

    def test_views_of_many_stations_are_thinner_and_places_that_are_unknown_are_null(self):
        one, _, found = with_outliers()
        lost = gnss.fitting.Fit(**{**vars(found), "series": gnss.Series(**{**vars(one), "lon_deg": np.nan, "lat_deg": np.nan})})
        with mock.patch.object(view, "_EPOCHS_OF_ALL", 1000):
            made = json.loads(json.dumps(view.of_series({str(k): lost for k in range(4)}, "many"), allow_nan=False))

        self.assertEqual((made["kaname_view"], made["kind"], made["unit"], len(made["stations"])), (1, "series", "mm", 4))
        self.assertTrue(all(125 < len(station["mjd"]) <= 250 for station in made["stations"]))
        self.assertEqual((made["stations"][2]["lon_deg"], made["stations"][2]["epochs"]), (None, one.mjd.size))

    def test_relaxation_is_found_with_its_time(self):
        one, truth, _ = series("S", np.random.default_rng(4), white_m=0.0005, amplitude_m=0.001)
        since = np.maximum(one.mjd - (FIRST + EVENT + 0.5), 0.0)
        for law, motion in (("log", np.log1p(since / 30.0)), ("exp", -np.expm1(-since / 100.0))):
            moved = gnss.Series(**{**vars(one), "position_m": one.position_m + np.outer(motion, (0.03, -0.02, 0.01))})
            found = gnss.fit(moved, ["2011-05-16"], law=law, spectral_index=-1.0)["S"]

            self.assertTrue(0.5 <= found.relaxation_days[0] / (30.0 if law == "log" else 100.0) <= 2.0)
            table = gnss.tables.motion_after({"S": found}, "2011-05-16", [1.0, 300.0])
            k = np.searchsorted(since, 300.0)
            expected = truth["step_2011-05-16"] + motion[k] * np.array((0.03, -0.02, 0.01))
            np.testing.assert_allclose(table.value[1], expected, atol=4 * table.sigma[1].max())

    def test_a_common_mode_is_taken_away(self):
        net, _ = network(6, amplitude_m=0.001)
        shared = power_law(-1.0, 1200, np.random.default_rng(77)) * 0.01 * DAY_YEARS**0.25
        for one in net.series.values():
            one.position_m = one.position_m + shared[(one.mjd - FIRST).astype(int)]
        size = [np.median([np.std(one.residual_m[one.used]) for one in gnss.fit(
            net, ["2011-05-16"], spectral_index=-1.0, common_mode=common).values()]) for common in (False, True)]

        self.assertLess(size[1], 0.6 * size[0])

    def test_what_cannot_be_estimated_is_left_out_and_noted(self):
        net, _ = network(2)
        short = net.series["S01"]
        for name in ("mjd", "position_m", "sigma_m", "correlation"):
            setattr(short, name, getattr(short, name)[:7])
        found = gnss.fit(net, ["2011-05-16", "2002-02-02"], spectral_index=-1.0)

        self.assertEqual(list(found), ["S00"])
        self.assertIn("step of 2002-02-02 left out: no data on one side of it", found["S00"].notes)
        self.assertEqual(net.notes, ["S01: left out: must have at least 16 epochs, got 7"])

    def test_steps_of_a_list_are_those_of_their_station(self):
        one, _, _ = series("S", np.random.default_rng(1))
        steps = [gnss.Step("S", FIRST + 600.0, False, "antenna"), gnss.Step("S", FIRST + 601.0, True, "M5"),
                 gnss.Step("OTHER", FIRST + 300.0, True, "M7")]
        found = gnss.fit(one, ["2011-05-16"], steps, spectral_index=-1.0)["S"]

        data, table = found.to_xarray(), gnss.tables.velocities({"S": found}).to_xarray()
        np.testing.assert_array_equal(data.position - data.model, found.residual_m)
        np.testing.assert_array_equal(data.term_value.sel(term="rate"), table.value[0])
        self.assertEqual((table.value.units, int((~data.used).sum())), ("m year-1", int((~found.used).sum())))
        self.assertEqual([n for n in found.terms.names if n.startswith("step")],
                         ["step_2011-05-16", "step_2011-08-25", "step_2012-03-11"])
        self.assertIn("step of 2011-08-24 (antenna) left out: fewer than 5 epochs between it and the next step or the end",
                      found.notes)

    def test_a_bad_option_names_rule_and_value(self):
        one, _, _ = series("S", np.random.default_rng(1))
        for how, said in (({"events": ["11 March"]}, "events: must be a date as 2011-03-11, got '11 March'"),
                          ({"law": "power"}, "law: must be log or exp, got 'power'"),
                          ({"law": "log", "events": []}, "law: must come with an earthquake that it follows, got 'log'"),
                          ({"spectral_index": 1.0}, "spectral_index: must be ml or -2 to 0, got '1.0'"),
                          ({"outlier_threshold": 0.5}, "outlier_threshold: must be > 1, got 0.5"),
                          ({"bin_days": 0}, "bin_days: must be 1 to 366, got 0")):
            with self.assertRaises(Error) as caught:
                gnss.fit(one, **how)
            self.assertEqual(caught.exception.message, said)


class Command(unittest.TestCase):
    """A folder with series of the stations of an invented dataset."""

    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        invented.write(cls.folder / "greens.h5")
        with kaname.open(cls.folder / "greens.h5") as data:
            stations = list(zip(data.stations.id, data.stations.lon, data.stations.lat))[:8]
            cls.offset = 2.0 * np.asarray(data.greens[9, 0, :8, :])
        (cls.folder / "unr").mkdir()
        rng = np.random.default_rng(6)
        for k, (name, lon, lat) in enumerate(stations):
            days = np.arange(700)
            motion = np.outer(days > 350, cls.offset[k]) + np.outer(days * DAY_YEARS, (0.01, -0.02, 0.003))
            motion += power_law(-1.0, 700, rng) * 0.001 * DAY_YEARS**0.25 + rng.normal(0, 0.0005, (700, 3))
            (cls.folder / f"unr/{name}.tenv3").write_text(files.tenv3(
                name, lon, lat, files.dates("2012-01-01", days), motion, (0.001, 0.001, 0.003)))

    def call(self, *words):
        """Returns what the command prints and its exit code."""
        said, complained = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            code = main(["data", *(str(w) for w in words)])
        return code, said.getvalue(), complained.getvalue()

    def test_two_commands_lead_from_a_folder_of_series_to_a_slip_map(self):
        offsets, slip = self.folder / "offsets.csv", self.folder / "slip"
        programs = [[BIN / "kaname", "data", "gnss", self.folder / "unr", "--offsets", "2012-12-16", "-o", offsets,
                     "--covariance", self.folder / "c.csv"],
                    [BIN / "kaname", "invert", "--greens", self.folder / "greens.h5", "--data", offsets, "-o", slip]]
        for words in programs:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

        self.assertTrue((slip / "inversion.h5").exists())
        table = np.genfromtxt(offsets, delimiter=",", names=True, dtype=None, encoding="utf-8")
        values = np.stack([table[f"{c}_mm"] for c in ("east", "north", "up")], axis=1)
        sigma = np.stack([table[f"{c}_sigma"] for c in ("east", "north", "up")], axis=1)
        self.assertLess(np.abs((values - 1e3 * self.offset) / sigma).max(), 4.0)
        covariance = np.loadtxt(self.folder / "c.csv", delimiter=",")
        np.testing.assert_allclose(1e3 * np.sqrt(np.diag(covariance)), sigma.ravel(), atol=1e-4)
        self.assertGreater(np.linalg.eigvalsh(covariance).min(), 0.0)

    def test_series_and_pictures_of_each_station_are_written(self):
        out = self.folder / "more"
        out.mkdir()
        code, said, complained = self.call("gnss", self.folder / "unr", "--velocities", out / "v.csv", "--spectral-index", "-1", "--threads", 1,
                                  "--only", sorted(p.stem for p in (self.folder / "unr").iterdir())[0],
                                  "--series", out / "s", "--pictures", out / "p", "--view", out / "unr.view.json", "--json")

        self.assertEqual(code, 0, complained)
        self.assertEqual(len(json.loads(said)["written"]), 4)
        shown, term = json.loads((out / "unr.view.json").read_text()), json.loads(said)["stations"][0]
        self.assertEqual((shown["title"], shown["stations"][0]["id"]), ("unr", term["station"]))
        np.testing.assert_allclose(shown["stations"][0]["rate"], term["terms"]["rate"]["mm"], atol=0.001)
        self.assertEqual(len(list((out / "p").iterdir())), 1)
        header, row = (out / "v.csv").read_text().splitlines()
        self.assertEqual(header.split(",")[3:5], ["east_mm_per_yr", "north_mm_per_yr"])
        self.assertLess(abs(float(row.split(",")[3]) - 10.0), 30.0)

    def test_velocities_of_files_are_a_table_with_their_covariance(self):
        place = self.folder / "velocities"
        place.mkdir()
        (place / "globk.org").write_text(files.globk([("ALGO_GPS", -78.07, 45.96, (-16.2, 2.3, 3.1), (0.2, 0.3, 0.9), 0.12)]))
        code, _, complained = self.call("gnss", place, "-o", place / "v.csv", "--covariance", place / "c.csv")

        self.assertEqual(code, 0, complained)
        self.assertEqual((place / "v.csv").read_text().splitlines()[1],
                         "ALGO,-78.0700000,45.9600000,-16.2000,2.3000,3.1000,0.2000,0.3000,0.9000")
        np.testing.assert_allclose(np.loadtxt(place / "c.csv", delimiter=",")[0], (4e-8, 7.2e-9, 0.0))
        code, _, complained = self.call("gnss", place, "--view", place / "v.view.json")
        self.assertIn("--view: must come with series, of which", complained)
        (place / "again.vel").write_text((place / "globk.org").read_text())
        code, _, complained = self.call("gnss", place, "-o", place / "w.csv")
        self.assertIn("velocities: must have a station once, got 'ALGO' of two files", complained)

    def test_refusals_have_the_codes_of_kaname(self):
        unr, there = self.folder / "unr", self.folder / "there.csv"
        there.write_text("")
        for words, code, said in (
                (("gnss", unr), 2, "--output: must be given"),
                (("gnss", self.folder / "none", "-o", "x.csv"), 3, "must be a file or a folder"),
                (("gnss", unr, "-o", there), 6, "is there already; --force replaces it"),
                (("gnss", unr, "--offsets", "2012-13-16", "--json"), 2, "must be a date as 2011-03-11, got '2012-13-16'"),
                (("gnss", unr, "--law", "power"), 2, "--law: must be log or exp, got 'power'"),
                (("gnss", unr, "--epochs-days", "1", "--json"), 2, "--epochs-days: must come with --law and --offsets"),
                (("gnss", unr, "--offsets", "2012-12-16", "--law", "log", "--epochs-days", "1,2,3", "-o", "x", "--covariance", "y"),
                 2, "--epochs-days: must be at most 2 with --covariance"),
                (("gps",), 2, "KIND: must be gnss, insar, geometry, fault, structure, export or reference, got 'gps'")):
            got, printed, complained = self.call(*words)
            self.assertEqual((got, said in complained), (code, True), (words, complained))
            if "--json" in words:
                self.assertIn(said, json.loads(printed)["error"]["message"])


if __name__ == "__main__":
    os.environ["KANAME_CACHE"] = tempfile.mkdtemp()
    unittest.main(argv=sys.argv[:1])
