// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/height_field.hpp"
#include "solvers/earth/projection.hpp"

namespace kaname::earth {

/// Plane of the model box on the map: v to the box's north, which is `azimuth_rad` clockwise from
/// the map's, u to its east (the frame of meshing::BoxFrame).
class PlanFrame {
public:
    PlanFrame(const Projection& projection, double azimuth_rad);
    [[nodiscard]] LonLat place(double u, double v) const;
    /// Places of a grid's nodes, [nv][nu], found by all threads.
    [[nodiscard]] std::vector<LonLat> places(const HeightField::Grid& grid) const;
    /// (u, v) of a place.
    [[nodiscard]] std::pair<double, double> plan(const LonLat& place) const;

private:
    const Projection* projection_;
    double sin_, cos_;
};

/// The plan of a box, and how node distances stretch along each of its axes.
struct PlanExtent {
    double size_u_m = 0.0, size_v_m = 0.0;
    GridStretch stretch_u = {}, stretch_v = {};
};

/// Nodes of a grid over the box's plan, of square cells where it is not stretched, and their places
/// on the globe. It reaches over every side by at least two cells and `margin_m`.
struct PlanNodes {
    PlanNodes(const PlanFrame& frame, const PlanExtent& extent, double spacing_m, double margin_m);

    HeightField::Grid grid;
    int margin = 0;              ///< cells beyond the box on every side
    std::vector<LonLat> places;  ///< [nv][nu]
    LonLatBox region;            ///< longitudes and latitudes of the box

    [[nodiscard]] bool in_box(int i, int j) const {
        return i >= margin && i < grid.nu - margin && j >= margin && j < grid.nv - margin;
    }
    [[nodiscard]] double in_box_count() const {
        return static_cast<double>(grid.nu - 2 * margin) * (grid.nv - 2 * margin);
    }
    /// Number of nodes that such a grid would have.
    [[nodiscard]] static double count(const PlanExtent& extent, double spacing_m, double margin_m);
};

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
