#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tree keeps its conventions, and the check finds each kind of fault in a bad tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_layers  # noqa: E402

SOURCE_DIR = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else __file__).resolve()
if SOURCE_DIR.is_file():
    SOURCE_DIR = SOURCE_DIR.parents[2]
SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"
TABLE = """# comment
solvers/base:
solvers/comm: base
solvers/mesh: base comm
worker/compute: solvers/base
"""


class CheckLayers(unittest.TestCase):
    def faults_of(self, files, table=TABLE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"tests/conventions/layers.txt": table, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return check_layers.check_tree(root)[0]

    def assert_fault(self, fact, files, table=TABLE):
        faults = self.faults_of(files, table)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(fact, faults[0])

    def test_this_tree_has_no_faults(self):
        self.assertEqual(check_layers.check_tree(SOURCE_DIR)[0], [])

    def test_good_tree_passes(self):
        files = {
            "solvers/mesh/a.cpp": SPDX + '#include "solvers/mesh/a.hpp"\n#include <metis.h>\n',
            "solvers/mesh/a.hpp": SPDX + '#pragma once\n#include "solvers/comm/comm.hpp"\n',
            "worker/compute/main.cpp": SPDX + '#include "worker/other/x.hpp"\n#include <mpi.h>\n',
            "tests/unit/x_test.cpp": SPDX + '#include "solvers/mesh/a.hpp"\n',
        }
        self.assertEqual(self.faults_of(files), [])

    def test_include_against_the_layers_is_found(self):
        self.assert_fault("a.cpp:3: solvers/comm must not include",
                          {"solvers/comm/a.cpp": SPDX + '\n#include "solvers/mesh/a.hpp"\n'})

    def test_sub_folders_that_are_modules_have_layers_of_their_own(self):
        table = "solvers/a:\nsolvers/a/low:\nsolvers/a/high: solvers/a/low\n"
        good = {"solvers/a/high/x.cpp": SPDX + '#include "solvers/a/low/y.hpp"\n',
                "solvers/a/part/x.cpp": SPDX + '#include "solvers/a/y.hpp"\n'}
        self.assertEqual(self.faults_of(good, table), [])
        self.assert_fault("solvers/a/low must not include",
                          {"solvers/a/low/x.cpp": SPDX + '#include "solvers/a/high/y.hpp"\n'},
                          table)
        self.assert_fault("solvers/a must not include",
                          {"solvers/a/x.cpp": SPDX + '#include "solvers/a/low/y.hpp"\n'}, table)

    def test_include_not_from_the_root_is_found(self):
        self.assert_fault("not named from the root",
                          {"solvers/comm/a.cpp": SPDX + '#include "comm.hpp"\n'})

    def test_unlisted_module_is_found(self):
        self.assert_fault("solvers/extra is not in layers.txt",
                          {"solvers/extra/a.cpp": SPDX})

    def test_cycle_is_found(self):
        self.assert_fault("cycle", {}, "solvers/a: b\nsolvers/b: c\nsolvers/c: a\n")

    def test_gated_headers_are_found(self):
        for header in ("mpi.h", "hdf5.h", "H5Fpublic.h", "hdf5_hl.h", "proj.h", "metis.h",
                       "yaml-cpp/yaml.h", "omp.h", "nlohmann/json.hpp", "CLI/CLI.hpp",
                       "libmseed.h"):
            self.assert_fault(f"<{header}> only in",
                              {"solvers/base/a.cpp": SPDX + f"#include <{header}>\n"})

    def test_missing_licence_line_is_found(self):
        self.assert_fault("SPDX", {"solvers/base/a.cpp": "int x;\n"})

    def test_missing_pragma_once_is_found(self):
        self.assert_fault("#pragma once", {"solvers/base/a.hpp": SPDX})

    def test_camel_case_name_is_found(self):
        for name in ("MyFile.cpp", "_file.cpp", "_MyFile.py"):
            self.assert_fault("snake_case", {f"solvers/base/{name}": SPDX})

    def test_very_long_file_is_found(self):
        self.assert_fault("never above 800", {"solvers/base/a.cpp": SPDX + "\n" * 801})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
