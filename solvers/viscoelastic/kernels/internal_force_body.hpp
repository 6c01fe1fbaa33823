// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"
#include "solvers/viscoelastic/kernels/stress_body.hpp"

/// What one GPU thread of the FP64 element kernels does: one lane of one element.
namespace kaname::viscoelastic::body {

struct ElementPointers {
    const std::int32_t* conn;
    const ElementGeometry* geometry;
    const double* lam;
    const double* mu;

    ElementPointers(const ElementData& data)
        : conn(reinterpret_cast<const std::int32_t*>(data.conn.data())),
          geometry(data.geometry.data()),
          lam(data.lam.data()),
          mu(data.mu.data()) {}

    KANAME_HD void gradients(std::int64_t elem, double (&G)[3][3]) const {
        KANAME_UNROLL(9)
        for (int m = 0; m < 9; ++m) {
            G[m / 3][m % 3] = geometry[elem].grad[m / 3][m % 3];
        }
    }
    KANAME_HD void displacement(std::int64_t elem, int lane, const double* x,
                                double (&u)[10][3]) const {
        KANAME_UNROLL(10)
        for (int k = 0; k < 10; ++k) {
            const std::int64_t at = std::int64_t(conn[elem * 10 + k]) * 3 * lanes::kLanes + lane;
            KANAME_UNROLL(3)
            for (int c = 0; c < 3; ++c) {
                u[k][c] = x[at + c * lanes::kLanes];
            }
        }
    }
};

KANAME_HD inline void zero_force(double (&f)[10][3]) {
    KANAME_UNROLL(10)
    for (int k = 0; k < 10; ++k) {
        f[k][0] = f[k][1] = f[k][2] = 0.0;
    }
}

/// u += the element's offset, found by bisection in the ascending list.
KANAME_HD inline void add_offset(const ElementOffset* offsets, std::int32_t n_offsets,
                                 std::int64_t elem, int lane, double (&u)[10][3]) {
    std::int32_t low = 0;
    std::int32_t high = n_offsets;
    while (low < high) {
        const std::int32_t middle = (low + high) / 2;
        if (offsets[middle].elem < elem) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == n_offsets || offsets[low].elem != elem) {
        return;
    }
    KANAME_UNROLL(10)
    for (int k = 0; k < 10; ++k) {
        KANAME_UNROLL(3)
        for (int c = 0; c < 3; ++c) {
            u[k][c] += offsets[low].s[k][c][lane];
        }
    }
}

/// f = int B^T D B s_e of one listed element.
struct OffsetForce {
    ElementPointers data;
    const ElementOffset* offsets;
    KANAME_HD void operator()(std::int64_t item, int lane, double (&f)[10][3]) const {
        const std::int64_t elem = offsets[item].elem;
        double u[10][3];
        zero_force(u);
        add_offset(offsets + item, 1, elem, lane, u);
        double G[3][3];
        data.gradients(elem, G);
        const double weight = data.geometry[elem].volume / 20.0;
        double s[4][6];
        element_stress(u, G, data.lam[elem] * weight, data.mu[elem] * weight, s);
        zero_force(f);
        add_element_force(s, G, f);
    }
};

/// t[c] = from[c][lane].
KANAME_HD inline void load_lane(const double* from, int lane, double (&t)[6]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] = from[c * lanes::kLanes + lane];
    }
}
KANAME_HD inline void store_lane(const double (&t)[6], int lane, double* to) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        to[c * lanes::kLanes + lane] = t[c];
    }
}

/// f = -int B^T (sigma - relax sigma), or of two branches.
struct StressForce {
    ElementPointers data;
    const Parts* relax;
    const double* stress;
    SecondPointers second = SecondBranch{};
    KANAME_HD void operator()(std::int64_t elem, int lane, double (&f)[10][3]) const {
        const double* from = stress + elem * kStressPerElement + lane;
        const double weight = -data.geometry[elem].volume / 20.0;
        const SecondOfElement own = second.of(elem);
        double s[4][6];
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            KANAME_UNROLL(6)
            for (int c = 0; c < 6; ++c) {
                s[k][c] = weight * from[(k * 6 + c) * lanes::kLanes];
            }
            relax_stress(s[k], relax[elem]);
            if (own.stress != nullptr) {
                double t[6];
                load_lane(own.vertex(k).stress, lane, t);
                relax_second(s[k], t, scaled(weight, relax[elem]), scaled(weight, own.relax));
            }
        }
        double G[3][3];
        data.gradients(elem, G);
        zero_force(f);
        add_element_force(s, G, f);
    }
};

