// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/earth/projection.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

/// Slip models in the frame of a map projection; apart from their readers, which need none.
namespace kaname::fault {

/// Longitude and latitude through the projection; strikes are turned by the convergence at each
/// patch. Throws InvalidArgument for a model in a local frame.
[[nodiscard]] slip_model::PlacedModel place_on_map(const slip_model::SlipModel& model,
                                                   const earth::Projection& projection);

/// A model in a local frame of true north, whose origin lies at `origin`: its plane is that of an
/// azimuthal equidistant projection about the origin, which keeps distances and azimuths from it.
[[nodiscard]] slip_model::PlacedModel place_on_map(const slip_model::SlipModel& model,
                                                   const earth::Projection& projection,
                                                   const earth::LonLat& origin);

}  // namespace kaname::fault
