#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""kaname-bench-system writes a system that others can read and solve.

Usage: bench_system_test.py BIN_DIR SOURCE_DIR
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

N_SOURCES = 4


def vector(path):
    data = path.read_bytes()
    kind, size = np.frombuffer(data, ">i4", 2)
    assert kind == 1211214, kind
    return np.frombuffer(data, ">f8", size, 8).astype(float)


class Matrix:
    def __init__(self, path):
        data = path.read_bytes()
        kind, self.rows, columns, nnz = (int(v) for v in np.frombuffer(data, ">i4", 4))
        assert kind == 1211216 and columns == self.rows, (kind, columns)
        lengths = np.frombuffer(data, ">i4", self.rows, 16)
        at = 16 + 4 * self.rows
        self.row = np.repeat(np.arange(self.rows), lengths)
        self.col = np.frombuffer(data, ">i4", nnz, at).astype(int)
        self.val = np.frombuffer(data, ">f8", nnz, at + 4 * nnz).astype(float)

    def times(self, x):
        return np.bincount(self.row, self.val * x[self.col], self.rows)


def residual(A, x, b):
    return np.linalg.norm(A.times(x) - b) / np.linalg.norm(b)


def main():
    program = pathlib.Path(sys.argv[1]) / "kaname-bench-system"
    if not program.exists():
        print(f"kaname-bench-system is not built in {sys.argv[1]}")
        return 77
    failed = []

    def fact(text, holds):
        print("ok   " if holds else "FAIL ", text)
        if not holds:
            failed.append(text)

    def call(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=False)

    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        bad = call("tiny", str(work))
        fact("an unknown size is refused with exit code 2 and its name",
             bad.returncode == 2 and "got 'tiny'" in bad.stderr)
        fact("without a folder the usage is shown", "Usage" in call("small").stderr)
        done = call("small", str(work / "petsc"))
        fact("the small system is written", done.returncode == 0)
        again = call("small", str(work / "mm"), "matrix-market")
        fact("and again as Matrix Market", again.returncode == 0)

        petsc = work / "petsc"
        A = Matrix(petsc / "A.petsc")
        largest = np.abs(A.val).max()
        order = np.lexsort((A.row, A.col))
        transposed = np.lexsort((A.col, A.row))
        fact("the matrix is symmetric",
             np.abs(A.val[order] - A.val[transposed]).max() < 1e-12 * largest)
        columns = range(N_SOURCES)
        b = [vector(petsc / f"rhs_{k}.petsc") for k in columns]
        x = [vector(petsc / f"solution_{k}.petsc") for k in columns]
        start = [vector(petsc / f"start_{k}.petsc") for k in columns]
        fact("the solutions solve it",
             all(residual(A, x[k], b[k]) < 1e-12 for k in columns))
        fact("the starts are near but not there",
             all(1e-10 < residual(A, start[k], b[k]) < 1e-5 for k in columns))
        # Rigid motions meet resistance only where the free nodes touch fixed ones.
        inside = np.bincount(A.row, minlength=A.rows) == np.bincount(A.row).max()
        for mode in range(6):
            motion = vector(petsc / f"rigid_{mode}.petsc")
            force = np.abs(A.times(motion))[inside].max()
            fact(f"rigid motion {mode} needs no force inside",
                 force < 1e-10 * largest * np.abs(motion).max())

        lines = (work / "mm" / "A.mtx").read_text().splitlines()
        size = [int(word) for word in lines[1].split()]
        entries = np.array([line.split() for line in lines[2:]], float)
        lower = A.col <= A.row
        fact("Matrix Market has the same lower triangle",
             size == [A.rows, A.rows, lower.sum()] and len(entries) == lower.sum()
             and np.array_equal(entries[:, 0] - 1, A.row[lower])
             and np.array_equal(entries[:, 2], A.val[lower]))
        rhs = np.array((work / "mm" / "rhs.mtx").read_text().split("\n")[2:-1], float)
        fact("and the same right-hand sides", np.allclose(rhs, np.concatenate(b), rtol=1e-15))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
