// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// What a dataset says of slip [split.split.size()] that is no unit slip on a patch: its centre,
/// extent (of what slips by more than a twentieth of the largest) and mean orientation, weighted by
/// its amount; NaN where it has none.
[[nodiscard]] io::GreensDataset::Source describe_slip(const Domain& domain,
                                                      const MeshedFault& fault,
                                                      std::span<const Vec3> slip,
                                                      const std::string& source_id);

/// The row of the sum of sources, without area, potency and rigidity.
[[nodiscard]] io::GreensDataset::Source describe_sum(const Domain& domain, const MeshedFault& fault,
                                                     const SlipOnMesh& slip,
                                                     std::span<const std::string> source_ids,
                                                     const std::string& name);

/// Area, potency and rigidity of a source.
void set_sums(const fault::FaultSlip::Sums& sums, io::GreensDataset::Source& row);

}  // namespace kaname::jobs
