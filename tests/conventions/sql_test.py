#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every statement of queries/*.sql has a name of its own and a source that runs it, and the generator
finds each kind of fault in bad files.

Usage: sql_test.py [bin folder] [source folder], as the other tests of scripts.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parents[2]).resolve()
STORE = ROOT / "server/store/postgres"
MAX_LINES = 500
SPDX = "-- SPDX-License-Identifier: BSD-3-Clause\n"


class Statements(unittest.TestCase):
    def setUp(self):
        self.files = {p: p.read_text() for p in sorted((STORE / "queries").iterdir())}
        self.names = [name for text in self.files.values()
                      for name in re.findall(r"^-- name: (.*)$", text, re.M)]

    def test_names_are_unique(self):
        self.assertEqual([n for n in self.names if self.names.count(n) > 1], [])

    def test_every_statement_is_run_by_a_source_and_by_its_name(self):
        used = {name for source in STORE.glob("*.cpp")
                for name in re.findall(r"\bsql::(\w+)", source.read_text())}
        self.assertEqual(sorted(self.names), sorted(used))

    def test_files_begin_with_the_licence_line_and_are_short(self):
        for path, text in self.files.items():
            self.assertEqual(path.suffix, ".sql")
            self.assertTrue(text.startswith(SPDX), path)
            self.assertLessEqual(text.count("\n"), MAX_LINES, path)


class Generator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def generate(self, **files):
        """The generator's exit status and what it says about these files."""
        (self.root / "s").mkdir(exist_ok=True)
        for name, text in files.items():
            (self.root / f"s/{name}.sql").write_text(SPDX + text)
        queries = ";".join(f"{name}.sql" for name in files)
        result = subprocess.run(
            ["cmake", f"-DSOURCE={self.root}", "-DFOLDER=s", f"-DQUERIES={queries}", "-DMIGRATIONS=",
             f"-DOUT={self.root}", "-P", ROOT / "deploy/cmake/WriteSql.cmake"],
            capture_output=True, text=True, check=False)
        return result.returncode, result.stderr

    def assert_fault(self, fact, **files):
        status, said = self.generate(**files)
        self.assertNotEqual(status, 0)
        self.assertEqual([line for line in said.splitlines() if ": error: " in line], [fact])
        self.assertFalse((self.root / "sql.hpp").exists())

    def test_texts_are_kept_and_the_header_has_only_names(self):
        text = "-- why; [\n\nselect '\\x1f;' || $1, '[${a}@b@'\nfrom t  -- each\n"
        self.assertEqual(self.generate(a=f"-- The head.\n\n-- name: find_it\n{text}",
                                       b="-- name: do_it\nselect 1"), (0, ""))
        source = (self.root / "sql.cpp").read_text()
        self.assertIn(f'const char* const find_it = R"sql({text.strip()})sql";\n', source)
        self.assertIn('const char* const do_it = R"sql(select 1)sql";\n', source)
        header = (self.root / "sql.hpp").read_text()
        self.assertEqual(re.findall("extern const char\\* const (.*);", header), ["do_it", "find_it"])
        self.assertNotIn("select", header)

    def test_header_stays_when_a_text_changes(self):
        self.generate(a="-- name: do_it\nselect 1\n")
        before = (self.root / "sql.hpp").stat().st_mtime_ns
        self.generate(a="-- name: do_it\nselect 2\n")
        self.assertEqual((self.root / "sql.hpp").stat().st_mtime_ns, before)
        self.assertIn("select 2", (self.root / "sql.cpp").read_text())

    def test_statement_without_a_name_is_found(self):
        fact = 'error: a statement without a name: no line "-- name: <verb_noun>" before it'
        self.assert_fault(f"s/a.sql:3: {fact}", a="\nselect 1\n\n-- name: do_it\nselect 2\n")
        self.assert_fault(f"s/b.sql:5: {fact}", b="-- name: do_it\nselect 2\n\n-- why\nselect 1\n")

    def test_name_given_twice_is_found(self):
        self.assert_fault("s/b.sql:3: error: the name do_it is taken: s/a.sql:2",
                          a="-- name: do_it\nselect 1\n", b="\n-- name: do_it\nselect 2\n")

    def test_empty_statement_is_found(self):
        for text in ("", "\n", "-- why\n", "\n-- name: do_it\nselect 1\n"):
            self.assert_fault("s/a.sql:2: error: the statement be_empty is empty",
                              a=f"-- name: be_empty\n{text}")

    def test_name_that_is_no_identifier_is_found(self):
        for name in ("", "delete", "do-it", "do it", "2_do", "do_It", "_do_it", "do__it", "it;"):
            self.assert_fault(
                f's/a.sql:2: error: "{name}" is no <verb_noun>: an identifier of C++ in small letters',
                a=f"-- name: {name}\nselect 1\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
