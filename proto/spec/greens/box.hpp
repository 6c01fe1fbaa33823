// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/slip_places.hpp"
#include "proto/spec/greens/sphere.hpp"
#include "proto/spec/greens/stations.hpp"

namespace kaname::spec {

/// kBoxError is the predicted error that the sides of a chosen box may cause in a station's motion,
/// relative to that motion (solvers/base/box_error.hpp).
inline constexpr double kBoxError = 0.005;

/// Returns true if slip on a plane of `slip` for which `counts` is true reaches rock that relaxes,
/// and epochs are wanted at which it has relaxed.
[[nodiscard]] bool relaxes_about_slip(const v1::GreensBatch& batch, const SlipPlaces& slip,
                                      const std::function<bool(const SlipPlane&)>& counts);

/// Fills in what `region` leaves out (centre, widths, depth), so that fixed sides and bottom change
/// no station's motion by more than kBoxError, and where it did a mesh.size_far that is left out.
/// A part of the specification like any default: keys and results depend on the numbers alone.
/// Needs slip whose places the specification says: a plane, patches of an interface, rectangles of
/// events. Returns what was chosen and what error is predicted, empty where nothing was.
/// `growth_open`: mesh.growth was left out.
std::string choose_box(v1::GreensBatch& batch, const SlipPlaces& slip,
                       const std::vector<SpecStation>& stations, bool growth_open);

}  // namespace kaname::spec
