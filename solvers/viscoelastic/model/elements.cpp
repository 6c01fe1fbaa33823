// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/elements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/lanes/lanes.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::viscoelastic {

std::vector<ElementGeometry> element_geometry(const p2::LocalMesh& mesh, const Scales& scales) {
    std::vector<ElementGeometry> geometry(mesh.n_tets());
    const double inverse_length = 1.0 / scales.length_m;
    parallel_for(mesh.n_tets(), [&](std::int64_t elem) {
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
    });
    return geometry;
}

namespace {

constexpr std::int64_t kBlocks = 4;  ///< of a range: some hundred elements

/// A GPU sums a block's forces in its shared memory; a CPU, in its caches, larger ones.
p2::ElementBlocks blocks_for(const device::Queue& queue, const p2::LocalMesh& mesh) {
    if (queue.backend() != device::Backend::Cpu) {
        return mesh.blocks;
    }
    std::int32_t n_boundary = 0;
    for (int colour = 0; colour < mesh.blocks.n_boundary_colours; ++colour) {
        for (const auto& block : mesh.blocks.colours[colour]) {
            n_boundary = std::max(n_boundary, block.end);
        }
    }
    return p2::colour_blocks(mesh.conn, n_boundary, mesh.n_nodes(), p2::chunk_size(mesh.n_tets()));
}

}  // namespace

template <class T>
ElementGroups<T>::ElementGroups(const p2::LocalMesh& mesh,
                                const std::vector<ElementGeometry>& geometry,
                                const ElementModuli& moduli, device::Queue& queue,
                                std::span<const std::array<std::int32_t, 4>> pressure_nodes)
    : group(queue.backend() == device::Backend::Cpu ? lanes::kGroup<T> : kWarp) {
    const p2::ElementBlocks blocks = blocks_for(queue, mesh);
    n_boundary_colours = blocks.n_boundary_colours;
    std::int32_t n_groups = 0;
    for (const auto& colour : blocks.colours) {
        auto& ranges = colours.emplace_back();
        for (const auto& block : colour) {
            const std::int32_t count = (block.end - block.begin + group - 1) / group;
            ranges.push_back({n_groups, n_groups + count});
            n_groups += count;
        }
    }
    const std::size_t slots = static_cast<std::size_t>(n_groups) * group;
    device::Buffer<std::int32_t> nodes(slots * p2::kNodesPerTet10);
    device::Buffer<T> numbers(slots * kCoefs);
    device::Buffer<std::int32_t> pressures(pressure_nodes.empty() ? 0 : slots * 4);
    device::Buffer<T> weights(pressure_nodes.empty() ? 0 : slots);
    for (std::size_t colour = 0; colour < colours.size(); ++colour) {
        parallel_for(
            std::ssize(colours[colour]),
            [&](std::int64_t b) {
                const auto& block = blocks.colours[colour][b];
                const auto& range = colours[colour][b];
                for (std::int32_t slot = 0; slot < (range.end - range.begin) * group; ++slot) {
                    const std::int32_t elem = std::min(block.begin + slot, block.end - 1);
                    const double volume =
                        block.begin + slot >= block.end ? 0.0 : geometry[elem].volume;
                    const double scale = std::sqrt(0.8 * volume);
                    const std::size_t at = static_cast<std::size_t>(range.begin) * group + slot;
                    std::copy(mesh.conn[elem].begin(), mesh.conn[elem].end(),
                              nodes.data() + at * p2::kNodesPerTet10);
                    T* c = numbers.data() + at / group * kCoefs * group + at % group;
                    for (int m = 0; m < 9; ++m) {
                        c[m * group] = static_cast<T>(scale * geometry[elem].grad[m / 3][m % 3]);
                    }
                    c[9 * group] = static_cast<T>(moduli.lam[elem]);
                    c[10 * group] = static_cast<T>(moduli.mu[elem]);
                    if (!pressure_nodes.empty()) {
                        std::copy(pressure_nodes[elem].begin(), pressure_nodes[elem].end(),
                                  pressures.data() + at * 4);
                        weights[at] = static_cast<T>(0.25 * scale);
                    }
                }
            },
            kBlocks);
    }
    if (queue.backend() == device::Backend::Cuda) {
        scatter = BlockScatter(block_nodes(nodes.view(), colours, group), blocks, group, queue);
    }
    conn = moved_to(queue, std::move(nodes));
    coef = moved_to(queue, std::move(numbers));
    pressure_conn = moved_to(queue, std::move(pressures));
    weight = moved_to(queue, std::move(weights));
}

template struct ElementGroups<float>;
template struct ElementGroups<double>;

}  // namespace kaname::viscoelastic
