// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/cleaving/volume_mesh.hpp"
#include "solvers/registry/volume_geometry.hpp"
#include "solvers/sources/fault_surface.hpp"

namespace kaname::registry {

/// How a window of a fault is asked of the mesher.
struct FaultPart {
    meshing::FaultWindow window;
    double size_m = 0.0;  ///< of elements on it: samples are less than half of this apart
};

/// Beyond the slip, in sizes at the fault: elements are up to twice as large as asked for, and the
/// fault's rim, which cannot slip, lies up to one inside of the window.
inline constexpr double kMarginInVolumes = 3.0;
[[nodiscard]] inline meshing::FaultWindow widened(const meshing::FaultWindow& window, double by_m) {
    return {window.s_min - by_m, window.s_max + by_m, window.d_min - by_m, window.d_max + by_m};
}

/// Axes of an interface's coordinates, as sources::InterfaceFault has them.
struct SectionFrame {
    double origin_x = 0.0, origin_y = 0.0, strike_rad = 0.0;
};

/// Part of a surface of the model. Samples above the ground or outside of the box are left out.
[[nodiscard]] cleaving::FaultRequest interface_request(const VolumeGeometry& volumes,
                                                       const meshing::Box& box, int surface,
                                                       const sources::InterfaceFault& fault,
                                                       const SectionFrame& frame,
                                                       const FaultPart& part);
/// Part of a plane, likewise.
[[nodiscard]] cleaving::FaultRequest plane_request(const VolumeGeometry& volumes,
                                                   const meshing::Box& box,
                                                   const sources::PlaneFault& fault,
                                                   const FaultPart& part);

}  // namespace kaname::registry
