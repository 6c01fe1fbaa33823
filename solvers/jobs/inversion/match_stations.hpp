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

/// Unknowns of the measuring, b, of all sets after one another: d = G m + N b + e.
class Nuisance {
public:
    /// Throws ValidationError where a set cannot have what it asks for.
    explicit Nuisance(const std::vector<ObservationSet>& sets);

    [[nodiscard]] int n() const { return n_; }
    /// Returns the names of a set's unknowns with units, such as offset_east_m,
    /// ramp_east_m_per_100km_los.
    [[nodiscard]] const std::vector<std::string>& names(std::size_t set) const {
        return columns_[set].names;
    }
    [[nodiscard]] int first(std::size_t set) const { return columns_[set].first; }
    /// The datum's row of N [n()], zeroed before.
    void fill(std::size_t set, const Datum& datum, double* row) const;

private:
    struct Columns {
        int first = 0;
        std::vector<std::string> names;
        std::vector<std::string> components;  ///< with an offset of its own each
        bool offset = false, ramp = false, rotation = false;
        double lon_deg = 0.0, lat_deg = 0.0;  ///< of the set's middle, where ramps are zero
    };
    std::vector<Columns> columns_;
    int n_ = 0;
};

}  // namespace kaname::jobs
