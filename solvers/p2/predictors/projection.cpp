// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/predictors/projection.hpp"

#include <algorithm>

#include "solvers/lanes/blas1.hpp"
#include "solvers/p2/predictors/predictor.hpp"
#include "solvers/p2/predictors/region_fit.hpp"

namespace kaname::predictors {

using lanes::kLanes;

Projection::Projection(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned,
                       const ProjectionParams& params, comm::Comm& comm, device::Queue& queue)
    : params_(params),
      sketch_(node_gid, owned, params.buckets, comm, queue),
      newest_(node_gid.size() * lanes::kVectorWidth, queue),
      before_(node_gid.size() * lanes::kVectorWidth, queue),
      K_newest_(std::size_t(kLanes) * params.buckets, queue),
      K_before_(K_newest_.size(), queue),
      load_(K_newest_.size(), queue),
      rest_(K_newest_.size(), queue),
      weights_(std::size_t(2 + params.columns) * kLanes, queue) {
    for (int k = 0; k < params.columns; ++k) {
        x_.emplace_back(newest_.size(), queue);
        Kx_.emplace_back(K_newest_.size(), queue);
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
    sketch_.to(f, load_, queue);
    load_of_ = f.data();
    // Columns: the newest increment, its first difference, second differences, newest first.
    const bool both = n_pushed_ > 1;
    SketchFitArgs fit{params_.buckets,
                      params_.drop,
                      load_.data(),
                      K_newest_.data(),
                      both ? K_before_.data() : nullptr,
                      n_x_,
                      {},
                      weights_};
    lanes::HistorySum sum;
    sum.newest = newest_.data();
    sum.before = both ? before_.data() : nullptr;
    sum.n_x = n_x_;
    sum.weights = weights_.data();
    for (int k = 0; k < n_x_; ++k) {
        fit.x[k] = Kx_[slot(k)].data();
        sum.x[k] = x_[slot(k)].data();
    }
    fit_sketches(fit, queue);
    lanes::history_sum(sum, du, queue);
}

void Projection::push(device::View<const double> du, device::View<const double> f,
                      device::View<const double> r, device::Queue& queue) {
    if (load_of_ != f.data() || load_of_ == nullptr) {
        sketch_.to(f, load_, queue);
    }
    load_of_ = nullptr;
    sketch_.to(r, rest_, queue);
    KeepImageArgs image{params_.buckets,  load_.data(), rest_.data(),
                        K_newest_.data(), K_before_,    nullptr};
    if (n_pushed_ >= 2) {
        head_ = (head_ + 1) % params_.columns;
        n_x_ = std::min(n_x_ + 1, params_.columns);
        lanes::keep_increment(du, newest_, before_, x_[head_], queue);
        image.x = Kx_[head_].data();
    } else {
        lanes::axpby(lanes::all_lanes(1.0), du, {}, before_, queue);
    }
    keep_image(image, queue);
    std::swap(newest_, before_);
    std::swap(K_newest_, K_before_);
    n_pushed_ = std::min(n_pushed_ + 1, 2);
}

void Projection::zero_lane(int lane, device::Queue& queue) {
    for (auto* buffer : {&newest_, &before_}) {
        lanes::zero_lane<double>(lane, *buffer, queue);
    }
    for (auto& x : x_) {
        lanes::zero_lane<float>(lane, x, queue);
    }
    const auto zero = [&](device::Buffer<double>& image) {
        const std::size_t buckets = params_.buckets;
        lanes::fill<double>(0.0, image.view().subspan(lane * buckets, buckets), queue);
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
    // Products of K with increments that have not been pushed do not exist: they are written empty.
    std::vector<double> none;
    n_pushed_ > 0 ? state.buffer(K_newest_, queue) : state.array(none);
    n_pushed_ > 1 ? state.buffer(K_before_, queue) : state.array(none);
    for (int k = 0; k < n_x_; ++k) {
        state.buffer(x_[slot(k)], queue);
        state.buffer(Kx_[slot(k)], queue);
    }
}

}  // namespace kaname::predictors
