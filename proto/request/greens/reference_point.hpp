// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/waves.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/greens/slip_places.hpp"

namespace kaname::request {

/// Returns the end of the geodesic on WGS84 from `start`, `distance_m` long, whose azimuth at its
/// end is `azimuth_deg`; for some hundred kilometres, better than a metre.
[[nodiscard]] LonLat moved_to(const LonLat& start, double azimuth_deg, double distance_m);

/// Returns true if the place has longitude, latitude and depth, each in its range, and nothing
/// else.
[[nodiscard]] bool is_whole(const v1::WavePlace& place);

/// Puts what top_centre or centre says into centre_lon_deg, centre_lat_deg and top_depth_m. A plane
/// whose point breaks a rule, stands beside another one, or has its upper edge above sea level
/// stays as it is: check_point() says why. Strike counts from north at the middle of the upper
/// edge.
void settle_point(v1::Plane& plane);
/// Puts what top_centre or centre says into lon_deg, lat_deg and depth_m of a rectangle, whose
/// strike counts from north at its centre; else as the other.
void settle_point(v1::SlipRectangle& rectangle);

/// Reports why a reference point of a plane or a rectangle at `path` could not be settled. Returns
/// true if there is none left, so that the older keys are to be checked.
bool check_point(const v1::Plane& plane, const std::string& path, Rules& rules);
bool check_point(const v1::SlipRectangle& rectangle, const std::string& path, Rules& rules);

}  // namespace kaname::request
