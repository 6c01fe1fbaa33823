// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/viscoelastic/kernels/ebe_apply_body.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::bench {

/// A number that only counts: every + - * done with it is one flop. The element formulas are
/// templates, so the counts follow them when they change.
struct Counted {
    static inline int flop = 0;

    friend Counted operator+(Counted, Counted) { return one(); }
    friend Counted operator-(Counted, Counted) { return one(); }
    friend Counted operator*(Counted, Counted) { return one(); }
    friend Counted operator*(double, Counted) { return one(); }
    // A sign is part of the multiplication or addition that follows.
    friend Counted operator-(Counted) { return {}; }
    Counted& operator+=(Counted) { return *this = one(); }
    Counted& operator-=(Counted) { return *this = one(); }

private:
    static Counted one() {
        ++flop;
        return {};
    }
};

/// Flops per element and vector of  u -> D B u at the four vertices  (388 when this was written),
inline double stress_flop() {
    Counted u[p2::kNodesPerTet10][3];
    Counted G[3][3];
    Counted s[4][6];
    Counted::flop = 0;
    viscoelastic::element_stress(u, G, Counted{}, Counted{}, s);
    return Counted::flop;
}

/// and of  sigma -> int B^T sigma  (420), both without the additions at the nodes.
inline double force_flop() {
    Counted s[4][6];
    Counted G[3][3];
    Counted f[p2::kNodesPerTet10][3];
    Counted::flop = 0;
    viscoelastic::add_element_force(s, G, f);
    return Counted::flop;
}

/// int L_v div u at the four vertices.
inline double vertex_dilatation_flop() {
    Counted u[p2::kNodesPerTet10][3];
    Counted G[3][3];
    Counted y[4];
    Counted::flop = 0;
    viscoelastic::element_dilatation(u, G, Counted{}, y);
    return Counted::flop;
}

/// A reader of ebe_apply_body.hpp of such numbers.
struct CountedElement {
    using V = Counted;
    void component(const double* /*x*/, int /*i*/, V (&/*u*/)[p2::kNodesPerTet10]) const {}
    [[nodiscard]] V coefficient(int /*m*/) const { return {}; }
    [[nodiscard]] V weight() const { return {}; }
    [[nodiscard]] V pressure(const double* /*p*/, int /*k*/) const { return {}; }
};

/// The element operator, without or with pressures, and without the additions at the nodes.
inline double operator_flop(bool with_pressure) {
    const double number = 0.0;
    Counted f[p2::kNodesPerTet10][3];
    Counted::flop = 0;
    viscoelastic::body::operator_force(CountedElement{}, &number, with_pressure ? &number : nullptr,
                                       f);
    return Counted::flop;
}

/// int L_v div u at the four vertices: what nodal dilatation does besides.
inline double dilatation_flop() {
    const double number = 0.0;
    Counted y[4];
    Counted::flop = 0;
    viscoelastic::body::operator_dilatation(CountedElement{}, &number, y);
    return Counted::flop;
}

}  // namespace kaname::bench
