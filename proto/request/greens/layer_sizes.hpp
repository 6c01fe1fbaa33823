// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/stations.hpp"

namespace kaname::request {

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
