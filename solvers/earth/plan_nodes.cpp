// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/plan_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::earth {
namespace {

// A spline has no fewer than four nodes a side even over a small box.
double cells_over(double size_m, double spacing_m) {
    return std::max(4.0, std::ceil(size_m / spacing_m * (1.0 - 1e-12)));
}
double cells_beyond(double spacing_m, double margin_m) {
    return 2.0 + std::ceil(margin_m / spacing_m);
}

/// A side of the box, in the coordinate in which nodes are evenly spaced.
struct Side {
    Side(double size_m, const GridStretch& stretch)
        : from(stretch.even(-0.5 * size_m)), to(stretch.even(0.5 * size_m)) {}
    [[nodiscard]] double length() const { return to - from; }
    [[nodiscard]] double middle() const { return 0.5 * (from + to); }
    double from, to;
};

}  // namespace

PlanFrame::PlanFrame(const Projection& projection, double azimuth_rad)
    : projection_(&projection), sin_(std::sin(azimuth_rad)), cos_(std::cos(azimuth_rad)) {}

LonLat PlanFrame::place(double u, double v) const {
    return projection_->inverse({v * sin_ + u * cos_, v * cos_ - u * sin_});
}

std::pair<double, double> PlanFrame::plan(const LonLat& place) const {
    const MapPoint at = projection_->forward(place);
    return {at.x_m * cos_ - at.y_m * sin_, at.x_m * sin_ + at.y_m * cos_};
}

double PlanNodes::count(const PlanExtent& extent, double spacing_m, double margin_m) {
    const double beyond = 2.0 * cells_beyond(spacing_m, margin_m) + 1.0;
    return (cells_over(Side(extent.size_u_m, extent.stretch_u).length(), spacing_m) + beyond) *
           (cells_over(Side(extent.size_v_m, extent.stretch_v).length(), spacing_m) + beyond);
}

PlanNodes::PlanNodes(const PlanFrame& frame, const PlanExtent& extent, double spacing_m,
                     double margin_m)
    : margin(static_cast<int>(cells_beyond(spacing_m, margin_m))) {
    const Side side_u(extent.size_u_m, extent.stretch_u);
    const Side side_v(extent.size_v_m, extent.stretch_v);
    const int cells_u = static_cast<int>(cells_over(side_u.length(), spacing_m));
    const int cells_v = static_cast<int>(cells_over(side_v.length(), spacing_m));
    grid = {side_u.middle() - (0.5 * cells_u + margin) * spacing_m,
            side_v.middle() - (0.5 * cells_v + margin) * spacing_m,
            spacing_m,
            spacing_m,
            cells_u + 2 * margin + 1,
            cells_v + 2 * margin + 1,
            extent.stretch_u,
            extent.stretch_v};
    places.reserve(static_cast<std::size_t>(grid.nu) * grid.nv);
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            places.push_back(frame.place(grid.u(i), grid.v(j)));
            if (in_box(i, j)) {
                region.add(places.back());
            }
        }
    }
}

}  // namespace kaname::earth
