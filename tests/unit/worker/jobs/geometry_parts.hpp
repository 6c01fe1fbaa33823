// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/jobs/geometry/generated_faults.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/geometry/sources/model_planes.hpp"
#include "worker/jobs/geometry/sources/patch_sources.hpp"
#include "worker/jobs/geometry/volume_plan.hpp"

namespace kaname::jobs {

/// Parts of a geometry, of the kind that the test's job has; std::bad_cast where it has not.
inline const PatchGrid& patches(const JobGeometry& geometry, std::size_t fault = 0) {
    return dynamic_cast<const PatchSources&>(geometry.slip()).faults().at(fault);
}
inline const cleaving::VolumeMeshParams& volume_request(const JobGeometry& geometry) {
    return dynamic_cast<const VolumePlan&>(geometry.fault().mesh_plan()).request();
}
inline std::vector<std::string> fault_names(const JobGeometry& geometry) {
    std::vector<std::string> names;
    if (const auto* several = dynamic_cast<const SeveralMeshes*>(&geometry.fault().mesh_plan())) {
        return several->fault_names();
    }
    for (const cleaving::FaultRequest& fault : volume_request(geometry).faults) {
        names.push_back(fault.name);
    }
    return names;
}
/// Known without a mesh.
inline std::vector<std::vector<SegmentFault>> segment_faults(const JobGeometry& geometry) {
    return dynamic_cast<const GeneratedFaults&>(geometry.fault()).segment_faults({});
}

}  // namespace kaname::jobs
