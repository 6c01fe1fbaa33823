// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/multigrid/p2_transfer.hpp"

#include <algorithm>

#include "solvers/kernels/lanes.hpp"

namespace kaname::multigrid {

using kernels::kLanes;
using kernels::Lanes;
using kernels::load_lanes;
using kernels::store_lanes;

namespace {
constexpr int kWidth = 3 * kLanes;
}

P2Transfer::P2Transfer(const fem::LocalMesh& mesh)
    : vertex_node_(mesh.vertex_node),
      at_vertex_(mesh.vertex_node),
      ptr_(mesh.n_vertices() + 1, 0),
      parent_(2 * std::size_t(mesh.n_nodes())) {
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        const std::int32_t node = mesh.vertex_node[v];
        parent_[2 * node] = parent_[2 * node + 1] = v;
        if (!mesh.node_halo.owned(node)) {
            vertex_node_[v] = -1;
        }
    }
    for (const auto& edge : mesh.mid_edges) {
        parent_[2 * edge.node] = edge.v0;
        parent_[2 * edge.node + 1] = edge.v1;
        if (mesh.node_halo.owned(edge.node)) {
            ++ptr_[edge.v0 + 1];
            ++ptr_[edge.v1 + 1];
        }
    }
    for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
        ptr_[v + 1] += ptr_[v];
    }
    mid_.resize(ptr_.back());
    std::vector<std::int32_t> next(ptr_.begin(), ptr_.end() - 1);
    for (const auto& edge : mesh.mid_edges) {
        if (mesh.node_halo.owned(edge.node)) {
            mid_[next[edge.v0]++] = edge.node;
            mid_[next[edge.v1]++] = edge.node;
        }
    }
}

void P2Transfer::restrict_to(device::View<const float> r, device::View<float> out) const {
    const auto n = static_cast<std::int32_t>(vertex_node_.size());
#pragma omp parallel for schedule(static)
    for (std::int32_t v = 0; v < n; ++v) {
        Lanes<float> sum[3] = {};
        for (std::int32_t k = ptr_[v]; k < ptr_[v + 1]; ++k) {
            for (int comp = 0; comp < 3; ++comp) {
                sum[comp] += load_lanes(r.data() + std::size_t(mid_[k]) * kWidth + comp * kLanes);
            }
        }
        for (int comp = 0; comp < 3; ++comp) {
            Lanes<float> value = 0.5F * sum[comp];
            if (vertex_node_[v] >= 0) {
                value +=
                    load_lanes(r.data() + std::size_t(vertex_node_[v]) * kWidth + comp * kLanes);
            }
            store_lanes(out.data() + std::size_t(v) * kWidth + comp * kLanes, value);
        }
    }
}

void P2Transfer::prolong_add(device::View<const float> v, device::View<float> x) const {
    const auto n = static_cast<std::int64_t>(parent_.size() / 2);
#pragma omp parallel for schedule(static)
    for (std::int64_t node = 0; node < n; ++node) {
        const float* a = v.data() + std::size_t(parent_[2 * node]) * kWidth;
        const float* b = v.data() + std::size_t(parent_[2 * node + 1]) * kWidth;
        for (int k = 0; k < kWidth; k += kLanes) {
            float* place = x.data() + node * kWidth + k;
            store_lanes(place, load_lanes(place) + 0.5F * (load_lanes(a + k) + load_lanes(b + k)));
        }
    }
}

void P2Transfer::inject(device::View<const float> x, device::View<float> out) const {
    const auto n = static_cast<std::int64_t>(at_vertex_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t v = 0; v < n; ++v) {
        std::copy_n(x.data() + std::size_t(at_vertex_[v]) * kWidth, kWidth,
                    out.data() + v * kWidth);
    }
}

}  // namespace kaname::multigrid
