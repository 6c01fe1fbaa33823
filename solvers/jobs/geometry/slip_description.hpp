// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/source_set.hpp"

namespace kaname::jobs {

/// Describes slip [split.split.size()] that is no unit slip on a patch, for the dataset. Centre,
/// extent (of slip above a twentieth of the largest) and mean orientation are weighted by its
/// amount; they are NaN where the slip has none.
[[nodiscard]] io::GreensDataset::Source describe_slip(const Domain& domain,
                                                      const MeshedFault& fault,
                                                      std::span<const Vec3> slip,
                                                      const std::string& source_id);

/// Returns the row of the sum of sources, without area, potency and rigidity.
[[nodiscard]] io::GreensDataset::Source describe_sum(const Domain& domain, const MeshedFault& fault,
                                                     const SlipOnMesh& slip,
                                                     std::span<const std::string> source_ids,
                                                     const std::string& name);

/// Sets the area, potency and rigidity of a source.
void set_sums(const fault::FaultSlip::Sums& sums, io::GreensDataset::Source& row);

}  // namespace kaname::jobs
