// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/plan_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>

#include "solvers/base/text_file.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::earth {
namespace {

constexpr std::int64_t kRowsAtOnce = 16;

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

std::vector<LonLat> PlanFrame::places(const HeightField::Grid& grid) const {
    std::vector<LonLat> places(static_cast<std::size_t>(grid.nu) * grid.nv);
    // A projection takes one caller at a time: each thread has its own.
    parallel_ranges(
        grid.nv, kRowsAtOnce,
        [&] { return std::make_unique<const Projection>(projection_->centre()); },
        [&](std::int64_t begin, std::int64_t end, const auto& projection) {
            PlanFrame frame = *this;  // the same angle, the thread's projection
            frame.projection_ = projection.get();
            for (std::int64_t j = begin; j < end; ++j) {
                for (int i = 0; i < grid.nu; ++i) {
                    places[j * grid.nu + i] = frame.place(grid.u(i), grid.v(static_cast<int>(j)));
                }
            }
        });
    return places;
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
    places = frame.places(grid);
    for (int j = 0; j < grid.nv; ++j) {
        for (int i = 0; i < grid.nu; ++i) {
            if (in_box(i, j)) {
                region.add(places[static_cast<std::size_t>(j) * grid.nu + i]);
            }
        }
    }
}

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
