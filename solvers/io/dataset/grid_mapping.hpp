// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// Value of the attribute grid_mapping of a variable over patches (CF 5.6).
inline constexpr const char* kMappedCoordinates = "crs: patch_x patch_y";

/// Writes the scalar `crs`, the azimuthal equidistant projection of the model with the parameters
/// that CF's appendix F wants beside `wkt`, from which they are taken. Returns false where they are
/// not in `wkt`: then `crs` is no grid mapping, and has the text alone.
bool write_grid_mapping(h5::File& file, const std::string& wkt);

}  // namespace kaname::io
