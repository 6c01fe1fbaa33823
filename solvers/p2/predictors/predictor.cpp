// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/predictor.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::predictors {

void earlier_increment(int back, device::View<const double> newest,
                       device::View<const double> before,
                       std::span<const device::View<const float>> x, device::View<double> du,
                       device::Queue& queue) {
    const int n_x = std::max(0, back - 1);
    if (n_x > static_cast<int>(x.size()) || n_x > lanes::HistorySum::kMostTerms) {
        throw Error(ErrorCode::InvalidArgument,
                    "increment " + std::to_string(back) + " before the newest is not known: " +
                        std::to_string(x.size()) + " second differences");
    }
    lanes::HistorySum sum;
    sum.newest = newest.data();
    sum.before = back > 0 ? before.data() : nullptr;
    std::fill_n(sum.a, lanes::kLanes, 1.0);
    std::fill_n(sum.b, lanes::kLanes, -static_cast<double>(back));
    sum.n_x = n_x;
    for (int k = 0; k < n_x; ++k) {
        sum.x[k] = x[k].data();
        std::fill_n(sum.c[k], lanes::kLanes, static_cast<double>(back - 1 - k));
    }
    lanes::history_sum(sum, du, queue);
}

namespace {

// Row n: weights of the polynomial of degree n - 1 through n increments, newest first.
constexpr double kWeights[5][4] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {2, -1, 0, 0}, {3, -3, 1, 0}, {4, -6, 4, -1}};

std::size_t increments_needed(Polynomial kind) {
    switch (kind) {
        case Polynomial::None:
            return 0;
        case Polynomial::Previous:
            return 1;
        case Polynomial::Ab2:
            return 2;
        case Polynomial::Cubic:
            return 4;
    }
    return 0;
}

}  // namespace

IncrementHistory::IncrementHistory(Polynomial kind, std::size_t vector_size, device::Queue& queue)
    : kind_(kind) {
    for (std::size_t k = 0; k < increments_needed(kind); ++k) {
        increments_.emplace_back(vector_size, queue);
    }
}

void IncrementHistory::predict(device::View<double> du, device::View<const double> /*f*/,
                               device::Queue& queue) {
    lanes::fill<double>(0.0, du, queue);
    const std::size_t size = increments_.size();
    for (std::size_t back = 0; back < count_; ++back) {
        const double w = kWeights[count_][back];
        lanes::axpby(lanes::all_lanes(w), increments_[(newest_ + size - back) % size],
                     lanes::all_lanes(1.0), du, queue);
    }
}

void IncrementHistory::push(device::View<const double> du, device::View<const double> /*f*/,
                            device::View<const double> /*r*/, device::Queue& queue) {
    if (increments_.empty()) {
        return;
    }
    newest_ = (newest_ + 1) % increments_.size();
    lanes::axpby(lanes::all_lanes(1.0), du, {}, increments_[newest_], queue);
    count_ = std::min(count_ + 1, increments_.size());
}

void IncrementHistory::zero_lane(int lane, device::Queue& queue) {
    for (auto& increment : increments_) {
        lanes::zero_lane<double>(lane, increment, queue);
    }
}

int IncrementHistory::n_known() const {
    return static_cast<int>(count_);
}

void IncrementHistory::known(int back, device::View<double> du, device::Queue& queue) const {
    const std::size_t size = increments_.size();
    lanes::axpby(lanes::all_lanes(1.0), increments_[(newest_ + size - back) % size], {}, du, queue);
}

void IncrementHistory::exchange(StateBytes& state, device::Queue& queue) {
    state.number(newest_);
    state.number(count_);
    for (auto& increment : increments_) {
        state.buffer(increment, queue);
    }
}

}  // namespace kaname::predictors
