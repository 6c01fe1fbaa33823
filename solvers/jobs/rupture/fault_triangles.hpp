// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::jobs {

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
