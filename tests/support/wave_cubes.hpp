// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// A box of n[0] x n[1] x n[2] cubes of five tets each between two corners, its six sides the
/// surfaces of a mesh: all of solid 0. Numbers of cubes along periodic axes must be even, so that
/// sides match.
[[nodiscard]] WaveModel box_of_cubes(const std::array<int, 3>& n, const Vec3& low, const Vec3& high,
                                     const Solid& solid);

/// All three pairs of sides are one another's continuation.
void make_periodic(WaveModel& model, const std::array<bool, 3>& axes = {true, true, true});

/// The tet that a point is in, by looking at all.
[[nodiscard]] PointInTet tet_at(const WaveModel& model, const Vec3& x);

/// density, speeds.
[[nodiscard]] Solid solid_of(double density_kg_m3, double vp_m_per_s, double vs_m_per_s);

}  // namespace kaname::aderdg
