// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/bcrs.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs_body.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/lanes/rows.hpp"

namespace kaname::lanes {
namespace {

template <int R, int C>
void bcrs_rows_cpu(std::int64_t rows, const body::BcrsRow<R, C>& A, float* y, bool add) {
    for_each_row_cpu(rows, A, y, add);
}

template <int R, int C>
void apply_rows(const Bcrs& A, const float* x, float* y, bool add, device::Queue& queue) {
    const body::BcrsRow<R, C> row{A.row_ptr.data(), A.col.data(), A.val.data(), x};
    KANAME_DISPATCH(queue, bcrs_rows, A.n_rows(), row, y, add)
}

std::int64_t items(device::View<const float> x, int block) {
    return static_cast<std::int64_t>(x.size()) / (block * kLanes);
}

}  // namespace

void bcrs_apply(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                device::Queue& queue) {
    const bool known =
        (A.block_rows == 3 || A.block_rows == 6) && (A.block_cols == 3 || A.block_cols == 6);
    const std::size_t nx = static_cast<std::size_t>(A.n_cols) * A.block_cols * kLanes;
    const std::size_t ny = static_cast<std::size_t>(A.n_rows()) * A.block_rows * kLanes;
    if (!known || x.size() != nx || y.size() != ny) {
        throw Error(ErrorCode::InvalidArgument,
                    "bcrs_apply: blocks " + std::to_string(A.block_rows) + "x" +
                        std::to_string(A.block_cols) + ", x of " + std::to_string(x.size()) +
                        " for " + std::to_string(nx) + ", y of " + std::to_string(y.size()) +
                        " for " + std::to_string(ny));
    }
    // A block brings its numbers and its column; x is read, y written.
    const double numbers = A.block_rows * A.block_cols;
    const auto blocks = static_cast<double>(A.col.size());
    const auto vectors = static_cast<double>(nx + (add ? 2 : 1) * ny);
    device::note(queue, device::Work::of<float>(
                            (4.0 * numbers + 4.0) * blocks + 8.0 * A.row_ptr.size() + 4.0 * vectors,
                            2.0 * numbers * kLanes * blocks));
    const auto apply = A.block_rows == 3
                           ? (A.block_cols == 3 ? apply_rows<3, 3> : apply_rows<3, 6>)
                           : (A.block_cols == 3 ? apply_rows<6, 3> : apply_rows<6, 6>);
    apply(A, x.data(), y.data(), add, queue);
}

void block_diagonal_apply(int block, float c, device::View<const float> D,
                          device::View<const float> x, device::View<float> y,
                          device::Queue& queue) {
    const auto n = static_cast<double>(x.size());
    device::note(queue, device::Work::of<float>(4.0 * D.size() + 4.0 * 2.0 * n, 2.0 * block * n));
    const auto apply = [&]<int R>(std::integral_constant<int, R>) {
        for_each(queue, items(x, R), body::BlockDiagonal<R>{c, D.data(), x.data(), y.data()});
    };
    block == 3 ? apply(std::integral_constant<int, 3>()) : apply(std::integral_constant<int, 6>());
}

void chebyshev_step(int block, float w, float c, Previous previous, device::View<const float> D,
                    device::View<const float> b, device::View<const float> Ax,
                    device::View<const float> x, device::View<float> next, device::Queue& queue) {
    // b, Ax and x read, the next written, the one before x read where there is one, and D once.
    const auto n = static_cast<double>(x.size());
    const double vectors = previous == Previous::Given ? 5.0 : 4.0;
    const double recurrence = previous == Previous::Given  ? 3.0
                              : previous == Previous::Zero ? 2.0
                                                           : 0.0;
    device::note(queue, device::Work::of<float>(4.0 * D.size() + 4.0 * vectors * n,
                                                (2.0 * block + 2.0 + recurrence) * n));
    const auto step = [&]<int R, Previous Before>() {
        for_each(queue, items(x, R),
                 body::ChebyshevStep<R, Before>{w, c, D.data(), b.data(), Ax.data(), x.data(),
                                                next.data()});
    };
    const auto step_of = [&]<int R>(std::integral_constant<int, R>) {
        switch (previous) {
            case Previous::None:
                return step.template operator()<R, Previous::None>();
            case Previous::Zero:
                return step.template operator()<R, Previous::Zero>();
            case Previous::Given:
                return step.template operator()<R, Previous::Given>();
        }
    };
    block == 3 ? step_of(std::integral_constant<int, 3>())
               : step_of(std::integral_constant<int, 6>());
}

}  // namespace kaname::lanes
