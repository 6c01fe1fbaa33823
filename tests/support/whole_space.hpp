// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

namespace kaname::test {

/// A whole space of one elastic solid (Aki and Richards, Quantitative Seismology, 2nd edition):
/// displacement [m] of point sources, x from the source.
struct WholeSpace {
    double density_kg_m3, vp_m_per_s, vs_m_per_s;

    /// Returns the displacement due to a force s(t) [N] (eq. 4.23).
    [[nodiscard]] std::array<double, 3> force(const std::array<double, 3>& x_m,
                                              const std::array<double, 3>& direction,
                                              const std::function<double(double)>& s,
                                              double t_s) const;
    /// Returns the displacement due to moments M_pq s(t) [N m], M symmetric xx, yy, zz, yz, xz, xy;
    /// `rate` is s' (eq. 4.29).
    [[nodiscard]] std::array<double, 3> moment(const std::array<double, 3>& x_m,
                                               const std::array<double, 6>& m,
                                               const std::function<double(double)>& s,
                                               const std::function<double(double)>& rate,
                                               double t_s) const;

private:
    /// int tau s(t - tau) dtau from the arrival of P to that of S.
    [[nodiscard]] double near(double r_m, const std::function<double(double)>& s, double t_s) const;
};

}  // namespace kaname::test
