// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"

namespace kaname::jobs {

/// Describes slip [split.split.size()] that is no unit slip on a patch, for the dataset. Centre,
/// extent (of slip above a twentieth of the largest) and mean orientation are weighted by its
/// amount; they are NaN where the slip has none.
[[nodiscard]] io::GreensDataset::Source describe_slip(const Domain& domain,
                                                      const MeshedFault& fault,
                                                      std::span<const Vec3> slip,
                                                      const std::string& source_id);

/// Returns the row of the sum of sources, without area, potency and rigidity. The centre of moments
/// alone is weighted by their size.
[[nodiscard]] io::GreensDataset::Source describe_sum(const Domain& domain, const MeshedFault& fault,
                                                     const SlipOnMesh& slip,
                                                     std::span<const std::string> source_ids,
                                                     const std::string& name);

/// Sets the area, potency and rigidity of a source.
void set_sums(const fault::FaultSlip::Sums& sums, io::GreensDataset::Source& row);

/// Sets centre, outline and angles of what slips nowhere to NaN.
void set_no_place(io::GreensDataset::Source& row);
/// The place of a source's centre, of a corner of its outline or of a station as used: longitude
/// and latitude, or x and y of an unprojected model.
void set_centre(const Domain& domain, const Vec3& x, io::GreensDataset::Source& row);
void set_corner(const Domain& domain, int corner, const Vec3& x, io::GreensDataset::Source& row);
[[nodiscard]] io::GreensDataset::Station station_row(const Domain& domain, const Station& station,
                                                     const Vec3& snapped);

/// Clockwise from true north, 0..360; from y in an unprojected model.
[[nodiscard]] double true_azimuth_deg(const Domain& domain, const Vec3& direction, const Vec3& at);
/// Meridian convergence [rad]; 0 in an unprojected model.
[[nodiscard]] double convergence(const Domain& domain, const Vec3& at);

}  // namespace kaname::jobs
