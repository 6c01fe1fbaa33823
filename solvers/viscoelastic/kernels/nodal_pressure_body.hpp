// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/internal_force_body.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"

namespace kaname::viscoelastic::body {

/// Pressure nodes of the elements.
struct NodesOfElements {
    const std::int32_t* nodes;  ///< [El][4]
    std::int32_t none;

    NodesOfElements(device::View<const std::array<std::int32_t, 4>> all, std::int32_t no_node)
        : nodes(reinterpret_cast<const std::int32_t*>(all.data())), none(no_node) {}
    /// Returns true if element elem has pressure nodes.
    [[nodiscard]] KANAME_HD bool at(std::int64_t elem) const { return nodes[elem * 4] != none; }
    [[nodiscard]] KANAME_HD std::int64_t node(std::int64_t elem, int k) const {
        return nodes[elem * 4 + k];
    }
};

/// y[k] = int L_k div (x + s_e) of element elem; x null: of the offsets alone.
struct Dilatation {
    ElementPointers data;
    const ElementOffset* offsets;
    std::int32_t n_offsets;
    const double* x;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t elem, const P& p, V (&y)[4]) const {
        V u[10][3];
        if (x != nullptr) {
            data.displacement(elem, p, x, u);
        } else {
            data.zero_force(p, u);
        }
        add_offset(offsets, n_offsets, elem, p, u);
        V G[3][3];
        data.gradients(elem, p, G);
        element_dilatation(u, G, p.constant(data.weight(elem)), y);
    }
};

/// f = -int B^T p I.
struct PressureForce {
    ElementPointers data;
    NodesOfElements nodes;
    const double* pressure;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t elem, const P& p, V (&f)[10][3]) const {
        const double weight = nodes.at(elem) ? -data.weight(elem) : 0.0;
        V s[4][6];
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            s[k][0] = weight * p.load(pressure, nodes.node(elem, k));
            s[k][1] = s[k][2] = s[k][0];
            s[k][3] = s[k][4] = s[k][5] = p.constant(0.0);
        }
        data.force(elem, p, s, f);
    }
};

}  // namespace kaname::viscoelastic::body
