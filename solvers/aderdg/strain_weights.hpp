// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// Strain at a place from the unknowns there, [6][9 + 6 mechanisms]: strains xx, yy, zz, yz, xz, xy
/// (tensor components) of stresses xx, yy, zz, xy, yz, xz, velocities (0), and of each mechanism
/// its theta in the order of the stresses. From rest and outside of moment tensors
///   int theta_l dt = e - theta_l/omega_l, hence
///   e = (C - sum_l C_l)^-1 : (sigma - sum_l C_l : theta_l/omega_l).
/// With the energy's weights this is the transpose of a moment tensor's action on the stress, so
/// that reciprocity holds before time is made discrete (docs/theory/aderdg.md, reciprocity).
/// The solid's relaxed shear modulus must be > 0.
[[nodiscard]] std::vector<double> strain_weights(const Solid& solid);

}  // namespace kaname::aderdg
