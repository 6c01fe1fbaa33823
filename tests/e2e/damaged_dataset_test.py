#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Datasets with other bytes here and there: each reader ends with an answer or one error that names
the file, also where the HDF5 library breaks down.

Usage: damaged_dataset_test.py BIN_DIR SOURCE_DIR [FILES]. Prints one line per fact; exits 1 when one
fails. FILES: how many damaged files, 50 unless told.
"""
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from service_harness import SKIP, Facts

SEED = 1
READERS = {"show": [], "slice": ["--out", "values"],
           "export": ["--to", "csi", "--out", "exported"]}
ERRORS = {2, 3, 6, 7}  # 70 would be one that nobody has thought of


def answers(done):
    return done.returncode == 0 or done.returncode in ERRORS and "damaged.h5" in done.stdout


def damaged(whole, draw):
    """The file cut off, or with a few bytes changed, most of them where HDF5 keeps its own."""
    if draw.random() < 0.15:
        return whole[:draw.randrange(len(whole))]
    file = bytearray(whole)
    limit = len(file) if draw.random() < 0.3 else min(len(file), 8192)
    for _ in range(draw.choice((1, 2, 8, 64))):
        at = draw.randrange(limit)
        file[at] = draw.choice((0, 255, file[at] ^ 1 << draw.randrange(8), draw.randrange(256)))
    return bytes(file)


def one_size_off(whole):
    """Files in which one string of a heap is said to be eight bytes longer, or shorter: HDF5 1.10 then
    takes text for sizes, and may fault."""
    start = whole.find(b"GCOL")
    while start >= 0:
        end, at = start + int.from_bytes(whole[start + 8:start + 16], "little"), start + 16
        while at + 16 <= end and whole[at:at + 2] != b"\0\0":
            file = bytearray(whole)
            file[at + 8] ^= 8
            yield bytes(file)
            at += 16 + (int.from_bytes(whole[at + 8:at + 16], "little") + 7) // 8 * 8
        start = whole.find(b"GCOL", start + 4)


def main():
    compute = pathlib.Path(sys.argv[1]).resolve() / "kaname-compute"
    if not compute.exists():
        print(f"no {compute}")
        return SKIP
    tiny = pathlib.Path(sys.argv[2]).resolve() / "tests/e2e/data/tiny.yaml"
    n_files = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    facts, draw, codes = Facts(), random.Random(SEED), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, KANAME_CACHE="/dev/null/none")
        subprocess.run([compute.with_name("kaname"), "run", tiny, "--output", "whole",
                        "--threads", "1"], cwd=folder, env=env, check=True, capture_output=True)
        whole = (pathlib.Path(folder) / "whole/greens.h5").read_bytes()
        path = pathlib.Path(folder) / "damaged.h5"

        def read(reader, file):
            path.write_bytes(file)
            return subprocess.run([compute, reader, "--dataset", path, *READERS[reader]],
                                  cwd=folder, capture_output=True, text=True, errors="replace",
                                  timeout=60, check=False)

        for reader in READERS:
            done = read(reader, whole)
            facts.check(f"{reader} reads the whole file", done.returncode == 0, done.stdout)
        broken = 0
        for k, file in enumerate(one_size_off(whole)):
            done = read("slice", file)
            broken += "damaged.h5: is damaged: HDF5 broke down" in done.stdout
            if not answers(done):
                facts.check(f"string {k} too long: slice answers", False, (done.returncode, done))
            if broken:
                break
        facts.check("faults inside HDF5 are told as the file's damage", broken > 0, broken)
        for k in range(n_files):
            file = damaged(whole, draw)
            for reader in READERS:
                done = read(reader, file)
                codes[reader, done.returncode] += 1
                if not answers(done):
                    facts.check(f"file {k} of seed {SEED}: {reader} answers", False,
                                (done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
        facts.check(f"{n_files} damaged files: answers or one error that names the file "
                    f"{dict(codes)}", facts.failed == 0)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
