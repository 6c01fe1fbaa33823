// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// As earth::build_volume_model, with errors in the fields of a request's structure.
[[nodiscard]] earth::BuiltVolumeModel build_structure(const earth::VolumeLayout& layout,
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
[[nodiscard]] earth::VolumeLayout volumes_of_layers(const GreensJob& job);

/// Layers alone, between flat surfaces.
[[nodiscard]] earth::VolumeLayout volumes_of_layers(const earth::LayeredStructure& layers);

}  // namespace kaname::jobs
