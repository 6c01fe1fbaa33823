#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every C++ and CUDA file is as clang-format 14 writes it. Fix with: deploy/scripts/format.sh

A file that was found so is looked at again once it, the tool or the style has changed: the build folder keeps
SHA-256 sums of all three (format_checked)."""
import hashlib
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
    files = [p for top in TOPS for kind in ("*.?pp", "*.cu", "*.cuh")
             for p in sorted((root / top).rglob(kind))]
    style = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    style += (root / ".clang-format").read_bytes() + b"\0"
    sums = {p: hashlib.sha256(style + p.read_bytes()).hexdigest() for p in files}
    kept = pathlib.Path(sys.argv[1]).parent / "format_checked"
    fine = set(kept.read_text().split()) if kept.exists() else set()
    fresh = [p for p in files if sums[p] not in fine]
    batches = [fresh[i:i + BATCH] for i in range(0, len(fresh), BATCH)]

    def check(batch):
        return subprocess.run([tool, "--dry-run", "-Werror", *batch], capture_output=True,
                              text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, batches))
    for result in results:
        print(result.stderr, end="")
    print(f"{len(files)} files, {len(fresh)} of them changed")
    if any(r.returncode for r in results):
        return 1
    written = kept.with_suffix(f".{os.getpid()}")
    written.write_text("\n".join(sorted(set(sums.values()))) + "\n")
    written.replace(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
