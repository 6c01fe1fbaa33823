#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""deploy/gpu-check with stand-ins for CMake, nvidia-smi and the programs: what it runs in which order,
what it leaves, and how it ends.

Usage: gpu_check_test.py [bin folder] [source folder], as the other tests of scripts.
"""
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parents[2]
MAIN_FILES = {"summary.txt", "kernels.json", "viscoelastic.json", "viscoelastic_one.json",
              "size_1e7.json", "spectrum.json", "voxelwave.json", "aderdg.json"}

# Writes the programs that it is asked for; their names are the stand-in's.
CMAKE = """#!/usr/bin/env bash
echo "cmake $*" >> "$CALLS"
if [[ $1 == --preset ]]; then
    echo "-- kaname: with CUDA 13.0"
    [[ -z ${NO_GTEST:-} ]] || echo "-- kaname: without tests: no GoogleTest"
    exit 0
fi
build=$2
mkdir -p "$build/bin"
while [[ $1 != --target ]]; do shift; done
shift
for target; do cp "$STAND_IN" "$build/bin/$target"; done
"""
PROGRAM = """#!/usr/bin/env bash
name=$(basename "$0")
echo "$name $*" >> "$CALLS"
[[ $1 != speedups ]] || { echo "speedups"; exit 0; }
[[ -z ${NO_GPU:-} ]] || { echo "kaname-bench: device cuda: no CUDA driver" >&2; exit 77; }
if [[ $name == kaname_gpu_test ]]; then
    echo "[  PASSED  ] 40 tests."
    [[ -z ${TEST_FAILS:-} ]] || { echo "[  FAILED  ] ElementGpu.Dilatation"; exit 1; }
    exit 0
