// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/aderdg_work.hpp"

#include "solvers/aderdg/bernstein.hpp"

namespace kaname::bench {
namespace {

using aderdg::face_modes;
using aderdg::tet_modes;

/// Entries of elevation's matrix from degree n - 1 to n, in space and on a face.
double space_entries(int n) {
    return 4.0 * tet_modes(n - 1);
}
double face_entries(int n) {
    return 3.0 * face_modes(n - 1);
}

}  // namespace

double flops_of_update(int order) {
    const int N = order - 1;
    double derivatives = 0.0, sums = 0.0, lifted = 0.0;
    for (int n = N; n >= 1; --n) {
        // 9 velocity gradients and 3 divergences of 4 and 12 products; Hooke's law
        derivatives += tet_modes(n - 1) * (2.0 * (9 * 4 + 3 * 12) + 22);
        sums += 2.0 * (9 * 2 * space_entries(n) + 9 * tet_modes(n));  // mean, and the end
        lifted += 3 * 2 * face_entries(n);
    }
    const double trace = 4.0 * face_modes(N) * 3 * 5;
    const double jump = 4.0 * face_modes(N) * (6 + 2 * 5 + 3 + 3 * 5);
    // The base of the lift has two entries for each edge of the modes' triangle, and a diagonal.
    const double base = 3 * 2 * (face_modes(N) + 2.0 * 3.0 * face_modes(N - 1));
    const double spread = 4.0 * tet_modes(N) * (6 + 6 + 12 + 12);
    const double add = tet_modes(N) * (3.0 + 3 * 7);
    return derivatives + sums + trace + jump + 4 * (base + lifted) + spread + add;
}

}  // namespace kaname::bench