/// sigma += D B (du + s_e) - relax sigma, or of two branches, item = elem * kLanes + lane.
struct StressUpdate {
    ElementPointers data;
    const Parts* relax;
    const ElementOffset* offsets;
    std::int32_t n_offsets;
    const double* du;
    double* stress;
    SecondPointers second = SecondBranch{};

    KANAME_HD void change(std::int64_t elem, int lane, double (&s)[4][6]) const {
        double u[10][3];
        data.displacement(elem, lane, du, u);
        add_offset(offsets, n_offsets, elem, lane, u);
        double G[3][3];
        data.gradients(elem, G);
        element_stress(u, G, data.lam[elem], data.mu[elem], s);
    }
    KANAME_HD void operator()(std::int64_t item) const {
        const std::int64_t elem = item / lanes::kLanes;
        const int lane = static_cast<int>(item % lanes::kLanes);
        double grown[4][6];
        change(elem, lane, grown);
        double* to = stress + elem * kStressPerElement + lane;
        const SecondOfElement own = second.of(elem);
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            double s[6];
            KANAME_UNROLL(6)
            for (int c = 0; c < 6; ++c) {
                s[c] = to[(k * 6 + c) * lanes::kLanes];
            }
            relax_stress(s, relax[elem]);
            if (own.stress != nullptr) {
                double* kept = own.vertex(k).stress;
                double t[6];
                load_lane(kept, lane, t);
                relax_second(s, t, relax[elem], own.relax);
                step_second(t, grown[k], own);
                store_lane(t, lane, kept);
            }
            KANAME_UNROLL(6)
            for (int c = 0; c < 6; ++c) {
                to[(k * 6 + c) * lanes::kLanes] = s[c] + grown[k][c];
            }
        }
    }
};

/// The same where lanes are consecutive steps; item = elem, lanes one after the other.
struct ChainedStressUpdate {
    StressUpdate update;
    bool within;  ///< LaneChain::Within; else Next
    KANAME_HD void operator()(std::int64_t elem) const {
        double s[4][6];
        double t[4][6] = {};
        double* at = update.stress + elem * kStressPerElement;
        const SecondOfElement own = update.second.of(elem);
        for (int k = 0; k < 24; ++k) {
            s[k / 6][k % 6] = at[k * lanes::kLanes];
        }
        for (int k = 0; k < 4 && own.stress != nullptr; ++k) {
            load_lane(own.vertex(k).stress, 0, t[k]);
        }
        const int shift = within ? 1 : 0;
        for (int lane = shift; lane < lanes::kLanes; ++lane) {
            double grown[4][6];
            update.change(elem, lane - shift, grown);
            for (int k = 0; k < 4; ++k) {
                relax_stress(s[k], update.relax[elem]);
                if (own.stress != nullptr) {
                    relax_second(s[k], t[k], update.relax[elem], own.relax);
                    step_second(t[k], grown[k], own);
                    store_lane(t[k], lane, own.vertex(k).stress);
                }
                for (int c = 0; c < 6; ++c) {
                    s[k][c] += grown[k][c];
                    at[(k * 6 + c) * lanes::kLanes + lane] = s[k][c];
                }
            }
        }
    }
};

/// y[k] = int L_k div (x + s_e) of element elem; x null: of the offsets alone.
struct Dilatation {
    ElementPointers data;
    const ElementOffset* offsets;
    std::int32_t n_offsets;
    const double* x;
    KANAME_HD void operator()(std::int64_t elem, int lane, double (&y)[4]) const {
        double u[10][3];
        if (x != nullptr) {
            data.displacement(elem, lane, x, u);
        } else {
            zero_force(u);
        }
        add_offset(offsets, n_offsets, elem, lane, u);
        double G[3][3];
        data.gradients(elem, G);
        element_dilatation(u, G, data.geometry[elem].volume / 20.0, y);
    }
};

/// f = -int B^T p I.
struct PressureForce {
    ElementPointers data;
    const std::int32_t* nodes;  ///< [El][4]
    const double* pressure;
    KANAME_HD void operator()(std::int64_t elem, int lane, double (&f)[10][3]) const {
        const double weight = -data.geometry[elem].volume / 20.0;
        double s[4][6];
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            s[k][0] = weight * pressure[std::int64_t(nodes[elem * 4 + k]) * lanes::kLanes + lane];
            s[k][1] = s[k][2] = s[k][0];
            s[k][3] = s[k][4] = s[k][5] = 0.0;
        }
        double G[3][3];
        data.gradients(elem, G);
        zero_force(f);
        add_element_force(s, G, f);
    }
};

}  // namespace kaname::viscoelastic::body
