// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/inversion/slip_field.hpp"

#include <cmath>
#include <utility>

#include "worker/jobs/inversion/observation_rows.hpp"

namespace kaname::jobs {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kLargestSlip_m = 8.0, kLargestRate_m = 0.2;  // standard deviations of the field
constexpr double kRangeOfSigma = 800.0;                       // from 1 cm where 8 m is the largest

}  // namespace

FaultFrame frame_of(const SlipAmounts& amounts, const io::GreensDataset& greens) {
    FaultFrame frame;
    std::vector<double> strikes;
    for (const SlipPatch& patch : amounts.patches) {
        const io::GreensDataset::Source& source = greens.sources[patch.sources.front()];
        frame.centres.push_back({source.x_m, source.y_m, -source.depth_m});
        strikes.push_back(source.strike_deg);
    }
    frame.strike = posterior::mean_strike(strikes);
    frame.parts = fault_quarters(frame.centres, frame.strike);
    return frame;
}

std::vector<posterior::Correlation> correlations_of(const PosteriorSampling& asked,
                                                    const FaultFrame& frame) {
    std::vector<posterior::Correlation> choices =
        posterior::correlation_choices(frame.centres, frame.strike);
    if (asked.lengths_m.empty()) {
        return choices;
    }
    choices.clear();
    for (const double roughness : {0.5, 1.5}) {
        for (const double length_m : asked.lengths_m) {
            choices.push_back({roughness, length_m});
        }
    }
    return choices;
}

PatchVectors::PatchVectors(const SlipAmounts& amounts, const io::GreensDataset& greens)
    : n_patches_(amounts.patches.size()),
      terms_(static_cast<std::size_t>(amounts.n_windows) * n_patches_) {
    for (int j = 0; j < amounts.n(); ++j) {
        const SlipAmounts::Amount& amount = amounts.amounts[j];
        Term term{static_cast<std::size_t>(j)};
        for (const SlipAmounts::Term& part : amount.terms) {
            const double rake = greens.sources[part.source].rake_deg * kDegree;
            if (!std::isnan(rake)) {
                term.along += part.factor * std::cos(rake);
                term.up += part.factor * std::sin(rake);
            }
        }
        terms_[static_cast<std::size_t>(amount.window) * n_patches_ +
               static_cast<std::size_t>(amount.patch)]
            .push_back(term);
    }
}

double PatchVectors::length(std::span<const float> amounts, std::size_t window,
                            std::size_t patch) const {
    double along = 0.0, up = 0.0;
    for (const Term& term : terms_[window * n_patches_ + patch]) {
        along += term.along * amounts[term.amount];
        up += term.up * amounts[term.amount];
    }
    return std::hypot(along, up);
}

posterior::RectifiedProblem rectified_problem(const InversionJob& job, const SlipAmounts& amounts,
                                              const io::GreensDataset& greens,
                                              const std::vector<inversion::NormalEquations>& sets,
                                              int n_errors) {
    const FaultFrame frame = frame_of(amounts, greens);
    std::vector<MatrixXd> of_patches;
    for (const posterior::Correlation& correlation : correlations_of(*job.posterior, frame)) {
        of_patches.push_back(
            (posterior::matern(frame.centres, frame.strike, correlation).array() + 1.0).matrix());
    }
    posterior::RectifiedProblem problem;
    problem.lower = Eigen::VectorXd::Constant(amounts.n(), job.slip.min_m);
    problem.upper = Eigen::VectorXd::Constant(amounts.n(), job.slip.max_m);
    for (const inversion::NormalEquations& set : sets) {
        problem.sets.push_back(posterior::marginalised(set, amounts.n(), n_errors));
    }
    problem.n_shared = n_errors;
    Index first = 0;
    for (int w = 0; w < amounts.n_windows; ++w) {
        posterior::FieldPrior field;
        field.first = first;
        while (first < amounts.n() && amounts.amounts[first].window == w) {
            ++first;
        }
        field.n = first - field.first;
        field.most_sigma = job.posterior->largest_slip_m.value_or(
            job.slip.windows[w].is_rate() ? kLargestRate_m : kLargestSlip_m);
        field.least_sigma = field.most_sigma / kRangeOfSigma;
        for (const MatrixXd& correlation : of_patches) {
            MatrixXd& covariance = field.covariance.emplace_back(MatrixXd::Zero(field.n, field.n));
            for (Index i = 0; i < field.n; ++i) {
                for (Index j = 0; j < field.n; ++j) {
                    const SlipAmounts::Amount& a = amounts.amounts[field.first + i];
                    const SlipAmounts::Amount& b = amounts.amounts[field.first + j];
                    if (a.direction == b.direction) {
                        covariance(i, j) = correlation(a.patch, b.patch);
                    }
                }
            }
        }
        problem.fields.push_back(std::move(field));
    }
    return problem;
}

NearPatch nearest_patch(const io::GreensDataset& greens,
                        const io::GreensDataset::Station& station) {
    constexpr int kParts = 8;  // of a patch's sides, between which it is looked for
    NearPatch nearest;
    for (const io::GreensDataset::Source& source : greens.sources) {
        if (!(source.length_m > 0.0 && source.width_m > 0.0)) {
            continue;
        }
        const auto distance = [&](double a, double b) {
            // Corners go round the patch.
            const auto at = [&](const double(&of)[4]) {
                return (1.0 - b) * ((1.0 - a) * of[0] + a * of[1]) +
                       b * ((1.0 - a) * of[3] + a * of[2]);
            };
            const double along_m =
                greens.projected
                    ? distance_m(at(source.outline_lon_deg), at(source.outline_lat_deg),
                                 station.snapped_lon_deg, station.snapped_lat_deg)
                    : std::hypot(at(source.outline_x_m) - station.snapped_x_m,
                                 at(source.outline_y_m) - station.snapped_y_m);
            return std::hypot(along_m, at(source.outline_depth_m) - station.snapped_depth_m);
        };
        // No part of a patch is nearer than its middle by all of its diagonal.
        if (distance(0.5, 0.5) - std::hypot(source.length_m, source.width_m) > nearest.away_m) {
            continue;
        }
        for (int i = 0; i <= kParts; ++i) {
            for (int j = 0; j <= kParts; ++j) {
                const double away_m = distance(double(i) / kParts, double(j) / kParts);
                if (away_m < nearest.away_m) {
                    nearest = {away_m, source.length_m, source.width_m};
                }
            }
        }
    }
    return nearest;
}

}  // namespace kaname::jobs
