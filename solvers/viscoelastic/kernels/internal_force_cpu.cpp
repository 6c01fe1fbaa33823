// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::viscoelastic {
namespace {

using kernels::kLanes;
using kernels::load_lanes;
using kernels::store_lanes;
using V = kernels::Lanes<double>;

constexpr int kWidth = 3 * kLanes;

V broadcast(double value) {
    return V{} + value;
}

void load_gradients(const ElementGeometry& geometry, V (&G)[3][3]) {
    for (int m = 0; m < 3; ++m) {
        for (int j = 0; j < 3; ++j) {
            G[m][j] = broadcast(geometry.grad[m][j]);
        }
    }
}

void add_to_nodes(const std::array<std::int32_t, 10>& conn, const V (&f)[10][3], double sign,
                  double* out) {
    for (int k = 0; k < 10; ++k) {
        for (int comp = 0; comp < 3; ++comp) {
            double* place = out + std::size_t(conn[k]) * kWidth + comp * kLanes;
            store_lanes(place, load_lanes(place) + sign * f[k][comp]);
        }
    }
}

/// sigma - relax dev(sigma), in place.
void relax_deviator(V (&s)[6], double relax) {
    const V mean = (s[0] + s[1] + s[2]) / 3.0;
    for (int c = 0; c < 6; ++c) {
        s[c] -= relax * (c < 3 ? s[c] - mean : s[c]);
    }
}

/// sigma' = sigma - relax dev sigma + change, from lane to lane.
void chain_lanes(const V (&change)[6], double relax, LaneChain chain, double* stress) {
    double s[6];
    for (int c = 0; c < 6; ++c) {
        s[c] = stress[c * kLanes];
    }
    const int shift = chain == LaneChain::Within ? 1 : 0;
    for (int lane = shift; lane < kLanes; ++lane) {
        const double mean = (s[0] + s[1] + s[2]) / 3.0;
        for (int c = 0; c < 6; ++c) {
            s[c] += change[c][lane - shift] - relax * (c < 3 ? s[c] - mean : s[c]);
            stress[c * kLanes + lane] = s[c];
        }
    }
}

template <class Body>
void for_each_element(const fem::ElementBlocks& blocks, const Body& body) {
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

}  // namespace

void offset_force_cpu(const OffsetForceArgs& args) {
    const ElementData& data = args.data;
    for (const ElementOffset& offset : args.offsets) {
        V u[10][3];
        for (int k = 0; k < 10; ++k) {
            for (int comp = 0; comp < 3; ++comp) {
                u[k][comp] = load_lanes(offset.s[k][comp]);
            }
        }
        V G[3][3];
        load_gradients(data.geometry[offset.elem], G);
        const double weight = data.geometry[offset.elem].volume / 20.0;
        V s[4][6];
        element_stress(u, G, broadcast(data.moduli.lam[offset.elem] * weight),
                       broadcast(data.moduli.mu[offset.elem] * weight), s);
        V f[10][3] = {};
        add_element_force(s, G, f);
        add_to_nodes(data.mesh.conn[offset.elem], f, -1.0, args.f.data());
    }
}

void stress_force_cpu(const StressForceArgs& args) {
    const ElementData& data = args.data;
    for_each_element(data.mesh.blocks, [&](std::int32_t elem) {
        const double* stress = args.stress.data() + std::size_t(elem) * kStressPerElement;
        const double weight = data.geometry[elem].volume / 20.0;
        V s[4][6];
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; c < 6; ++c) {
                s[k][c] = weight * load_lanes(stress + (k * 6 + c) * kLanes);
            }
            relax_deviator(s[k], args.relax[elem]);
        }
        V G[3][3];
        load_gradients(data.geometry[elem], G);
        V f[10][3] = {};
        add_element_force(s, G, f);
        add_to_nodes(data.mesh.conn[elem], f, -1.0, args.f.data());
    });
}

void stress_update_cpu(const StressUpdateArgs& args) {
    const ElementData& data = args.data;
    for_each_element(data.mesh.blocks, [&](std::int32_t elem) {
        V u[10][3];
        for (int k = 0; k < 10; ++k) {
            const double* place = args.du.data() + std::size_t(data.mesh.conn[elem][k]) * kWidth;
            for (int comp = 0; comp < 3; ++comp) {
                u[k][comp] = load_lanes(place + comp * kLanes);
            }
        }
        const auto offset =
            std::lower_bound(args.offsets.begin(), args.offsets.end(), elem,
                             [](const ElementOffset& o, std::int32_t e) { return o.elem < e; });
        if (offset != args.offsets.end() && offset->elem == elem) {
            for (int k = 0; k < 10; ++k) {
                for (int comp = 0; comp < 3; ++comp) {
                    u[k][comp] += load_lanes(offset->s[k][comp]);
                }
            }
        }
        V G[3][3];
        load_gradients(data.geometry[elem], G);
        V change[4][6];
        element_stress(u, G, broadcast(data.moduli.lam[elem]), broadcast(data.moduli.mu[elem]),
                       change);
        double* stress = args.stress.data() + std::size_t(elem) * kStressPerElement;
        for (int k = 0; k < 4; ++k) {
            if (args.chain != LaneChain::None) {
                chain_lanes(change[k], args.relax[elem], args.chain, stress + k * 6 * kLanes);
                continue;
            }
            V s[6];
            for (int c = 0; c < 6; ++c) {
                s[c] = load_lanes(stress + (k * 6 + c) * kLanes);
            }
            relax_deviator(s, args.relax[elem]);
            for (int c = 0; c < 6; ++c) {
                store_lanes(stress + (k * 6 + c) * kLanes, s[c] + change[k][c]);
            }
        }
    });
}

}  // namespace kaname::viscoelastic
