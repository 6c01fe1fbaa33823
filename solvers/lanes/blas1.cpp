// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/blas1.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/blas1_body.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/lanes/reduce.hpp"
#include "solvers/lanes/rows.hpp"

namespace kaname::lanes {
namespace {

void require_equal(const char* kernel, std::size_t x, std::size_t y) {
    if (x != y) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(kernel) + ": x and y must have one size, got " + std::to_string(x) +
                        " and " + std::to_string(y));
    }
}

/// A pass over so many vectors with so much arithmetic per number.
template <class T>
void note_vectors(const device::Queue& queue, std::size_t size, int vectors, double flop) {
    const auto n = static_cast<double>(size);
    device::note(queue, device::Work::of<T>(vectors * sizeof(T) * n, flop * n));
}

template <class X, class T>
LaneScalars dot_of(device::View<const X> x, device::View<const T> y, int width,
                   device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("dot", x.size(), y.size());
    const bool one = static_cast<const void*>(x.data()) == static_cast<const void*>(y.data());
    const auto n = static_cast<double>(x.size());
    const double bytes = sizeof(T) + (one ? 0.0 : sizeof(X));
    device::note(queue, device::Work::of<double>(bytes * n, 2.0 * n));
    const body::Dot<T, kLanes, X> dot{x.data(), y.data(), width / kLanes};
    return reduce(queue, static_cast<std::int64_t>(x.size()) / width, dot, owned);
}

template <class X, class T>
void axpby_of(const LaneScalars& a, device::View<const X> x, const LaneScalars& b,
              device::View<T> y, device::Queue& queue) {
    require_equal("axpby", x.size(), y.size());
    const double bytes = sizeof(X) + (b == LaneScalars{} ? 1.0 : 2.0) * sizeof(T);
    const auto n = static_cast<double>(x.size());
    device::note(queue, device::Work::of<T>(bytes * n, 3.0 * n));
    using Scalars = body::Scalars<T, kLanes>;
    for_each(queue, numbers_in(x),
             body::Axpby<T, kLanes, X>{Scalars(a), Scalars(b), x.data(), y.data()});
}

void note_scale(const device::Queue& queue, std::size_t size) {
    const auto n = static_cast<double>(size);
    device::note(queue, device::Work::of<double>((sizeof(double) + sizeof(float)) * n, n));
}

}  // namespace

LaneScalars dot(device::View<const double> x, device::View<const double> y, int width,
                device::View<const std::uint8_t> owned, device::Queue& queue) {
    return dot_of(x, y, width, owned, queue);
}

LaneScalars dot(device::View<const float> x, device::View<const double> y, int width,
                device::View<const std::uint8_t> owned, device::Queue& queue) {
    return dot_of(x, y, width, owned, queue);
}

LaneScalars dot(device::View<const float> x, device::View<const float> y, int width,
                device::View<const std::uint8_t> owned, device::Queue& queue) {
    return dot_of(x, y, width, owned, queue);
}

LaneGram gram(device::View<const double> x, device::View<const double> y, int width,
              device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_equal("gram", x.size(), y.size());
    note_vectors<double>(queue, x.size(), 2, 2.0 * kLanes);
    const body::Gram<> gram{x.data(), y.data(), width / kLanes};
    const auto sums = reduce(queue, static_cast<std::int64_t>(x.size()) / width, gram, owned);
    LaneGram result;
    for (int k = 0; k < kLanes * kLanes; ++k) {
        result[k / kLanes][k % kLanes] = sums[k];
    }
    return result;
}

void add_mixed(const LaneGram& A, device::View<const double> x, device::View<double> y,
               device::Queue& queue) {
    require_equal("add_mixed", x.size(), y.size());
    note_vectors<double>(queue, x.size(), 3, 2.0 * kLanes);
    body::AddMixed<> add{{}, x.data(), y.data()};
    for (int k = 0; k < kLanes; ++k) {
        std::copy(A[k].begin(), A[k].end(), add.A[k]);
    }
    for_each(queue, numbers_in(x), add);
}

void axpby(const LaneScalars& a, device::View<const double> x, const LaneScalars& b,
           device::View<double> y, device::Queue& queue) {
    axpby_of(a, x, b, y, queue);
}

void axpby(const LaneScalars& a, device::View<const float> x, const LaneScalars& b,
           device::View<double> y, device::Queue& queue) {
    axpby_of(a, x, b, y, queue);
}

void axpby(const LaneScalars& a, device::View<const float> x, const LaneScalars& b,
           device::View<float> y, device::Queue& queue) {
    axpby_of(a, x, b, y, queue);
}

