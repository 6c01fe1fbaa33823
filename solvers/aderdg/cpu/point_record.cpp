// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/point_record.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::aderdg {

PointRecord::PointRecord(const WaveParams& params, int lanes, std::size_t receivers,
                         std::size_t peaks)
    : interval_s_(params.interval_s),
      end_s_(params.end_s),
      displacement_(params.motion == Motion::Displacement),
      lanes_(lanes),
      receivers_(receivers),
      samples_(receivers),
      next_(receivers),
      moved_(receivers * static_cast<std::size_t>(lanes) * 3),
      peaks_(peaks * static_cast<std::size_t>(lanes) * 2) {}

void PointRecord::add_step(std::size_t receiver, double t_s, double step_s,
                           std::span<const double> powers) {
    const std::size_t width = 3 * static_cast<std::size_t>(lanes_);
    const std::size_t n = powers.size() / width;
    double* moved = moved_.data() + receiver * width;
    // Rounding may put a sample on either side of a step's end, the same one for steps of any
    // length that end together; the last step has its own.
    const double slack_s = 1e-9 * interval_s_;
    const bool last = t_s + step_s > end_s_ - slack_s;
    const double until_s = t_s + step_s + (last ? slack_s : -slack_s);
    for (;; ++next_[receiver]) {
        const double at_s = static_cast<double>(next_[receiver]) * interval_s_;
        if (at_s >= until_s) {
            break;
        }
        const double x = std::clamp((at_s - t_s) / step_s, 0.0, 1.0);
        for (int lane = 0; lane < lanes_; ++lane) {
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = 0.0;
                for (std::size_t i = n; i-- > 0;) {
                    const double p = powers[i * width + c * lanes_ + lane];
                    sum = displacement_ ? (sum + p / static_cast<double>(i + 1)) * x : sum * x + p;
                }
                const double value =
                    displacement_ ? moved[static_cast<std::size_t>(lane) * 3 + c] + step_s * sum
                                  : sum;
                samples_[receiver].push_back(static_cast<float>(value));
            }
        }
    }
    for (int lane = 0; lane < lanes_; ++lane) {
        for (std::size_t c = 0; c < 3; ++c) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += powers[i * width + c * lanes_ + lane] / static_cast<double>(i + 1);
            }
            moved[static_cast<std::size_t>(lane) * 3 + c] += step_s * sum;
        }
    }
}

void PointRecord::add_peak(std::size_t peak, std::span<const double> velocity) {
    for (int lane = 0; lane < lanes_; ++lane) {
        double* to = peaks_.data() +
                     (peak * static_cast<std::size_t>(lanes_) + static_cast<std::size_t>(lane)) * 2;
        to[0] = std::max(to[0], std::hypot(velocity[lane], velocity[lanes_ + lane]));
        to[1] = std::max(to[1], std::abs(velocity[2 * lanes_ + lane]));
    }
}

std::vector<float> PointRecord::take_samples() {
    const std::size_t width = 3 * static_cast<std::size_t>(lanes_);
    const std::size_t n = receivers_ == 0 ? 0 : samples_.front().size() / width;
    std::vector<float> all(n * receivers_ * width);
    for (std::size_t r = 0; r < receivers_; ++r) {
        for (std::size_t s = 0; s < n; ++s) {
            for (int lane = 0; lane < lanes_; ++lane) {
                for (std::size_t c = 0; c < 3; ++c) {
                    all[((s * lanes_ + lane) * receivers_ + r) * 3 + c] =
                        samples_[r][s * width + static_cast<std::size_t>(lane) * 3 + c];
                }
            }
        }
        samples_[r].clear();
    }
    return all;
}

void PointRecord::set(std::int64_t samples, std::span<const double> moved,
                      std::span<const double> peaks) {
    std::ranges::fill(next_, samples);
    std::ranges::copy(moved, moved_.begin());
    std::ranges::copy(peaks, peaks_.begin());
}

}  // namespace kaname::aderdg
