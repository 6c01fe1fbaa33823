// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/meshing/cleaving/volume_request.hpp"
#include "worker/jobs/geometry/domain.hpp"

namespace kaname::jobs {

/// A fault that makes a smaller angle with the horizontal has a thin wedge above it where it comes
/// up to the ground. Elements there are at most twice as large as the wedge is thick: where it is
/// half an element thick the fault's mesh begins to leave the fault for the ground.
inline constexpr double kThinWedge_rad = 20.0 * kDegree;
inline constexpr double kBlunted = 0.5;  // the wedge's thickness there, in elements
/// The smallest elements in a wedge, in sizes at the fault: under a fault that stays below the
/// ground, and under one that breaks it, which no size could follow to its tip.
inline constexpr double kLeastInWedge = 1.0 / 8.0;
inline constexpr double kLeastAtTip = 1.0 / 4.0;

/// How a window of a fault is asked of the mesher.
struct FaultPart {
    meshing::FaultWindow window;
    double size_m = 0.0;   ///< size of elements on it: samples are less than half of it apart
    double least_m = 0.0;  ///< size of the smallest elements in a thin wedge
    double top_m = 0.0;    ///< how far under the ground slip begins in a thin wedge

    /// How far a fault that comes up to the ground goes on above it.
    [[nodiscard]] double above_m() const { return least_m < size_m ? 0.25 * least_m : size_m; }
    /// The size asked for at a place `under_m` below the ground.
    [[nodiscard]] double size_at(double under_m, double dip_rad) const {
        return dip_rad < kThinWedge_rad
                   ? std::clamp(std::max(under_m, top_m) / kBlunted, least_m, size_m)
                   : size_m;
    }
};

/// A fault as the mesher is asked for it.
struct RequestedFault {
    FaultPart part;
    cleaving::FaultRequest request;
    std::vector<cleaving::SizeRequest::Points> sizes;  ///< sizes at the fault's samples
};

/// Margin of the window around the slip, in sizes at the fault: elements are up to twice as large
/// as asked for, and the fault's rim, which cannot slip, lies up to one inside of the window.
inline constexpr double kMarginInVolumes = 3.0;
/// A window with margins: `top_m` over the upper edge, `by_m` elsewhere.
[[nodiscard]] inline meshing::FaultWindow widened(const meshing::FaultWindow& window, double by_m,
                                                  double top_m) {
    return {window.s_min - by_m, window.s_max + by_m, window.d_min - top_m, window.d_max + by_m};
}
[[nodiscard]] inline meshing::FaultWindow widened(const meshing::FaultWindow& window, double by_m) {
    return widened(window, by_m, by_m);
}

/// Axes of an interface's coordinates, as fault::InterfaceFault has them.
struct SectionFrame {
    double origin_x = 0.0, origin_y = 0.0, strike_rad = 0.0;
};

/// Requests part of a surface of the model. Samples above the ground or outside of the box are left
/// out.
[[nodiscard]] RequestedFault interface_request(const VolumeGeometry& volumes,
                                               const meshing::Box& box, int surface,
                                               const fault::InterfaceFault& fault,
                                               const SectionFrame& frame, const FaultPart& part);
/// Requests part of a plane, with the same samples left out.
[[nodiscard]] RequestedFault plane_request(const VolumeGeometry& volumes, const meshing::Box& box,
                                           const fault::PlaneFault& fault, const FaultPart& part);

}  // namespace kaname::jobs
