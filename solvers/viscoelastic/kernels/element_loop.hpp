// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"

// How the FP64 element kernels of the CPU add up their bodies' numbers: one element at a time,
// sources in one register.
namespace kaname::viscoelastic::element_loop {

using Share = lanes::AllLanes<lanes::kLanes>;
using V = Share::Pack<double>;

/// out[node_k] += value_k
inline void add(std::int64_t at, const V& value, double* out) {
    Share::store(out, at, Share::load(out, at) + value);
}

/// f += the force of one item of a body, which belongs to this element.
template <class Force>
void add_force(const Force& force, std::int64_t item,
               const std::array<std::int32_t, p2::kNodesPerTet10>& conn, double* f) {
    V own[p2::kNodesPerTet10][3];
    force(item, Share{}, own);
    for (int k = 0; k < p2::kNodesPerTet10; ++k) {
        for (int comp = 0; comp < 3; ++comp) {
            add(std::int64_t(conn[k]) * 3 + comp, own[k][comp], f);
        }
    }
}

/// body(elem) for all elements; those at the same time share no node.
template <class Body>
void for_each_element(const p2::ElementBlocks& blocks, const Body& body) {
#pragma omp parallel
    for (const auto& colour : blocks.colours) {
#pragma omp for schedule(dynamic)
        for (std::size_t b = 0; b < colour.size(); ++b) {
            for (std::int32_t elem = colour[b].begin; elem < colour[b].end; ++elem) {
                body(elem);
            }
        }
    }
}

}  // namespace kaname::viscoelastic::element_loop
