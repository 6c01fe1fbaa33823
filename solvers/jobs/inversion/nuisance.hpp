// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "solvers/jobs/inversion/inversion_job.hpp"

namespace kaname::jobs {

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
