// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/earth/projection.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_request.hpp"
#include "worker/jobs/geometry/sources/model_planes.hpp"
#include "worker/jobs/geometry/sources/patch_sources.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// The faults that a job names, with their patches; one that is alone has no name, and the planes
/// of slip models and the faults of a mesh file are not among them.
[[nodiscard]] std::vector<NamedFault> named_faults(const GreensJob& job);

/// The frame of an interface's patches.
[[nodiscard]] SectionFrame section_of(const Domain& domain, const InterfaceGeometry& interface);

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
                                                  const FaultPatches& of_job, const OpenEdges& open,
                                                  const std::string& field);
[[nodiscard]] PatchesInVolumes patches_in_volumes(const Domain& domain,
                                                  const InterfaceGeometry& interface,
                                                  const FaultPatches& of_job,
                                                  const std::string& field);

/// A fault surface under the ground of a structure of volumes. Borrows all.
class FaultInVolumes {
public:
    FaultInVolumes(const GreensJob& job, const Domain& domain, const fault::FaultSurface& surface)
        : job_(job), domain_(domain), surface_(surface) {}

    /// Returns the part of the fault that is meshed around a window that slips. Throws
    /// ValidationError where this part alone would have more elements than fit into memory.
    [[nodiscard]] FaultPart part(const meshing::FaultWindow& slipping) const;
    /// Returns the least thickness of the wedge between the ground and the upper edge of the
    /// window, where the angle between them is small; infinity where it is not.
    [[nodiscard]] double least_wedge_m(const meshing::FaultWindow& slipping) const;

private:
    /// Visits places along a window's upper edge with their depth under the ground [m] and the
    /// fault's dip there.
    void for_upper_edge(const meshing::FaultWindow& window,
                        const std::function<void(double under_m, double dip_rad)>& visit) const;

    const GreensJob& job_;
    const Domain& domain_;
    const fault::FaultSurface& surface_;
};

/// The window of a plane; of one that breaks the surface up to the ground, wherever that is.
[[nodiscard]] meshing::FaultWindow window_to_ground(const Domain& domain,
                                                    const PlaneOutline& plane);
/// Around a window of what slips on a plane.
[[nodiscard]] RequestedFault request_plane(const GreensJob& job, const Domain& domain,
                                           const fault::PlaneFault& surface,
                                           const meshing::FaultWindow& window);
/// Around a window of what slips on a surface of the model.
[[nodiscard]] RequestedFault request_interface(const GreensJob& job, const Domain& domain,
                                               const std::string& of,
                                               const fault::InterfaceFault& fault,
                                               const SectionFrame& section,
                                               const meshing::FaultWindow& window);
/// A surface of the model as a fault.
[[nodiscard]] std::unique_ptr<fault::InterfaceFault> interface_in_volumes(
    const Domain& domain, const std::string& of, const SectionFrame& section);

/// The part of the region's plan that holds the fault, and stations where these have elements of
/// their own size: there surfaces are kept finest. nullopt where a scenario's models cannot be
/// read, which JobGeometry then tells.
[[nodiscard]] std::optional<earth::PlanWindow> plan_focus(
    const GreensJob& job, const std::optional<earth::Projection>& projection);

}  // namespace kaname::jobs
