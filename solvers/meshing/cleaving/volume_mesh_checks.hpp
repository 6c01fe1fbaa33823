// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::cleaving {

/// Throws InvalidArgument naming the field, its value and the rule that it breaks: what would have
/// the mesher fail later, or never end. Sizes are finite and > 0, but at the surface 0 is none;
/// growth > 0; thinnest in [0, 1); a fault lies on a surface of the model or has a plane, and an
/// outline of four corners or none; numbers of roots are all given or none.
void check_volume_mesh(const VolumeMeshParams& params);

}  // namespace kaname::cleaving
