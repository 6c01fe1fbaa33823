// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kaname::io {

/// Name of the layout of export_vtu.
inline constexpr const char* kVtuLayout = "vtu";

/// Writes the surfaces and volumes of the dataset at `dataset_path` (field_groups, without regular
/// grids) as VTK's XML unstructured grids to `folder`, which is made where it is missing: for each
/// group and time GROUP_0000.vtu, of waves GROUP_SOURCE_0000.vtu, and a list of them with their
/// times [s] for ParaView, GROUP.pvd. Values are float32 as in the dataset, x, y, z in m of the
/// model frame; a step is in memory at a time. manifest.json has the names of all files. Returns
/// the paths written. With `epoch_years`, Julian years, it writes that time alone.
///
/// Throws InvalidArgument for an epoch that no group has, naming the nearest, and for a dataset
/// that has regular grids alone; NotFound where it has no fields; Unavailable when the system
/// refuses.
std::vector<std::string> export_vtu(const std::string& dataset_path, const std::string& folder,
                                    const std::optional<double>& epoch_years);

}  // namespace kaname::io
