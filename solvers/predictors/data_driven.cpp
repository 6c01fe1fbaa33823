// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/predictors/data_driven.hpp"

#include <algorithm>
#include <random>

#include "solvers/kernels/blas1.hpp"
#include "solvers/kernels/history.hpp"
#include "solvers/kernels/lanes.hpp"
#include "solvers/predictors/earlier_increment.hpp"
#include "solvers/predictors/truncated_fit.hpp"

namespace kaname::predictors {

using kernels::kLanes;
using kernels::Lanes;
using kernels::load_lanes;
using kernels::store_lanes;

namespace {

constexpr int kWidth = 3 * kLanes;
// With fewer pairs the cubic is the better guess (and is itself a fit of two columns).
constexpr int kFewestColumns = 3;

/// y[i] += w x[i], x in FP32.
void add_scaled(double w, const device::Buffer<float>& x, device::View<double> y) {
    const auto n = static_cast<std::int64_t>(y.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        y[i] += w * static_cast<double>(x[i]);
    }
}

}  // namespace

DataDriven::DataDriven(Subdomains subdomains, const DataDrivenParams& params,
                       std::size_t vector_size, comm::Halo& halo)
    : subdomains_(std::move(subdomains)),
      params_(params),
      halo_(halo),
      newest_(vector_size),
      before_(vector_size) {
    std::int32_t largest = 0;
    for (std::int32_t d = 0; d < subdomains_.size(); ++d) {
        largest = std::max(largest, subdomains_.ptr[d + 1] - subdomains_.ptr[d]);
    }
    std::mt19937 random(20230815);  // any fixed seed: results must repeat
    Q_.resize(std::size_t(largest) * 3 * params_.rows);
    std::generate(Q_.begin(), Q_.end(), [&] { return (random() & 1U) != 0 ? 1.0F : -1.0F; });
    for (int k = 0; k <= params_.columns; ++k) {
        x_.emplace_back(vector_size);
        Qx_.emplace_back(std::size_t(subdomains_.size()) * kLanes * params_.rows);
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

/// 2 du(i-1) - du(i-2), less while less is known.
void DataDriven::extrapolate(device::View<double> du, device::Queue& queue) const {
    if (n_pushed_ == 0) {
        kernels::fill<double>(0.0, du, queue);
        return;
    }
    const double w = n_pushed_ == 1 ? 1.0 : 2.0;
    kernels::axpby(kernels::all_lanes(w), newest_, {}, du, queue);
    if (n_pushed_ > 1) {
        kernels::axpby(kernels::all_lanes(-1.0), before_, kernels::all_lanes(1.0), du, queue);
    }
}

bool DataDriven::predict_plainly(device::View<double> du, device::Queue& queue) {
    if (!params_.with_fallback || usable_columns() == 0) {
        return false;
    }
    extrapolate(du, queue);
    add_scaled(2.0, x_[slot(0)], du);
    add_scaled(-1.0, x_[slot(1)], du);
    return true;
}

void DataDriven::predict(device::View<double> du, device::View<const double> /*f*/,
                         device::Queue& queue) {
    const int columns = usable_columns();
    extrapolate(du, queue);
    if (columns == 0) {
        // Polynomials through three or four increments; the published method stays with two.
        if (!params_.wait_for_all && n_x_ > 0) {
            add_scaled(n_x_ > 1 ? 2.0 : 1.0, x_[slot(0)], du);
            if (n_x_ > 1) {
                add_scaled(-1.0, x_[slot(1)], du);
            }
        }
        return;
    }
    for (std::size_t node = 0; !halo_.owned_mask().empty() && node < du.size() / kWidth; ++node) {
        if (!halo_.owned(static_cast<std::int32_t>(node))) {
            std::fill_n(du.data() + node * kWidth, kWidth, 0.0);
        }
    }
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int32_t d = 0; d < subdomains_.size(); ++d) {
        add_fit(d, columns, du);
    }
    halo_.sum(du, kWidth);
}

void DataDriven::add_fit(std::int32_t d, int columns, device::View<double> du) const {
    const std::size_t m = params_.rows;
    std::vector<double> X(columns * m);
    std::vector<double> b(m);
    std::vector<double> a(columns);
    std::vector<Lanes<double>> weights(columns);
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::size_t at = (std::size_t(d) * kLanes + lane) * m;
        std::copy_n(Qx_[slot(0)].data() + at, m, b.begin());
        for (int k = 0; k < columns; ++k) {
            std::copy_n(Qx_[slot(k + 1)].data() + at, m, X.begin() + k * m);
        }
        truncated_fit(X, b, params_.drop, a);
        for (int k = 0; k < columns; ++k) {
            weights[k][lane] = a[k];
        }
    }
    for (std::int32_t k = subdomains_.ptr[d]; k < subdomains_.ptr[d + 1]; ++k) {
        const std::size_t at = std::size_t(subdomains_.node[k]) * kWidth;
        for (int i = 0; i < kWidth; i += kLanes) {
            Lanes<double> value = load_lanes(du.data() + at + i);
            for (int column = 0; column < columns; ++column) {
                value += weights[column] *
                         __builtin_convertvector(load_lanes(x_[slot(column)].data() + at + i),
                                                 Lanes<double>);
            }
            store_lanes(du.data() + at + i, value);
        }
    }
}

/// out [4][m] = Q x over the nodes of one subdomain.
void DataDriven::compress(std::int32_t d, const float* x, float* out) const {
    const std::size_t m = params_.rows;
    std::vector<double> sum(kLanes * m, 0.0);
    const float* q = Q_.data();
    for (std::int32_t k = subdomains_.ptr[d]; k < subdomains_.ptr[d + 1]; ++k) {
        const float* u = x + std::size_t(subdomains_.node[k]) * kWidth;
        for (int comp = 0; comp < 3; ++comp, q += m) {
            for (int lane = 0; lane < kLanes; ++lane) {
                const double v = u[comp * kLanes + lane];
                double* row = sum.data() + lane * m;
#pragma omp simd
                for (std::size_t i = 0; i < m; ++i) {
                    row[i] += v * static_cast<double>(q[i]);
                }
            }
        }
    }
    std::transform(sum.begin(), sum.end(), out, [](double v) { return static_cast<float>(v); });
}

void DataDriven::push(device::View<const double> du, device::View<const double> /*f*/,
                      device::View<const double> /*r*/, device::Queue& queue) {
    if (n_pushed_ >= 2) {
        head_ = (head_ + 1) % (params_.columns + 1);
        n_x_ = std::min(n_x_ + 1, params_.columns + 1);
        device::Buffer<float>& x = x_[head_];
        kernels::second_difference(du, newest_, before_, x, queue);
#pragma omp parallel for schedule(dynamic, 4)
        for (std::int32_t d = 0; d < subdomains_.size(); ++d) {
            compress(d, x.data(), Qx_[head_].data() + std::size_t(d) * kLanes * params_.rows);
        }
    }
    std::swap(newest_, before_);
    kernels::axpby(kernels::all_lanes(1.0), du, {}, newest_, queue);
    n_pushed_ = std::min(n_pushed_ + 1, 2);
}

void DataDriven::zero_lane(int lane, device::Queue& queue) {
    for (auto* buffer : {&newest_, &before_}) {
        kernels::zero_lane<double>(lane, *buffer, queue);
    }
    for (auto& x : x_) {
        kernels::zero_lane<float>(lane, x, queue);
    }
    const std::size_t m = params_.rows;
    for (auto& Qx : Qx_) {
        for (std::int32_t d = 0; d < subdomains_.size(); ++d) {
            std::fill_n(Qx.data() + (std::size_t(d) * kLanes + lane) * m, m, 0.0F);
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
