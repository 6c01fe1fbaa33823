// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/calibration_mesh.hpp"

#include <algorithm>
#include <array>

#include "solvers/mesh/tet_topology.hpp"

namespace kaname::jobs {
namespace {

using Corner = std::array<int, 3>;

constexpr double kCell_m = 3.2e3;
constexpr Corner kCells = {20, 20, 10};  // east, north, up
constexpr mesh::Side kSides[3][2] = {{mesh::Side::West, mesh::Side::East},
                                     {mesh::Side::South, mesh::Side::North},
                                     {mesh::Side::Bottom, mesh::Side::Top}};

std::int32_t vertex(const Corner& at) {
    return at[2] + (kCells[2] + 1) * (at[0] + (kCells[0] + 1) * at[1]);
}

void add_tet(const std::array<Corner, 4>& corners, mesh::TetMesh& mesh) {
    std::array<std::int32_t, 4> tet{};
    std::ranges::transform(corners, tet.begin(), vertex);
    mesh.tets.push_back(tet);
    mesh.material.push_back(0);
    for (const auto& [a, b, c] : mesh::kTetFaces) {
        for (int axis = 0; axis < 3; ++axis) {
            const int at = corners[a][axis];
            if (corners[b][axis] == at && corners[c][axis] == at &&
                (at == 0 || at == kCells[axis])) {
                mesh.boundary_faces.push_back({{tet[a], tet[b], tet[c]}, kSides[axis][at != 0]});
            }
        }
    }
}

/// Kuhn's six tetrahedra: the paths from the low corner to the opposite one along the three axes.
void add_cube(const Corner& low, mesh::TetMesh& mesh) {
    Corner axes = {0, 1, 2};
    do {
        std::array<Corner, 4> corners = {low, low, low, low};
        for (int step = 0; step < 3; ++step) {
            for (int later = step + 1; later < 4; ++later) {
                ++corners[later][axes[step]];
            }
        }
        const bool even = axes[1] == (axes[0] + 1) % 3;
        if (!even) {
            std::swap(corners[1], corners[2]);
        }
        add_tet(corners, mesh);
    } while (std::next_permutation(axes.begin(), axes.end()));
}

}  // namespace

mesh::TetMesh calibration_mesh() {
    mesh::TetMesh mesh;
    for (int j = 0; j <= kCells[1]; ++j) {
        for (int i = 0; i <= kCells[0]; ++i) {
            for (int k = 0; k <= kCells[2]; ++k) {
                mesh.xyz.push_back({(i - 0.5 * kCells[0]) * kCell_m,
                                    (j - 0.5 * kCells[1]) * kCell_m, (k - kCells[2]) * kCell_m});
            }
        }
    }
    for (int j = 0; j < kCells[1]; ++j) {
        for (int i = 0; i < kCells[0]; ++i) {
            for (int k = 0; k < kCells[2]; ++k) {
                add_cube({i, j, k}, mesh);
            }
        }
    }
    return mesh;
}

}  // namespace kaname::jobs
