// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/export/field_grids.hpp"

namespace kaname::io {

/// Returns Xdmf 3 of a group: a collection in time for each grid, whose arrays stay in files beside
/// it. Meshes and fields that do not change are in `data_file`, parts of arrays in `view_file`
/// under the names of view_of(): meshio and ParaView's Xdmf3 readers take whole arrays alone.
/// Tensors have six components in the dataset's order xx, yy, zz, xy, yz, xz, which is ParaView's.
[[nodiscard]] std::string xdmf_text(const h5::File& file, const FieldGroup& group,
                                    const std::string& data_file, const std::string& view_file);

/// Returns the name of a field's part in the file of views: "surface/displacement/0".
[[nodiscard]] std::string view_of(const GridField& field);

/// For x.h5: x_surface.xdmf, x_volume.xdmf, x_snapshots.xdmf, x_ground.xdmf, x_elements.xdmf and
/// x_rupture.xdmf beside it, of the groups that the dataset has, and x_xdmf.h5, the views of its
/// arrays that they name. Returns the paths written. Throws NotFound / InvalidArgument when it is
/// no dataset, NotFound naming the file when it has none of these groups.
std::vector<std::string> write_xdmf(const std::string& dataset_path);

}  // namespace kaname::io
