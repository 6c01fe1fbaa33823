// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// As earth::build_volume_model, with errors in the fields of a specification's structure.
[[nodiscard]] earth::BuiltVolumeModel build_structure(const earth::VolumeModelSpec& spec,
                                                      const earth::Projection& projection);

/// Layers become volumes (layers_as_volumes.hpp). Reads the files of a structure of volumes and
/// lays its surfaces over the region: fills in job.volume_model, and job.structure.materials with
/// all that the mesh counts in, so that every stage has the same ones in the same order. Does
/// nothing for a job with a mesh file. Throws ValidationError with everything that is wrong with
/// the surfaces.
void build_volumes(GreensJob& job);

/// Name of the surface that an interface in layers becomes.
inline constexpr const char* kInterfaceOfLayers = "interface";

/// Layers around planes or an interface as volumes between surfaces: `layers` between flat ones,
/// `below_interface` under the interface as deep under it as the layers say, named first so that
/// they cut through the others.
[[nodiscard]] earth::VolumeModelSpec volumes_of_layers(const GreensJob& job);

/// Layers alone, between flat surfaces.
[[nodiscard]] earth::VolumeModelSpec volumes_of_layers(const earth::LayeredStructure& layers);

/// Warns where elements at a station are so large for a layer that they change the station's motion
/// by more than 2 %, as predicted (solvers/base/predicted_error.hpp): of the station that is worst
/// off, with the layer, the sizes, and sizes that would do. Layers that relax alike count as one.
/// Says nothing of volumes whose surfaces are not level: they may end in wedges.
[[nodiscard]] std::vector<std::string> layers_at_stations(
    const GreensJob& job, const Domain& domain, const cleaving::VolumeMeshParams& request);

}  // namespace kaname::jobs
