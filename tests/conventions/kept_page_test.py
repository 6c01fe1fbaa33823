#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page that server/dashboard/built keeps is the one that its sources make, to the byte.

Usage: kept_page_test.py [bin folder] [source folder], as the other tests of scripts. Where npm is, the page is
built once more and compared; elsewhere the sums that deploy/scripts/page.sh wrote tell, and the exit code is 77.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parents[2]
SCRIPT, DASHBOARD = "deploy/scripts/page.sh", "server/dashboard"
RUN = f"run {SCRIPT} (it needs npm) and commit what it writes"
FAULTS = {
    "sources": f"{DASHBOARD} has changed since {DASHBOARD}/built was made of it: {RUN}",
    "built": f"{DASHBOARD}/built is not what {SCRIPT} wrote: {RUN}",
}
SKIP = 77


def faults_of_sums(root):
    said = subprocess.run([root / SCRIPT, "--sums"], capture_output=True, text=True, check=True).stdout
    recorded = (root / DASHBOARD / "built.sha256").read_text().splitlines()
    return [FAULTS[line.split()[1]] for line in said.splitlines() if line not in recorded]


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class KeptPage(unittest.TestCase):
    not_rebuilt = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def copy(self):
        """The page in a tree of its own, to be spoilt."""
        shutil.copytree(HERE / DASHBOARD, self.work / DASHBOARD, ignore=shutil.ignore_patterns("node_modules"))
        (self.work / SCRIPT).parent.mkdir(parents=True)
        shutil.copy(HERE / SCRIPT, self.work / SCRIPT)
        return self.work / DASHBOARD

    def test_sums_are_those_of_the_sources_and_of_what_is_kept(self):
        self.assertEqual(faults_of_sums(HERE), [])

    def test_a_changed_source_is_found(self):
        for name in ("src/app.tsx", "index.html", "package-lock.json", "vite.config.mjs", "tools/licences.mjs"):
            with self.subTest(name):
                page = self.copy()
                with (page / name).open("a") as file:
                    file.write("\n")
                self.assertEqual(faults_of_sums(self.work), [FAULTS["sources"]])
                shutil.rmtree(self.work / "deploy")
                shutil.rmtree(self.work / "server")

    def test_a_changed_kept_file_is_found(self):
        page = self.copy()
        next((page / "built/assets").glob("*.css")).unlink()
        self.assertEqual(faults_of_sums(self.work), [FAULTS["built"]])

    def test_types_made_for_the_type_check_are_no_source(self):
        page = self.copy()
        (page / "src/gen").mkdir(exist_ok=True)
        (page / "src/gen/kaname.ts").write_text("export type Other = string;\n")
        self.assertEqual(faults_of_sums(self.work), [])

    def test_built_once_more_it_is_the_same(self):
        built = subprocess.run([HERE / SCRIPT, "--into", self.work / "page"], capture_output=True, text=True,
                               check=False)
        if built.returncode == SKIP:
            KeptPage.not_rebuilt = built.stderr.strip()
            return
        self.assertEqual(built.returncode, 0, built.stderr)
        kept, made = files_of(HERE / DASHBOARD / "built"), files_of(self.work / "page")
        self.assertEqual(sorted(kept), sorted(made), RUN)
        self.assertEqual([name for name in kept if kept[name] != made[name]], [], RUN)


if __name__ == "__main__":
    program = unittest.main(argv=sys.argv[:1], exit=False)
    if program.result.wasSuccessful() and KeptPage.not_rebuilt:
        print(f"skipped: the page was not built once more, its sums hold\n{KeptPage.not_rebuilt}")
        sys.exit(SKIP)
    sys.exit(0 if program.result.wasSuccessful() else 1)
