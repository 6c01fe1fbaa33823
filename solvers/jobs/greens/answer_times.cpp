// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/answer_times.hpp"

#include <cmath>

#include "solvers/viscoelastic/spectrum/inverse_laplace.hpp"

namespace kaname::jobs {
namespace {

// Kinks between which three Gauss points see U and the slip as smooth: six in a decade of the
// slip's age, from a twentieth of the fastest relaxation time on, and six in each of the last four
// decades of the time since the slip began.
constexpr double kPerDecade = 6.0;
constexpr double kFirst = 0.05;
constexpr double kDecades = 4.0;
// Slip younger than kYoung of the fastest relaxation time is taken as not relaxed. Otherwise the
// windows of one contour would go on to ever shorter times.
constexpr double kYoung = 1e-7;

std::vector<double> ages(double fastest_per_s, double last_s) {
    const double factor = std::pow(10.0, 1.0 / kPerDecade);
    std::vector<double> ages_s;
    for (double age_s = fastest_per_s > 0.0 ? kFirst / fastest_per_s : last_s; age_s < last_s;
         age_s *= factor) {
        ages_s.push_back(age_s);
    }
    for (double part = 1.0 / factor; part > std::pow(10.0, -kDecades); part /= factor) {
        ages_s.push_back(last_s * (1.0 - part));
    }
    return ages_s;
}

}  // namespace

AnswerTimes::AnswerTimes(std::span<const double> epochs_s, const SourceTimeFunction& history,
                         double fastest_per_s)
    : epochs_s_(epochs_s.begin(), epochs_s.end()), slip_(epochs_s.size(), 0.0) {
    std::vector<double> lags_s, slips;
    std::vector<std::size_t> epoch_of;
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        for (const auto& part :
             history.parts(epochs_s[epoch], ages(fastest_per_s, epochs_s[epoch]))) {
            slip_[epoch] += part.slip;
            if (part.lag_s * fastest_per_s > kYoung) {
                lags_s.push_back(part.lag_s);
                slips.push_back(part.slip);
                epoch_of.push_back(epoch);
            }
        }
    }
    const viscoelastic::LaplaceContour contour = viscoelastic::laplace_contour(lags_s);
    shifts_ = contour.s;
    weights_.resize(epochs_s.size() * shifts_.size());
    for (const auto& window : contour.windows) {
        for (std::size_t row = 0; row < window.times.size(); ++row) {
            const std::size_t lag = window.times[row];
            std::complex<double>* to = weights_.data() + epoch_of[lag] * shifts_.size();
            for (std::size_t k = 0; k < window.n_nodes; ++k) {
                const std::size_t shift = window.first_node + k;
                to[shift] += slips[lag] * window.weights[row * window.n_nodes + k] / shifts_[shift];
            }
        }
    }
}

}  // namespace kaname::jobs
