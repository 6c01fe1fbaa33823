// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/range_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCorners = 16;
constexpr int kFilling = 24, kOthers = 16;  ///< rheologies of the Halton sequence
// A rheology as bad as this share of what the worst was before the last solve is as good to take.
constexpr double kNearlyWorst = 0.5;
// Observed numbers that motion is measured by: the largest of each basis vector, and some more.
constexpr std::size_t kMeasured = 1024;

/// The digits of `index` mirrored about the point, in base `base`: in (0, 1).
double van_der_corput(int index, int base) {
    double value = 0.0, digit = 1.0;
    for (; index > 0; index /= base) {
        digit /= base;
        value += digit * (index % base);
    }
    return value;
}

/// T^T c: from the orthonormal basis to the one it was made of.
ReducedModel::LaneRows in_old_basis(const OrthonormalModel& v, int n_old,
                                    const ReducedModel::LaneRows& c) {
    ReducedModel::LaneRows old(n_old);
    for (int k = 0; k < v.model.n_basis; ++k) {
        for (int i = 0; i < n_old; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                old[i][lane] += v.T[std::size_t(k) * n_old + i] * c[k][lane];
            }
        }
    }
    return old;
}

}  // namespace

std::vector<std::vector<double>> measured_rows(std::span<const std::vector<double>> seen) {
    if (seen.empty() || seen[0].size() <= kMeasured * kLanes) {
        return {seen.begin(), seen.end()};
    }
    const std::size_t numbers = seen[0].size() / kLanes;
    std::set<std::size_t> rows;
    for (const auto& four : seen) {
        std::array<std::size_t, kLanes> largest{};
        for (std::size_t i = 0; i < numbers; ++i) {
            for (int lane = 0; lane < kLanes; ++lane) {
                if (std::abs(four[i * kLanes + lane]) >
                    std::abs(four[largest[lane] * kLanes + lane])) {
                    largest[lane] = i;
                }
            }
        }
        rows.insert(largest.begin(), largest.end());
    }
    std::size_t stride = numbers / kMeasured;
    stride += stride % 3 == 0 ? 1 : 0;  // not one component alone
    for (std::size_t i = 0; i < numbers; i += stride) {
        rows.insert(i);
    }
    std::vector<std::vector<double>> result;
    for (const auto& four : seen) {
        auto& some = result.emplace_back();
        for (const std::size_t i : rows) {
            some.insert(some.end(), four.begin() + std::ptrdiff_t(i) * kLanes,
                        four.begin() + std::ptrdiff_t(i + 1) * kLanes);
        }
    }
    return result;
}

RangeSearch::RangeSearch(const RheologyRange& range, double end_s, double tolerance)
    : range_(range), end_s_(end_s), tolerance_(tolerance) {
    const std::size_t n = range.parameters.size();
    const auto add = [&](std::span<const double> x) {
        rheologies_.push_back(range_.at(range_.between(x)));
    };
    std::vector<double> x(n, 0.0);
    if (n < 64 && (std::size_t{1} << n) <= kMostCorners) {
        for (std::size_t corner = 0; corner < (std::size_t{1} << n); ++corner) {
            for (std::size_t k = 0; k < n; ++k) {
                x[k] = static_cast<double>((corner >> k) & 1U);
            }
            add(x);
        }
    } else {
        add(x);
        std::fill(x.begin(), x.end(), 1.0);
        add(x);
        for (std::size_t k = 0; k < n; ++k) {
            std::fill(x.begin(), x.end(), 1.0);
            x[k] = 0.0;
            add(x);
        }
    }
    std::fill(x.begin(), x.end(), 0.5);
    add(x);
    add_halton(kFilling);
    n_first_rheologies_ = rheologies_.size();
}

void RangeSearch::add_halton(int count) {
    std::vector<int> bases;
    for (int candidate = 2; bases.size() < range_.parameters.size(); ++candidate) {
        if (std::ranges::none_of(bases, [&](int prime) { return candidate % prime == 0; })) {
            bases.push_back(candidate);
        }
    }
    for (int k = 0; k < count; ++k) {
        ++n_halton_;
        std::vector<double> x;
        for (const int base : bases) {
            x.push_back(van_der_corput(n_halton_, base));
        }
        rheologies_.push_back(range_.at(range_.between(x)));
    }
}

RangePoint RangeSearch::point(double shift_per_s, std::size_t rheology) const {
    RangePoint point{shift_per_s, rheology, {}};
    for (const Relaxation& relaxation : rheologies_[rheology]) {
        point.g.push_back(relaxation.at(shift_per_s));
    }
    return point;
}

