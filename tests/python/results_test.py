#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Results in Python without a service: datasets, inversions and their pictures.

Usage: results_test.py BIN_DIR SOURCE_DIR.
"""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

from built_package import BIN  # noqa: F401  # before all that may be missing

import h5py
import matplotlib
import numpy as np
import xarray

import invented
import kaname
import kaname.program
from kaname._greens import FileBlocks, Greens
from kaname.inversion.folds import splitmix64


def work_folder(case):
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


class Counted(FileBlocks):
    """How many values were read."""

    def __init__(self, variable):
        super().__init__(variable)
        self.values = 0

    def read(self, ranges):
        block = super().read(ranges)
        self.values += block.size
        return block


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "greens.h5"
        cls.values = invented.write(cls.path)
        cls.data = kaname.open(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.data.close()
        cls.folder.cleanup()

    def test_indices_give_what_numpy_gives_axis_by_axis(self):
        n = self.values.shape
        keys = [(slice(None),) * 4, (3, 1, 4, 2),
                (slice(None, None, -2), 0, [5, 3, 5], slice(1, 3)),
                ([40, 2, 7], slice(None), np.array([29, -30, 11]), [2, 0]),
                (np.arange(n[0]) % 3 == 1, -1, slice(2, 2), slice(None)), (..., 1), (slice(3), ...)]
        for key in keys:
            wanted = self.values
            full = [k for k in key if k is not Ellipsis]
            at = key.index(Ellipsis) if any(k is Ellipsis for k in key) else len(key)
            full[at:at] = [slice(None)] * (4 - len(full))
            for axis in range(3, -1, -1):
                k = full[axis]
                wanted = wanted[(slice(None),) * axis + (k if not isinstance(k, list)
                                                         else np.array(k),)]
            np.testing.assert_array_equal(self.data.greens[key], wanted, err_msg=str(key))

    def test_only_what_is_asked_for_is_read(self):
        counted = Counted(self.data.file["greens"])
        greens = Greens(counted)
        greens[:, :, 7]
        self.assertEqual(counted.values, 48 * 3 * 3)
        counted.values = 0
        greens[[0, 3, 40], 1, [2, 3]]
        self.assertEqual(counted.values, 3 * 1 * 2 * 3)

    def test_an_index_outside_names_its_axis(self):
        with self.assertRaisesRegex(IndexError, "station: index 30 must be < 30"):
            self.data.greens[:, :, 30]
        with self.assertRaisesRegex(IndexError, "4 axes"):
            self.data.greens[0, 0, 0, 0, 0]

    def test_coordinates(self):
        self.assertEqual(self.data.sources.id[3], "s00d01/dip_slip")
        self.assertEqual(self.data.stations.index("S007"), 7)
        self.assertEqual(self.data.epochs_years.tolist(), [0.0, 1.0, 2.0])
        self.assertEqual(self.data.neighbours[self.data.sources.index("s01d01/dip_slip")].tolist(),
                         [3, 19, 9, 13])
        np.testing.assert_allclose(self.data.patches.moment, 2.4e19)
        patches = self.data.patches
        np.testing.assert_allclose([patches.lon[0], patches.lat[0], patches.depth[0]],
                                   [132.5, 33.0, 8e3])
        self.assertEqual(patches.outline_lon.shape, (48, 4))
        self.assertTrue((self.data.patches.width == 22e3).all())
        # Datasets of an earlier version lack patch_width.
        older = work_folder(self) / "old.h5"
        shutil.copy(self.path, older)
        with h5py.File(older, "r+") as file:
            del file["patch_width"]
        self.assertTrue(np.isnan(kaname.open(older).patches.width).all())
        self.assertEqual(self.data.title, "invented")
        with self.assertRaises(kaname.Error) as caught:
            self.data.stations.index("NOWHERE")
        self.assertEqual(caught.exception.code, "NotFound")

    def test_xarray_agrees_with_netcdf_and_stays_lazy(self):
        lazy = self.data.to_xarray()
        with xarray.open_dataset(self.path, engine="netcdf4") as whole:
            self.assertEqual(set(lazy.variables), set(whole.variables))
            for name, variable in whole.variables.items():
                self.assertEqual(lazy[name].dims, variable.dims, name)
            part = dict(source=[1, 40], station=slice(3, 20, 4))
            np.testing.assert_array_equal(lazy.greens.isel(part), whole.greens.isel(part))
            np.testing.assert_array_equal(lazy.greens.sel(station="S004", component="up"),
                                          whole.greens.sel(station="S004", component="up"))
            pairs = {axis: xarray.DataArray(at, dims="pair") for axis, at in
                     (("source", [3, 17]), ("station", [29, 2]))}
            np.testing.assert_array_equal(lazy.greens.isel(pairs), whole.greens.isel(pairs))
        self.assertFalse(lazy.greens._in_memory)

    def test_what_is_no_dataset_is_told(self):
        other = self.path.with_name("other.h5")
        other.write_text("no HDF5")
        none = self.path.with_name("none.h5")
        for path, code in ((other, "InvalidArgument"), (none, "NotFound")):
            with self.assertRaises(kaname.Error) as caught:
                kaname.open(path)
            self.assertEqual(caught.exception.code, code)
            self.assertIn(path.name, caught.exception.message)


class Inversions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.values = invented.write(cls.path / "greens.h5")
        invented.write_offsets(cls.path / "offsets.csv", cls.values)
        cls.result = kaname.invert(cls.path / "greens.h5", cls.path / "offsets.csv",
                                   regularisation={"choice": "cross_validation"})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_generator_is_splitmix64(self):
        numbers = splitmix64(1234567)  # first numbers as published for this seed
        self.assertEqual([next(numbers) for _ in range(3)],
                         [6457827717110365317, 3203168211198807973, 9817491932198370423])

    def test_folds_follow_from_the_seed_and_the_ids_alone(self):
        rows = ["B", "A", "é", "Z", "A", "a", "B"]
        # Sorted by bytes; four draws of seed 1 deal them.
        numbers, ids = splitmix64(1), ["A", "B", "Z", "a", "é"]
        for i in (4, 3, 2, 1):
            j = next(numbers) % (i + 1)
            ids[i], ids[j] = ids[j], ids[i]
        wanted = [ids.index(name) % 2 for name in rows]
        self.assertEqual(kaname.inversion.folds_of_stations(rows, 2, 1).tolist(), wanted)

    def test_laplacian_is_that_of_uneven_distances(self):
        data = kaname.open(self.path / "greens.h5")
        free, zero = (kaname.inversion.laplacian(data, edges) for edges in ("free", "zero"))
        np.testing.assert_allclose(free @ np.ones(48), 0.0, atol=1e-20)
        p = data.patches
        xyz = np.column_stack([p.x, p.y, -p.depth])
        row = data.sources.index("s00d00/dip_slip")  # a corner: two neighbours
        beside = [q for q in data.neighbours[row] if q >= 0]
        e = np.linalg.norm(xyz[beside] - xyz[row], axis=1)
        self.assertEqual(len(beside), 2)
        np.testing.assert_allclose(free[row, beside], -2.0 / e.sum() / e)
        total = e.sum() + 2 * e.mean()
        np.testing.assert_allclose(zero[row, beside], -2.0 / total / e)
        np.testing.assert_allclose(zero[row, row], 2.0 / total * ((1 / e).sum() + 2 / e.mean()))

    def test_minimum_meets_its_conditions(self):
        rng = np.random.default_rng(5)
        for _ in range(20):
            n = int(rng.integers(2, 15))
            a = rng.normal(size=(30, n)) * 10.0 ** rng.uniform(-1, 1, n)
            h, g = a.T @ a, a.T @ rng.normal(size=30)
            w, low, high = rng.random(n) * np.abs(g).max() * 0.2, -0.05, 0.1
            x = kaname.inversion.minimise(h, g, w, low, high)

            slope = h @ x - g
            scale = 1e-8 * np.abs(g).max()
            self.assertTrue(((x >= low) & (x <= high)).all())
            up, down = slope + np.where(x >= 0, w, -w), slope - np.where(x <= 0, w, -w)
            self.assertTrue((up[x < high] >= -scale).all(), "no descent upwards")
            self.assertTrue((down[x > low] <= scale).all(), "no descent downwards")

    def test_least_squares_without_bounds_is_exact(self):
        rng = np.random.default_rng(6)
        a, d = rng.normal(size=(20, 6)), rng.normal(size=20)
        x = kaname.inversion.minimise(a.T @ a, a.T @ d, 0.0, -np.inf, np.inf)
        np.testing.assert_allclose(x, np.linalg.lstsq(a, d, rcond=None)[0], atol=1e-9)

    def test_slip_comes_back(self):
        truth = invented.true_slip()
        self.assertGreater(np.corrcoef(self.result.slip[0], truth)[0, 1], 0.9)
        moment = (2.4e19 * np.hypot(truth[0::2], truth[1::2])).sum()
        self.assertAlmostEqual(self.result.moment_magnitude, (np.log10(moment) - 9.1) / 1.5, 1)
        rows = self.result.data["offsets"]
        self.assertEqual(len(rows.station), 90)
        np.testing.assert_allclose(rows.observed - rows.predicted, rows.residual)
        self.assertTrue(0.5 < rows.chi2 < 1.5, rows.chi2)
        self.assertTrue(((self.result.resolution_diagonal >= 0)
                         & (self.result.resolution_diagonal <= 1 + 1e-9)).all())

    def test_the_choice_is_the_least_score_and_scores_are_of_stations_left_out(self):
        choice = self.result.choice
        self.assertEqual(choice.chosen, np.unravel_index(np.argmin(choice.score),
                                                         choice.score.shape))
        self.assertTrue((choice.score.min() > choice.misfit[choice.chosen]))
        rough = choice.roughness[np.argsort(choice.smoothness), 0]
        self.assertTrue((np.diff(rough) <= 1e-25).all(), rough)

    def test_abic_chooses_unless_folds_or_sparsity_are_asked_for(self):
        by_default = kaname.invert(self.path / "greens.h5", self.path / "offsets.csv")
        self.assertEqual(by_default.choice.sparsity.tolist(), [0.0])
        self.assertFalse(np.isfinite(by_default.choice.score).any())
        self.assertGreater(np.corrcoef(by_default.slip[0], invented.true_slip())[0, 1], 0.9)
        with self.assertRaisesRegex(kaname.Error, "regularisation.sparsity: must be 0"):
            kaname.invert(self.path / "greens.h5", self.path / "offsets.csv", program=False,
                          regularisation={"choice": "abic", "sparsity": [0.1]})

    def test_the_largest_sparsity_leaves_no_slip(self):
        for weight, nothing in ((1.0, True), (0.9, False)):
            result = kaname.invert(self.path / "greens.h5", self.path / "offsets.csv",
                                   slip={"allow_negative": True},
                                   regularisation={"choice": "fixed", "smoothness": [0.1],
                                                   "sparsity": [weight]})
            self.assertEqual(bool((result.slip == 0.0).all()), nothing, weight)

    def test_bounds_offsets_and_epochs(self):
        rows = self.result.data["offsets"]
        east = rows.observed[::3]
        later = {"name": "late", "rows": {"station": list(rows.station[::3]),
                                          "east_m": 1.05 * east + 0.5, "epoch_years": [0.5] * 30,
                                          "sigma_east_m": [0.002] * 30}, "nuisance": ["offset"]}
        fixed = {"choice": "fixed", "smoothness": [0.01]}
        both = kaname.invert(self.path / "greens.h5", [self.path / "offsets.csv", later],
                             slip={"max_m": 2.0, "components": ["dip_slip"]}, regularisation=fixed)
        self.assertEqual(both.slip.shape, (1, 48))
        self.assertFalse(both.slip[0, 0::2].any(), "strike slip was not unknown")
        self.assertEqual(both.slip.max(), 2.0)
        # The field grows by a tenth per year, and the offset takes the half metre.
        free = kaname.invert(self.path / "greens.h5", [self.path / "offsets.csv", later],
                             regularisation=fixed)
        self.assertLess(free.data["late"].rms, 0.005)

    def test_results_come_back_from_their_file(self):
        path = self.result.write(self.path / "inversion.h5")
        again = kaname.Inversion.read(path)
        np.testing.assert_array_equal(again.slip, self.result.slip)
        np.testing.assert_array_equal(again.choice.score, self.result.choice.score)
        self.assertEqual(again.source, self.result.source)
        self.assertEqual(again.data["offsets"].station, self.result.data["offsets"].station)
        with xarray.open_dataset(path, engine="netcdf4") as file:
            self.assertEqual(file["slip"].dims, ("window", "source"))
        with self.assertRaises(kaname.Error) as caught:
            self.result.write(path)
        self.assertEqual(caught.exception.code, "Conflict")

    def test_errors_name_the_field(self):
        greens = self.path / "greens.h5"
        wrong = [({"station": ["S000"], "east_m": [1.0], "sigma_east_m": [0.0]}, {}, "sigma_east"),
                 ({"station": ["XX"], "east_m": [1.0], "sigma_east_m": [1.0]}, {}, "'XX'"),
                 ({"station": ["S000"], "east": [1.0]}, {}, "unit"),
                 (self.path / "offsets.csv", {"slip": {"components": ["opening"]}}, "opening"),
                 (self.path / "offsets.csv", {"regularisation": {"folds": 40}}, "folds"),
                 (self.path / "offsets.csv", {"slip": {"min_m": 0.1}, "regularisation": {
                     "sparsity": [0.1]}}, "lets no amount be 0"),
                 (self.path / "offsets.csv", {"program": False, "slip": {"azimuth_deg": 300}},
                  "azimuth_deg")]
        for data, options, word in wrong:
            with self.assertRaises(kaname.Error) as caught:
                kaname.invert(greens, data, **options)
            self.assertIn(word, caught.exception.message)

    def test_the_program_is_asked_in_the_words_of_its_request(self):
        """A stand-in for `kaname invert` that keeps the request and answers with a file."""
        folder = work_folder(self)
        self.result.write(folder / "answer.h5")
        script = folder / "kaname"
        script.write_text(f"#!/bin/sh\ncp \"$2\" {folder}/request.yaml\n"
                          f"cp {folder}/answer.h5 \"$4/inversion.h5\"\n"
                          "echo '{\"unknowns\": 48}'\n")
        script.chmod(0o755)
        with mock.patch.dict(os.environ, KANAME_PROGRAM=str(script)):
            result = kaname.invert(self.path / "greens.h5", [
                {"file": self.path / "offsets.csv", "kind": "insar"}],
                slip={"rake_from_deg": 45.0, "rake_to_deg": np.float64(135)}, name="own")
        request = kaname.load(folder / "request.yaml")
        self.assertEqual(request["schema"], "kaname.v1.Inversion")
        self.assertEqual(request["slip"], {"rake_from_deg": 45.0, "rake_to_deg": 135.0})
        self.assertEqual(request["data"], [{"kind": "insar", "name": "offsets",
                                            "file": str(self.path / "offsets.csv")}])
        self.assertEqual(result.report["unknowns"], 48)
        np.testing.assert_array_equal(result.slip, self.result.slip)

        from google.protobuf import json_format
        from kaname._proto.kaname.v1 import inversion_pb2
        for key in ("greens",):
            request[key] = {"path": request[key]}
        for item in request["data"]:
            item["file"] = {"path": item["file"]}
        json_format.ParseDict(request, inversion_pb2.Inversion())  # every key is a field

    def test_pictures_show_what_they_say(self):
        plot, plt = kaname.plot, matplotlib.pyplot
        self.addCleanup(plt.close, "all")
        with mock.patch.object(plot, "draw_maps") as drawn, kaname.open(self.path / "greens.h5") as data:
            plot.maps(data, epochs_years=np.array([0.0, 2.0]))
        self.assertEqual((len(drawn.call_args.args[2]), drawn.call_args.args[3]), (2, False))
        axes = plot.slip(self.result)
        values = [c.get_array() for c in axes.collections if c.get_array() is not None]
        np.testing.assert_allclose(values[0], self.result.slip_vectors()[1])
        shown = plot.slip(self.result, value="resolution_diagonal")
        self.assertIn("resolution", shown.figure.axes[-1].get_ylabel())
        with self.assertRaises(kaname.Error):
            plot.slip(self.result, window="afterslip")
        arrows = [c for c in plot.vectors(self.result).collections
                  if isinstance(c, matplotlib.quiver.Quiver)]
        np.testing.assert_allclose(arrows[0].U, self.result.data["offsets"].observed[::3])
        np.testing.assert_allclose(arrows[1].V, self.result.data["offsets"].predicted[1::3])
        scores = plot.cross_validation(self.result).lines[0].get_xydata()
        np.testing.assert_allclose(scores[:, 1], self.result.choice.score[:, 0])
        curve = plot.l_curve(self.result).lines[0].get_xydata()
        np.testing.assert_allclose(curve[:, 0], self.result.choice.roughness[:, 0])
        self.assertEqual(len(plot.residuals(self.result).axes), 2)
        data = kaname.open(self.path / "greens.h5")
        panels = plot.series(data, ["S003", "S004"], "s02d01/dip_slip").axes
        self.assertEqual(len(panels[0].lines), 3)  # and the line of no motion
        with self.assertRaisesRegex(kaname.Error, "no station 'X'"):
            plot.series(data, "X")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
