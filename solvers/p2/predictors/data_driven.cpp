// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/data_driven.hpp"

#include <algorithm>
#include <random>

#include "solvers/lanes/blas1.hpp"
#include "solvers/p2/predictors/predictor.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {

// With fewer pairs the cubic is the better guess (and is itself a fit of two columns).
constexpr int kFewestColumns = 3;

DataDrivenParams checked(const DataDrivenParams& params) {
    require_fit_shape(params.rows, params.columns);
    return params;
}

std::vector<float> random_signs(std::size_t size) {
    std::mt19937 random(20230815);  // any fixed seed: results must repeat
    std::vector<float> signs(size);
    std::generate(signs.begin(), signs.end(), [&] { return (random() & 1U) != 0 ? 1.0F : -1.0F; });
    return signs;
}

}  // namespace

DataDriven::DataDriven(const Subdomains& subdomains, const DataDrivenParams& params,
                       std::size_t vector_size, comm::Halo& halo, device::Queue& queue)
    : params_(checked(params)),
      regions_(subdomains, vector_size / lanes::kVectorWidth, queue),
      halo_(halo, queue),
      newest_(vector_size, queue),
      before_(vector_size, queue),
      fit_(std::size_t(regions_.size) * params.columns * kLanes, queue) {
    const std::vector<float> Q = random_signs(std::size_t(subdomains.most_dofs()) * params_.rows);
    Q_ = {std::span<const float>(Q), queue};
    partial_ = {compress_partials(regions_.size, subdomains.most_dofs(), params_.rows, queue),
                queue};
    for (int k = 0; k <= params_.columns; ++k) {
        x_.emplace_back(vector_size, queue);
        Qx_.emplace_back(std::size_t(regions_.size) * params_.rows * kLanes, queue);
    }
}

void DataDriven::clear() {
    n_x_ = 0;
    n_pushed_ = 0;
}

int DataDriven::slot(int back) const {
    return (head_ + params_.columns + 1 - back) % (params_.columns + 1);
}

int DataDriven::usable_columns() const {
    const int columns = std::min(params_.columns, n_x_ - 1);
    if (columns < (params_.wait_for_all ? params_.columns : kFewestColumns)) {
        return 0;
    }
    return columns;
}

/// du = 2 du(i-1) - du(i-2) + 2 x(i-1) - x(i-2), or of fewer terms: at most `n_x` of the last two.
void DataDriven::extrapolate(int n_x, device::View<double> du, device::Queue& queue) const {
    if (n_pushed_ == 0) {
        lanes::fill<double>(0.0, du, queue);
        return;
    }
    lanes::HistorySum sum;
    sum.newest = newest_.data();
    sum.before = n_pushed_ > 1 ? before_.data() : nullptr;
    std::fill_n(sum.a, kLanes, 1.0);
    std::fill_n(sum.b, kLanes, 1.0);
    sum.n_x = std::min(n_x, n_x_);
    for (int k = 0; k < sum.n_x; ++k) {
        sum.x[k] = x_[slot(k)].data();
    }
    std::fill_n(sum.c[0], kLanes, sum.n_x > 1 ? 2.0 : 1.0);
    std::fill_n(sum.c[1], kLanes, -1.0);
    lanes::history_sum(sum, du, queue);
}

bool DataDriven::predict_plainly(device::View<double> du, device::Queue& queue) {
    if (!params_.with_fallback || usable_columns() == 0) {
        return false;
    }
    extrapolate(2, du, queue);
    return true;
}

void DataDriven::predict(device::View<double> du, device::View<const double> /*f*/,
                         device::Queue& queue) {
    const int columns = usable_columns();
    if (columns == 0) {
        // Polynomials through up to four increments; the published method stays with two.
        extrapolate(params_.wait_for_all ? 0 : 2, du, queue);
        return;
    }
    FitArgs fit{regions_.size, params_.rows, columns, params_.drop, Qx_[slot(0)].data(), {}, fit_};
    SumFitArgs sum{regions_, columns, fit_, newest_.data(), before_.data(), {}, du};
    for (int k = 0; k < columns; ++k) {
        fit.X[k] = Qx_[slot(k + 1)].data();
        sum.x[k] = x_[slot(k)].data();
    }
    fit_regions(fit, queue);
    sum_fit(sum, queue);
    halo_.sum(du, lanes::kVectorWidth, queue);
}

void DataDriven::push(device::View<const double> du, device::View<const double> /*f*/,
                      device::View<const double> /*r*/, device::Queue& queue) {
    if (n_pushed_ >= 2) {
        head_ = (head_ + 1) % (params_.columns + 1);
        n_x_ = std::min(n_x_ + 1, params_.columns + 1);
        device::Buffer<float>& x = x_[head_];
        lanes::keep_increment(du, newest_, before_, x, queue);
        compress_regions({regions_, Q_, params_.rows, x, Qx_[head_], partial_}, queue);
    } else {
        lanes::axpby(lanes::all_lanes(1.0), du, {}, before_, queue);
    }
    std::swap(newest_, before_);
    n_pushed_ = std::min(n_pushed_ + 1, 2);
}

void DataDriven::zero_lane(int lane, device::Queue& queue) {
    for (auto* buffer : {&newest_, &before_}) {
        lanes::zero_lane<double>(lane, *buffer, queue);
    }
    for (auto* ring : {&x_, &Qx_}) {
        for (auto& column : *ring) {
            lanes::zero_lane<float>(lane, column, queue);
        }
    }
}

int DataDriven::n_known() const {
    return n_pushed_ + n_x_;
}

void DataDriven::known(int back, device::View<double> du, device::Queue& queue) const {
    std::vector<device::View<const float>> x;
    for (int k = 0; k < n_x_; ++k) {
        x.push_back(x_[slot(k)].view());
    }
    earlier_increment(back, newest_, before_, x, du, queue);
}

void DataDriven::exchange(StateBytes& state, device::Queue& queue) {
    state.number(head_);
    state.number(n_x_);
    state.number(n_pushed_);
    state.buffer(newest_, queue);
    state.buffer(before_, queue);
    for (int k = 0; k < n_x_; ++k) {
        state.buffer(x_[slot(k)], queue);
        state.buffer(Qx_[slot(k)], queue);
    }
}

}  // namespace kaname::predictors