std::vector<double> RangeSearch::softest() const {
    std::vector<double> g;
    for (const Relaxation& relaxation : range_.at(range_.softest())) {
        g.push_back(relaxation.at(1.0 / end_s_));
    }
    return g;
}

void RangeSearch::start(const LaneNorms& left, const LaneNorms& elastic) {
    left_ = left;
    std::transform(elastic.begin(), elastic.end(), least_.begin(),
                   [](double motion) { return kLeastChange * motion; });
    motion_.clear();
    rheologies_.resize(n_first_rheologies_);
    n_halton_ = kFilling;
    others_ = false;
    estimate_ = 1.0;
    error_.assign(rheologies_.size(), kUnknown);
    used_.assign(rheologies_.size(), {});
    // What stiff rock answers costs few iterations and is a start for the softer. All soft is the
    // first rheology; its shifts are those of a spectrum without ranges.
    const SpectrumError softest(rheologies_[0], end_s_);
    first_.clear();
    for (const double shift : softest.first_shifts()) {
        first_.push_back(point(shift, 0));
    }
    std::reverse(first_.begin(), first_.end());
}

std::optional<RangePoint> RangeSearch::unused_near(double shift_per_s, std::size_t rheology) {
    double nearest = 0.0, distance = kUnknown;
    for (const double shift : shifts_between(rheologies_[rheology], end_s_)) {
        const double apart = std::abs(std::log(shift / shift_per_s));
        if (apart < distance && !used_[rheology].contains(shift)) {
            nearest = shift;
            distance = apart;
        }
    }
    return nearest > 0.0 ? std::optional(point(nearest, rheology)) : std::nullopt;
}

/// Whether rheologies that were not looked at before are as good; adds them the first time.
bool RangeSearch::looked_at_others() {
    if (others_) {
        return true;
    }
    others_ = true;
    add_halton(kOthers);
    error_.resize(rheologies_.size(), kUnknown);
    used_.resize(rheologies_.size());
    return false;
}

std::optional<RangePoint> RangeSearch::next(const ReducedModel& model,
                                            const ResidualSketches& sketches,
                                            std::span<const std::vector<double>> seen) {
    if (!first_.empty()) {
        RangePoint next = first_.back();
        first_.pop_back();
        return next;
    }
    const OrthonormalModel v = orthonormal(model);
    const std::vector<std::vector<double>> measured = measured_rows(seen);
    const auto in_w = [&](const ReducedModel::LaneRows& c) {
        return in_old_basis(v, model.n_basis, c);
    };
    RangeErrorParts parts{end_s_, left_, least_, &motion_, {}, {}};
    parts.residual = [&](std::span<const double> load, std::span<const ReducedModel::LaneRows> c) {
        std::vector<ReducedModel::LaneRows> old;
        std::ranges::transform(c, std::back_inserter(old), in_w);
        return sketches.norms(load, old);
    };
    parts.size = [&](const ReducedModel::LaneRows& c) { return largest_motion(measured, in_w(c)); };
    std::vector<bool> fresh(rheologies_.size(), false);
    std::vector<double> shift_of(rheologies_.size(), 0.0);
    while (true) {
        const auto worst =
            static_cast<std::size_t>(std::ranges::max_element(error_) - error_.begin());
        estimate_ = std::min(1.0, error_[worst]);
        if (error_[worst] <= kShare * tolerance_) {
            if (looked_at_others()) {
                return std::nullopt;
            }
            fresh.resize(rheologies_.size(), false);
            shift_of.resize(rheologies_.size(), 0.0);
            continue;
        }
        if (!fresh[worst]) {
            const double before = error_[worst];
            const RangeEstimate found = range_error(v.model, rheologies_[worst], parts);
            error_[worst] = found.worst;
            shift_of[worst] = found.shift_per_s;
            fresh[worst] = true;
            if (!(std::isfinite(before) && found.worst > kShare * tolerance_ &&
                  found.worst >= kNearlyWorst * before)) {
                continue;
            }
        }
        estimate_ = std::min(1.0, error_[worst]);
        auto point = unused_near(shift_of[worst], worst);
        return point;
    }
}

void RangeSearch::calibrate(const RangePoint& point, const LaneNorms& motion,
                            const LaneNorms& residual) {
    used_[point.rheology].insert(point.shift_per_s);
    motion_.add(point.g, motion, residual);
}

}  // namespace kaname::viscoelastic
