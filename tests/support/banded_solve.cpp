// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/banded_solve.hpp"

#include <algorithm>

namespace kaname::test {

using Complex = std::complex<double>;

void solve_banded(const BandedMatrix& K, int n_sides, std::span<Complex> u) {
    const std::size_t n = K.n;
    double* const re = K.re.data();
    double* const im = K.im.data();
    for (std::size_t k = 0; k < n; ++k) {
        const double* row_re = re + k * n;
        const double* row_im = im + k * n;
        const Complex pivot(row_re[k], row_im[k]);
        const std::size_t end = std::min(n, k + K.band + 1);
        for (std::size_t i = k + 1; i < end; ++i) {
            const Complex factor = Complex(row_re[i], row_im[i]) / pivot;
            const double a = factor.real();
            const double b = factor.imag();
            double* to_re = re + i * n;
            double* to_im = im + i * n;
            for (std::size_t j = i; j < end; ++j) {
                to_re[j] -= a * row_re[j] - b * row_im[j];
                to_im[j] -= a * row_im[j] + b * row_re[j];
            }
            for (int side = 0; side < n_sides; ++side) {
                u[i * n_sides + side] -= factor * u[k * n_sides + side];
            }
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        const std::size_t end = std::min(n, k + K.band + 1);
        for (int side = 0; side < n_sides; ++side) {
            Complex& value = u[k * n_sides + side];
            for (std::size_t j = k + 1; j < end; ++j) {
                value -= Complex(re[k * n + j], im[k * n + j]) * u[j * n_sides + side];
            }
            value /= Complex(re[k * n + k], im[k * n + k]);
        }
    }
}

}  // namespace kaname::test
