// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/kernels/bcrs_cpu.hpp"

#include "solvers/kernels/lanes.hpp"

namespace kaname::kernels {
namespace {

template <int R, int C>
void apply_rows(const Bcrs& A, const float* x, float* y, bool add) {
    const std::int32_t n = A.n_rows();
#pragma omp parallel for schedule(static)
    for (std::int32_t row = 0; row < n; ++row) {
        Lanes<float> sum[R] = {};
        float* out = y + static_cast<std::size_t>(row) * R * kLanes;
        if (add) {
            for (int i = 0; i < R; ++i) {
                sum[i] = load_lanes(out + i * kLanes);
            }
        }
        for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
            const float* block = A.val.data() + k * R * C;
            const float* in = x + static_cast<std::size_t>(A.col[k]) * C * kLanes;
            for (int j = 0; j < C; ++j) {
                const Lanes<float> xj = load_lanes(in + j * kLanes);
                for (int i = 0; i < R; ++i) {
                    sum[i] += block[i * C + j] * xj;
                }
            }
        }
        for (int i = 0; i < R; ++i) {
            store_lanes(out + i * kLanes, sum[i]);
        }
    }
}

template <int R>
inline void block_times(const float* D, const float* x, Lanes<float> (&y)[R]) {
    for (int i = 0; i < R; ++i) {
        y[i] = Lanes<float>{};
    }
    for (int j = 0; j < R; ++j) {
        const Lanes<float> xj = load_lanes(x + j * kLanes);
        for (int i = 0; i < R; ++i) {
            y[i] += D[i * R + j] * xj;
        }
    }
}

template <int R>
void diagonal_rows(const float* D, const float* x, float* y, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t item = 0; item < n; ++item) {
        Lanes<float> z[R];
        block_times<R>(D + item * R * R, x + item * R * kLanes, z);
        for (int i = 0; i < R; ++i) {
            store_lanes(y + (item * R + i) * kLanes, z[i]);
        }
    }
}

template <int R>
void chebyshev_rows(float c1, float c2, const float* D, const float* Ad, float* r, float* d,
                    float* x, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t item = 0; item < n; ++item) {
        const std::int64_t at = item * R * kLanes;
        for (int i = 0; i < R; ++i) {
            const std::int64_t k = at + i * kLanes;
            store_lanes(r + k, load_lanes(r + k) - load_lanes(Ad + k));
        }
        Lanes<float> z[R];
        block_times<R>(D + item * R * R, r + at, z);
        for (int i = 0; i < R; ++i) {
            const std::int64_t k = at + i * kLanes;
            const Lanes<float> step = c1 * load_lanes(d + k) + c2 * z[i];
            store_lanes(d + k, step);
            store_lanes(x + k, load_lanes(x + k) + step);
        }
    }
}

}  // namespace

void bcrs_apply_cpu(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add) {
    if (A.block_rows == 3) {
        A.block_cols == 3 ? apply_rows<3, 3>(A, x.data(), y.data(), add)
                          : apply_rows<3, 6>(A, x.data(), y.data(), add);
    } else {
        A.block_cols == 3 ? apply_rows<6, 3>(A, x.data(), y.data(), add)
                          : apply_rows<6, 6>(A, x.data(), y.data(), add);
    }
}

void block_diagonal_apply_cpu(int block, device::View<const float> D, device::View<const float> x,
                              device::View<float> y) {
    const auto n = static_cast<std::int64_t>(x.size()) / (block * kLanes);
    block == 3 ? diagonal_rows<3>(D.data(), x.data(), y.data(), n)
               : diagonal_rows<6>(D.data(), x.data(), y.data(), n);
}

void chebyshev_update_cpu(int block, float c1, float c2, device::View<const float> D,
                          device::View<const float> Ad, device::View<float> r,
                          device::View<float> d, device::View<float> x) {
    const auto n = static_cast<std::int64_t>(x.size()) / (block * kLanes);
    block == 3 ? chebyshev_rows<3>(c1, c2, D.data(), Ad.data(), r.data(), d.data(), x.data(), n)
               : chebyshev_rows<6>(c1, c2, D.data(), Ad.data(), r.data(), d.data(), x.data(), n);
}

}  // namespace kaname::kernels
