// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

// What the FP64 element kernels of the CPU share: one element at a time, sources in one register.
namespace kaname::viscoelastic::element_loop {

using lanes::kLanes;
using lanes::load_lanes;
using lanes::store_lanes;
using V = lanes::Lanes<double>;

inline constexpr int kWidth = 3 * kLanes;

inline V broadcast(double value) {
    return V{} + value;
}

inline void load_gradients(const ElementGeometry& geometry, V (&G)[3][3]) {
    for (int m = 0; m < 3; ++m) {
        for (int j = 0; j < 3; ++j) {
            G[m][j] = broadcast(geometry.grad[m][j]);
        }
    }
}

inline void add_to_nodes(const std::array<std::int32_t, 10>& conn, const V (&f)[10][3], double sign,
                         double* out) {
    for (int k = 0; k < 10; ++k) {
        for (int comp = 0; comp < 3; ++comp) {
            double* place = out + std::size_t(conn[k]) * kWidth + comp * kLanes;
            store_lanes(place, load_lanes(place) + sign * f[k][comp]);
        }
    }
}

inline void load_displacement(const std::array<std::int32_t, 10>& conn, const double* x,
                              V (&u)[10][3]) {
    for (int k = 0; k < 10; ++k) {
        const double* place = x + std::size_t(conn[k]) * kWidth;
        for (int comp = 0; comp < 3; ++comp) {
            u[k][comp] = load_lanes(place + comp * kLanes);
        }
    }
}

/// u += the element's slip offset, if it has one; offsets ascending by element.
inline void add_offset(std::span<const ElementOffset> offsets, std::int32_t elem, V (&u)[10][3]) {
    const auto offset =
        std::lower_bound(offsets.begin(), offsets.end(), elem,
                         [](const ElementOffset& o, std::int32_t e) { return o.elem < e; });
    if (offset == offsets.end() || offset->elem != elem) {
        return;
    }
    for (int k = 0; k < 10; ++k) {
        for (int comp = 0; comp < 3; ++comp) {
            u[k][comp] += load_lanes(offset->s[k][comp]);
        }
    }
}

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
