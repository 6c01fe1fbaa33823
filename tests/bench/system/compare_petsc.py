#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves a system that kaname-bench-system exported with PETSc: CG with smoothed aggregation.

Usage: mpirun -n 2 python3 compare_petsc.py FOLDER [-rtol 1e-8] [PETSc options]
FOLDER: written by `kaname-bench-system SIZE FOLDER petsc`. Needs petsc4py (Debian:
python3-petsc4py-real). Prints set-up seconds, then for each right-hand side iterations and seconds
from zero and from the predicted start, and the error against the stored solution.
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402


def load_vector(folder, name, like):
    vector = like.duplicate()
    vector.load(PETSc.Viewer().createBinary(f"{folder}/{name}.petsc", "r"))
    return vector


def main():
    folder = sys.argv[1]
    rtol = PETSc.Options().getReal("rtol", 1e-8)
    matrix = PETSc.Mat().create()
    matrix.setType(PETSc.Mat.Type.AIJ)
    matrix.load(PETSc.Viewer().createBinary(f"{folder}/A.petsc", "r"))
    matrix.setBlockSize(3)
    like = matrix.createVecLeft()
    modes = [load_vector(folder, f"rigid_{k}", like) for k in range(6)]
    for k, mode in enumerate(modes):
        for other in modes[:k]:
            mode.axpy(-mode.dot(other), other)
        mode.normalize()
    matrix.setNearNullSpace(PETSc.NullSpace().create(vectors=modes))

    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setType(PETSc.KSP.Type.CG)
    solver.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    solver.getPC().setType(PETSc.PC.Type.GAMG)
    solver.setFromOptions()
    start = PETSc.Log.getTime()
    solver.setUp()
    PETSc.Sys.Print(f"{matrix.getSize()[0]} unknowns, set-up {PETSc.Log.getTime() - start:.2f} s")

    for k in range(4):
        rhs = load_vector(folder, f"rhs_{k}", like)
        exact = load_vector(folder, f"solution_{k}", like)
        for name in ("zero", "start"):
            x = like.duplicate()
            solver.setInitialGuessNonzero(name == "start")
            if name == "start":
                load_vector(folder, f"start_{k}", like).copy(x)
            # The residual that counts is relative to the right-hand side, not to where it starts.
            solver.setTolerances(rtol=0.0, atol=rtol * rhs.norm(), max_it=1000)
            start = PETSc.Log.getTime()
            solver.solve(rhs, x)
            seconds = PETSc.Log.getTime() - start
            if solver.getConvergedReason() <= 0:
                sys.exit(f"not converged: PETSc's reason {solver.getConvergedReason()}")
            x.axpy(-1.0, exact)
            PETSc.Sys.Print(f"rhs {k} from {name}: {solver.getIterationNumber()} iterations, "
                            f"{seconds:.3f} s, error {x.norm() / exact.norm():.1e}")


main()
