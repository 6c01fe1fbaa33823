// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/lanes.hpp"
#include "solvers/lanes/share.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

/// Items are vertices or nodes of three numbers.
namespace kaname::multigrid::body {

/// out = P^T r at vertex v.
template <int L = lanes::kLanes>
struct Restrict {
    static constexpr const char* kName = "p2_restrict";
    using GpuShare = lanes::OneNumber<L>;
    const std::int32_t* vertex_node;
    const std::int32_t* ptr;
    const std::int32_t* mid;
    const float* r;
    float* out;
    KANAME_HD static constexpr int numbers() { return 3; }
    template <class P>
    KANAME_HD void operator()(std::int64_t v, const P& p) const {
        constexpr int n = P::numbers(3);
        lanes::PackOf<P, float> sum[n];
        for (int comp = 0; comp < n; ++comp) {
            sum[comp] = p.constant(0.0F);
        }
        for (std::int32_t k = ptr[v]; k < ptr[v + 1]; ++k) {
            for (int comp = 0; comp < n; ++comp) {
                sum[comp] += p.load(r, std::int64_t(mid[k]) * 3 + comp);
            }
        }
        const std::int64_t node = vertex_node[v];
        for (int comp = 0; comp < n; ++comp) {
            lanes::PackOf<P, float> value = 0.5F * sum[comp];
            if (node >= 0) {
                value += p.load(r, node * 3 + comp);
            }
            p.store(out, v * 3 + comp, value);
        }
    }
};

/// x += P v at a node.
template <int L = lanes::kLanes>
struct ProlongAdd {
    static constexpr const char* kName = "p2_prolong_add";
    using GpuShare = lanes::OneNumber<L>;
    const std::int32_t* parent;
    const float* v;
    float* x;
    KANAME_HD static constexpr int numbers() { return 3; }
    template <class P>
    KANAME_HD void operator()(std::int64_t node, const P& p) const {
        const std::int64_t a = std::int64_t(parent[2 * node]) * 3;
        const std::int64_t b = std::int64_t(parent[2 * node + 1]) * 3;
        for (int comp = 0; comp < P::numbers(3); ++comp) {
            const std::int64_t at = node * 3 + comp;
            p.store(x, at, p.load(x, at) + 0.5F * (p.load(v, a + comp) + p.load(v, b + comp)));
        }
    }
};

}  // namespace kaname::multigrid::body
