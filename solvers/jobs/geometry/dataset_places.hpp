// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/geometry/domain.hpp"

namespace kaname::jobs {

/// The place of a source's centre, of a corner of its outline or of a station as used: longitude
/// and latitude, or x and y of an unprojected model.
void set_centre(const Domain& domain, const Vec3& x, io::GreensDataset::Source& row);
void set_corner(const Domain& domain, int corner, const Vec3& x, io::GreensDataset::Source& row);
[[nodiscard]] io::GreensDataset::Station station_row(const Domain& domain,
                                                     const StationSpec& station,
                                                     const Vec3& snapped);

/// Clockwise from true north, 0..360; from y in an unprojected model.
[[nodiscard]] double true_azimuth_deg(const Domain& domain, const Vec3& direction, const Vec3& at);
/// Meridian convergence [rad]; 0 in an unprojected model.
[[nodiscard]] double convergence(const Domain& domain, const Vec3& at);

}  // namespace kaname::jobs
