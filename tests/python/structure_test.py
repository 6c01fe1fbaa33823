#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""3-D models of files: EMC, SW4 and CRUST1.0 against files of an independent writer, columns and voxels of requests.

Usage: structure_test.py BIN_DIR SOURCE_DIR.
"""
import resource
import subprocess
import sys
import unittest

from built_package import BIN  # before all that may be missing

import h5py
import numpy as np

import damage
import invented_structures as made
import kaname
from command_case import CommandCase
from kaname.data import structure
from kaname.data.confined import call_apart
from kaname.data.structure import command, plans, targets

try:
    import osgeo  # noqa: F401
    HAS_GDAL = True
except ImportError:
    HAS_GDAL = False


class Case(CommandCase):
    command = command

    def refused(self, pattern, call, *words, code="InvalidArgument"):
        with self.assertRaisesRegex(kaname.Error, pattern) as caught:
            call(*words)
        self.assertEqual(caught.exception.code, code)

    def check(self, path, box, depths, names=None, within=0.5):
        """Values at random places of the box are those that the writer's formula has there."""
        rng = np.random.default_rng(2)
        model = structure.open_model(str(path), names or {})
        for depth in depths:
            lon, lat = rng.uniform(box[0], box[1], 200), rng.uniform(box[2], box[3], 200)
            found = structure.sample(model, lon, lat, depth)
            vp = made.vp_at(lon, lat, depth)
            np.testing.assert_allclose(found, [vp, vp / 1.8, 1700.0 + vp / 5.0], atol=within)


class Readers(Case):
    def test_netcdf_of_either_kind_and_direction(self):
        for options in ({}, {"classic": True}, {"lat_down": True}):
            path = made.emc(self.folder / "model.nc", **options)
            self.check(path, (141.0, 143.0, 37.2, 38.8), (0.0, 3e3, 12e3, 30e3, 100e3))
        outside = structure.sample(structure.open_model(str(path), {}), np.array([140.0, 142.0]), np.array([38.0, 38.0]), 5e3)
        np.testing.assert_array_equal(np.isnan(outside[0]), [True, False])
        self.assertTrue(np.isnan(structure.sample(structure.open_model(str(path), {}), np.array([142.0]), np.array([38.0]), 101e3)).all())

    def test_a_model_on_a_grid_is_an_xarray_dataset(self):
        model = structure.open_model(made.emc(self.folder / "model.nc"))
        lon, lat, depth = [141.5, 142.0, 142.5], [37.5, 38.0], [3e3, 30e3]
        block = structure.on_grid(model, lon, lat, depth)

        z, y, x = np.meshgrid(depth, lat, lon, indexing="ij")
        vp = np.array([made.vp_at(x[k], y[k], depth[k]) for k in range(2)])
        np.testing.assert_allclose([block.vp, block.vs, block.density], [vp, vp / 1.8, 1700.0 + vp / 5.0], atol=0.5)
        data = block.to_xarray()
        self.assertEqual((data.vs.dims, data.vs.units, data.density.units), (("depth", "lat", "lon"), "m s-1", "kg m-3"))
        self.assertEqual(data.vp.sel(depth=30e3, lat=38.0, lon=142.5).item(), block.vp[1, 1, 2])
        np.testing.assert_array_equal(structure.sample(model, 142.5, 38.0, 30e3)[:, 0], [block.vp[1, 1, 2], block.vs[1, 1, 2],
                                                                                       block.density[1, 1, 2]])

    def test_windows_are_halved_until_they_are_small(self):
        path = made.emc(self.folder / "model.nc")
        most = plans._MOST_VALUES
        try:
            plans._MOST_VALUES = 40
            self.check(path, (141.0, 143.0, 37.2, 38.8), (3e3, 30e3))
        finally:
            plans._MOST_VALUES = most

    def test_rfile_and_sfile_of_sw4(self):
        for precision, order in ((4, "<"), (8, ">")):
            path = made.rfile(self.folder / "model.rfile", precision=precision, order=order)
            self.check(path, (142.06, 142.3, 38.0, 38.04), (0.0, 1750.0, 9e3, 10.5e3, 33e3), within=2.0)
        if HAS_GDAL:
            path = made.rfile(path, projection="+proj=tmerc +datum=WGS84 +lon_0=142.0 +lat_0=38.0 +units=m")
            self.check(path, (142.06, 142.3, 38.0, 38.04), (1750.0, 33e3), within=2.0)
        path = made.sfile(self.folder / "model.sfile")
        self.check(path, (142.01, 142.4, 38.01, 38.25), (0.0, 500.0, 7.9e3, 8.1e3, 29e3), within=2.0)

    def test_what_a_model_lacks_follows_from_the_rest(self):
        vs = np.array([[[3500.0]]])
        values, derived = plans.completed(np.concatenate([np.full_like(vs, np.nan), vs, np.full_like(vs, np.nan)]))
        self.assertEqual(derived, ("vp", "density"))
        # Brocher's table 1: a granite of vs 3.5 km/s has vp 6.0 and 2.71 g/cm3.
        self.assertAlmostEqual(float(values[0, 0, 0]), 5960.0, delta=60.0)
        self.assertAlmostEqual(float(values[2, 0, 0]), 2710.0, delta=25.0)

    def test_what_is_wrong_is_named(self):
        path = self.folder / "model.nc"
        for options, pattern in (({"only": "vp vs", "units": "%"}, "model.nc: vp: must be an absolute value, got '%'"),
                                 ({"only": "rho"}, "model.nc: vp, vs: must be variables of the file, one at least"),
                                 ({"only": "vp", "units": "furlong"}, "model.nc: vp: must have a unit of km/s, .* got 'furlong'"),
                                 ({"depths_km": (0.0, 5.0, 4.0)}, "model.nc: depth: must be finite numbers that rise or fall")):
            self.refused(pattern, structure.open_model, str(made.emc(path, **options)), {})
        self.refused("vp: must be a variable of the file .*, got fast", structure.open_model, str(made.emc(path)), {"vp": "fast"})
        path = made.rfile(self.folder / "model.rfile")
        data = path.read_bytes()
        path.write_bytes(data[:-1])
        self.refused("model.rfile: block 3: must hold 3 x 16 x 21 x 16 numbers of 4 bytes in a file that is long enough",
                     structure.open_model, str(path), {})
        path.write_bytes(b"\2" + data[1:])
        self.refused("model.rfile: magic: must be 1 in either byte order, got 02000000", structure.open_model, str(path), {})
        self.refused("is not there", structure.open_model, str(self.folder / "none.nc"), {}, code="NotFound")


