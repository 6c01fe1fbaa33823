#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every C++ and CUDA file is as clang-format 14 writes it. Fix with: deploy/scripts/format.sh"""
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOPS = ("proto", "server", "worker", "client", "solvers", "tests")
BATCH = 16


def main():
    root = pathlib.Path(sys.argv[2])
    tool = shutil.which("clang-format-14")
    if not tool:
        print("skipped: clang-format-14 is not installed (deploy/scripts/packages.sh test)")
        return 77
    files = [str(p) for top in TOPS for kind in ("*.?pp", "*.cu", "*.cuh")
             for p in sorted((root / top).rglob(kind))]
    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]

    def check(batch):
        return subprocess.run([tool, "--dry-run", "-Werror", *batch], capture_output=True,
                              text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, batches))
    for result in results:
        print(result.stderr, end="")
    print(f"{len(files)} files checked")
    return 1 if any(r.returncode for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
