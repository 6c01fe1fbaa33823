// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/elements.hpp"

#include <algorithm>

namespace kaname::viscoelastic {

std::vector<ElementGeometry> element_geometry(const fem::LocalMesh& mesh, const Scales& scales) {
    std::vector<ElementGeometry> geometry(mesh.n_tets());
    const double inverse_length = 1.0 / scales.length_m;
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        std::array<Vec3, 4> v;
        for (int k = 0; k < 4; ++k) {
            v[k] = inverse_length * mesh.node_xyz[mesh.conn[elem][k]];
        }
        const double six_volume = det6(v[0], v[1], v[2], v[3]);
        // Rows of the inverse Jacobian: grad L_1 = (e2 x e3) / 6V and cyclic, e_m = v_m - v_0.
        const Vec3 e1 = v[1] - v[0];
        const Vec3 e2 = v[2] - v[0];
        const Vec3 e3 = v[3] - v[0];
        const Vec3 rows[3] = {cross(e2, e3), cross(e3, e1), cross(e1, e2)};
        for (int m = 0; m < 3; ++m) {
            for (int j = 0; j < 3; ++j) {
                geometry[elem].grad[m][j] = rows[m][j] / six_volume;
            }
        }
        geometry[elem].volume = six_volume / 6.0;
    }
    return geometry;
}

template <class T>
ElementGroups<T>::ElementGroups(const fem::LocalMesh& mesh,
                                const std::vector<ElementGeometry>& geometry,
                                const ElementModuli& moduli,
                                std::span<const std::array<std::int32_t, 4>> pressure_nodes)
    : n_boundary_colours(mesh.blocks.n_boundary_colours) {
    constexpr int group = kernels::kGroup<T>;
    std::int32_t n_groups = 0;
    for (const auto& colour : mesh.blocks.colours) {
        auto& ranges = colours.emplace_back();
        for (const auto& block : colour) {
            const std::int32_t count = (block.end - block.begin + group - 1) / group;
            ranges.push_back({n_groups, n_groups + count});
            n_groups += count;
        }
    }
    conn.resize(static_cast<std::size_t>(n_groups) * group * fem::kNodesPerTet10);
    coef = device::Buffer<T>(static_cast<std::size_t>(n_groups) * kCoefs * group);
    if (!pressure_nodes.empty()) {
        pressure_conn.resize(static_cast<std::size_t>(n_groups) * group * 4);
        weight = device::Buffer<T>(static_cast<std::size_t>(n_groups) * group);
    }
    for (std::size_t colour = 0; colour < colours.size(); ++colour) {
        for (std::size_t b = 0; b < colours[colour].size(); ++b) {
            const auto& block = mesh.blocks.colours[colour][b];
            const std::int32_t first_group = colours[colour][b].begin;
            const std::int32_t slots = (colours[colour][b].end - first_group) * group;
            for (std::int32_t slot = 0; slot < slots; ++slot) {
                const std::int32_t elem = std::min(block.begin + slot, block.end - 1);
                const bool filler = block.begin + slot >= block.end;
                const std::size_t g = first_group + slot / group;
                const int e = slot % group;
                std::copy(mesh.conn[elem].begin(), mesh.conn[elem].end(),
                          conn.begin() + (g * group + e) * fem::kNodesPerTet10);
                T* c = coef.data() + g * kCoefs * group + e;
                for (int m = 0; m < 9; ++m) {
                    c[m * group] = static_cast<T>(geometry[elem].grad[m / 3][m % 3]);
                }
                const double twentieth = filler ? 0.0 : geometry[elem].volume / 20.0;
                c[9 * group] = static_cast<T>(moduli.lam[elem] * twentieth);
                c[10 * group] = static_cast<T>(moduli.mu[elem] * twentieth);
                if (!pressure_nodes.empty()) {
                    std::copy(pressure_nodes[elem].begin(), pressure_nodes[elem].end(),
                              pressure_conn.begin() + (g * group + e) * 4);
                    weight[g * group + e] = static_cast<T>(twentieth);
                }
            }
        }
    }
}

template struct ElementGroups<float>;
template struct ElementGroups<double>;

}  // namespace kaname::viscoelastic
