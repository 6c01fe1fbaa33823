// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/io/dataset/inversion_dataset.hpp"
#include "solvers/jobs/inversion/inversion_equations.hpp"
#include "solvers/jobs/inversion/invert.hpp"

namespace kaname::jobs {

/// Slip vectors of patches and their moments: what m [window source] is on each.
void describe_slip(const InversionJob& job, const SlipAmounts& amounts,
                   const io::GreensDataset& greens, io::InversionDataset& result);

/// Reads the Green's functions again for what the estimate x predicts: rows of each set, and
/// chi^2, weighted rms and variance reduction by set and station in the summary.
void describe_fit(const InversionJob& job, const RowReader& reader,
                  const InversionEquations& equations, const Eigen::VectorXd& x,
                  const Nuisance& nuisance, int n_slip, io::InversionDataset& result,
                  InversionSummary& summary, const std::function<void(double)>& progress);

}  // namespace kaname::jobs