void scale_to_float(const LaneScalars& a, device::View<const double> x, device::View<float> y,
                    device::Queue& queue) {
    require_equal("scale_to_float", x.size(), y.size());
    note_scale(queue, x.size());
    for_each(queue, numbers_in(x),
             body::Scale<double, float>{body::Scalars<double, kLanes>(a), x.data(), y.data()});
}

void scale_to_double(const LaneScalars& a, device::View<const float> x, device::View<double> y,
                     device::Queue& queue) {
    require_equal("scale_to_double", x.size(), y.size());
    note_scale(queue, x.size());
    for_each(queue, numbers_in(x),
             body::Scale<float, double>{body::Scalars<double, kLanes>(a), x.data(), y.data()});
}

void subtract_from(device::View<const float> x, device::View<float> y, device::Queue& queue) {
    require_equal("subtract_from", x.size(), y.size());
    note_vectors<float>(queue, x.size(), 3, 1.0);
    for_each(queue, numbers_in(x), body::SubtractFrom<>{x.data(), y.data()});
}

template <class T>
void fill(T value, device::View<T> y, device::Queue& queue) {
    require_equal("fill, in lanes", y.size(), numbers_in(y) * kLanes);
    note_vectors<T>(queue, y.size(), 1, 0.0);
    for_each(queue, numbers_in(y), body::Fill<T>{value, y.data()});
}

template <class T>
void zero_dofs(device::View<const std::int32_t> dofs, device::View<T> x, device::Queue& queue) {
    const auto n = static_cast<double>(dofs.size());
    device::note(queue, {(sizeof(std::int32_t) + sizeof(T) * kLanes) * n});
    for_each(queue, static_cast<std::int64_t>(dofs.size()),
             body::ZeroDofs<T>{dofs.data(), x.data()});
}

template <class T>
void scale_items(device::View<const T> w, device::View<T> y, device::Queue& queue) {
    require_equal("scale_items", w.size() * kLanes, y.size());
    const auto n = static_cast<double>(y.size());
    device::note(queue, device::Work::of<T>(sizeof(T) * (2.0 + 1.0 / kLanes) * n, n));
    for_each(queue, numbers_in(y), body::ScaleItems<T>{w.data(), y.data()});
}

template <class T>
void zero_lane(int lane, device::View<T> x, device::Queue& queue) {
    note_vectors<T>(queue, x.size(), 1, 0.0);
    for_each(queue, numbers_in(x), body::ZeroLane<T>{lane, x.data()});
}

#define KANAME_INSTANTIATE_BLAS1(T)                                                             \
    template void fill(T, device::View<T>, device::Queue&);                                     \
    template void zero_dofs(device::View<const std::int32_t>, device::View<T>, device::Queue&); \
    template void scale_items(device::View<const T>, device::View<T>, device::Queue&);          \
    template void zero_lane(int, device::View<T>, device::Queue&);
KANAME_INSTANTIATE_BLAS1(float)
KANAME_INSTANTIATE_BLAS1(double)
#undef KANAME_INSTANTIATE_BLAS1

namespace {

void require_all_equal(const char* kernel, std::size_t size,
                       std::initializer_list<std::size_t> all) {
    for (const std::size_t other : all) {
        if (other != size) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string(kernel) + ": all vectors must have one size, got " +
                            std::to_string(size) + " and " + std::to_string(other));
        }
    }
}

template <std::size_t N>
LaneScalars part(const std::array<double, N>& sums, int which) {
    LaneScalars result;
    std::copy_n(sums.begin() + std::ptrdiff_t(which) * kLanes, kLanes, result.begin());
    return result;
}

}  // namespace

ResidualSums residual(device::View<const double> b, device::View<double> r, int width,
                      device::View<const std::uint8_t> owned, device::Queue& queue) {
    require_all_equal("residual", r.size(), {b.size()});
    const auto n = static_cast<double>(r.size());
    device::note(queue, device::Work::of<double>(3.0 * sizeof(double) * n, 5.0 * n));
    const body::Residual<> body{b.data(), r.data(), width / kLanes};
    const auto sums = reduce(queue, static_cast<std::int64_t>(r.size()) / width, body, owned);
    return {part(sums, 0), part(sums, 1)};
}

