// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "worker/jobs/inversion/inversion_equations.hpp"
#include "worker/jobs/inversion/invert.hpp"
#include "worker/jobs/inversion/slip_amounts.hpp"

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

/// Slip of every source [window source], in the first window, in metres. A checkerboard has fields
/// of its rows x columns of patches, every other one with slip: along slip.azimuth_deg, else the
/// middle of slip.rake_from_deg and rake_to_deg, else on each patch's last component. A rupture's
/// slip falls off as
///   slip cos^2(pi/2 q),  q^2 = (along / (length/2))^2 + (across / (width/2))^2 < 1
/// with the distance of patch centres on the map. Throws InvalidArgument: no grid of patches for a
/// checkerboard, an unknown source, a direction that needs two components, no slip on any patch.
[[nodiscard]] std::vector<double> synthetic_slip(const SyntheticSlip& synthetic,
                                                 const SlipUnknowns& slip,
                                                 const SlipAmounts& amounts,
                                                 const io::GreensDataset& greens);

/// Returns warnings of a posterior that has not converged, and of one of so few stations that it
/// says more of the prior than of the data.
[[nodiscard]] std::vector<std::string> posterior_warnings(
    const InversionJob& job, const InversionSummary::Posterior& posterior);

}  // namespace kaname::jobs
