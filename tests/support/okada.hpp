// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "solvers/base/vec3.hpp"

namespace kaname::test {

/// Rectangle in the half-space z <= 0; azimuths as in fault::PlaneFault.
struct OkadaFault {
    Vec3 top_centre;  ///< middle of the top edge [m], z <= 0
    double strike_rad = 0.0;
    double dip_rad = 0.0;  ///< (0, pi/2]
    double length_m = 0.0;
    double width_m = 0.0;
};

/// Uniform slip [m] of the hanging wall relative to the footwall.
struct OkadaSlip {
    double strike = 0.0;   ///< left-lateral
    double dip = 0.0;      ///< reverse
    double tensile = 0.0;  ///< opening
};

/// Okada's solution is affine in these two numbers.
struct OkadaMedium {
    double zeta = 0.5;     ///< mu / (lambda + mu)
    double a = 2.0 / 3.0;  ///< (lambda + mu) / (lambda + 2 mu)
};
[[nodiscard]] OkadaMedium okada_medium(double lambda_pa, double mu_pa);

/// Displacement [m] (east, north, up) anywhere in the elastic half-space, Okada (1992), "Internal
/// deformation due to shear and tensile faults in a half-space", BSSA 82, 1018-1040, table 6; at
/// z = 0 that of Okada (1985). On the fault itself the mean of both sides. About 1 us per point.
[[nodiscard]] Vec3 okada_displacement(const OkadaFault& fault, const OkadaSlip& slip,
                                      const OkadaMedium& medium, const Vec3& x);

/// A rectangle cut into columns x rows equal ones, each with a slip of its own. Neighbours share
/// corners, so that this takes a seventh of the time of okada_displacement for each of them and
/// either slip.
class OkadaPatches {
public:
    /// slip_m(column, row): columns along strike, rows from the top edge.
    OkadaPatches(const OkadaFault& whole, int columns, int rows,
                 const std::function<double(int column, int row)>& slip_m);

    /// Displacement [m] of that slip to the left, and of that slip as reverse slip.
    [[nodiscard]] std::array<Vec3, 2> displacement(const OkadaMedium& medium, const Vec3& x) const;

private:
    OkadaFault whole_;
    int columns_;
    int rows_;
    std::vector<double> weights_;  ///< [column][row] of corners
};

struct MaxwellMedium {
    double lambda_pa = 0.0;
    double mu_pa = 0.0;
    double viscosity_pa_s = 0.0;  ///< relaxes the deviator; the bulk stays elastic
};

/// zeta and a at time t >= 0 after a step in slip in a homogeneous Maxwell half-space, with
/// tau = viscosity / mu and kappa = lambda + 2 mu / 3:
///   zeta(t) = mu/(lambda+mu) exp(-t/T1)        T1 = tau (lambda+mu) / kappa
///   a(t)    = 1 - mu/(lambda+2mu) exp(-t/T2)   T2 = tau (lambda+2mu) / kappa
/// (the correspondence principle inverted term by term).
[[nodiscard]] OkadaMedium maxwell_medium_at(const MaxwellMedium& medium, double t_s);

/// Displacement at time t after a step in slip at t = 0 in a homogeneous Maxwell half-space.
[[nodiscard]] Vec3 maxwell_halfspace(const OkadaFault& fault, const OkadaSlip& slip,
                                     const MaxwellMedium& medium, const Vec3& x, double t_s);

}  // namespace kaname::test
