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
void bcrs_rows_cpu(std::int64_t rows, const body::BcrsRow<R, C>& A,
                   const body::RowResult<R>& result) {
    for_each_row_cpu(rows, A, result.y, result.add);
}

template <int R, int C, class End>
void bcrs_rows_cpu(std::int64_t rows, const body::BcrsRow<R, C>& A, const End& end) {
    const AllLanes<kLanes> share;
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        Lanes<float> sum[R] = {};
        A(row, 0, 1, share, sum);
        if constexpr (requires { end.prepare(row, share, sum); }) {
            end.prepare(row, share, sum);
        }
        for (int i = 0; i < R; ++i) {
            end(row, i, share, sum, sum[i]);
        }
    }
}

template <int R, int C, class End>
void for_rows(const Bcrs& A, const float* x, const End& end, device::Queue& queue) {
    const body::BcrsRow<R, C> row{A.row_ptr.data(), A.col.data(), A.val.data(), x};
    KANAME_DISPATCH(queue, bcrs_rows, A.n_rows(), row, end)
}

template <int R, int C>
void apply_rows(const Bcrs& A, const float* x, float* y, bool add, device::Queue& queue) {
    for_rows<R, C>(A, x, body::RowResult<R>{y, add}, queue);
}

/// Throws for blocks and sizes of x and y that do not fit.
void check(const Bcrs& A, const char* name, std::size_t nx, std::size_t ny) {
    const bool known =
        (A.block_rows == 3 || A.block_rows == 6) && (A.block_cols == 3 || A.block_cols == 6);
    const std::size_t x_size = static_cast<std::size_t>(A.n_cols) * A.block_cols * kLanes;
    const std::size_t y_size = static_cast<std::size_t>(A.n_rows()) * A.block_rows * kLanes;
    if (!known || nx != x_size || ny != y_size) {
        throw Error(ErrorCode::InvalidArgument,
                    name + std::string(": blocks ") + std::to_string(A.block_rows) + "x" +
                        std::to_string(A.block_cols) + ", x of " + std::to_string(nx) + " for " +
                        std::to_string(x_size) + ", y of " + std::to_string(ny) + " for " +
                        std::to_string(y_size));
    }
}

/// A pass over A: each block brings its numbers and its column, x is read once; `others` bytes and
/// `operations` are what happens besides.
void note_pass(const Bcrs& A, std::size_t nx, double others, double operations,
               device::Queue& queue) {
    const double numbers = A.block_rows * A.block_cols;
    const auto blocks = static_cast<double>(A.col.size());
    device::note(queue, device::Work::of<float>((4.0 * numbers + 4.0) * blocks +
                                                    8.0 * A.row_ptr.size() + 4.0 * nx + others,
                                                2.0 * numbers * kLanes * blocks + operations));
}

/// Operations for each number of a Chebyshev step besides A x.
double step_operations(int block, Previous previous) {
    return 2.0 * block + 2.0 +
           (previous == Previous::Given  ? 3.0
            : previous == Previous::Zero ? 2.0
                                         : 0.0);
}

/// step.operator()<R, Previous>() for what is known at run time.
template <class Step>
void step_of(int block, Previous previous, const Step& step) {
    const auto of_size = [&]<int R>(std::integral_constant<int, R>) {
        switch (previous) {
            case Previous::None:
                return step.template operator()<R, Previous::None>();
            case Previous::Zero:
                return step.template operator()<R, Previous::Zero>();
            case Previous::Given:
                return step.template operator()<R, Previous::Given>();
        }
    };
    block == 3 ? of_size(std::integral_constant<int, 3>())
               : of_size(std::integral_constant<int, 6>());
}

std::int64_t items(device::View<const float> x, int block) {
    return static_cast<std::int64_t>(x.size()) / (block * kLanes);
}

}  // namespace

void bcrs_apply(const Bcrs& A, device::View<const float> x, device::View<float> y, bool add,
                device::Queue& queue) {
    check(A, "bcrs_apply", x.size(), y.size());
    note_pass(A, x.size(), 4.0 * (add ? 2 : 1) * static_cast<double>(y.size()), 0.0, queue);
    const auto apply = A.block_rows == 3
                           ? (A.block_cols == 3 ? apply_rows<3, 3> : apply_rows<3, 6>)
                           : (A.block_cols == 3 ? apply_rows<6, 3> : apply_rows<6, 6>);
    apply(A, x.data(), y.data(), add, queue);
}

