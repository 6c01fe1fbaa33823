// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/spectrum_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

constexpr int kTimesPerDecade = 8;
// First time in shortest relaxation times: before it, motion is linear in time.
constexpr double kFirstTime = 0.1;
// 1/t of the first shifts between the largest and the smallest, in 1/t_end; those that lie so many
// times below the largest (nearer ones cost a shift more than they saved, decision 0060).
constexpr double kBetween[] = {10.0, 3.0};
constexpr double kApart = 12.0;

/// The largest, those of the grid nearest to kBetween, the smallest.
std::vector<double> first_of(std::span<const double> shifts) {
    std::vector<double> first = {shifts.back()};
    for (const double factor : kBetween) {
        const double wanted = factor * shifts.front();
        const double nearest = *std::ranges::min_element(
            shifts, {}, [&](double shift) { return std::abs(std::log(shift / wanted)); });
        if (kApart * nearest < shifts.back()) {
            first.push_back(nearest);
        }
    }
    first.push_back(shifts.front());
    return first;
}

}  // namespace

std::vector<double> shifts_between(std::span<const Relaxation> relaxation, double end_s) {
    double fastest = 0.0;
    for (const Relaxation& of : relaxation) {
        fastest = std::max(fastest, of.fastest_rate_per_s());
    }
    const double low = 1.0 / end_s;
    const double high = std::max(fastest / kFirstTime, 10.0 * low);
    const int count = 1 + static_cast<int>(std::ceil(kTimesPerDecade * std::log10(high / low)));
    std::vector<double> shifts;
    for (int k = 0; k < count; ++k) {
        shifts.push_back(low * std::pow(high / low, static_cast<double>(k) / (count - 1)));
    }
    return shifts;
}

LaneNorms ResidualSketches::norms(std::span<const double> load,
                                  std::span<const ReducedModel::LaneRows> c) const {
    // So many numbers of each lane stay in registers while all vectors are added to them.
    constexpr std::size_t kBlock = 8;
    const auto n_buckets = static_cast<std::size_t>(buckets);
    LaneNorms result{};
    for (std::size_t first = 0; first < n_buckets; first += kBlock) {
        const std::size_t width = std::min<std::size_t>(kBlock, n_buckets - first);
        double rest[kLanes][kBlock] = {};
        for (std::size_t j = 0; j < q.size(); ++j) {
            for (int lane = 0; lane < kLanes; ++lane) {
                const double* of = q[j].data() + std::size_t(lane) * n_buckets + first;
                for (std::size_t i = 0; i < width; ++i) {
                    rest[lane][i] += load[j] * of[i];
                }
            }
        }
        const auto subtract = [&](const auto n) {
            for (std::size_t part = 0; part < c.size(); ++part) {
                for (std::size_t column = 0; column < c[part].size(); ++column) {
                    const double* image = KW[part][column / kLanes].data() +
                                          std::size_t(column % kLanes) * n_buckets + first;
                    for (int lane = 0; lane < kLanes; ++lane) {
                        for (std::size_t i = 0; i < n; ++i) {
                            rest[lane][i] -= c[part][column][lane] * image[i];
                        }
                    }
                }
            }
        };
        if (width == kBlock) {
            subtract(std::integral_constant<std::size_t, kBlock>{});
        } else {
            subtract(width);
        }
        for (int lane = 0; lane < kLanes; ++lane) {
            for (std::size_t i = 0; i < width; ++i) {
                result[lane] += rest[lane][i] * rest[lane][i];
            }
        }
    }
    std::transform(result.begin(), result.end(), result.begin(),
                   [](double sum) { return std::sqrt(sum); });
    return result;
}

ResidualTerms residual_terms(std::span<const double> g, const ReducedModel::LaneRows& c) {
    ResidualTerms terms{{}, {c}};
    for (const double of : g) {
        terms.load.push_back(1.0 - of);
        terms.c.push_back(c);
        for (auto& row : terms.c.back()) {
            std::transform(row.begin(), row.end(), row.begin(), [of](double x) { return of * x; });
        }
    }
    return terms;
}

