// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/earth/plan_nodes.hpp"

namespace kaname::earth {

/// A polygon in the plan, inside of which a surface lies under another one. Outside, the distance
/// between them falls to 0 over `end_length_m`, from a level start to a level end:
///   w(d) = (1 + cos(pi d / end_length)) / 2, d the distance from the polygon.
class SurfaceOutline {
public:
    /// A csv file with lon_deg and lat_deg of the corners in order; the last is joined to the
    /// first. Throws as CsvTable, and InvalidArgument for fewer than three corners.
    SurfaceOutline(const std::string& path, const PlanFrame& frame, double end_length_m);
    /// Corners in the plan; at least three.
    explicit SurfaceOutline(std::span<const std::array<double, 2>> corners);

    [[nodiscard]] double weight(double u, double v) const;
    /// Distance from the polygon [m], negative outside.
    [[nodiscard]] double inside_m(double u, double v) const {
        return inside(u, v) ? distance_m(u, v) : -distance_m(u, v);
    }

private:
    struct Corner {
        double u, v;
    };
    [[nodiscard]] bool inside(double u, double v) const;
    [[nodiscard]] double distance_m(double u, double v) const;

    std::vector<Corner> corners_;
    double end_length_m_ = 0.0;
};

}  // namespace kaname::earth
