// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"

namespace kaname::jobs {

/// A moment source and the speed of the slowest waves about it.
struct MomentPlace {
    std::string id;
    Vec3 at_m;
    double slowest_m_per_s = 0.0;
};
using ReceiverPlaces = std::vector<std::pair<std::string, Vec3>>;  ///< id, place

/// The point sources of a job that have a moment, where the plan has rock. Unit sources of one time
/// function have none: their places are a grid's.
[[nodiscard]] std::vector<MomentPlace> moment_places(const SeismicJob& job,
                                                     const SeismicMeshPlan& plan);
[[nodiscard]] ReceiverPlaces receiver_places(const SeismicJob& job);

/// Returns a warning on receivers that are nearer to a moment source than a third of the shortest
/// S wavelength (more at orders 6 and 7). Elements do not resolve its near field there. The first
/// few are named.
[[nodiscard]] std::optional<std::string> near_receivers(const SeismicJob& job,
                                                        const std::vector<MomentPlace>& sources,
                                                        const ReceiverPlaces& receivers);

/// At order 4, the request of a mesh whose elements are half as large about moment sources that
/// have a receiver nearer than 1.2 times that distance, and as far as the receiver: a source acts
/// over a ball of an element's size, which the receiver must lie outside of. At orders 3 and 7, one
/// whose elements are half as large about moment sources where fewer than 3.25 and 1.9 elements in
/// a wavelength are asked for. Nothing at other orders, where no source has a receiver so near,
/// where there are more than sixteen sources, or where the mesh is a file.
[[nodiscard]] std::optional<SeismicMeshRequest> fitted_to_sources(const SeismicJob& job,
                                                                  const SeismicMeshPlan& plan);

}  // namespace kaname::jobs
