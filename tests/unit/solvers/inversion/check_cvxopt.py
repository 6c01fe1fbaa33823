#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solves the problems of a file with cvxopt and compares: objective and amounts to 1e-6.

A problem is eight lines: kind, n, b; Q; g; l1; lower; upper; a; x, as penalised_problem_test.cpp
writes them. |x_i| becomes t_i with -t_i <= x_i <= t_i.
"""
import sys

try:
    import numpy as np
    from cvxopt import matrix, solvers
except ImportError:
    sys.exit(77)

solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13, maxiters=200)


def reference(q, g, l1, lower, upper, a, b, relation):
    """Amounts of min 1/2 x'Qx - g'x + l1't in (x, t)."""
    n = len(g)
    eye, zero = np.eye(n), np.zeros((n, n))
    rows = [np.hstack([eye, -eye]), np.hstack([-eye, -eye])]
    limits = [np.zeros(n), np.zeros(n)]
    for bound, sign in ((upper, 1.0), (lower, -1.0)):
        kept = np.isfinite(bound)
        rows.append(sign * np.hstack([eye, zero])[kept])
        limits.append(sign * bound[kept])
    equal = None
    wide = np.concatenate([a, np.zeros(n)])[None, :]
    if relation == 1:
        equal = (matrix(wide), matrix([b]))
    elif relation > 1:
        sign = 1.0 if relation == 2 else -1.0
        rows.append(sign * wide)
        limits.append(np.array([sign * b]))
    p = np.block([[q, zero], [zero, 1e-12 * eye]])
    linear = np.concatenate([-g, l1 + 1e-9])
    found = solvers.qp(matrix(p), matrix(linear), matrix(np.vstack(rows)),
                       matrix(np.concatenate(limits)), *(equal or (None, None)))
    return np.array(found["x"]).ravel()[:n]


def main():
    lines = [np.array(line.split(), dtype=float) for line in open(sys.argv[1], encoding="ascii")]
    worst = 0.0
    for first in range(0, len(lines), 8):
        (kind, n, b), q, g, l1, lower, upper, a, x = lines[first:first + 8]
        q = q.reshape(int(n), int(n))
        relation = int(kind) >> 3 & 3
        other = reference(q, g, l1, lower, upper, a, b, relation)
        difference = np.abs(x - other).max() / max(1.0, np.abs(other).max())
        worst = max(worst, difference)
        if difference > 1e-6:
            def value(v):
                return 0.5 * v @ q @ v - g @ v + l1 @ np.abs(v)
            print(f"kind {int(kind)}: {x} against {other}, objective {value(x)} against {value(other)}")
            return 1
    print(f"{len(lines) // 8} problems, largest difference {worst:.1e}")
    return 0


sys.exit(main())