LaneNorms largest_motion(std::span<const std::vector<double>> seen,
                         const ReducedModel::LaneRows& c) {
    LaneNorms largest{};
    if (seen.empty()) {
        return largest;
    }
    for (std::size_t i = 0; i < seen[0].size(); i += kLanes) {
        LaneNorms sum{};
        for (std::size_t column = 0; column < c.size(); ++column) {
            const double value = seen[column / kLanes][i + column % kLanes];
            for (int lane = 0; lane < kLanes; ++lane) {
                sum[lane] += value * c[column][lane];
            }
        }
        for (int lane = 0; lane < kLanes; ++lane) {
            largest[lane] = std::max(largest[lane], std::abs(sum[lane]));
        }
    }
    return largest;
}

SpectrumError::SpectrumError(std::vector<Relaxation> relaxation, double end_s)
    : relaxation_(std::move(relaxation)),
      shifts_(shifts_between(relaxation_, end_s)),
      first_shifts_(first_of(shifts_)) {}

void SpectrumError::start(const LaneNorms& left, const LaneNorms& elastic) {
    left_ = left;
    std::transform(elastic.begin(), elastic.end(), least_.begin(),
                   [](double motion) { return kLeastChange * motion; });
    measured_.clear();
}

void SpectrumError::calibrate(double shift_per_s, const LaneNorms& motion,
                              const LaneNorms& residual) {
    LaneNorms& a = measured_[shift_per_s];
    for (int lane = 0; lane < kLanes; ++lane) {
        a[lane] = residual[lane] > 0.0 ? motion[lane] / residual[lane] : 0.0;
    }
}

/// Between the two nearest shifts a power of s; the nearest one's beyond the ends.
LaneNorms SpectrumError::motion_per_residual(double shift_per_s) const {
    const auto above = measured_.lower_bound(shift_per_s);
    if (above == measured_.end()) {
        return std::prev(above)->second;
    }
    if (above == measured_.begin() || above->first == shift_per_s) {
        return above->second;
    }
    const auto below = std::prev(above);
    const double share =
        std::log(shift_per_s / below->first) / std::log(above->first / below->first);
    LaneNorms a{};
    for (int lane = 0; lane < kLanes; ++lane) {
        a[lane] = std::pow(below->second[lane], 1.0 - share) * std::pow(above->second[lane], share);
    }
    return a;
}

double SpectrumError::unused_near(double shift_per_s) const {
    double nearest = 0.0;
    double distance = std::numeric_limits<double>::infinity();
    for (const double shift : shifts_) {
        const double apart = std::abs(std::log(shift / shift_per_s));
        if (apart < distance && measured_.count(shift) == 0) {
            nearest = shift;
            distance = apart;
        }
    }
    return nearest;
}

SpectrumEstimate SpectrumError::of(const ReducedModel& model, const ResidualSketches& sketches,
                                   std::span<const std::vector<double>> seen) const {
    const RelaxationModes modes = model.modes(relaxation_);
    SpectrumEstimate worst;
    double source_of_worst = shifts_.back();
    LaneNorms largest{};
    LaneNorms shift_of_largest{};
    std::vector<double> load(relaxation_.size());
    std::vector<ReducedModel::LaneRows> c(1 + relaxation_.size());
    for (auto shift = shifts_.rbegin(); shift != shifts_.rend(); ++shift) {
        const double t = 1.0 / *shift;
        c[0] = modes.at(t);
        for (std::size_t j = 0; j < relaxation_.size(); ++j) {
            load[j] = relaxation_[j].lost_at_time(t);
            c[1 + j] = modes.remembered(relaxation_[j], t);
        }
        const LaneNorms residual = sketches.norms(load, c);
        const LaneNorms size = largest_motion(seen, c[0]);
        const LaneNorms a = motion_per_residual(*shift);
        for (int lane = 0; lane < kLanes; ++lane) {
            if (residual[lane] > largest[lane]) {
                largest[lane] = residual[lane];
                shift_of_largest[lane] = *shift;
            }
            const double motion = kErrorSafety * a[lane] * (largest[lane] + left_[lane]);
            const double error = motion > 0.0 ? motion / std::max(size[lane], least_[lane]) : 0.0;
            if (error > worst.error) {
                worst.error = error;
                worst.time_s = t;
                source_of_worst = shift_of_largest[lane];
            }
        }
    }
    worst.next_shift_per_s = unused_near(source_of_worst);
    return worst;
}

}  // namespace kaname::viscoelastic
