#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validated lasso by scikit-learn: compare_sklearn.py FOLDER FOLDS BEST.

FOLDER has rows.f64, values.f64, alphas.f64 and x.f64, the solution with alphas[BEST], as
inversion_suite.cpp writes them. Prints the seconds of LassoCV with two jobs and the largest
difference of its solver's amounts from x, relative to the largest amount.
"""
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import Lasso, LassoCV

folder, folds, best = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
values = np.fromfile(folder / "values.f64")
rows = np.asfortranarray(np.fromfile(folder / "rows.f64").reshape(len(values), -1))
alphas = np.fromfile(folder / "alphas.f64") / len(values)  # theirs is of the mean
x = np.fromfile(folder / "x.f64")
part = len(values) // folds
splits = []
for fold in range(folds):
    own = np.arange(fold * part, (fold + 1) * part)
    splits.append((np.setdiff1d(np.arange(len(values)), own), own))

begin = time.perf_counter()
LassoCV(alphas=alphas, cv=splits, fit_intercept=False, positive=True, n_jobs=2).fit(rows, values)
seconds = time.perf_counter() - begin
exact = Lasso(alpha=alphas[best], fit_intercept=False, positive=True, tol=1e-12,
              max_iter=100000).fit(rows, values)
print(seconds, np.abs(exact.coef_ - x).max() / np.abs(x).max())
