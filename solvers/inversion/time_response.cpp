// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/inversion/time_response.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::inversion {
namespace {

// Epochs of files and of datasets come by way of decimal years.
constexpr double kSameTime_s = 1.0;

/// Weights of G(age), added with `factor`.
void add_at(std::span<const double> epochs_s, double age_s, double factor, std::span<double> into) {
    const auto after = std::ranges::upper_bound(epochs_s, age_s);
    if (after == epochs_s.begin()) {
        into[0] += factor;
        return;
    }
    if (after == epochs_s.end()) {
        into[epochs_s.size() - 1] += factor;
        return;
    }
    const std::size_t k = after - epochs_s.begin();
    const double part = (age_s - epochs_s[k - 1]) / (epochs_s[k] - epochs_s[k - 1]);
    into[k - 1] += factor * (1.0 - part);
    into[k] += factor * part;
}

}  // namespace

std::vector<double> response_weights(std::span<const double> epochs_s, double begin_s, double end_s,
                                     double t_s) {
    std::vector<double> weights(epochs_s.size());
    const double oldest = t_s - begin_s;
    if (oldest < -kSameTime_s) {
        return weights;
    }
    if (oldest > epochs_s.back() + kSameTime_s) {
        const auto years = [](double s) { return std::to_string(s / kJulianYear_s); };
        throw Error(ErrorCode::OutOfRange, "needs the motion " + years(oldest) +
                                               " years after slip, the dataset's last epoch is " +
                                               years(epochs_s.back()) + " years");
    }
    if (end_s <= begin_s) {
        add_at(epochs_s, std::max(0.0, oldest), 1.0, weights);
        return weights;
    }
    // The trapezoid between kinks is exact.
    const double youngest = std::max(0.0, t_s - end_s);
    std::vector<double> kinks = {youngest};
    for (const double epoch : epochs_s) {
        if (epoch > youngest && epoch < oldest) {
            kinks.push_back(epoch);
        }
    }
    kinks.push_back(std::max(youngest, oldest));
    for (std::size_t k = 1; k < kinks.size(); ++k) {
        const double half = 0.5 * (kinks[k] - kinks[k - 1]) / (end_s - begin_s);
        add_at(epochs_s, kinks[k - 1], half, weights);
        add_at(epochs_s, kinks[k], half, weights);
    }
    return weights;
}

}  // namespace kaname::inversion
