// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_spec.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

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

}  // namespace kaname::jobs
