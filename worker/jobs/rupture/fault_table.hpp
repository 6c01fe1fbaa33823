// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "worker/jobs/rupture/rupture_job.hpp"

namespace kaname::jobs {

/// Numbers of a fault on a grid, which may be uneven: bilinear between nodes, beyond the edges
/// those of the edge. What is missing is NaN.
class FaultTable {
public:
    /// A netCDF-4 file or CSV with a header, whose rows may come in any order. Its columns or
    /// variables [down][along], capitals or not:
    ///   along_m, along_km, along_strike_m, along_strike_km
    ///   down_m, down_km (down dip of the fault's origin) or depth_m, depth_km (below z = 0)
    ///   normal_mpa, strike_mpa, dip_mpa (as FaultNumber), static, dynamic, slip_weakening_m,
    ///   cohesion_mpa, forced_rupture_s, a, b, state_slip_m, reference_friction,
    ///   reference_rate_m_per_s, weakened_friction, weakening_rate_m_per_s, initial_rate_m_per_s
    /// and the names of SCEC TPV16's table: shear_strike_mpa, shear_updip_mpa, mu_static,
    /// mu_dynamic, slip_weakening_distance_m, forced_rupture_time_s.
    /// Throws NotFound, InvalidArgument naming file and line or variable.
    [[nodiscard]] static FaultTable read(const std::string& path);

    /// Returns the numbers at a place; `down_m` is a depth where down_is_depth() is true.
    [[nodiscard]] SomeNumbers at(double along_m, double down_m) const;
    [[nodiscard]] bool down_is_depth() const { return down_is_depth_; }
    /// Returns true if a place is on the grid, or beyond its edge by no more than `slack_m`.
    [[nodiscard]] bool covers(double along_m, double down_m, double slack_m) const;
    /// "along -24000 to 24000 m, depth 0 to 19500 m".
    [[nodiscard]] std::string extent() const;
    void flip_strike();

private:
    bool down_is_depth_ = false;
    std::vector<double> along_m_, down_m_;
    std::map<FaultNumber, std::vector<double>> values_;  ///< [down][along]
};

}  // namespace kaname::jobs
