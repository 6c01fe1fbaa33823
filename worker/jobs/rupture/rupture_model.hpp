// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/rupture/fault_checks.hpp"
#include "worker/jobs/rupture/fault_parameters.hpp"

namespace kaname::jobs {

/// A job's mesh with its faults and all that a rupture needs: what its stages share. The job must
/// live as long.
struct RuptureModel {
    SeismicModel seismic;  ///< waves.fault with its receivers, waves.plasticity, gravity are set
    std::vector<FaultTriangle> triangles;
    std::shared_ptr<const FaultParameters> parameters;
};

/// Throws ValidationError with everything that is wrong with places and faults, by their fields.
[[nodiscard]] RuptureModel load_rupture_model(const RuptureJob& job, const std::string& mesh_path);
/// Builds the model in a mesh that was just made. Throws as load_rupture_model.
[[nodiscard]] RuptureModel rupture_in_mesh(const RuptureJob& job, SeismicMesh mesh);

/// Finds the face of a fault on which a place along strike and down dip lies, seen along the normal
/// of the fault's axes. Takes the nearest point for places up to half an edge off the fault's rim.
/// Throws ValidationError (`field`) farther away.
[[nodiscard]] rupture::FaultReceiver find_on_fault(const RuptureReceiver& receiver,
                                                   const FaultAxes& axes,
                                                   const std::vector<FaultTriangle>& triangles);

}  // namespace kaname::jobs
