// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/device/hd.hpp"

namespace kaname::aderdg {

/// Integrals over a tet of volume 1, of which an element's energies are made: of s_xx^2 + s_yy^2 +
/// s_zz^2, of s_xy^2 + s_yz^2 + s_xz^2, of (tr s)^2 and of v . v.
struct Squares {
    enum Field : int { kNormal, kShear, kTrace, kVelocity, kFields };
};

namespace kernels {

/// Adds the part of mode i, q_i . (M q)_i, of `wide` elements that lie side by side: q [modes][9],
/// each `stride` numbers after the one before; mass_row [modes] is row i of the tet's mass matrix.
template <int wide, class T>
KANAME_HD inline void add_squares(const T* q, int stride, const double* mass_row, int modes, int i,
                                  double (&sums)[Squares::kFields][wide]) {
    double mq[kQuantities][wide];
    for (int b = 0; b < kQuantities; ++b) {
        double sum[wide] = {};
        for (int j = 0; j < modes; ++j) {
            for (int k = 0; k < wide; ++k) {
                sum[k] += mass_row[j] * static_cast<double>(q[(kQuantities * j + b) * stride + k]);
            }
        }
        for (int k = 0; k < wide; ++k) {
            mq[b][k] = sum[k];
        }
    }
    const T* own = q + kQuantities * i * stride;
    const auto product = [&](int a, int k) { return double(own[a * stride + k]) * mq[a][k]; };
    for (int k = 0; k < wide; ++k) {
        sums[Squares::kNormal][k] += product(0, k) + product(1, k) + product(2, k);
        sums[Squares::kShear][k] += product(3, k) + product(4, k) + product(5, k);
        sums[Squares::kTrace][k] +=
            (double(own[k]) + double(own[stride + k]) + double(own[2 * stride + k])) *
            (mq[0][k] + mq[1][k] + mq[2][k]);
        sums[Squares::kVelocity][k] += product(6, k) + product(7, k) + product(8, k);
    }
}

}  // namespace kernels
}  // namespace kaname::aderdg
