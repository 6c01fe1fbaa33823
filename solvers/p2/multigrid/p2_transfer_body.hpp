// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"
#include "solvers/lanes/lane_count.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

/// What one GPU thread does: number i (node or vertex, component, lane) of the result. Tests run
/// them on the CPU.
namespace kaname::multigrid::body {

inline constexpr int kWidth = 3 * lanes::kLanes;

struct Restrict {
    const std::int32_t* vertex_node;
    const std::int32_t* ptr;
    const std::int32_t* mid;
    const float* r;
    float* out;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t v = i / kWidth;
        const int number = static_cast<int>(i % kWidth);
        float sum = 0.0F;
        for (std::int32_t k = ptr[v]; k < ptr[v + 1]; ++k) {
            sum += r[std::int64_t(mid[k]) * kWidth + number];
        }
        const std::int64_t node = vertex_node[v];
        out[i] = 0.5F * sum + (node >= 0 ? r[node * kWidth + number] : 0.0F);
    }
};

struct ProlongAdd {
    const std::int32_t* parent;
    const float* v;
    float* x;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t node = i / kWidth;
        const int number = static_cast<int>(i % kWidth);
        x[i] += 0.5F * (v[std::int64_t(parent[2 * node]) * kWidth + number] +
                        v[std::int64_t(parent[2 * node + 1]) * kWidth + number]);
    }
};

struct Inject {
    const std::int32_t* at_vertex;
    const float* x;
    float* out;
    KANAME_HD void operator()(std::int64_t i) const {
        out[i] = x[std::int64_t(at_vertex[i / kWidth]) * kWidth + i % kWidth];
    }
};

}  // namespace kaname::multigrid::body
