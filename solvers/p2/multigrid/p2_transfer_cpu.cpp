// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/lanes/lanes.hpp"
#include "solvers/p2/multigrid/p2_transfer_kernels.hpp"

namespace kaname::multigrid {

using lanes::kLanes;
using lanes::Lanes;
using lanes::load_lanes;
using lanes::store_lanes;

namespace {
constexpr int kWidth = 3 * kLanes;
}

void p2_restrict_cpu(const P2TransferLists& lists, device::View<const float> r,
                     device::View<float> out) {
    const auto n = static_cast<std::int32_t>(lists.vertex_node.size());
#pragma omp parallel for schedule(static)
    for (std::int32_t v = 0; v < n; ++v) {
        Lanes<float> sum[3] = {};
        for (std::int32_t k = lists.ptr[v]; k < lists.ptr[v + 1]; ++k) {
            const float* mid = r.data() + std::size_t(lists.mid[k]) * kWidth;
            for (int comp = 0; comp < 3; ++comp) {
                sum[comp] += load_lanes(mid + comp * kLanes);
            }
        }
        const std::int32_t node = lists.vertex_node[v];
        for (int comp = 0; comp < 3; ++comp) {
            Lanes<float> value = 0.5F * sum[comp];
            if (node >= 0) {
                value += load_lanes(r.data() + std::size_t(node) * kWidth + comp * kLanes);
            }
            store_lanes(out.data() + std::size_t(v) * kWidth + comp * kLanes, value);
        }
    }
}

void p2_prolong_add_cpu(const P2TransferLists& lists, device::View<const float> v,
                        device::View<float> x) {
    const auto n = static_cast<std::int64_t>(lists.parent.size() / 2);
#pragma omp parallel for schedule(static)
    for (std::int64_t node = 0; node < n; ++node) {
        const float* a = v.data() + std::size_t(lists.parent[2 * node]) * kWidth;
        const float* b = v.data() + std::size_t(lists.parent[2 * node + 1]) * kWidth;
        for (int k = 0; k < kWidth; k += kLanes) {
            float* place = x.data() + node * kWidth + k;
            store_lanes(place, load_lanes(place) + 0.5F * (load_lanes(a + k) + load_lanes(b + k)));
        }
    }
}

void p2_inject_cpu(const P2TransferLists& lists, device::View<const float> x,
                   device::View<float> out) {
    const auto n = static_cast<std::int64_t>(lists.at_vertex.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t v = 0; v < n; ++v) {
        std::copy_n(x.data() + std::size_t(lists.at_vertex[v]) * kWidth, kWidth,
                    out.data() + v * kWidth);
    }
}

}  // namespace kaname::multigrid
