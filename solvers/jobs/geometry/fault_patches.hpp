// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/fault_request.hpp"
#include "solvers/jobs/geometry/model_planes.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// The faults that a job names, with their patches; one that is alone has no name, and the planes
/// of slip models and the faults of a mesh file are not among them.
[[nodiscard]] std::vector<NamedFault> named_faults(const GreensJob& job);

/// The frame of an interface's patches.
[[nodiscard]] SectionFrame section_of(const Domain& domain, const InterfaceSpec& interface);

/// Patches of a fault in a structure of volumes, without sources, and the window that slips with
/// them.
struct PatchesInVolumes {
    PatchGrid grid;
    meshing::FaultWindow window;
};
/// `field`: that of the plane or of the interface's patches. Borrows the domain.
[[nodiscard]] PatchesInVolumes patches_in_volumes(const GreensJob& job, const Domain& domain,
                                                  const fault::PlaneFault& surface,
                                                  const PlaneOutline& plane,
                                                  const PatchGridSpec& of_job,
                                                  const OpenEdges& open, const std::string& field);
[[nodiscard]] PatchesInVolumes patches_in_volumes(const Domain& domain,
                                                  const InterfaceSpec& interface,
                                                  const PatchGridSpec& of_job,
                                                  const std::string& field);

}  // namespace kaname::jobs
