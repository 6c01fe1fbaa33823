// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/spec/greens_job.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"

namespace kaname::jobs {

/// Warns where elements at a station are so large for a layer that they change the station's motion
/// by more than 2 %, as predicted (solvers/base/layer_error.hpp): of the station that is worst off,
/// with the layer, the sizes, and sizes that would do. Layers that relax alike count as one. Says
/// nothing of volumes whose surfaces are not level: they may end in wedges.
[[nodiscard]] std::vector<std::string> layers_at_stations(
    const GreensJob& job, const Domain& domain, const cleaving::VolumeMeshParams& request);

}  // namespace kaname::jobs
