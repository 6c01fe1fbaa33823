// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"

namespace kaname::jobs {

/// Height of a mesh's top over the map. Borrows the mesh.
class TopHeight {
public:
    explicit TopHeight(const mesh::TetMesh& mesh);
    /// Nothing beside the top. Of several faces over a place the first one's.
    [[nodiscard]] std::optional<double> at(double x, double y) const;

private:
    [[nodiscard]] int column(double x) const;
    [[nodiscard]] int row(double y) const;

    const mesh::TetMesh& mesh_;
    // The faces over each cell of a grid of the top's extent, [n][n] as ranges of `faces_`.
    double x0_ = 0.0, y0_ = 0.0, cell_x_ = 1.0, cell_y_ = 1.0;
    int n_ = 1;
    std::vector<std::int32_t> first_;  // [n * n + 1]
    std::vector<std::int32_t> faces_;  // boundary faces
};

}  // namespace kaname::jobs