fi
for ((k = 1; k <= $#; ++k)); do
    [[ ${!k} != --json ]] || { next=$((k + 1)); json=${!next}; }
done
echo '{"rows": []}' > "$json"
echo "device: stand-in"
echo "case method"
[[ "$*" != *"${SLOW:-none}"* ]] || exec sleep 60
[[ "$*" != *"${BREAKS:-none}"* ]] || { echo "kaname-bench: an illegal address" >&2; exit 1; }
"""
GETCONF = """#!/usr/bin/env bash
echo $((128 * 1024 * 256))
"""
SMI = """#!/usr/bin/env bash
[[ $1 == *compute_cap* ]] && echo 9.0 || echo "${GPU_MIB:-81559}"
"""


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)
        self.write("path/cmake", CMAKE)
        self.write("path/nvidia-smi", SMI)
        self.write("path/getconf", GETCONF)
        self.write("stand_in", PROGRAM)

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def start(self, **environment):
        self.calls_file = self.work / "calls"
        self.calls_file.write_text("")
        return subprocess.Popen(
            [HERE / "deploy/gpu-check", self.work / "out"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, start_new_session=True,
            env={"PATH": f"{self.work / 'path'}:/usr/bin:/bin", "CALLS": str(self.calls_file),
                 "CUDA_HOME": "/none", "STAND_IN": str(self.work / "stand_in"),
                 "KANAME_GPU_BUILD": str(self.work / "build"), "HOME": str(self.work),
                 **environment})

    def check(self, **environment):
        process = self.start(**environment)
        self.output = process.communicate(timeout=100)[0]
        self.calls = self.calls_file.read_text().splitlines()
        return process.returncode

    def said(self):
        return (self.work / "out/summary.txt").read_text()

    def archived(self):
        with tarfile.open(self.work / "out/rest.tar.gz") as archive:
            return {os.path.basename(name) for name in archive.getnames()}

    def test_all_goes_well(self):
        self.assertEqual(self.check(KANAME_GPU_UNKNOWNS="1e7"), 0, self.output)
        self.assertEqual({path.name for path in (self.work / "out").iterdir()},
                         MAIN_FILES | {"rest.tar.gz"})
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=90-real", self.calls[0])
        self.assertIn("kaname_gpu_test", self.calls[1])
        runs = [call for call in self.calls[2:] if "speedups" not in call]
        self.assertIn("kernels", runs[0])
        self.assertIn("--unknowns 3e6", runs[0])
        self.assertIn("--method default_coloured", runs[1])
        self.assertIn("--phases", runs[4])
        self.assertIn("voxelwave --size medium", runs[6])
        self.assertIn("aderdg --size large", runs[7])
        self.assertIn("--unknowns 1e7", runs[8])
        self.assertTrue(all("--device cuda" in run for run in runs if "gpu_test" not in run), runs)
        self.assertLessEqual({"kernels_one.json", "kernels.log", "build.log", "tests.txt"},
                             self.archived())
        self.assertIn("[  PASSED  ] 40 tests.", self.said())

    def test_a_failing_test_does_not_cancel_measurements(self):
        self.assertEqual(self.check(TEST_FAILS="1", KANAME_GPU_UNKNOWNS="1e7"), 1)
        self.assertTrue((self.work / "out/spectrum.json").exists())
        self.assertIn("kernels_one.json", self.archived())
        self.assertIn("[  FAILED  ] ElementGpu.Dilatation", self.said())

    def test_a_line_that_breaks_does_not_cancel_the_others(self):
        self.assertEqual(self.check(BREAKS="--method seed", KANAME_GPU_UNKNOWNS="1e7"), 1)
        self.assertIn("viscoelastic: FAILED (1): kaname-bench: an illegal address", self.said())
        self.assertEqual({path.name for path in (self.work / "out").iterdir()},
                         MAIN_FILES | {"rest.tar.gz"})

    def test_without_googletest_it_measures_and_says_so(self):
        self.assertEqual(self.check(NO_GTEST="1", KANAME_GPU_UNKNOWNS="1e7"), 0, self.output)
        self.assertNotIn("kaname_gpu_test", " ".join(self.calls))
        self.assertIn("not tested: no GoogleTest", self.said())

    def test_what_takes_too_long_is_cut_off_and_kept(self):
        self.assertEqual(self.check(SLOW="kernels --unknowns", KANAME_GPU_SECONDS="5"), 0)
        self.assertIn("kernels: cut off after 5 s", self.said())
        self.assertIn("spectrum: not run, the time was up", self.said())
        self.assertTrue((self.work / "out/kernels.json").exists())

    def test_ended_from_outside_it_leaves_what_it_has(self):
        process = self.start(SLOW="--method pcge")
        for _ in range(600):
            if "--method pcge" in self.calls_file.read_text():
                break
            time.sleep(0.05)
        time.sleep(0.2)  # the stand-in writes its file, then sleeps
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertTrue((self.work / "out/viscoelastic.json").exists())
        self.assertIn("ended from outside", self.said())
        self.assertIn("viscoelastic.txt", self.archived())

    def test_sizes_beyond_memory_or_time_are_left_out(self):
        self.assertEqual(self.check(GPU_MIB="40000", KANAME_GPU_UNKNOWNS="5e4 1e8"), 0)
        self.assertIn("--unknowns 5e4", " ".join(self.calls))
        self.assertIn("size_1e8: not run, memory: 40000 MiB of the GPU", self.said())
        self.assertNotIn("--unknowns 1e8", " ".join(self.calls))

    def test_without_a_gpu_it_builds_and_exits_with_77(self):
        self.assertEqual(self.check(NO_GPU="1"), 77)
        self.assertIn("built, not run: device cuda: no CUDA driver", self.output)

    def test_a_rehearsal_runs_on_the_cpu(self):
        self.assertEqual(self.check(KANAME_GPU_DEVICE="cpu", KANAME_GPU_SIZE="small",
                                    KANAME_GPU_UNKNOWNS="6e4"), 0, self.output)
        self.assertIn("-DKANAME_CUDA=AUTO", self.calls[0])
        runs = [call for call in self.calls[2:] if "--device" in call]
        self.assertTrue(all("--device cpu" in run for run in runs))
        self.assertNotIn("default_coloured", " ".join(runs))

    def test_programs_built_elsewhere_are_run(self):
        self.assertEqual(self.check(KANAME_GPU_UNKNOWNS="1e7"), 0, self.output)
        self.assertEqual(self.check(KANAME_GPU_UNKNOWNS="1e7", KANAME_GPU_BUILD=str(self.work / "other"),
                                    KANAME_GPU_PROGRAMS=str(self.work / "build/bin")), 0, self.output)
        self.assertFalse([call for call in self.calls if call.startswith("cmake")])
        self.assertIn("[  PASSED  ] 40 tests.", self.said())

    def test_a_folder_without_programs_is_refused(self):
        folder = str(self.work / "none")
        self.assertEqual(self.check(KANAME_GPU_PROGRAMS=folder), 2)
        self.assertIn(f"must be a folder with kaname-bench, got '{folder}'", self.output)

    def test_options_are_known(self):
        help_text = subprocess.run([HERE / "deploy/gpu-check", "--help"], capture_output=True,
                                   text=True, check=True).stdout
        self.assertIn("Exit codes: 0", help_text)
        self.assertIn("KANAME_GPU_SECONDS", help_text)
        self.assertNotIn("program=", help_text)
        wrong = subprocess.run([HERE / "deploy/gpu-check", "--fast"], capture_output=True)
        self.assertEqual(wrong.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
