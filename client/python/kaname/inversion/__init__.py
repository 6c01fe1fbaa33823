# SPDX-License-Identifier: BSD-3-Clause
"""Slip from observed motion, with Green's functions of a dataset.

`invert` writes the request that `kaname invert` reads and runs it, or solves a small problem here
(`solve`); both give an `Inversion`, and both solve

    min 1/2 m'(G'C^-1 G + lambda L'L) m - (G'C^-1 d)'m + alpha w'|m|   within bounds on m

where lambda counts in units of trace(G'C^-1 G) / trace(L'L) and alpha in units of
max_i |G'C^-1 d|_i / w_i, the smallest weight that leaves no slip.
"""
from ._invert import invert, solve
from .folds import folds_of_stations
from .minimise import minimise
from .result import Choice, DataSet, History, Inversion, Posterior
from .smoothing import laplacian

__all__ = ["Choice", "DataSet", "History", "Inversion", "Posterior", "folds_of_stations",
           "invert", "laplacian", "minimise", "solve"]
