// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kaname::earth {

/// A coordinate x of the plan as e(x), in which the nodes of a grid are evenly spaced: the same
/// from `low` to `high`, and beyond, at a distance d from there,
///   e = edge +- scale asinh(d / scale),
/// so that nodes are sqrt(1 + (d/scale)^2) times as far apart on the plan. Twice continuously
/// differentiable, and so is a spline over e.
struct GridStretch {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    double scale_m = 1.0;

    [[nodiscard]] double even(double x) const {
        const double d = beyond(x);
        return d == 0.0 ? x : x - d + scale_m * std::asinh(d / scale_m);
    }
    [[nodiscard]] double place(double e) const {
        const double d = beyond(e);
        return d == 0.0 ? e : e - d + scale_m * std::sinh(d / scale_m);
    }
    /// de/dx
    [[nodiscard]] double density(double x) const {
        const double d = beyond(x) / scale_m;
        return d == 0.0 ? 1.0 : 1.0 / std::sqrt(1.0 + d * d);
    }

private:
    [[nodiscard]] double beyond(double x) const {
        return x > high ? x - high : std::min(x - low, 0.0);
    }
};

/// Height z [m, up] over the plane of the model box: u across it (its "east" side), v along it
/// (its "north" side), both [m] from its centre. Either a constant, or a cubic B-spline through
/// a grid's values: twice continuously differentiable, and cheap enough to be asked millions of
/// times.
class HeightField {
public:
    struct Grid {
        double u0 = 0.0, v0 = 0.0;  ///< first node, in the coordinate of even spacing
        double spacing_u = 0.0, spacing_v = 0.0;
        int nu = 0, nv = 0;
        GridStretch stretch_u = {}, stretch_v = {};

        /// Coordinate of a column, of a row.
        [[nodiscard]] double u(int i) const { return stretch_u.place(u0 + i * spacing_u); }
        [[nodiscard]] double v(int j) const { return stretch_v.place(v0 + j * spacing_v); }
        /// Column and row of a place as real numbers.
        [[nodiscard]] double column(double u) const { return (stretch_u.even(u) - u0) / spacing_u; }
        [[nodiscard]] double row(double v) const { return (stretch_v.even(v) - v0) / spacing_v; }
    };
    struct Slope {
        double z = 0.0, dz_du = 0.0, dz_dv = 0.0;
    };

    explicit HeightField(double constant_z);
    /// z [nv][nu] at the nodes, u fastest; all finite. The spline's value at a node is within a
    /// sixth of the second differences of the node's (the values are its coefficients: it never
    /// leaves their range, and planes are met everywhere). Outside the grid the value of its
    /// nearest point, level across the edge: make the grid two cells wider than what is asked.
    /// Throws InvalidArgument for fewer than 4 nodes a side, a spacing that is not > 0, values
    /// that are too few or not finite.
    HeightField(const Grid& grid, const std::vector<double>& z);

    [[nodiscard]] double z(double u, double v) const;
    [[nodiscard]] Slope slope(double u, double v) const;
    [[nodiscard]] bool constant() const { return coefficients_.empty(); }
    /// Bounds that no height exceeds; both are a constant's value.
    [[nodiscard]] double lowest() const { return lowest_; }
    [[nodiscard]] double highest() const { return highest_; }

private:
    /// First coefficient and place inside the cell [0, 1] of u and v.
    struct Place {
        const double* first;
        double s, t;
        bool inside_u, inside_v;
    };
    [[nodiscard]] Place place(double u, double v) const;

    Grid grid_;
    double per_u_ = 0.0, per_v_ = 0.0;  ///< 1 / spacing
    std::vector<double> coefficients_;  ///< [nv + 2][nu + 2]: one node more on every side
    double lowest_ = 0.0, highest_ = 0.0;
};

}  // namespace kaname::earth