class Requests(Case):
    def test_columns_are_taken_by_tetrahedra(self):
        path = made.emc(self.folder / "model.nc", hole=(0, slice(3, 5), slice(2, 9)))
        out = self.folder / "out"

        said = self.run_command(path, "-o", out, "--bounds", 141.4, 142.6, 37.6, 38.4, "--spacing-deg", 0.2, "--depths-km", 3, 10, 20, 30)

        self.assertIn("35 columns of 4 layers", said)
        rows = np.genfromtxt(out / "model.csv", delimiter=",", names=True)
        mean = made.vp_at(rows["lon_deg"], rows["lat_deg"], 15e3)
        np.testing.assert_allclose(1e3 * rows["vp_layer_3"], mean, atol=6.0)  # rounded to 10 m/s
        request = out / "request.yaml"
        request.write_text("""schema: kaname.v1.GreensBatch
name: made-up
fault: {plane: {centre_lon_deg: 142, centre_lat_deg: 38, top_depth_km: 5, strike_deg: 200, dip_deg: 30, length_km: 30, width_km: 20}}
stations: {list: [{id: A, lon_deg: 142.05, lat_deg: 38.1}]}
time: {end_years: 0, epochs_years: [0]}
mesh: {size_at_fault_km: 6}
region: {centre_lon_deg: 142, centre_lat_deg: 38, size_east_km: 200, size_north_km: 200, depth_km: 100}
""" + (out / "model.yaml").read_text())
        done = subprocess.run([BIN / "kaname", "mesh", "build", request, "-o", out / "mesh.h5"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("volume 'layer-3': ", done.stdout)

    def test_voxels_are_taken_by_a_request_and_fill_from_below(self):
        path = made.rfile(self.folder / "model.rfile", azimuth_deg=30.0)
        out = self.folder / "out"

        self.run_command(path, "-o", out, "--centre", 142.2, 38.05, "--size-km", 8, 6, 12, "--voxel-km", 0.5, "--azimuth-deg", 30)

        with h5py.File(out / "model.nc") as file:
            vp = file["vp"][...]
            np.testing.assert_allclose(file["vs"][...], vp / 1.8, rtol=1e-4)
        self.assertEqual(vp.shape, (24, 12, 16))
        a = np.radians(30.0)
        x, y, z = 1000.0 * 0.5 * (3.5 - 8), 1000.0 * 0.5 * (10.5 - 6), 11_750.0  # voxel [0][10][3]
        lon = 142.2 + (x * np.cos(a) + y * np.sin(a)) / made.M_PER_DEG_LON
        lat = 38.05 + (y * np.cos(a) - x * np.sin(a)) / made.M_PER_DEG_LAT
        self.assertAlmostEqual(float(vp[0, 10, 3]), made.vp_at(lon, lat, z), delta=2.0)
        request = out / "request.yaml"
        request.write_text("""schema: kaname.v1.VoxelWaves
name: made-up
sources: [{id: shot, at: {x_km: 2, y_km: 2, z_km: 6}, force: {z_n: 1e6}, time_function: {kind: ricker, frequency_hz: 0.2}}]
receivers: [{id: R1, at: {x_km: 5, y_km: 4, z_km: 12}}]
time: {end_s: 1}
""" + (out / "model.yaml").read_text())
        done = subprocess.run([BIN / "kaname", "estimate", request], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_crust1_is_a_table_of_its_layers(self):
        path = made.crust1(self.folder)
        out = self.folder / "out"

        self.run_command(path, "-o", out, "--bounds", 178, 182, 36, 39)

        rows = np.genfromtxt(out / "crust1.csv", delimiter=",", names=True)
        self.assertEqual(len(rows), 4 * 3)
        self.assertEqual(sorted(set(rows["lon_deg"])), [178.5, 179.5, 180.5, 181.5])
        self.assertEqual(sorted(set(rows["lat_deg"])), [36.5, 37.5, 38.5])
        np.testing.assert_allclose(rows["top_mantle_km"], -30.0 - 0.01 * ((rows["lon_deg"] + 180.0) % 360.0 - 180.0), atol=0.006)
        np.testing.assert_allclose(rows["vp_upper_crust"], 6.1 + 0.001 * rows["lat_deg"], atol=0.006)
        request = out / "request.yaml"
        request.write_text("""schema: kaname.v1.GreensBatch
name: made-up
fault: {plane: {centre_lon_deg: 180, centre_lat_deg: 37.5, top_depth_km: 5, strike_deg: 200, dip_deg: 30, length_km: 30, width_km: 20}}
stations: {list: [{id: A, lon_deg: 180.05, lat_deg: 37.6}]}
time: {end_years: 0, epochs_years: [0]}
region: {centre_lon_deg: 180, centre_lat_deg: 37.5, size_east_km: 250, size_north_km: 200, depth_km: 100}
""" + (out / "crust1.yaml").read_text())
        done = subprocess.run([BIN / "kaname", "estimate", request], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = path.with_suffix(".vs").read_text()
        path.with_suffix(".vs").write_text(text.replace(text.split()[4], "fast", 1))
        self.refused("crust1.vs:[0-9]+: must be nine numbers, got fast", targets.crust1_table, path, (178.0, 182.0, 36.0, 39.0))

    def test_options_that_do_not_fit_are_named(self):
        path = made.emc(self.folder / "model.nc")
        run = self.run_command
        self.refused("bounds, centre: must be given one of them", run, path)
        self.refused("depths_km: must rise from above 0", run, path, "--bounds", 141.4, 142, 37, 38, "--depths-km", 5, 3)
        self.refused("size_km: must be whole numbers of voxels of 3 km, got 10", run, path, "--centre", 142, 38, "--size-km", 9, 10, 9,
                     "--voxel-km", 3)
        self.refused("values: must be there in each column of the area, got none in [0-9]+ of", run, path, "-o", self.folder / "out",
                     "--bounds", 139, 142, 37, 38)
        self.refused("vp: must be 50 to 20000 in m/s and kg/m3; is its unit another one., got 5.79", run,
                     made.emc(self.folder / "fast.nc", units="m/s"), "-o", self.folder / "out", "--bounds", 141.4, 142, 37.5, 38)
        self.assertFalse((self.folder / "out").exists())

    def test_a_model_of_a_thousand_million_nodes_is_not_loaded(self):
        path = made.huge(self.folder / "huge.nc")
        self.assertLess(path.stat().st_size, 64 << 20)
        child = f"""
import resource, sys
sys.path.insert(0, {str(BIN.parent / 'python')!r})
import numpy as np
from kaname.data.structure import targets
facts, arrays = targets.layer_means({str(path)!r}, {{}}, list(142.0 + 0.01 * np.arange(150)), list(38.0 + 0.01 * np.arange(150)),
                                    [0.0, 900.0, 50e3])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, arrays['values'][0, 0, 7], arrays['values'][0, 1, 7])
"""
        # 3 x 4 bytes x 1e9 nodes would be 12 GB.
        done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1200 << 20, 1200 << 20)))
        self.assertEqual(done.returncode, 0, done.stderr)
        kilobytes, shallow, deep = (float(word) for word in done.stdout.split())
        self.assertLess(kilobytes, 400_000)
        self.assertAlmostEqual(shallow, made.vp_at(142.07, 38.07, 450.0), delta=1.0)
        self.assertAlmostEqual(deep, 6000.0, delta=1.0)


class Damage(Case):
    def test_files_with_changed_bytes_are_read_or_refused(self):
        asked = {"names": {}, "lon": [142.1, 142.2], "lat": [38.05, 38.06], "edges_m": [0.0, 2e3, 15e3]}
        # The netCDF library, which takes ten times as long for a file, stands apart in a process of its own.
        for path, count in ((made.emc(self.folder / "a.nc"), 60), (made.emc(self.folder / "b.nc", classic=True), 60),
                            (made.rfile(self.folder / "a.rfile"), 150), (made.sfile(self.folder / "a.sfile"), 150)):
            damage.fuzz(self, lambda path=path: targets.layer_means(str(path), **asked), [path], count, lambda path=path: call_apart(
                "kaname.data.structure.targets:layer_means", str(path), {"file": str(path), **asked}))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