LaneScalars update(const UpdatePass& pass, int width, device::View<const std::uint8_t> owned,
                   device::Queue& queue) {
    require_all_equal("update", pass.r.size(), {pass.p.size(), pass.Ap.size(), pass.x.size()});
    const auto n = static_cast<double>(pass.r.size());
    device::note(queue, device::Work::of<double>(6.0 * sizeof(double) * n, 6.0 * n));
    const body::Update<> body{body::Scalars<double, kLanes>(pass.a),
                              pass.p.data(),
                              pass.Ap.data(),
                              pass.x.data(),
                              pass.r.data(),
                              width / kLanes};
    return reduce(queue, static_cast<std::int64_t>(pass.r.size()) / width, body, owned);
}

namespace {

/// Computes the sum of body::AddHistory, a few columns at a time over a piece of y that stays in
/// the first-level cache. One loop would read more streams at once than a processor fetches ahead.
void history_sum_cpu(HistorySum sum, device::View<double> y) {
    constexpr std::int64_t kPiece = 128;
    constexpr int kTogether = 4;
    const AllLanes<kLanes> share;
    const std::int64_t n = numbers_in(y);
    if (sum.weights != nullptr) {
        std::copy_n(sum.weights, kLanes, sum.a);
        std::copy_n(sum.weights + kLanes, sum.before != nullptr ? kLanes : 0, sum.b);
        std::copy_n(sum.weights + 2 * kLanes, sum.n_x * kLanes, sum.c[0]);
    }
    HistorySum first = sum;
    first.n_x = std::min(sum.n_x, kTogether);
    const body::AddHistory<false> begin{first, y.data()};
#pragma omp parallel for schedule(static)
    for (std::int64_t piece = 0; piece < n; piece += kPiece) {
        const std::int64_t end = std::min(piece + kPiece, n);
        for (std::int64_t i = piece; i < end; ++i) {
            begin(i, share);
        }
        for (int k = kTogether; k < sum.n_x; k += kTogether) {
            const int last = std::min(k + kTogether, sum.n_x);
            for (std::int64_t i = piece; i < end; ++i) {
                auto value = share.load(y.data(), i);
                for (int column = k; column < last; ++column) {
                    value += share.per_lane(sum.c[column]) * share.load64(sum.x[column], i);
                }
                share.store(y.data(), i, value);
            }
        }
    }
}

}  // namespace

void keep_increment(device::View<const double> du, device::View<const double> newest,
                    device::View<double> before, device::View<float> x, device::Queue& queue) {
    if (newest.size() != du.size() || before.size() != du.size() || x.size() != du.size()) {
        throw Error(ErrorCode::InvalidArgument, "keep_increment: all must have one size");
    }
    const auto n = static_cast<double>(du.size());
    device::note(queue, device::Work::of<double>((4.0 * 8.0 + 4.0) * n, 3.0 * n));
    for_each(queue, numbers_in(du),
             body::KeepIncrement<>{du.data(), newest.data(), before.data(), x.data()});
}

void history_sum(const HistorySum& sum, device::View<double> y, device::Queue& queue) {
    if (sum.newest == nullptr || sum.n_x < 0 || sum.n_x > HistorySum::kMostTerms) {
        throw Error(ErrorCode::InvalidArgument,
                    "history_sum: needs the newest increment and 0 to 16 others, got " +
                        std::to_string(sum.n_x));
    }
    const auto n = static_cast<double>(y.size());
    const double increments = sum.before != nullptr ? 2.0 : 1.0;
    device::note(queue, device::Work::of<double>((8.0 * (increments + 1.0) + 4.0 * sum.n_x) * n,
                                                 2.0 * (increments + sum.n_x) * n));
    if (queue.backend() == device::Backend::Cpu) {
        history_sum_cpu(sum, y);
    } else if (sum.weights != nullptr) {
        for_each(queue, numbers_in(y), body::AddHistory<true>{sum, y.data()});
    } else {
        for_each(queue, numbers_in(y), body::AddHistory<false>{sum, y.data()});
    }
}

void dense_apply(device::View<const float> A, device::View<const float> x, device::View<float> y,
                 device::Queue& queue) {
    if (A.size() * kLanes * kLanes != x.size() * y.size()) {
        throw Error(ErrorCode::InvalidArgument, "dense_apply: A has " + std::to_string(A.size()) +
                                                    " numbers, x " + std::to_string(x.size()) +
                                                    ", y " + std::to_string(y.size()));
    }
    const auto n = static_cast<double>(A.size());
    device::note(queue,
                 device::Work::of<float>(4.0 * (n + static_cast<double>(x.size() + y.size())),
                                         2.0 * kLanes * n));
    const body::DenseRow<> row{A.data(), static_cast<std::int64_t>(x.size()) / kLanes, x.data()};
    for_each_row(queue, static_cast<std::int64_t>(y.size()) / kLanes, row, y.data(), false);
}

}  // namespace kaname::lanes
