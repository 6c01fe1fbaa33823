// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "solvers/jobs/geometry/domain.hpp"
#include "solvers/jobs/geometry/fault_request.hpp"
#include "solvers/jobs/geometry/model_planes.hpp"

namespace kaname::jobs {

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

}  // namespace kaname::jobs
