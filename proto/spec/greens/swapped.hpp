// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/spec/greens/slip_places.hpp"
#include "proto/spec/greens/stations.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {

/// Places whose longitude and latitude stand in each other's stead although both are valid: farther
/// from the region than it is wide as given, and inside it when swapped. One violation for the
/// region's centre where that explains all of them.
[[nodiscard]] std::vector<Violation> swapped_places(const v1::GreensBatch& batch,
                                                    const std::vector<SpecStation>& stations);

/// Stations that lie farther from all slip than stations do and near it when swapped, for a region
/// that is chosen by the stations and so holds them anyway.
[[nodiscard]] std::vector<Violation> swapped_stations(const SlipPlaces& slip,
                                                      const std::vector<SpecStation>& stations);

}  // namespace kaname::spec
