// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/inversion/inversion_job.hpp"

namespace kaname::jobs {

/// Which station of the dataset each datum is of.
struct MatchedData {
    std::vector<std::vector<int>> station;  ///< [set][datum]
    std::vector<std::string> warnings;
};

/// By id; rows whose id the dataset does not have take the station nearest to their place, if it
/// lies within the set's match_distance_m. Throws ValidationError with every row that finds none,
/// naming the nearest, and every id whose places lie more than 5 km apart.
[[nodiscard]] MatchedData match_stations(const std::vector<ObservationSet>& sets,
                                         const io::GreensDataset& greens);

/// Great-circle distance on a sphere of 6371 km [m] (haversine formula).
[[nodiscard]] double distance_m(double lon_a_deg, double lat_a_deg, double lon_b_deg,
                                double lat_b_deg);

}  // namespace kaname::jobs
