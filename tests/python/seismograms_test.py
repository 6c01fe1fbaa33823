#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seismograms of the Python package, from a file that is invented.

Usage: seismograms_test.py BIN_DIR SOURCE_DIR.
"""
import pathlib
import sys
import tempfile
import unittest

import built_package  # noqa: F401  # before all that may be missing

import h5py
import numpy as np
import xarray

import invented
import kaname


class Waves(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "seismograms.h5"
        cls.values, cls.frames = invented.write_waves(cls.path)
        cls.data = kaname.open(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.data.close()
        cls.folder.cleanup()

    def test_open_tells_them_from_greens_functions(self):
        self.assertIsInstance(self.data, kaname.Seismograms)
        self.assertIn("2 sources, 3 receivers, 50 samples", repr(self.data))
        invented.write(self.path.with_name("greens.h5"))
        self.assertIsInstance(kaname.open(self.path.with_name("greens.h5")), kaname.Dataset)
        with self.assertRaisesRegex(kaname.Error, "greens.h5: has no seismograms"):
            kaname.Seismograms.of_file(self.path.with_name("greens.h5"))
        with self.assertRaisesRegex(kaname.Error, "must be a dataset of Green's functions"):
            kaname.invert(self.path, {"station": ["P1"], "east_mm": [1.0]}, program=False)

    def test_places_of_a_model_in_a_region_are_longitudes_and_latitudes(self):
        path = self.path.with_name("region.h5")
        invented.write_waves(path)
        with h5py.File(path, "r+") as file:
            file["receiver_lon"], file["receiver_lat"] = [135.0, 135.1, 135.2], [33.0, 33.1, 33.2]
        with kaname.open(path) as data:
            np.testing.assert_array_equal(data.places()[1], [135.1, 33.1])
            self.assertIsNone(data.places("source"))

    def test_what_it_holds_is_read_by_name(self):
        data = self.data
        self.assertEqual(data.sources.id, ("knock", "late"))
        self.assertEqual(data.sources.status, ("done", "missing"))
        self.assertEqual(data.sources.failure[1], "has no result")
        self.assertEqual(list(data.sources.done), [0])
        self.assertEqual(data.components, ("x", "y", "z"))
        self.assertEqual(data.warnings, ("few voxels",))
        self.assertEqual(data.attributes["voxel_size"], 1.0)
        self.assertEqual(data.specification, {"name": "invented"})
        np.testing.assert_array_equal(data.sources.position, [[1, 2, 3], [2, 3, 4]])
        np.testing.assert_array_equal(data.receivers.position, data.positions())
        np.testing.assert_array_equal(data.positions()[2], [4, 3, 2])
        self.assertIsNone(data.places(), "the model has no place on the globe")
        np.testing.assert_allclose(np.diff(data.time), 1e-6)
        np.testing.assert_array_equal(data.traces("knock"), self.values[0])
        np.testing.assert_array_equal(data.traces("knock", "y"), self.values[0, :, 1])
        np.testing.assert_array_equal(data.seismograms[0, 1, :, ::7], self.values[0, 1, :, ::7])
        for wrong in (lambda: data.traces("bang"), lambda: data.traces("knock", "up"),
                      lambda: data.receivers.index("P9")):
            with self.assertRaises(kaname.Error) as caught:
                wrong()
            self.assertEqual(caught.exception.code, "NotFound")
        data.close()
        self.assertEqual(data.seismograms.shape, (2, 3, 3, 50))  # it opens again

    def test_units_and_the_ground_are_those_of_the_file(self):
        self.assertEqual(self.data.unit, "m s-1")
        ground = self.data.ground
        np.testing.assert_array_equal(ground.points[ground.triangles[0, 2]], [0, 1, 0])
        np.testing.assert_array_equal(ground.peak_velocity[0], [[0.5, 0.25]])
        self.assertIsNone(ground.velocity)
        self.assertEqual(ground.time.size, 0)

    def test_faults_are_those_of_a_rupture(self):
        self.assertIsNone(self.data.rupture)
        self.assertIsNone(self.data.given_sources)
        path = self.path.with_name("rupture.h5")
        with h5py.File(path, "w") as file:
            file.attrs["kind"] = "seismograms"
            group = file.create_group("rupture")
            group["fault_name"] = ["main"]
            group["xyz"] = np.eye(3)
            group["triangles"] = np.array([[0, 1, 2]], dtype=np.int32)
            group["fault"] = np.array([0], dtype=np.int32)
            group["rupture_time"] = np.array([1.5], dtype=np.float32)
            group = file.create_group("fault_receivers")
            group["fault_receiver"] = ["F1", "F2"]
            group["along"] = np.array([1.0, 2.0])
            group["time"] = np.array([0.0, 0.5, 1.0])
            group["slip_strike"] = np.array([[0, 0, 1], [0, 2, 3]], dtype=np.float32)
            file["energy/time"] = np.array([1.0])
            file["energy/moment"] = np.array([1e17])
            for at in ("", "given_sources/"):
                file[f"{at}source"] = ["shot"] if at else ["rupture"]
                for axis in "xyz":
                    file[f"{at}source_{axis}"] = np.array([3.0])
                file[f"{at}force"] = np.zeros((1, 3))
                file[f"{at}moment"] = np.full((1, 6), 2.0)
                file[f"{at}source_function"] = np.ones((1, 4))
                file[f"{at}highest_frequency"] = np.array([1.0])
            file["status"] = np.array([1], dtype=np.int8)
            file["failure"] = [""]
        with kaname.open(path) as data:
            rupture = data.rupture
            self.assertEqual((rupture.faults, rupture.receivers), (("main",), ("F1", "F2")))
            np.testing.assert_array_equal(rupture.field("rupture_time"), [1.5])
            self.assertIsNone(rupture.slip_rate)
            series = rupture.series("F2")
            self.assertEqual(set(series), {"time", "slip_strike"})
            np.testing.assert_array_equal(series["slip_strike"], [0, 2, 3])
            self.assertEqual(rupture.energy["moment"][0], 1e17)
            given = data.given_sources
            self.assertEqual((given.id, given.status, given.index("shot")),
                             (("shot",), ("done",), 0))
            np.testing.assert_array_equal(given.position, [[3.0, 3.0, 3.0]])
            np.testing.assert_array_equal(given.moment, np.full((1, 6), 2.0))
            for wrong in (lambda: rupture.field("colour"), lambda: rupture.series("F9")):
                with self.assertRaises(kaname.Error) as caught:
                    wrong()
                self.assertEqual(caught.exception.code, "NotFound")

    def test_snapshots_are_read_when_they_are_indexed(self):
        shots = self.data.snapshots
        self.assertEqual((len(shots), shots.x.size, shots.z.size), (2, 4, 2))
        np.testing.assert_array_equal(shots.displacement[0, 1, :, 2], self.frames[0, 1, :, 2])
        with h5py.File(self.path.with_name("none.h5"), "w") as file:
            file.attrs["kind"] = "seismograms"
        self.assertIsNone(kaname.open(self.path.with_name("none.h5")).snapshots)

    def test_xarray_agrees_with_netcdf_and_stays_lazy(self):
        lazy = self.data.to_xarray()
        with xarray.open_dataset(self.path, engine="netcdf4") as whole:
            self.assertEqual(set(lazy.variables), set(whole.variables))
            for name, variable in whole.variables.items():
                self.assertEqual(lazy[name].dims, variable.dims, name)
            for part in (dict(source=0, time=slice(40, 3, -5)), dict(receiver=[2, 0, 2]),
                         dict(receiver=[1, 0], time=[5, 3, 9])):
                np.testing.assert_array_equal(lazy.seismograms.isel(part),
                                              whole.seismograms.isel(part))
        self.assertFalse(lazy.seismograms._in_memory)

    def test_a_picture_has_a_trace_for_each_receiver(self):
        from kaname import plot
        figure = plot.waves(self.data, component="x")
        self.assertEqual(len(figure.axes[1].lines), 3)
        with self.assertRaisesRegex(kaname.Error, "late has no seismograms: has no result"):
            plot.waves(self.data, "late")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
