// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "solvers/posterior/rectified_field.hpp"
#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/slip_amounts.hpp"

namespace kaname::jobs {

/// Fewer effective samples of slip or moment, or a larger split R-hat, are no result.
inline constexpr double kLeastEffective = 100.0, kMostRHat = 1.05;

struct SlipPosterior {
    io::InversionDataset::Posterior file;
    InversionSummary::Posterior summary;
};

/// Slip as a rectified Gaussian field: a field for each window, in which amounts of one direction
/// are correlated over the fault and have an unknown level, those of two directions are not
/// correlated. `sets` are the normal equations of each set of observations with its stated standard
/// deviations, of the amounts and then of the unknowns of the measuring, which are integrated out.
/// Bounds are those of the job. Throws as posterior::PreparedFields and marginalised().
[[nodiscard]] posterior::RectifiedProblem rectified_problem(
    const InversionJob& job, const SlipAmounts& amounts, const io::GreensDataset& greens,
    const std::vector<inversion::NormalEquations>& sets);

/// Samples the posterior that job.posterior asks for and describes it: quantiles of slip and
/// moments, probabilities, draws, diagnostics. `names` are those of the amounts. `checkpoint` is a
/// file that keeps the chains twice a minute: one that an interrupted run of the same posterior
/// left is gone on from, bit for bit, another one is written over; it is removed at the end.
/// `progress` gets the part done, and a text with effective samples.
[[nodiscard]] SlipPosterior sample_slip(
    const InversionJob& job, const SlipAmounts& amounts, const io::GreensDataset& greens,
    const std::vector<inversion::NormalEquations>& sets, std::vector<std::string> names,
    const std::string& checkpoint, const std::function<void(double, const std::string&)>& progress);

}  // namespace kaname::jobs
