// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/jobs/seismic_waves/seismic_mesh.hpp"

namespace kaname::jobs {

/// Coordinates on a fault: along strike and down dip of its origin [m]. Of curved faults they are
/// those of the projection on the fault's mean plane.
struct FaultAxes {
    Vec3 origin_m, strike, dip;
    double length_m = 0.0, width_m = 0.0;  ///< the rectangle around the fault

    /// Returns the axes of a plane; their origin is the middle of its upper edge.
    [[nodiscard]] static FaultAxes of(const FaultPlane& plane);
    /// Returns axes of a fault's faces in the plane that has their area-weighted mean normal and
    /// goes through their centroid. The origin is the middle of the upper edge of the rectangle
    /// around the faces. Throws InvalidArgument for faces without a mean normal.
    [[nodiscard]] static FaultAxes around(const mesh::TetMesh& mesh, int fault);

    [[nodiscard]] std::array<double, 2> place(const Vec3& at_m) const {
        return {dot(at_m - origin_m, strike), dot(at_m - origin_m, dip)};
    }
    [[nodiscard]] Vec3 at(double along_m, double down_m) const {
        return origin_m + along_m * strike + down_m * dip;
    }
    [[nodiscard]] Vec3 normal() const { return cross(dip, strike); }
};

/// Returns the axes of each fault of a request. Faults that are not planes need their mesh; without
/// one they have no axes.
[[nodiscard]] std::vector<std::optional<FaultAxes>> fault_axes(const SeismicMeshRequest& request,
                                                               const mesh::TetMesh* mesh);

}  // namespace kaname::jobs
