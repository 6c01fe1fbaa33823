// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/projection.hpp"

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/history.hpp"
#include "solvers/p2/predictors/earlier_increment.hpp"
#include "solvers/p2/predictors/truncated_fit.hpp"

namespace kaname::predictors {

using lanes::kLanes;

namespace {

constexpr int kWidth = 3 * kLanes;
}  // namespace

Projection::Projection(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned,
                       const ProjectionParams& params, comm::Comm& comm, device::Queue& queue)
    : params_(params),
      sketch_(node_gid, owned, params.buckets, comm, queue),
      newest_(node_gid.size() * kWidth, queue),
      before_(node_gid.size() * kWidth, queue) {
    for (int k = 0; k < params.columns; ++k) {
        x_.emplace_back(newest_.size(), queue);
        Kx_.emplace_back(std::size_t(kLanes) * params.buckets, 0.0);
    }
}

void Projection::clear() {
    n_x_ = 0;
    n_pushed_ = 0;
    load_of_ = nullptr;
}

int Projection::slot(int back) const {
    return (head_ + params_.columns - back) % params_.columns;
}

void Projection::predict(device::View<double> du, device::View<const double> f,
                         device::Queue& queue) {
    load_of_ = nullptr;
    if (n_pushed_ == 0) {
        lanes::fill<double>(0.0, du, queue);
        return;
    }
    // Columns: the newest increment, its first difference, second differences, newest first.
    const std::size_t rows = params_.buckets;
    Sketch difference = K_newest_;
    std::vector<const Sketch*> images = {&K_newest_};
    if (n_pushed_ > 1) {
        std::transform(K_newest_.begin(), K_newest_.end(), K_before_.begin(), difference.begin(),
                       std::minus<>());
        images.push_back(&difference);
    }
    for (int k = 0; k < n_x_; ++k) {
        images.push_back(&Kx_[slot(k)]);
    }
    const std::size_t n_columns = images.size();
    load_ = sketch_.of(f, queue);
    load_of_ = f.data();
    lanes::HistorySum sum;
    device::note(queue,
                 fit_work(static_cast<double>(rows), static_cast<double>(n_columns), kLanes));
#pragma omp parallel for schedule(static, 1)
    for (int lane = 0; lane < kLanes; ++lane) {
        std::vector<double> X(n_columns * rows);
        std::vector<double> a(n_columns);
        std::vector<double> b(rows);
        for (std::size_t column = 0; column < n_columns; ++column) {
            std::copy_n(images[column]->data() + lane * rows, rows, X.data() + column * rows);
        }
        std::copy_n(load_.data() + lane * rows, rows, b.data());
        truncated_fit(X, b, params_.drop, a);
        sum.a[lane] = a[0];
        sum.b[lane] = n_columns > 1 ? a[1] : 0.0;
        for (int k = 0; k < n_x_; ++k) {
            sum.c[k][lane] = a[2 + k];
        }
    }
    sum.newest = newest_.data();
    sum.before = n_columns > 1 ? before_.data() : nullptr;
    sum.n_x = n_x_;
    for (int k = 0; k < n_x_; ++k) {
        sum.x[k] = x_[slot(k)].data();
    }
    lanes::history_sum(sum, du, queue);
}

void Projection::push(device::View<const double> du, device::View<const double> f,
                      device::View<const double> r, device::Queue& queue) {
    const bool known = load_of_ == f.data() && load_of_ != nullptr;
    load_of_ = nullptr;
    Sketch image = known ? std::move(load_) : sketch_.of(f, queue);
    const Sketch rest = sketch_.of(r, queue);
    std::transform(image.begin(), image.end(), rest.begin(), image.begin(), std::minus<>());
    if (n_pushed_ >= 2) {
        head_ = (head_ + 1) % params_.columns;
        n_x_ = std::min(n_x_ + 1, params_.columns);
        lanes::keep_increment(du, newest_, before_, x_[head_], queue);
        for (std::size_t i = 0; i < image.size(); ++i) {
            Kx_[head_][i] = image[i] - 2.0 * K_newest_[i] + K_before_[i];
        }
    } else {
        lanes::axpby(lanes::all_lanes(1.0), du, {}, before_, queue);
    }
    std::swap(newest_, before_);
    K_before_ = std::move(K_newest_);
    K_newest_ = std::move(image);
    n_pushed_ = std::min(n_pushed_ + 1, 2);
}

void Projection::zero_lane(int lane, device::Queue& queue) {
    for (auto* buffer : {&newest_, &before_}) {
        lanes::zero_lane<double>(lane, *buffer, queue);
    }
    for (auto& x : x_) {
        lanes::zero_lane<float>(lane, x, queue);
    }
    const auto zero = [&](Sketch& s) {
        if (!s.empty()) {
            std::fill_n(s.begin() + std::ptrdiff_t(lane) * params_.buckets, params_.buckets, 0.0);
        }
    };
    zero(K_newest_);
    zero(K_before_);
    load_of_ = nullptr;
    std::for_each(Kx_.begin(), Kx_.end(), zero);
}

int Projection::n_known() const {
    return n_pushed_ + n_x_;
}

void Projection::known(int back, device::View<double> du, device::Queue& queue) const {
    std::vector<device::View<const float>> x;
    for (int k = 0; k < n_x_; ++k) {
        x.push_back(x_[slot(k)].view());
    }
    earlier_increment(back, newest_, before_, x, du, queue);
}

void Projection::exchange(StateBytes& state, device::Queue& queue) {
    state.number(head_);
    state.number(n_x_);
    state.number(n_pushed_);
    state.buffer(newest_, queue);
    state.buffer(before_, queue);
    state.array(K_newest_);
    state.array(K_before_);
    for (int k = 0; k < n_x_; ++k) {
        state.buffer(x_[slot(k)], queue);
        state.array(Kx_[slot(k)]);
    }
}

}  // namespace kaname::predictors
