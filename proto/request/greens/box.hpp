// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/stations.hpp"

namespace kaname::request {

/// kBoxError is the predicted error that the sides of a chosen box may cause in a station's motion,
/// relative to that motion (solvers/base/predicted_error.hpp).
inline constexpr double kBoxError = 0.005;

/// Returns true if slip on a plane of `slip` for which `counts` is true reaches rock that relaxes,
/// and epochs are wanted at which it has relaxed.
[[nodiscard]] bool relaxes_about_slip(const v1::GreensBatch& batch, const SlipPlaces& slip,
                                      const std::function<bool(const SlipPlane&)>& counts);

/// Fills in what `region` leaves out (centre, widths, depth), so that fixed sides and bottom change
/// no station's motion by more than kBoxError, and where it did a mesh.size_far that is left out.
/// A part of the request like any default: keys and results depend on the numbers alone.
/// Needs slip whose places the request says: a plane, patches of an interface, rectangles of
/// events. Returns what was chosen, empty where nothing was. What error all of it leaves is
/// predicted where there is a geometry (worker/jobs/geometry/predicted_errors.hpp). `growth_open`:
/// mesh.growth was left out.
std::string choose_box(v1::GreensBatch& batch, const SlipPlaces& slip,
                       const std::vector<RequestStation>& stations, bool growth_open);

/// kSizePerDistance is the size at the fault over the distance of the station nearest to the slip
/// where the size is left out: it changes the motion there by 1 % as predicted (fault_error() of
/// solvers/base/predicted_error.hpp), that of all stations around by 0.5 %.
inline constexpr double kSizePerDistance = 0.5;

/// A length with two digits, not larger.
[[nodiscard]] double rounded_down(double m);

/// Fills in a mesh.size_at_fault that is left out: kSizePerDistance times the distance of the
/// station nearest to the slip (without stations, of the ground above it), between a sixteenth and
/// a sixth of the shorter side of what slips in a source; an eighth where rock relaxes about the
/// slip, a volume or stations below the ground are asked for, or the slip's depth is not known. A
/// part of the request like any default. Needs slip whose places and sizes the request
/// says. Returns what was chosen, empty where nothing was.
std::string choose_size_at_fault(v1::GreensBatch& batch, const SlipPlaces& slip,
                                 const std::vector<RequestStation>& stations);

/// kLayerError is the predicted error that elements too large for layers may cause in the motion of
/// a station (solvers/base/predicted_error.hpp).
inline constexpr double kLayerError = 0.005;

/// Fills in a mesh.sizes_by_depth that is left out, where layers (not volumes) would be too thin
/// for the elements at a station that is far away: sizes that keep kLayerError, as far as the
/// stations feel them. A part of the request like any default; after choose_box(). Without
/// such a station nothing is chosen. Returns what was chosen, empty where nothing was.
/// `sizes_open`: size_far, growth and sizes_by_depth were left out.
std::string choose_layer_sizes(v1::GreensBatch& batch, const SlipPlaces& slip,
                               const std::vector<RequestStation>& stations, bool sizes_open);

}  // namespace kaname::request
