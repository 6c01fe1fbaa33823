// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

namespace kaname::io {

/// Name of the layout of export_fault_series.
inline constexpr const char* kScecLayout = "scec";

/// Writes the faults of the rupture at `dataset_path` to `folder`, which is made where it is
/// missing, as text that the SCEC/USGS rupture dynamics benchmarks use: ID.dat of each fault
/// receiver with the columns
///   t h-slip h-slip-rate h-shear-stress v-slip v-slip-rate v-shear-stress n-stress [psi]
/// h > 0 is right-lateral, v > 0 lets the hanging wall go up (both against the dataset's), stresses
/// in MPa, n > 0 is extension; FAULT_rupture_times.dat of each fault with j, k, t: along strike and
/// down dip of the triangles' middles, and when they ruptured, 1e9 where they did not; then
/// manifest.json with all names. Returns the paths written. Throws NotFound, InvalidArgument for a
/// file without a rupture, Unavailable when the system refuses.
std::vector<std::string> export_fault_series(const std::string& dataset_path,
                                             const std::string& folder);

/// Slip of an inversion (inversion.h5) as tables that a scenario reads as a slip model: a row per
/// patch with its centre, size, strike, dip, the rake and length [m] of its slip vector; rates are
/// those of a year. One file per window in `folder`, WINDOW.csv. Returns their paths. Throws
/// InvalidArgument when the file is no inversion or its patches have no place on the globe,
/// Unavailable when the system refuses.
[[nodiscard]] std::vector<std::string> write_slip_tables(const std::string& inversion,
                                                         const std::string& folder);

}  // namespace kaname::io
