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

double PlanNodes::count(double size_u_m, double size_v_m, double spacing_m, double margin_m) {
    const double beyond = 2.0 * cells_beyond(spacing_m, margin_m) + 1.0;
    return (cells_over(size_u_m, spacing_m) + beyond) * (cells_over(size_v_m, spacing_m) + beyond);
}

PlanNodes::PlanNodes(const PlanFrame& frame, double size_u_m, double size_v_m, double spacing_m,
                     double margin_m)
    : margin(static_cast<int>(cells_beyond(spacing_m, margin_m))) {
    const int cells_u = static_cast<int>(cells_over(size_u_m, spacing_m));
    const int cells_v = static_cast<int>(cells_over(size_v_m, spacing_m));
    grid = {-(0.5 * cells_u + margin) * spacing_m,
            -(0.5 * cells_v + margin) * spacing_m,
            spacing_m,
            spacing_m,
            cells_u + 2 * margin + 1,
            cells_v + 2 * margin + 1};
    places.reserve(static_cast<std::size_t>(grid.nu) * grid.nv);
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            places.push_back(frame.place(grid.u0 + i * spacing_m, grid.v0 + j * spacing_m));
            if (in_box(i, j)) {
                region.add(places.back());
            }
        }
    }
}

}  // namespace kaname::earth
