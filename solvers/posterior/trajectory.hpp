// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/inversion/eigen.hpp"
#include "solvers/posterior/random_stream.hpp"

namespace kaname::posterior {

/// Moves z [n] along an exact trajectory of Hamiltonian dynamics for the density
///   exp(-z'Q z / 2 + pull'z) within low <= z <= high,
/// which leaves that distribution as it is (Pakman and Paninski 2014,
/// doi:10.1080/10618600.2013.788448):
///   z(t) = c + x cos t + w sin t,  c = Q^-1 pull,  x = z - c,  w ~ N(0, Q^-1),  0 <= t <= pi/2;
/// at a bound of z_j the velocity is reflected, w -= 2 (w_j / e_j) e with e = Q^-1 1_j. Q is
/// replaced by its Cholesky factor. Costs n^3 / 3 operations and n^2 for each amount that is
/// reflected. z lies within its bounds, up to rounding, and stays there. After many reflections
/// (kMostReflections of each amount) z is left where it was, which does not spoil the distribution.
/// Returns the number of reflections. Throws NotConverged where Q is not positive definite.
int follow_trajectory(Eigen::MatrixXd& q, const Eigen::VectorXd& pull, const Eigen::VectorXd& low,
                      const Eigen::VectorXd& high, RandomStream& random, Eigen::VectorXd& z);

inline constexpr int kMostReflections = 100;

}  // namespace kaname::posterior
