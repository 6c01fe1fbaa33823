// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"

namespace kaname::viscoelastic {

using namespace element_loop;

namespace {

void add_dilatation(const DilatationArgs& args, std::int32_t elem, const V (&u)[10][3]) {
    const auto& nodes = args.nodes[elem];
    V G[3][3];
    load_gradients(args.data.geometry[elem], G);
    V theta[4];
    element_dilatation(u, G, broadcast(args.data.geometry[elem].volume / 20.0), theta);
    for (int k = 0; k < 4; ++k) {
        double* place = args.y.data() + std::size_t(nodes[k]) * kLanes;
        store_lanes(place, load_lanes(place) + theta[k]);
    }
}

}  // namespace

void dilatation_cpu(const DilatationArgs& args) {
    const std::int32_t none = args.none;
    const auto acts = [&](std::int32_t elem) { return args.nodes[elem][0] != none; };
    if (args.x.empty()) {
        for (const ElementOffset& offset : args.offsets) {
            V u[10][3] = {};
            add_offset({&offset, 1}, offset.elem, u);
            if (acts(offset.elem)) {
                add_dilatation(args, offset.elem, u);
            }
        }
        return;
    }
    for_each_element(*args.data.blocks, [&](std::int32_t elem) {
        if (!acts(elem)) {
            return;
        }
        V u[10][3];
        load_displacement(args.data.conn[elem], args.x.data(), u);
        add_offset(args.offsets, elem, u);
        add_dilatation(args, elem, u);
    });
}

void pressure_force_cpu(const PressureForceArgs& args) {
    const ElementData& data = args.data;
    for_each_element(*data.blocks, [&](std::int32_t elem) {
        const auto& nodes = args.nodes[elem];
        if (nodes[0] == args.none) {
            return;
        }
        const double weight = data.geometry[elem].volume / 20.0;
        V s[4][6] = {};
        for (int k = 0; k < 4; ++k) {
            s[k][0] = weight * load_lanes(args.pressure.data() + std::size_t(nodes[k]) * kLanes);
            s[k][1] = s[k][2] = s[k][0];
        }
        V G[3][3];
        load_gradients(data.geometry[elem], G);
        V f[10][3] = {};
        add_element_force(s, G, f);
        add_to_nodes(data.conn[elem], f, -1.0, args.f.data());
    });
}

}  // namespace kaname::viscoelastic
