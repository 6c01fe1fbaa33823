// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {

/// An element's share in a value.
struct ElementShare {
    std::size_t tet;
    double weight;
};

/// The value of a field at `x` in element `tet`, from the means of elements, is sum w_e mean_e: the
/// linear function that fits best the means of the elements that touch `tet`, are of its material
/// and, where a fault is between, of its side (Zienkiewicz and Zhu 1992, superconvergent patch
/// recovery; a mean is the value at the centroid of what is linear in the element). Second order in
/// the element size, where the element's own mean is of first; with fewer than the elements needed
/// the mean itself. `tets` [E][4]: vertices, doubled on faults (sources/split_vertices.hpp).
[[nodiscard]] std::vector<ElementShare> recovery_at(const mesh::TetMesh& mesh,
                                                    std::span<const std::int32_t> tets,
                                                    std::size_t tet, const Vec3& x);

}  // namespace kaname::jobs
