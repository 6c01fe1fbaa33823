// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// Xdmf for ParaView: a collection in time of one grid, whose arrays stay in the dataset's file,
/// named relative to the Xdmf file beside it; an epoch's part is a hyperslab, which ParaView's
/// "XDMF Reader" takes and its Xdmf3 readers pass over. Tensors have six components in the
/// dataset's order xx, yy, zz, xy, yz, xz, which is ParaView's. `data_file`: name of the dataset in
/// its folder.
[[nodiscard]] std::string surface_xdmf(const h5::File& file, const std::string& data_file);
[[nodiscard]] std::string volume_xdmf(const h5::File& file, const std::string& data_file);
/// Returns the Xdmf of seismograms.h5: a collection of a regular grid of nodes for each source that
/// is done.
[[nodiscard]] std::string snapshots_xdmf(const h5::File& file, const std::string& data_file);

/// For x.h5: x_surface.xdmf, x_volume.xdmf, x_snapshots.xdmf, x_ground.xdmf, x_elements.xdmf and
/// x_rupture.xdmf beside it, of the groups that the
/// dataset has. Returns the paths written. Throws NotFound / InvalidArgument when it is no dataset,
/// NotFound naming the file when it has none of these groups.
std::vector<std::string> write_xdmf(const std::string& dataset_path);

}  // namespace kaname::io
