// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/range_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCorners = 16;
constexpr int kFilling = 24, kOthers = 16;  ///< rheologies of the Halton sequence
// The error in time is first looked at when errors in the Laplace domain, of which it is 1 to 30
// times as much, are this part of the tolerance.
constexpr double kGrowth = 3.0;
// Share of the score at which the error in time was too large, to be reached before the next look.
constexpr double kNextGoal = 0.3;
// Answers that are as good as rounding lets them be.
constexpr double kRoundedError = 1e-13;
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

/// Error of the answer at some moduli over the rheology's motion by the end, of the worst source:
/// what MotionPerResidual makes of the force that is left.
double laplace_error(const ReducedModel& model, std::span<const double> g,
                     const RangeErrorParts& parts, const LaneNorms& size) {
    const ReducedModel::LaneRows c = reduced_answer_at(model, g);
    const ResidualTerms terms = residual_terms(g, c);
    const LaneNorms residual = parts.residual(terms.load, terms.c);
    const LaneNorms a = parts.motion_per_residual->at(g);
    double worst = 0.0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const double of = std::max(size[lane], parts.least[lane]);
        worst = std::max(worst, relative_error(a[lane] * residual[lane], of));
    }
    return worst;
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
    others_ = looked_ = reached_ = false;
    estimate_ = 1.0;
    goal_ = tolerance_ / kGrowth;
    error_.assign(rheologies_.size(), kUnknown);
    candidates_.clear();
    add_candidates(0);
    // Solves for stiff rock take few iterations and are a start for softer rock. The first rheology
    // is soft everywhere; its shifts are those of a spectrum without ranges.
    const SpectrumError softest(rheologies_[0], end_s_);
    first_.clear();
    for (const double shift : softest.first_shifts()) {
        first_.push_back(point(shift, 0));
    }
    std::reverse(first_.begin(), first_.end());
}

void RangeSearch::add_candidates(std::size_t from_rheology) {
    for (std::size_t k = from_rheology; k < rheologies_.size(); ++k) {
        for (const double shift : shifts_between(rheologies_[k], end_s_)) {
            candidates_.push_back({point(shift, k), kUnknown, false});
        }
    }
}

/// Returns true if the error in time is small enough for all rheologies, to which others are added
/// once.
bool RangeSearch::verified(const ReducedModel& model, const RangeErrorParts& parts) {
    std::vector<std::size_t> order(rheologies_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater<>(), [&](std::size_t k) { return error_[k]; });
    double worst = 0.0;
    for (const std::size_t k : order) {
        error_[k] = range_error(model, rheologies_[k], parts);
        worst = std::max(worst, error_[k]);
        if (worst > kShare * tolerance_) {
            break;
        }
    }
    estimate_ = std::min(1.0, worst);
    looked_ = true;
    if (worst > kShare * tolerance_) {
        return false;
    }
    if (!others_) {
        others_ = true;
        const std::size_t before = rheologies_.size();
        add_halton(kOthers);
        error_.resize(rheologies_.size(), kUnknown);
        add_candidates(before);
        return verified(model, parts);
    }
    reached_ = true;
    return true;
}

std::optional<RangePoint> RangeSearch::next(const ReducedModel& model,
                                            const ResidualSketches& sketches,
                                            std::span<const std::vector<double>> seen,
                                            bool may_solve) {
    if (may_solve && !first_.empty()) {
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
    if (!may_solve) {
        (void)verified(v.model, parts);
        return std::nullopt;
    }
    std::vector<bool> fresh(candidates_.size(), false);
    std::map<std::size_t, LaneNorms> sizes;  // by rheology
    const auto size_of = [&](std::size_t rheology) {
        auto found = sizes.find(rheology);
        if (found == sizes.end()) {
            const RangePoint end = point(1.0 / end_s_, rheology);
            found = sizes.emplace(rheology, parts.size(reduced_answer_at(v.model, end.g))).first;
        }
        return found->second;
    };
    while (true) {
        const auto worst = std::ranges::max_element(
            candidates_, {}, [](const Candidate& of) { return of.used ? -1.0 : of.score; });
        if (worst->used) {
            return std::nullopt;
        }
        const auto at = static_cast<std::size_t>(worst - candidates_.begin());
        if (!fresh[at]) {
            worst->score =
                laplace_error(v.model, worst->point.g, parts, size_of(worst->point.rheology));
            fresh[at] = true;
            continue;
        }
        if (const double score = worst->score; score <= goal_) {
            if (verified(v.model, parts)) {  // it may add candidates
                return std::nullopt;
            }
            fresh.resize(candidates_.size(), false);
            goal_ = kNextGoal * std::min(goal_, score);
            if (goal_ <= kRoundedError) {
                return std::nullopt;
            }
            continue;
        }
        if (!looked_) {
            estimate_ = std::clamp(kGrowth * worst->score, tolerance_, 1.0);
        }
        worst->used = true;
        return worst->point;
    }
}

void RangeSearch::calibrate(const RangePoint& point, const LaneNorms& motion,
                            const LaneNorms& residual) {
    motion_.add(point.g, motion, residual);
}

}  // namespace kaname::viscoelastic
