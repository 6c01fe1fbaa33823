// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/slip_amounts.hpp"
#include "worker/jobs/inversion/slip_field.hpp"
#include "worker/jobs/inversion/theta_responses.hpp"

namespace kaname::jobs {

/// Fewer effective samples of slip or moment, or a larger split R-hat, are no result.
inline constexpr double kLeastEffective = 100.0, kMostRHat = 1.05;

struct SlipPosterior {
    io::InversionDataset::Posterior file;
    InversionSummary::Posterior summary;
    Eigen::VectorXd mean;  ///< [amount] over the draws of all chains
};

/// Samples the posterior that job.posterior asks for and describes it: quantiles of slip and
/// moments, probabilities, draws, diagnostics. `names` are those of the amounts. `checkpoint` is a
/// file that keeps the chains twice a minute: one that an interrupted run of the same posterior
/// left is gone on from, bit for bit, another one is written over; it is removed at the end.
/// `progress` gets the part done, and a text with effective samples.
/// `theta`: responses for the viscosities that are sampled too, or none. The last `n_errors`
/// unknowns of `sets` are errors N(0, 1) that all sets have in common.
[[nodiscard]] SlipPosterior sample_slip(
    const InversionJob& job, const SlipAmounts& amounts, const io::GreensDataset& greens,
    const std::vector<inversion::NormalEquations>& sets, int n_errors, const ThetaResponses* theta,
    std::vector<std::string> names, const std::string& checkpoint,
    const std::function<void(double, const std::string&)>& progress);

}  // namespace kaname::jobs