void bcrs_residual(const Bcrs& A, device::View<const float> b, device::View<const float> x,
                   device::View<float> r, device::Queue& queue) {
    check(A, "bcrs_residual", x.size(), b.size());
    const auto n = static_cast<double>(b.size());
    note_pass(A, x.size(), 4.0 * 2.0 * n, n, queue);
    const auto apply = [&]<int R>(std::integral_constant<int, R>) {
        for_rows<R, R>(A, x.data(), body::RowResidual<R>{b.data(), r.data()}, queue);
    };
    A.block_rows == 3 ? apply(std::integral_constant<int, 3>())
                      : apply(std::integral_constant<int, 6>());
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
    device::note(queue, device::Work::of<float>(4.0 * D.size() + 4.0 * vectors * n,
                                                step_operations(block, previous) * n));
    step_of(block, previous, [&]<int R, Previous Before>() {
        for_each(queue, items(x, R),
                 body::ChebyshevStep<R, Before>{w, c, D.data(), b.data(), Ax.data(), x.data(),
                                                next.data()});
    });
}

void bcrs_chebyshev_step(const Bcrs& A, float w, float c, Previous previous,
                         device::View<const float> D, device::View<const float> b,
                         device::View<const float> x, device::View<float> next,
                         device::Queue& queue) {
    check(A, "bcrs_chebyshev_step", x.size(), next.size());
    // b read, the next written, the one before x read where there is one, and D once.
    const auto n = static_cast<double>(x.size());
    const double vectors = previous == Previous::Given ? 3.0 : 2.0;
    note_pass(A, x.size(), 4.0 * D.size() + 4.0 * vectors * n,
              step_operations(A.block_rows, previous) * n, queue);
    step_of(A.block_rows, previous, [&]<int R, Previous Before>() {
        for_rows<R, R>(A, x.data(),
                       body::RowStep<R, Before>{w, c, D.data(), b.data(), x.data(), next.data()},
                       queue);
    });
}

namespace {

int whole_lanes(const char* kernel, int width) {
    if (width % kLanes != 0) {
        throw Error(
            ErrorCode::InvalidArgument,
            std::string(kernel) + ": width must be whole lanes, got " + std::to_string(width));
    }
    return width / kLanes;
}

/// Items read in one place and written in another.
template <class T>
void note_items(const device::Queue& queue, std::size_t items, int width) {
    device::note(queue, {static_cast<double>(items) *
                         static_cast<double>(sizeof(std::int32_t) + 2 * sizeof(T) * width)});
}

}  // namespace

template <class T>
void gather_items(device::View<const std::int32_t> items, int width, device::View<const T> x,
                  device::View<T> packed, device::Queue& queue) {
    note_items<T>(queue, items.size(), width);
    for_each(queue, static_cast<std::int64_t>(items.size()),
             body::GatherItems<T>{items.data(), whole_lanes("gather_items", width), x.data(),
                                  packed.data()});
}

template <class T>
void scatter_items(device::View<const std::int32_t> items, int width, device::View<const T> packed,
                   device::View<T> x, device::Queue& queue) {
    note_items<T>(queue, items.size(), width);
    for_each(queue, static_cast<std::int64_t>(items.size()),
             body::ScatterItems<T>{items.data(), whole_lanes("scatter_items", width), packed.data(),
                                   x.data()});
}

template <class T>
void scatter_sums(const ScatterSumsArgs<T>& args, device::Queue& queue) {
    note_items<T>(queue, args.listed.size(), args.width);
    for_each(queue, static_cast<std::int64_t>(args.items.size()),
             body::ScatterSums<T>{args.items.data(), args.ptr.data(), args.listed.data(),
                                  whole_lanes("scatter_sums", args.width), args.packed.data(),
                                  args.x.data()});
}

template <class T>
void sum_items(device::View<const std::int32_t> ptr, device::View<const std::int32_t> items,
               device::View<const T> x, device::View<T> packed, device::Queue& queue) {
    const auto numbers = static_cast<double>((items.size() + ptr.size() - 1) * 3 * kLanes);
    const auto listed = static_cast<double>(items.size() + ptr.size());
    device::note(queue, device::Work::of<T>(sizeof(T) * numbers + sizeof(std::int32_t) * listed,
                                            static_cast<double>(items.size()) * 3 * kLanes));
    for_each(queue, static_cast<std::int64_t>(ptr.size()) - 1,
             body::SumItems<T>{ptr.data(), items.data(), x.data(), packed.data()});
}

template void sum_items(device::View<const std::int32_t>, device::View<const std::int32_t>,
                        device::View<const float>, device::View<float>, device::Queue&);
#define KANAME_INSTANTIATE_GATHER(T)                                                          \
    template void gather_items(device::View<const std::int32_t>, int, device::View<const T>,  \
                               device::View<T>, device::Queue&);                              \
    template void scatter_items(device::View<const std::int32_t>, int, device::View<const T>, \
                                device::View<T>, device::Queue&);                             \
    template void scatter_sums(const ScatterSumsArgs<T>&, device::Queue&);
KANAME_INSTANTIATE_GATHER(float)
KANAME_INSTANTIATE_GATHER(double)
#undef KANAME_INSTANTIATE_GATHER

}  // namespace kaname::lanes
