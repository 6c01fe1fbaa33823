#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package without a service: end points, errors, types, the wheel.

Usage: package_test.py BIN_DIR SOURCE_DIR.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

from built_package import BIN, PACKAGE, SOURCE  # before all that may be missing

import invented
import kaname
import kaname.endpoint
import kaname.program
from kaname._crc32c import crc32c
from kaname.endpoint import find_endpoint, state_folder


def work_folder(case):
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


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

    def test_words_of_data_are_refused_with_field_rule_and_value(self):
        from kaname.data import command

        none = str(work_folder(self) / "none")
        for words, code, field, rule, value in (
                (["insar", "a", "--points", "z"], 2, "--points", "must be a whole number", "'z'"),
                (["gnss"], 2, "PATH", "must be given", ""),
                (["gnss", none], 3, none, "must be a file or a folder", "none of this name"),
                (["fault", "a", "--as", "b"], 2, "--as", "must be plane or interface", "'b'"),
                (["fault", "a", "--event"], 2, "--event", "must have one argument", ""),
                (["export", "a", "--to", "kml", "--frobnicate"], 2, "--frobnicate", "must be an option of the command", "'--frobnicate'")):
            with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as complaint:
                self.assertEqual(command.main([*words, "--json"]), code)
            error = json.loads(said.getvalue())["error"]
            self.assertEqual((error["field"], error["rule"], error["value"]), (field, rule, value))
            self.assertIn(f"{field}: {rule}", complaint.getvalue())

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
