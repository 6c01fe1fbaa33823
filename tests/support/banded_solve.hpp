// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace kaname::test {

/// A symmetric complex matrix [n][n] whose upper triangle is 0 beyond `band` columns to the right
/// of the diagonal; the real and imaginary parts apart, so that loops over a row are those of plain
/// numbers.
struct BandedMatrix {
    std::size_t n = 0;
    std::size_t band = 0;
    std::span<double> re, im;
};

/// Replaces u [n][n_sides] by K^-1 u, by L D L^T without pivoting, and the upper triangle of K by
/// its factors.
void solve_banded(const BandedMatrix& K, int n_sides, std::span<std::complex<double>> u);

}  // namespace kaname::test
