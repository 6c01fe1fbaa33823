#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The index over a campaign's members: what xarray sees of it equals the members' own files.

Usage: campaign_index_test.py [bin folder]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cf_rules
import netCDF4
import numpy as np
import xarray as xr

BIN = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
ETA, SLAB = ["1e18", "1e19", "1e20"], ["thin", "thick"]


def write_member(path, number, stations=("A", "B")):
    """A dataset as far as an index looks: 3 sources, 2 epochs, values that tell where they are."""
    with netCDF4.Dataset(path, "w") as data:
        for name, values in (("source", ["s0", "s1", "s2"]), ("station", list(stations))):
            data.createDimension(name, len(values))
            data.createVariable(name, str, (name,))[:] = np.array(values, dtype=object)
        data.createDimension("epoch", 2)
        data.createVariable("epoch", "f8", ("epoch",))[:] = [0.0, 3.15e7]
        data.createDimension("component", 3)
        greens = data.createVariable("greens", "f8", ("source", "epoch", "station", "component"))
        greens.units = "m m-1"
        size = 3 * 2 * len(stations) * 3
        greens[:] = 1000.0 * number + np.arange(size).reshape(3, 2, len(stations), 3)


class CampaignIndex(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kaname-index-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "members").mkdir()

    def index(self, axes, members):
        record = {"campaign": {"name": "campaigns/one", "title": "many", "axes": axes},
                  "members": members}
        (self.folder / "campaign.json").write_text(json.dumps(record))
        done = subprocess.run(
            [BIN / "kaname-compute", "campaign-index", "--record", self.folder / "campaign.json",
             "--out", self.folder / "index.nc"], capture_output=True, text=True)
        return done

    def member(self, number, values, stations=("A", "B")):
        label = "-".join(values)
        write_member(self.folder / "members" / f"{label}.h5", number, stations)
        return {"member": {"label": label, "values": values, "state": "DONE",
                           "job": f"jobs/{number}", "dataset": {"sha256": f"{number:064d}"}},
                "file": f"members/{label}.h5"}

    def test_a_members_slice_equals_its_own_file(self):
        axes = [{"name": "viscosity", "values": ETA, "unit": "Pa s"},
                {"name": "slab", "values": SLAB}]
        members = [self.member(2 * i + j, [eta, slab])
                   for i, eta in enumerate(ETA) for j, slab in enumerate(SLAB)]
        lacking = members[5]
        (self.folder / lacking["file"]).unlink()
        lacking["file"] = ""
        lacking["member"].update(state="FAILED", error="it broke", dataset=None)
        done = self.index(axes, members)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        with xr.open_dataset(self.folder / "index.nc", engine="netcdf4") as data:
            self.assertEqual(data["greens"].dims, ("viscosity", "slab", "source", "epoch",
                                                   "station", "component"))
            np.testing.assert_array_equal(data["viscosity"], [1e18, 1e19, 1e20])
            self.assertEqual(data["viscosity"].attrs["units"], "Pa s")
            for entry in members[:5]:
                eta, slab = entry["member"]["values"]
                with xr.open_dataset(self.folder / entry["file"], engine="netcdf4") as own:
                    seen = data["greens"].sel(viscosity=float(eta), slab=slab)
                    np.testing.assert_array_equal(seen.values, own["greens"].values)
                    self.assertEqual(list(seen["station"].values), list(own["station"].values))
                self.assertEqual(data["file"].sel(viscosity=float(eta), slab=slab).item(),
                                 entry["file"])
            last = data.sel(viscosity=1e20, slab="thick")
            self.assertTrue(np.isnan(last["greens"].values).all())
            self.assertEqual((last["state"].item(), last["error"].item()), (4, "it broke"))
            self.assertEqual(data["state"].attrs["flag_meanings"],
                             "absent waiting active done failed cancelled refused")

    def test_it_is_lazy_and_moves_with_its_members(self):
        axes = [{"name": "viscosity", "values": ETA}]
        members = [self.member(k, [eta]) for k, eta in enumerate(ETA)]
        self.assertEqual(self.index(axes, members).returncode, 0)
        moved = self.folder / "moved"
        moved.mkdir()
        for name in ("index.nc", "members"):
            shutil.move(self.folder / name, moved / name)
        # A damaged member is not looked at while others are read.
        (moved / members[2]["file"]).write_bytes(b"not HDF5")

        with xr.open_dataset(moved / "index.nc", engine="netcdf4") as data:
            self.assertEqual(data["greens"].isel(viscosity=1).values.flat[0], 1000.0)

    def test_axes_that_vary_together_share_a_dimension(self):
        axes = [{"name": "dip", "values": ["10", "20"], "along": "shape", "unit": "degree"},
                {"name": "kind", "values": ["a", "b"], "along": "shape"}]
        members = [self.member(1, ["10", "a"]), self.member(2, ["20", "b"])]
        self.assertEqual(self.index(axes, members).returncode, 0)

        self.assertEqual(cf_rules.faults(self.folder / "index.nc"), [])
        with xr.open_dataset(self.folder / "index.nc", engine="netcdf4") as data:
            self.assertEqual(data["greens"].dims[0], "shape")
            np.testing.assert_array_equal(data["dip"], [10.0, 20.0])
            self.assertEqual(list(data["kind"].values), ["a", "b"])
            self.assertEqual(data["greens"].isel(shape=1).values.flat[0], 2000.0)

    def test_members_that_differ_are_told_and_not_stacked(self):
        axes = [{"name": "net", "values": ["a", "b"]}]
        members = [self.member(0, ["a"]), self.member(1, ["b"], ("A", "C"))]
        done = self.index(axes, members)
        self.assertEqual(done.returncode, 0)
        self.assertIn("datasets differ in stations (b)", done.stdout)

        with xr.open_dataset(self.folder / "index.nc", engine="netcdf4") as data:
            self.assertNotIn("greens", data)
            self.assertEqual(list(data["file"].values), ["members/a.h5", "members/b.h5"])

    def test_values_that_no_axis_has_are_refused(self):
        done = self.index([{"name": "net", "values": ["a"]}], [self.member(0, ["b"])])
        self.assertEqual(done.returncode, 2)
        self.assertIn("must have values of the axes; it has none of net",
                      done.stdout + done.stderr)


    @unittest.skipUnless((BIN.parent / "python/kaname/_version.py").exists(), "no Python package")
    def test_the_python_package_opens_it(self):
        sys.path.insert(0, str(BIN.parent / "python"))
        import kaname
        self.assertEqual(self.index([{"name": "net", "values": ["a"]}],
                                    [self.member(4, ["a"])]).returncode, 0)
        with kaname.open_campaign(self.folder) as data:
            self.assertEqual(data["greens"].isel(net=0).values.flat[0], 4000.0)
        with self.assertRaises(kaname.Error) as caught:
            kaname.open_campaign(self.folder / "nowhere")
        self.assertEqual(caught.exception.code, "NotFound")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
