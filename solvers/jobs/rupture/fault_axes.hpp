// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
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

/// A face of TetMesh::fault_faces as jobs look at it.
struct FaultTriangle {
    int fault = 0;
    std::array<Vec3, 3> corners_m;                ///< in the order of the face's vertices
    Vec3 normal;                                  ///< of length 1, to the plus side
    double area_m2 = 0.0, edge_m = 0.0;           ///< edge: mean of the three
    std::array<std::int64_t, 2> tets = {-1, -1};  ///< minus, plus
    double rigidity_pa = 0.0;                     ///< mean of both sides
    double poisson = 0.0;                         ///< of the softer side

    [[nodiscard]] Vec3 at(const std::array<double, 3>& lambda) const {
        return lambda[0] * corners_m[0] + lambda[1] * corners_m[1] + lambda[2] * corners_m[2];
    }
    [[nodiscard]] Vec3 middle() const { return at({1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}); }
};

/// In the order of TetMesh::fault_faces. Throws InvalidArgument for a face without two tets.
[[nodiscard]] std::vector<FaultTriangle> fault_triangles(const aderdg::WaveModel& model);

}  // namespace kaname::jobs
