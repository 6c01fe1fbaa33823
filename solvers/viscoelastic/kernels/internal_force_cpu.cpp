// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/stress_body.hpp"

namespace kaname::viscoelastic {
namespace {

using namespace element_loop;

void load_stress(const double* from, V (&s)[6]) {
    for (int c = 0; c < 6; ++c) {
        s[c] = load_lanes(from + c * kLanes);
    }
}

/// sigma' = sigma - relax sigma + change, from lane to lane; `second` of this vertex.
void chain_lanes(const V (&change)[6], const Parts& relax, LaneChain chain, double* stress,
                 const SecondOfElement& second) {
    double s[6];
    double t[6];
    for (int c = 0; c < 6; ++c) {
        s[c] = stress[c * kLanes];
        t[c] = second.stress != nullptr ? second.stress[c * kLanes] : 0.0;
    }
    const int shift = chain == LaneChain::Within ? 1 : 0;
    for (int lane = shift; lane < kLanes; ++lane) {
        relax_stress(s, relax);
        for (int c = 0; c < 6; ++c) {
            s[c] += change[c][lane - shift];
            stress[c * kLanes + lane] = s[c];
        }
        if (second.stress != nullptr) {
            double grown[6];
            for (int c = 0; c < 6; ++c) {
                grown[c] = change[c][lane - shift];
            }
            relax_second(s, t, relax, second.relax);
            step_second(t, grown, second);
            for (int c = 0; c < 6; ++c) {
                stress[c * kLanes + lane] = s[c];
                second.stress[c * kLanes + lane] = t[c];
            }
        }
    }
}

}  // namespace

void offset_force_cpu(const OffsetForceArgs& args) {
    const ElementData& data = args.data;
    for (const ElementOffset& offset : args.offsets) {
        V u[10][3] = {};
        add_offset({&offset, 1}, offset.elem, u);
        V G[3][3];
        load_gradients(data.geometry[offset.elem], G);
        const double weight = data.geometry[offset.elem].volume / 20.0;
        V s[4][6];
        element_stress(u, G, broadcast(data.lam[offset.elem] * weight),
                       broadcast(data.mu[offset.elem] * weight), s);
        V f[10][3] = {};
        add_element_force(s, G, f);
        add_to_nodes(data.conn[offset.elem], f, -1.0, args.f.data());
    }
}

void stress_force_cpu(const StressForceArgs& args) {
    const ElementData& data = args.data;
    const SecondPointers seconds(args.second);
    for_each_element(*data.blocks, [&](std::int32_t elem) {
        const double* stress = args.stress.data() + std::size_t(elem) * kStressPerElement;
        const double weight = data.geometry[elem].volume / 20.0;
        const SecondOfElement second = seconds.of(elem);
        V s[4][6];
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; c < 6; ++c) {
                s[k][c] = weight * load_lanes(stress + (k * 6 + c) * kLanes);
            }
            relax_stress(s[k], args.relax[elem]);
            if (second.stress != nullptr) {
                V t[6];
                load_stress(second.vertex(k).stress, t);
                relax_second(s[k], t, scaled(weight, args.relax[elem]),
                             scaled(weight, second.relax));
            }
        }
        V G[3][3];
        load_gradients(data.geometry[elem], G);
        V f[10][3] = {};
        add_element_force(s, G, f);
        add_to_nodes(data.conn[elem], f, -1.0, args.f.data());
    });
}

void stress_update_cpu(const StressUpdateArgs& args) {
    const ElementData& data = args.data;
    const SecondPointers seconds(args.second);
    for_each_element(*data.blocks, [&](std::int32_t elem) {
        V u[10][3];
        load_displacement(data.conn[elem], args.du.data(), u);
        add_offset(args.offsets, elem, u);
        V G[3][3];
        load_gradients(data.geometry[elem], G);
        V change[4][6];
        element_stress(u, G, broadcast(data.lam[elem]), broadcast(data.mu[elem]), change);
        double* stress = args.stress.data() + std::size_t(elem) * kStressPerElement;
        const SecondOfElement second = seconds.of(elem);
        for (int k = 0; k < 4; ++k) {
            if (args.chain != LaneChain::None) {
                chain_lanes(change[k], args.relax[elem], args.chain, stress + k * 6 * kLanes,
                            second.vertex(k));
                continue;
            }
            V s[6];
            for (int c = 0; c < 6; ++c) {
                s[c] = load_lanes(stress + (k * 6 + c) * kLanes);
            }
            relax_stress(s, args.relax[elem]);
            if (second.stress != nullptr) {
                double* kept = second.vertex(k).stress;
                V t[6];
                load_stress(kept, t);
                relax_second(s, t, args.relax[elem], second.relax);
                step_second(t, change[k], second);
                for (int c = 0; c < 6; ++c) {
                    store_lanes(kept + c * kLanes, t[c]);
                }
            }
            for (int c = 0; c < 6; ++c) {
                store_lanes(stress + (k * 6 + c) * kLanes, s[c] + change[k][c]);
            }
        }
    });
}

}  // namespace kaname::viscoelastic
