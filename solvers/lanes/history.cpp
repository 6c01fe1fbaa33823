// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/history.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/lanes/history_body.hpp"

namespace kaname::lanes {
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

}  // namespace kaname::lanes
