// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/map_area.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::meshing {
namespace {

constexpr int kPointsPerEdge = 12;

}  // namespace

MapArea::MapArea(const fault::FaultSurface& fault, const FaultWindow& window) {
    const std::array<fault::FaultCoordinates, 4> corners = {{{window.s_min, window.d_min},
                                                             {window.s_max, window.d_min},
                                                             {window.s_max, window.d_max},
                                                             {window.s_min, window.d_max}}};
    for (int edge = 0; edge < 4; ++edge) {
        const auto& from = corners[edge];
        const auto& to = corners[(edge + 1) % 4];
        for (int point = 0; point < kPointsPerEdge; ++point) {
            const double part = static_cast<double>(point) / kPointsPerEdge;
            const Vec3 at =
                fault.point({from.s + part * (to.s - from.s), from.d + part * (to.d - from.d)});
            rim_.push_back({at.x, at.y});
        }
    }
}

double MapArea::distance(double x, double y) const {
    bool inside = false;
    double nearest2 = 1e300;
    for (std::size_t point = 0; point < rim_.size(); ++point) {
        const auto& p = rim_[point];
        const auto& q = rim_[(point + 1) % rim_.size()];
        const double dx = q[0] - p[0];
        const double dy = q[1] - p[1];
        const double length2 = dx * dx + dy * dy;
        const double along =
            length2 > 0.0 ? std::clamp(((x - p[0]) * dx + (y - p[1]) * dy) / length2, 0.0, 1.0)
                          : 0.0;
        const double rx = x - p[0] - along * dx;
        const double ry = y - p[1] - along * dy;
        nearest2 = std::min(nearest2, rx * rx + ry * ry);
        if ((p[1] > y) != (q[1] > y) && x < p[0] + (y - p[1]) * dx / dy) {
            inside = !inside;
        }
    }
    return inside ? 0.0 : std::sqrt(nearest2);
}

}  // namespace kaname::meshing
