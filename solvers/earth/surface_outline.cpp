// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/surface_outline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/base/csv_table.hpp"
#include "solvers/base/text_file.hpp"

namespace kaname::earth {

SurfaceOutline::SurfaceOutline(const std::string& path, const PlanFrame& frame, double end_length_m)
    : end_length_m_(end_length_m) {
    const TextFile file(path);
    const CsvTable table(file, {"lon_deg", "lat_deg"});
    for (const CsvTable::Row& row : table.rows()) {
        const auto [u, v] =
            frame.plan({table.number(row, "lon_deg"), table.number(row, "lat_deg")});
        corners_.push_back({u, v});
    }
    if (corners_.size() < 3) {
        file.whole().refuse("corners: " + std::to_string(corners_.size()) +
                            ", must be at least 3 of a polygon");
    }
}

SurfaceOutline::SurfaceOutline(std::span<const std::array<double, 2>> corners) {
    for (const auto& [u, v] : corners) {
        corners_.push_back({u, v});
    }
}

double SurfaceOutline::weight(double u, double v) const {
    const double d = inside(u, v) ? 0.0 : distance_m(u, v);
    return d >= end_length_m_ ? 0.0 : 0.5 * (1.0 + std::cos(std::numbers::pi * d / end_length_m_));
}

bool SurfaceOutline::inside(double u, double v) const {
    bool odd = false;
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        const Corner& a = corners_[k];
        const Corner& b = corners_[(k + 1) % corners_.size()];
        if ((a.v > v) != (b.v > v) && u < a.u + (v - a.v) / (b.v - a.v) * (b.u - a.u)) {
            odd = !odd;
        }
    }
    return odd;
}

double SurfaceOutline::distance_m(double u, double v) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < corners_.size(); ++k) {
        const Corner& a = corners_[k];
        const Corner& b = corners_[(k + 1) % corners_.size()];
        const double du = b.u - a.u, dv = b.v - a.v;
        const double length2 = du * du + dv * dv;
        const double t =
            length2 > 0.0 ? std::clamp(((u - a.u) * du + (v - a.v) * dv) / length2, 0.0, 1.0) : 0.0;
        least = std::min(least, std::hypot(u - a.u - t * du, v - a.v - t * dv));
    }
    return least;
}

}  // namespace kaname::earth
