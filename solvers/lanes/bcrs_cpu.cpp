// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs_cpu.hpp"

#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {
namespace {

template <int R, int C>
void apply_rows(const Bcrs& A, const float* x, float* y, bool add) {
    const std::int32_t n = A.n_rows();
    const std::int64_t* row_ptr = A.row_ptr.data();
    const std::int32_t* col = A.col.data();
#pragma omp parallel for schedule(static)
    for (std::int32_t row = 0; row < n; ++row) {
        Lanes<float> sum[R] = {};
        float* out = y + static_cast<std::size_t>(row) * R * kLanes;
        if (add) {
            for (int i = 0; i < R; ++i) {
                sum[i] = load_lanes(out + i * kLanes);
            }
        }
        for (std::int64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            const float* block = A.val.data() + k * R * C;
            const float* in = x + static_cast<std::size_t>(col[k]) * C * kLanes;
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

/// y = D x for one item.
template <int R>
inline void block_times(const float* D, const Lanes<float> (&x)[R], Lanes<float> (&y)[R]) {
    for (int i = 0; i < R; ++i) {
        y[i] = Lanes<float>{};
    }
    for (int j = 0; j < R; ++j) {
        for (int i = 0; i < R; ++i) {
            y[i] += D[i * R + j] * x[j];
        }
    }
}

template <int R>
void diagonal_rows(float c, const float* D, const float* x, float* y, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t item = 0; item < n; ++item) {
        Lanes<float> in[R];
        for (int i = 0; i < R; ++i) {
            in[i] = load_lanes(x + (item * R + i) * kLanes);
        }
        Lanes<float> z[R];
        block_times<R>(D + item * R * R, in, z);
        for (int i = 0; i < R; ++i) {
            store_lanes(y + (item * R + i) * kLanes, c * z[i]);
        }
    }
}

template <int R, Previous P>
void chebyshev_rows(float w, float c, const float* D, const float* b, const float* Ax,
                    const float* x, float* next, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t item = 0; item < n; ++item) {
        const std::int64_t at = item * R * kLanes;
        Lanes<float> r[R];
        for (int i = 0; i < R; ++i) {
            r[i] = load_lanes(b + at + i * kLanes) - load_lanes(Ax + at + i * kLanes);
        }
        Lanes<float> z[R];
        block_times<R>(D + item * R * R, r, z);
        for (int i = 0; i < R; ++i) {
            const std::int64_t k = at + i * kLanes;
            const Lanes<float> here = load_lanes(x + k);
            Lanes<float> value = here + c * z[i];
            if constexpr (P == Previous::Zero) {
                value += w * here;
            } else if constexpr (P == Previous::Given) {
                value += w * (here - load_lanes(next + k));
            }
            store_lanes(next + k, value);
        }
    }
}

template <int R>
void chebyshev_rows(float w, float c, Previous previous, const float* D, const float* b,
                    const float* Ax, const float* x, float* next, std::int64_t n) {
    switch (previous) {
        case Previous::None:
            chebyshev_rows<R, Previous::None>(w, c, D, b, Ax, x, next, n);
            break;
        case Previous::Zero:
            chebyshev_rows<R, Previous::Zero>(w, c, D, b, Ax, x, next, n);
            break;
        case Previous::Given:
            chebyshev_rows<R, Previous::Given>(w, c, D, b, Ax, x, next, n);
            break;
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

void block_diagonal_apply_cpu(int block, float c, device::View<const float> D,
                              device::View<const float> x, device::View<float> y) {
    const auto n = static_cast<std::int64_t>(x.size()) / (block * kLanes);
    block == 3 ? diagonal_rows<3>(c, D.data(), x.data(), y.data(), n)
               : diagonal_rows<6>(c, D.data(), x.data(), y.data(), n);
}

void chebyshev_step_cpu(int block, float w, float c, Previous previous, device::View<const float> D,
                        device::View<const float> b, device::View<const float> Ax,
                        device::View<const float> x, device::View<float> next) {
    const auto n = static_cast<std::int64_t>(x.size()) / (block * kLanes);
    block == 3
        ? chebyshev_rows<3>(w, c, previous, D.data(), b.data(), Ax.data(), x.data(), next.data(), n)
        : chebyshev_rows<6>(w, c, previous, D.data(), b.data(), Ax.data(), x.data(), next.data(),
                            n);
}

}  // namespace kaname::lanes
