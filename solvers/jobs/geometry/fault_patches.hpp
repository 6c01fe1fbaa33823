// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/fault_request.hpp"
#include "solvers/jobs/geometry/model_planes.hpp"
#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

[[nodiscard]] bool breaks_surface(const PlaneOutline& plane);
/// One patch as large as the plane.
[[nodiscard]] fault::Patch rectangle_on(const PlaneOutline& plane, const PatchSpec& spec);
/// Hats between the plane's edges, zero on all of them.
[[nodiscard]] std::vector<fault::Patch> hats_on(const PlaneOutline& plane,
                                                const PatchGridSpec& grid);
/// Hats on an interface, in fault coordinates from its patches' origin.
[[nodiscard]] std::vector<fault::Patch> hats_on(const InterfaceSpec& interface,
                                                const PatchGridSpec& grid);

/// Around the patches; at least the origin.
[[nodiscard]] meshing::FaultWindow window_of(const std::vector<fault::Patch>& patches);
/// The frame of an interface's patches.
[[nodiscard]] SectionFrame section_of(const Domain& domain, const InterfaceSpec& interface);

/// Patches of a fault in a structure of volumes, and the window that slips with them.
struct PatchesInVolumes {
    PatchGrid grid;
    meshing::FaultWindow window;
};
/// `field`: that of the plane or of the interface's patches. Borrows the domain and the interface.
[[nodiscard]] PatchesInVolumes patches_in_volumes(const GreensJob& job, const Domain& domain,
                                                  const fault::PlaneFault& surface,
                                                  const PlaneOutline& plane,
                                                  const PatchGridSpec& of_job,
                                                  const std::string& field);
[[nodiscard]] PatchesInVolumes patches_in_volumes(const Domain& domain,
                                                  const InterfaceSpec& interface,
                                                  const PatchGridSpec& of_job,
                                                  const std::string& field);

}  // namespace kaname::jobs
