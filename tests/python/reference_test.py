#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kerchunk references: slices of datasets over HTTP by a reader of Zarr that knows nothing of HDF5, with bytes counted.

Usage: reference_test.py BIN_DIR SOURCE_DIR.
"""
import base64
import contextlib
import http.server
import io
import itertools
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import urllib.request
import zlib

from built_package import BIN  # noqa: F401  # before all that may be missing

import h5py
import numpy as np

import damage
import invented
import kaname
from kaname.data import reference
from kaname.data.reference import command


class Ranges(http.server.BaseHTTPRequestHandler):
    """Answers `Range: bytes=a-b` with these bytes, and counts them."""

    folder, moved = None, 0

    def do_GET(self):
        begin, end = (int(word) for word in self.headers["Range"].removeprefix("bytes=").split("-"))
        with open(Ranges.folder / self.path.lstrip("/"), "rb") as file:
            file.seek(begin)
            data = file.read(end + 1 - begin)
        Ranges.moved += len(data)
        self.send_response(206)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Zarr:
    """Reads arrays of Kerchunk's references of version 1 as Zarr's version 2 has them."""

    def __init__(self, made):
        assert made["version"] == 1
        self.refs = made["refs"]

    def names(self):
        return sorted(key.removesuffix("/.zarray") for key in self.refs if key.endswith("/.zarray"))

    def attributes(self, name):
        return json.loads(self.refs[f"{name}.zattrs" if name.endswith("/") or not name else f"{name}/.zattrs"])

    def read(self, name, *slices):
        head = json.loads(self.refs[f"{name}/.zarray"])
        assert head["zarr_format"] == 2 and head["order"] == "C"
        kind, shape, chunks = np.dtype(head["dtype"]), head["shape"], head["chunks"]
        slices = [s.indices(n) for s, n in zip([*slices, *[slice(None)] * (len(shape) - len(slices))], shape)]
        fill = head["fill_value"]
        out = np.full([s[1] - s[0] for s in slices], 0 if fill is None else np.array(fill).astype(kind), dtype=kind)
        for index in itertools.product(*(range(s[0] // c, -(-s[1] // c)) for s, c in zip(slices, chunks))):
            data = self.piece(name, ".".join(map(str, index)) or "0")
            if data is None:
                assert fill is not None, "a piece is missing and nothing stands in for it"
                continue
            block = self.unpacked(data, head, kind).reshape(chunks)
            begin = [i * c for i, c in zip(index, chunks)]
            from_ = [(max(b, s[0]), min(b + c, s[1])) for b, c, s in zip(begin, chunks, slices)]
            out[tuple(slice(a - s[0], b - s[0]) for (a, b), s in zip(from_, slices))] = block[
                tuple(slice(a - o, b - o) for (a, b), o in zip(from_, begin))]
        return out

    def piece(self, name, key):
        found = self.refs.get(f"{name}/{key}")
        if isinstance(found, str):
            return base64.b64decode(found.removeprefix("base64:"))
        if found is None:
            return None
        url, begin, length = found
        asked = urllib.request.Request(url, headers={"Range": f"bytes={begin}-{begin + length - 1}"})
        with urllib.request.urlopen(asked) as answer:
            return answer.read()

    @staticmethod
    def unpacked(data, head, kind):
        if head["compressor"]:
            assert head["compressor"]["id"] == "zlib"
            data = zlib.decompress(data)
        for one in reversed(head["filters"] or []):
            if one["id"] == "fletcher32":
                data = data[:-4]
            elif one["id"] == "zlib":
                data = zlib.decompress(data)
            else:
                assert one["id"] == "shuffle"
                data = np.frombuffer(data, np.uint8).reshape(one["elementsize"], -1).T.tobytes()
        return np.frombuffer(data, kind)


class References(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Ranges.folder = pathlib.Path(folder.name)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def of_command(self, path):
        with contextlib.redirect_stdout(io.StringIO()):
            command.main([str(path), "--url", f"{self.url}/{path.name}"])
        return Zarr(json.loads((path.parent / f"{path.name}.json").read_text()))

    def moved(self, read):
        Ranges.moved = 0
        return read(), Ranges.moved

    def test_a_slice_of_a_dataset_moves_less_than_twice_its_bytes(self):
        path = self.folder / "greens.h5"
        values = invented.write(path)
        with h5py.File(path, "a") as file:  # as large as real ones, and packed
            big = np.repeat(values, 40, axis=2) + np.arange(1200)[None, None, :, None]
            made = file.create_dataset("packed", big.shape, "f8", chunks=(1, 1, *big.shape[2:]), compression="gzip",
                                       shuffle=True)
            file.create_dataset("summed", data=big[:2], chunks=(1, 1, *big.shape[2:]), compression="gzip", fletcher32=True)
            made[...] = big
            file["flat"] = big

        zarr = self.of_command(path)

        for name in ("packed", "flat"):
            got, bytes_moved = self.moved(lambda name=name: zarr.read(name, slice(5, 8), slice(1, 2)))
            np.testing.assert_array_equal(got, big[5:8, 1:2])
            self.assertLess(bytes_moved, 2 * got.nbytes, name)
            self.assertGreater(bytes_moved, 0)
        got, bytes_moved = self.moved(lambda: zarr.read("flat", slice(5, 6), slice(1, 2), slice(310, 910)))
        np.testing.assert_array_equal(got, big[5:6, 1:2, 310:910])  # some stations of a long row
        self.assertLess(bytes_moved, 2 * got.nbytes)
        got, bytes_moved = self.moved(lambda: zarr.read("greens", slice(5, 6), slice(1, 2)))
        self.assertEqual((got.nbytes, bytes_moved), (720, 4320))  # short rows come two by two, not all 48
        np.testing.assert_array_equal(zarr.read("greens"), values)
        with h5py.File(path) as file:
            for name in zarr.names():
                stored = file[name]
                got = zarr.read(name)
                if h5py.check_string_dtype(stored.dtype):
                    self.assertEqual(got.tolist(), stored.asstr()[...].tolist(), name)
                else:
                    np.testing.assert_array_equal(got, stored[...], name)
                scales = [stored.dims[k][0].name.lstrip("/") for k in range(stored.ndim) if len(stored.dims[k])]
                if scales and not h5py.h5ds.is_scale(stored.id):
                    self.assertEqual(zarr.attributes(name)["_ARRAY_DIMENSIONS"], scales)
            self.assertEqual(sorted(zarr.names()), sorted(n for n in file if isinstance(file[n], h5py.Dataset)))

    def test_groups_attributes_and_missing_pieces(self):
        path = self.folder / "a.h5"
        with h5py.File(path, "w") as file:
            file.attrs["title"], file.attrs["numbers"] = "Grüße", [1.5, 2.5]
            part = file.create_dataset("outer/inner/part", (10, 600), "f4", chunks=(2, 300), fillvalue=7.0, fletcher32=True)
            part[2:4, 300:] = 3.0
            part.attrs["units"] = np.bytes_("m")
            file["outer/flag"] = True
            file["empty"] = np.zeros((0, 3))
            file["name"] = "one"
            file.create_dataset("pairs", (3,), np.dtype([("a", "i4"), ("b", "f8")]))

        zarr = self.of_command(path)
        _, notes = reference.references(path, "x")

        expected = np.full((10, 600), 7.0)
        expected[2:4, 300:] = 3.0
        np.testing.assert_array_equal(zarr.read("outer/inner/part"), expected)
        self.assertEqual(zarr.attributes("outer/inner/part")["units"], "m")
        self.assertEqual(zarr.attributes(""), {"title": "Grüße", "numbers": [1.5, 2.5]})
        self.assertIn("outer/inner/.zgroup", zarr.refs)
        self.assertEqual(zarr.read("name").item(), "one")
        self.assertEqual(zarr.read("empty").shape, (0, 3))
        self.assertEqual(bool(zarr.read("outer/flag")), True)
        self.assertRegex(" ".join(notes), "pairs: left out, for its type .* has none in Zarr")

    def test_what_is_wrong_is_named(self):
        path = self.folder / "a.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=np.arange(5000), chunks=(500,), scaleoffset=0)
        for call, pattern, code in ((lambda: reference.references(path, "x"), "a.h5: x: must be packed by shuffle, deflate and "
                                                                              "fletcher32 alone, got filter 6", "InvalidArgument"),
                                    (lambda: command.main([str(self.folder / "none.h5")]), "none.h5 is not there", "NotFound")):
            with self.assertRaisesRegex(kaname.Error, pattern) as caught:
                call()
            self.assertEqual(caught.exception.code, code)
        path.write_bytes(b"no HDF5")
        with self.assertRaisesRegex(kaname.Error, "a.h5: must be a readable HDF5 file"):
            command.main([str(path)])
        self.assertEqual(list(self.folder.glob("*.json*")), [])

    def test_files_with_changed_bytes_are_read_or_refused(self):
        path = self.folder / "greens.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("x", data=np.arange(600.0).reshape(6, 100), chunks=(2, 50), compression="gzip")
            file["name"], file.attrs["title"] = ["a", "bb"], "made up"
            file["y"] = np.arange(300.0)
        damage.fuzz(self, lambda: reference.references(path, "x"), [path], 300, lambda: command.main([str(path), "--force"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
