#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package without a service: datasets, inversions, pictures, errors, types.

Usage: package_test.py BIN_DIR SOURCE_DIR.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from built_package import BIN, PACKAGE, SOURCE  # before all that may be missing

import h5py
import matplotlib
import numpy as np
import xarray

import invented
import kaname
import kaname.endpoint
import kaname.program
from kaname._crc32c import crc32c
from kaname._greens import FileBlocks, Greens
from kaname.endpoint import find_endpoint, state_folder
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
        with self.assertRaisesRegex(kaname.Error, "regularisation.sparsity must be 0"):
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


class Programs(unittest.TestCase):
    def test_crc32c(self):
        def slow(data):
            crc = 0xFFFFFFFF
            for byte in data:
                crc ^= byte
                for _ in range(8):
                    crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
            return crc ^ 0xFFFFFFFF
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        for length in (0, 1, 63, 64, 129, 4097, 20000):
            data = bytes((7 * k + length) % 251 for k in range(length))
            self.assertEqual(crc32c(data), slow(data), length)

    def test_endpoint_is_found_as_the_command_line_finds_it(self):
        folder = work_folder(self)
        with mock.patch.dict(os.environ, {"KANAME_STATE": str(folder)}):
            for name in ("KANAME_SERVER", "KANAME_TOKEN"):
                os.environ.pop(name, None)
            self.assertEqual(state_folder(), folder)
            with self.assertRaisesRegex(kaname.Error, "no server has been started here"):
                find_endpoint()
            with self.assertRaises(kaname.Error) as caught:
                find_endpoint("127.0.0.1:9")
            self.assertEqual(caught.exception.code, "Unauthenticated")
            (folder / "client.json").write_text('{"address": "127.0.0.1:7", "token": "t"}')
            self.assertEqual(find_endpoint().address, "127.0.0.1:7")
            self.assertNotIn("'t'", repr(find_endpoint()))
            os.environ["KANAME_SERVER"] = "there:8"
            self.assertEqual((find_endpoint().address, find_endpoint().token), ("there:8", "t"))
            self.assertEqual(find_endpoint("here:9", "own").token, "own")
            with self.assertRaisesRegex(kaname.Error, "HOST:PORT, got 'here'"):
                find_endpoint("here")

    def test_text_of_others_is_spelled_out(self):
        import io

        from kaname import __main__, _shown
        self.assertEqual(_shown.shown("a\x1b]0;x\x07\n\u202e\x9b\u5357\U000e0041"),
                         "a\\u001b]0;x\\u0007\n\\u202e\\u009b\u5357\\udb40\\udc41")
        self.assertEqual(_shown.shown_on_a_line("a\nb\t"), "a\\nb\\t")
        self.assertEqual(str(kaname.Error("NotFound", "no \x1b[31m job")), "no \\u001b[31m job")
        job = mock.Mock(id="1" * 36, state="done", created_s=0.0, title="t\x1b[31m\nforged",
                        counts={"done": 1, "sources": 1, "failed": 0, "cancelled": 0})
        with mock.patch("kaname.__main__._connect", lambda _: mock.Mock(jobs=lambda **_: [job])), \
                mock.patch("sys.stdout", io.StringIO()) as out:
            self.assertEqual(__main__.main(["list"]), 0)
        self.assertIn("t\\u001b[31m\\nforged", out.getvalue())
        self.assertEqual(out.getvalue().count("\n"), 1)

    def test_a_name_of_others_is_never_a_path(self):
        from kaname._shown import file_name_of
        self.assertEqual(file_name_of("eta=1e19,slab=a", ".h5"), "eta=1e19,slab=a.h5")
        for name in ("../../x", "/etc/x", "..", "", "a/b", "..\\a", "-rf", "a\nb", "a\x1bb"):
            found = file_name_of(name, ".h5")
            self.assertRegex(found, r"\A[^./\\~-][^/\\\x00-\x1f]*-[0-9a-f]{16}\.h5\Z")
        self.assertEqual(file_name_of("a/b"), "a_b-c14cddc033f64b9d")

    def test_a_download_that_the_disk_refused_begins_anew(self):
        import hashlib
        import types

        from kaname import _transfers
        part, data = work_folder(self) / "d.h5.part", b"twelve bytes"
        offsets = []

        def chunks(_, __, offset, **___):
            offsets.append(offset)
            yield types.SimpleNamespace(chunk=data[offset:], HasField=lambda _: False)

        calls = mock.Mock(insist=lambda attempt: attempt())
        digest = hashlib.sha256(data).hexdigest()
        with mock.patch("kaname._transfers.read_chunks", chunks):
            with mock.patch("os.fsync", side_effect=OSError(5, "EIO")), \
                    self.assertRaisesRegex(kaname.Error, "cannot be written to disk"):
                _transfers.download(calls, digest, part, lambda *_: None)
            self.assertFalse(part.exists())
            _transfers.download(calls, digest, part, lambda *_: None)
        self.assertEqual(part.read_bytes(), data)
        self.assertEqual(offsets, [0, 0])

    def test_a_client_json_that_others_may_write_is_refused(self):
        folder = work_folder(self)
        file = folder / "client.json"
        file.write_text('{"address": "127.0.0.1:7", "token": "t"}')
        for path in (file, folder):
            file.chmod(0o600)
            path.chmod(path.stat().st_mode | 0o020)
            with self.assertRaises(kaname.Error) as caught:
                find_endpoint(state=folder)
            self.assertEqual(caught.exception.code, "PermissionDenied")
            self.assertIn(str(path), caught.exception.message)
            self.assertRegex(caught.exception.message, "mode 0[67][26]0")
            path.chmod(path.stat().st_mode & ~0o020)

    def test_a_proxy_is_used_for_other_machines_over_tls_alone(self):
        from kaname import _proxy
        from kaname.endpoint import Endpoint

        def proxy_to(address, ca="PEM"):
            return _proxy.proxy_of(Endpoint(address, "t", ca=ca))

        proxies = ("grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy")
        with mock.patch.dict(os.environ):
            for name in proxies:
                os.environ.pop(name, None)
            os.environ["https_proxy"] = "http://ada:secret@proxy.invalid:3128"
            self.assertEqual(proxy_to("192.0.2.7:7400"), ("https_proxy", "http://proxy.invalid:3128"))
            self.assertIn("through the proxy http://proxy.invalid:3128 (from https_proxy)",
                          _proxy.advice(Endpoint("192.0.2.7:7400", "t", ca="PEM")))
            self.assertIsNone(proxy_to("192.0.2.7:7400", ca=""))
            os.environ.pop("https_proxy")
            self.assertIn("must be HOST:PORT of the server's --listen",
                          _proxy.advice(Endpoint("192.0.2.7:7400", "t", ca="PEM"),
                                        "Cannot check peer: missing selected ALPN property."))
            for near in ("unix:/run/kaname", "127.3.2.1:7", "localhost:7", "[::1]:7",
                         "[::ffff:127.0.0.1]:7", "169.254.1.2:7", "[fe80::1%eth0]:7"):
                self.assertIsNone(proxy_to(near), near)
            os.environ["no_proxy"] = "example.org,192.0.2.7"
            self.assertIsNone(proxy_to("192.0.2.7:7400"))
            self.assertFalse(_proxy.is_loopback("127.example.org"))

    def test_a_proxy_gets_no_byte_of_a_loopback_target(self):
        from kaname._proto.kaname.v1.jobs_service_pb2 import ListJobsRequest
        with socket.create_server(("127.0.0.1", 0)) as server, \
                socket.create_server(("127.0.0.1", 0)) as proxy:
            place = f"http://127.0.0.1:{proxy.getsockname()[1]}"
            names = ("grpc_proxy", "https_proxy", "http_proxy", "all_proxy")
            with mock.patch.dict(os.environ, dict.fromkeys(names, place)):
                client = kaname.connect(f"127.0.0.1:{server.getsockname()[1]}", "token")
                calls = client._calls
                with self.assertRaises(kaname.Error):  # nobody answers there
                    calls.once("ListJobs", calls.jobs.ListJobs, ListJobsRequest(), limit_s=1.0)
            server.settimeout(5.0)
            server.accept()[0].close()
            proxy.settimeout(0.0)
            with self.assertRaises(BlockingIOError):
                proxy.accept()

    def test_listeners_at_loopback_are_found_at_whatever_address(self):
        from kaname import _listener
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"),
                             (socket.AF_INET6, "::1"), (socket.AF_INET6, "::"),
                             (socket.AF_INET6, "::ffff:0.0.0.0"),
                             (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.socket(family) as listening:
                if family == socket.AF_INET6:
                    listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                try:
                    listening.bind((host, 0))
                except OSError:
                    continue  # a machine without IPv6
                listening.listen()
                port = listening.getsockname()[1]
                self.assertEqual(list(_listener._listeners(port)), [os.geteuid()], host)

    def test_nobody_listening_is_unavailable(self):
        client = kaname.connect("127.0.0.1:9", "token")
        with mock.patch("kaname._calls._TRIES", 1), mock.patch("kaname._calls._MORE_TRIES", 0):
            with self.assertRaises(kaname.Error) as caught:
                client.jobs()
        self.assertEqual(caught.exception.code, "Unavailable")
        self.assertIn("kaname up", caught.exception.message)

    def test_broken_streams_are_taken_up_and_calls_repeated(self):
        from kaname._calls import Calls
        calls, trouble = Calls(kaname.endpoint.Endpoint("127.0.0.1:9", "t")), iter(range(100))

        def broken_twice():
            at = next(trouble)
            yield f"message {at}"
            if at < 2:
                raise kaname.Error("Unavailable", "Connection refused")

        with mock.patch("time.sleep") as slept:
            self.assertEqual(list(calls.resumed(broken_twice)),
                             ["message 0", "message 1", "message 2"])
            self.assertEqual(slept.call_count, 2)

            def refused():
                next(trouble)
                raise kaname.Error("NotFound", "no job")

            with self.assertRaisesRegex(kaname.Error, "no job"):
                list(calls.resumed(lambda: iter([refused()])))
            before = next(trouble)
            with self.assertRaises(kaname.Error):
                calls.insist(refused)
            self.assertEqual(next(trouble) - before, 2)  # not again

            def away():
                next(trouble)
                raise kaname.Error("Unavailable", "Connection refused")

            before = next(trouble)
            with self.assertRaises(kaname.Error):
                calls.insist(away)
            self.assertEqual(next(trouble) - before, 5)  # four tries
        calls.close()

    def test_a_dictionary_is_read_by_the_rules_of_the_program(self):
        tiny = kaname.load(SOURCE / "tests/e2e/data/tiny.yaml")
        self.assertEqual(tiny["structure"]["materials"][1]["viscosity_pa_s"], 1e19)
        folder = work_folder(self)
        report = kaname.program.validate(tiny, folder)
        specification = report["specification"]
        self.assertEqual(specification["@type"], "type.googleapis.com/kaname.v1.GreensBatch")
        self.assertEqual(specification["region"]["depth_m"], 80000)
        self.assertEqual(list(folder.iterdir()), [])
        same = kaname.program.validate(SOURCE / "tests/e2e/data/tiny.yaml")
        self.assertEqual(same["content_hash"], report["content_hash"])
        with self.assertRaises(kaname.Error) as caught:
            kaname.program.validate({**tiny, "name": "No", "mesh": {"size_at_fault_km": -5}}, folder)
        self.assertLessEqual({"name", "mesh.size_at_fault_m"},
                             {v.field for v in caught.exception.violations})

    def test_types_are_checked(self):
        # Types of numpy and others are read once for a build folder.
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", BIN.parent / "mypy_cache",
                               "kaname"], cwd=PACKAGE, capture_output=True, text=True, check=False)
        if "No module named mypy" in done.stderr:
            self.skipTest("no mypy (deploy/scripts/packages.sh test)")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_module_verbs_answer_with_the_exit_codes_of_the_command_line(self):
        folder = work_folder(self)
        invented.write(folder / "greens.h5")
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "KANAME_STATE": str(folder)}
        invented.write_waves(folder / "seismograms.h5")
        for words, code, word in ((["show", str(folder / "greens.h5")], 0, "invented"),
                                  (["show", str(folder / "seismograms.h5")], 0, "3 receivers"),
                                  (["show", str(folder / "none.h5")], 3, "none.h5"),
                                  (["list"], 5, "kaname up"), (["frobnicate"], 2, "frobnicate")):
            done = subprocess.run([sys.executable, "-m", "kaname", *words], env=env, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stdout + done.stderr)

    def test_files_are_inverted_without_grpc(self):
        folder = work_folder(self)
        invented.write_offsets(folder / "offsets.csv", invented.write(folder / "greens.h5"))
        code = ("import sys; sys.modules['grpc'] = sys.modules['google.protobuf'] = None\n"
                "import kaname; print(kaname.invert('greens.h5', 'offsets.csv', regularisation="
                "{'choice': 'fixed', 'smoothness': [0.1]}))")
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, text=True,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Mw", done.stdout)

    def test_nothing_is_imported_before_it_is_used(self):
        done = subprocess.run([sys.executable, "-c", "import sys, kaname; print(sorted("
                               "m for m in ('grpc', 'h5py', 'matplotlib', 'xarray') "
                               "if m in sys.modules))"], cwd=PACKAGE, capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")

    def test_the_wheel_has_everything(self):
        folder = work_folder(self)
        done = subprocess.run([sys.executable, "-m", "pip", "--quiet", "wheel", "--no-index",
                               "--no-build-isolation", "--no-deps", "--wheel-dir", folder, PACKAGE],
                              capture_output=True, text=True, check=False)
        if "No module named" in done.stderr:
            self.skipTest("no pip, setuptools or wheel (deploy/scripts/packages.sh python)")
        self.assertEqual(done.returncode, 0, done.stderr)
        (wheel,) = folder.glob(f"kaname-{kaname.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as file:
            names = set(file.namelist())
        sources = SOURCE / "client/python/kaname"
        wanted = {f"kaname/{p.relative_to(sources)}" for p in sources.rglob("*.py")}
        wanted |= {"kaname/_version.py", "kaname/py.typed", "kaname/plotting/coast/coast.npz",
                   "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py"}
        self.assertEqual(wanted - names, set())
        self.assertEqual([n for n in names if n.startswith("protoc")], [])

    def test_version_is_that_of_the_programs(self):
        said = subprocess.run([BIN / "kaname", "--version"], capture_output=True, text=True,
                              check=True).stdout
        self.assertEqual(kaname.__version__, re.search(r"\d+\.\d+\.\d+", said).group(0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
