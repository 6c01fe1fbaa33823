#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that lead to other files: every reader of the Python package and of the pictures refuses
them before it reads a value.

Usage: indirect_files_test.py BIN_DIR SOURCE_DIR.
"""
import pathlib
import re
import shutil
import tempfile
import traceback
import unittest

import built_package  # before all that may be missing

import h5py
import numpy as np

import invented
import kaname
from kaname.inversion.result import Inversion
from kaname.plotting import common, dataset, rupture, slip, waves
from kaname.plotting.self_contained import NotSelfContained, open_file

CANARY = "canary-5f1b8d02-" * 4
KINDS = ("external_link", "external_data", "virtual", "filter", "bomb")


def lead_out(path, kind, other, name="group/elsewhere"):
    """Adds an object whose values are another file's, or nobody's, to an HDF5 file."""
    with h5py.File(path, "a") as file:
        if kind == "external_link":
            file[name] = h5py.ExternalLink(str(other), "/x")
        elif kind == "external_data":
            file.create_dataset(name, shape=(16,), dtype="u1", external=[(str(other), 0, 16)])
        elif kind == "virtual":
            layout = h5py.VirtualLayout(shape=(16,), dtype="u1")
            layout[:] = h5py.VirtualSource(str(other), "x", shape=(16,))
            file.create_virtual_dataset(name, layout)
        elif kind == "filter":
            file.create_dataset(name, data=np.zeros(16), compression="lzf")
        else:
            file.create_dataset(name, shape=(1 << 40,), chunks=(1 << 20,), dtype="f8")


def fields(path):
    with common.open_dataset(path) as file:
        return list(file)


class IndirectFiles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kaname-indirect-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.secret = self.folder / "secret"
        self.secret.write_text(CANARY)

    def refused(self, call, *arguments):
        """The refusal's text with what led to it, without one byte of the secret."""
        with self.assertRaises(Exception) as caught:
            call(*arguments)
        text = "".join(traceback.format_exception(caught.exception))
        self.assertNotIn("canary", text)
        self.assertRegex(text, r"elsewhere': .*(must|needs)")
        return caught.exception

    def test_every_reader_refuses_every_way_out(self):
        readers = {
            "greens": (invented.write, (kaname.open, kaname.Dataset.of_file, dataset.Dataset)),
            "seismograms": (invented.write_waves,
                            (kaname.open, kaname.Seismograms.of_file, rupture.is_rupture,
                             lambda p: waves.Waves.of_file(p, None, None))),
            "inversion": (lambda p: h5py.File(p, "w").close(), (Inversion.read, slip.Slip)),
            "any": (lambda p: h5py.File(p, "w").close(), (common.kind_of, fields, open_file)),
        }
        for name, (write, calls) in readers.items():
            for kind in KINDS:
                path = self.folder / f"{name}-{kind}.h5"
                write(path)
                lead_out(path, kind, self.secret)
                for call in calls:
                    with self.subTest(file=name, kind=kind, call=call):
                        self.refused(call, path)

    def test_files_of_ones_own_are_read(self):
        path = self.folder / "greens.h5"
        invented.write(path)
        with h5py.File(path, "a") as file:
            file["soft"] = h5py.SoftLink("/greens")
            file["again"] = file["greens"]
            file["type"] = np.dtype("f8")
            file.create_dataset("packed", data=np.zeros((100, 100)), compression="gzip",
                                shuffle=True, fletcher32=True)
        with kaname.open(path) as data:
            self.assertEqual(data.file["soft"].shape, data.greens.shape)

    def index(self, *sources):
        path = self.folder / "index.nc"
        layout = h5py.VirtualLayout(shape=(len(sources), 16), dtype="u1")
        for k, source in enumerate(sources):
            layout[k] = h5py.VirtualSource(source, "x", shape=(16,))
        with h5py.File(path, "w") as file:
            file.create_virtual_dataset("elsewhere", layout)
        return path

    def test_a_campaigns_index_reads_members_below_its_folder_alone(self):
        inside, outside = self.folder / "campaign", self.folder / "outside.h5"
        inside.mkdir()
        for path in (inside / "good.h5", inside / "bad.h5", outside):
            with h5py.File(path, "w") as file:
                file["x"] = np.arange(16, dtype="u1")
        lead_out(inside / "bad.h5", "external_data", self.secret)
        (inside / "link.h5").symlink_to(outside)

        def opened(*sources):
            index = self.index(*sources)
            shutil.move(index, inside / "index.nc")
            return kaname.open_campaign(inside)

        with opened("good.h5", "missing.h5") as data:
            self.assertEqual(int(data["elsewhere"][0].sum()), 120)
        for sources in ((str(outside),), ("../outside.h5",), ("link.h5",), ("good.h5", "bad.h5"),
                        (".",)):
            with self.subTest(sources=sources):
                self.assertEqual(self.refused(opened, *sources).code, "InvalidArgument")

    def test_no_reader_goes_around_the_gate(self):
        for folder in ("client/python/kaname", "deploy/scripts"):
            for path in (built_package.SOURCE / folder).rglob("*.py"):
                if path.name == "self_contained.py":
                    continue
                text = path.read_text()
                around = re.findall(r'h5py\.File\((?![^()]*"w"\))', text)
                if "xarray.open_dataset(" in text and "open_file(index, members_in" not in text:
                    around.append("xarray.open_dataset")
                self.assertEqual(around, [], path)

    def test_groups_in_a_circle_end(self):
        path = self.folder / "circle.h5"
        with h5py.File(path, "w") as file:
            file["a"] = file.create_group("b")
            file["a"]["c"] = file["a"]
        with self.assertRaisesRegex(NotSelfContained, "at most 32 groups"):
            open_file(path)


if __name__ == "__main__":
    unittest.main(argv=["indirect_files_test.py"])
