// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/slip_places.hpp"
#include "proto/spec/greens/stations.hpp"

namespace kaname::spec {

/// kSizeError is the predicted error that elements at the fault may cause in the motion of a
/// station.
inline constexpr double kSizeError = 0.005;

/// Predicted error of the motion right after the slip at a place so far from it, relative to the
/// motion there, with elements of `size_m` at the fault:
///   2.9 % (size / distance)^2.5,
/// within a factor of 1.6 of what was found beside thrusts (docs/user/accuracy.md).
[[nodiscard]] double size_error(double size_m, double distance_m);

/// A length with two digits, not larger.
[[nodiscard]] double rounded_down(double m);

/// Fills in a mesh.size_at_fault that is left out, so that size_error() is kSizeError at the
/// station nearest to the slip (without stations above it), between a sixteenth and a sixth of
/// the shorter side of what slips in a source; an eighth where rock relaxes about the slip, a
/// volume or stations below the ground are asked for, or the slip's depth is not known. A part of
/// the specification like any default. Needs slip whose places and sizes the specification says.
/// Returns what was chosen and what error is predicted, empty where nothing was.
std::string choose_size_at_fault(v1::GreensBatch& batch, const SlipPlaces& slip,
                                 const std::vector<SpecStation>& stations);

}  // namespace kaname::spec
