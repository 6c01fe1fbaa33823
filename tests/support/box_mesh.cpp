// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/box_mesh.hpp"

#include <algorithm>
#include <utility>

#include "solvers/p2/dof_map.hpp"

namespace kaname::test {
namespace {

using Lattice = std::array<int, 3>;

class Builder {
public:
    explicit Builder(const BoxMesh& box) : box_(box) {}

    mesh::TetMesh build() {
        add_vertices();
        for (int k = 0; k < box_.cells[2]; ++k) {
            for (int j = 0; j < box_.cells[1]; ++j) {
                for (int i = 0; i < box_.cells[0]; ++i) {
                    add_cell({i, j, k});
                }
            }
        }
        for (const LatticeFault& fault : box_.faults) {
            add_fault(fault);
        }
        return std::move(mesh_);
    }

private:
    [[nodiscard]] std::int32_t id(const Lattice& at) const {
        return at[0] + (box_.cells[0] + 1) * (at[1] + (box_.cells[1] + 1) * at[2]);
    }

    void add_vertices() {
        const Vec3 size = box_.high - box_.low;
        for (int k = 0; k <= box_.cells[2]; ++k) {
            for (int j = 0; j <= box_.cells[1]; ++j) {
                for (int i = 0; i <= box_.cells[0]; ++i) {
                    const Vec3 x =
                        box_.low + Vec3{size.x * i / box_.cells[0], size.y * j / box_.cells[1],
                                        size.z * k / box_.cells[2]};
                    mesh_.xyz.push_back(box_.move ? box_.move(x) : x);
                }
            }
        }
    }

    void add_cell(const Lattice& cell) {
        Lattice axes = {0, 1, 2};
        do {
            // From the low corner one axis after the other to the high corner.
            std::array<Lattice, 4> corners = {cell, cell, cell, cell};
            for (int step = 0; step < 3; ++step) {
                for (int v = step + 1; v < 4; ++v) {
                    ++corners[v][axes[step]];
                }
            }
            const bool even = axes[1] == (axes[0] + 1) % 3;
            if (!even) {
                std::swap(corners[1], corners[2]);
            }
            add_tet(corners);
        } while (std::next_permutation(axes.begin(), axes.end()));
    }

    void add_tet(const std::array<Lattice, 4>& corners) {
        const std::array<std::int32_t, 4> tet = {id(corners[0]), id(corners[1]), id(corners[2]),
                                                 id(corners[3])};
        mesh_.tets.push_back(tet);
        Vec3 centroid;
        for (const std::int32_t v : tet) {
            centroid += 0.25 * mesh_.xyz[v];
        }
        mesh_.material.push_back(box_.material ? box_.material(centroid) : 0);
        for (const auto& face : p2::kTetFaces) {
            for (int axis = 0; axis < 3; ++axis) {
                const int at = corners[face[0]][axis];
                const bool flat = corners[face[1]][axis] == at && corners[face[2]][axis] == at;
                if (flat && (at == 0 || at == box_.cells[axis])) {
                    static constexpr mesh::Side kSides[3][2] = {
                        {mesh::Side::West, mesh::Side::East},
                        {mesh::Side::South, mesh::Side::North},
                        {mesh::Side::Bottom, mesh::Side::Top}};
                    mesh_.boundary_faces.push_back(
                        {{tet[face[0]], tet[face[1]], tet[face[2]]}, kSides[axis][at != 0]});
                }
            }
        }
    }

    void add_fault(const LatticeFault& fault) {
        const int u = (fault.axis + 1) % 3;
        const int v = (fault.axis + 2) % 3;
        for (int b = fault.low[v]; b < fault.high[v]; ++b) {
            for (int a = fault.low[u]; a < fault.high[u]; ++a) {
                const auto corner = [&](int du, int dv) {
                    Lattice at;
                    at[fault.axis] = fault.index;
                    at[u] = a + du;
                    at[v] = b + dv;
                    return id(at);
                };
                add_fault_face({corner(0, 0), corner(1, 0), corner(1, 1)}, fault);
                add_fault_face({corner(0, 0), corner(1, 1), corner(0, 1)}, fault);
            }
        }
    }

    void add_fault_face(std::array<std::int32_t, 3> face, const LatticeFault& fault) {
        if (!fault.normal_along_axis) {
            std::swap(face[1], face[2]);
        }
        mesh_.fault_faces.push_back({face});
    }

    const BoxMesh& box_;
    mesh::TetMesh mesh_;
};

}  // namespace

mesh::TetMesh BoxMesh::build() const {
    return Builder(*this).build();
}

}  // namespace kaname::test
