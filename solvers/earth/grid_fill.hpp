// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "solvers/earth/height_field.hpp"

namespace kaname::earth {

/// Places of the columns and rows of nu x nv values, u fastest.
struct PlanGrid {
    PlanGrid(int n_u, int n_v, double spacing_m);
    explicit PlanGrid(const HeightField::Grid& grid);
    [[nodiscard]] int nu() const { return static_cast<int>(u.size()); }
    [[nodiscard]] int nv() const { return static_cast<int>(v.size()); }

    std::vector<double> u, v;
    double spacing_m;  ///< smallest distance of nodes
};

/// Fills the nodes without data so that value and slope carry on across the data's edge, the slope
/// dying out over `decay_m`.
///
/// With u given on the data, p = grad u there:
///   1. outside the data, (1 - decay^2 laplacian) p = 0, p continuous;
///   2. outside the data, laplacian u = div p, u continuous;
/// both with no flux through the edge of the grid. decay_m = 0 leaves the harmonic (membrane) fill.
///
/// value and has_data [nv][nu]. Throws InvalidArgument when no node has data.
void fill_smoothly(const PlanGrid& grid, const std::vector<unsigned char>& has_data, double decay_m,
                   std::vector<double>& value);

/// Gaussian of standard deviation `sigma_m`, the grid mirrored at its edges. 0: unchanged.
void smooth_gaussian(const PlanGrid& grid, double sigma_m, std::vector<double>& value);

/// Node distances and widths along one axis of a grid: the two halves of a cell are on both sides
/// of its node.
struct Axis {
    explicit Axis(std::vector<double> places) : x(std::move(places)), width(x.size()) {
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            step.push_back(x[i + 1] - x[i]);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Whole at the ends too, as if the grid went on.
            width[i] = 0.5 * (step[i > 0 ? i - 1 : 0] + step[std::min(i, step.size() - 1)]);
        }
    }
    [[nodiscard]] int n() const { return static_cast<int>(x.size()); }
    [[nodiscard]] Axis every_other() const {
        std::vector<double> places;
        for (std::size_t i = 0; i < x.size(); i += 2) {
            places.push_back(x[i]);
        }
        return Axis(std::move(places));
    }

    std::vector<double> x, step, width;
};

/// The two axes of a grid of nodes, u fastest.
struct Axes {
    Axis u, v;
    [[nodiscard]] std::size_t nodes() const { return u.x.size() * v.x.size(); }
};

/// One number per node of a grid, u fastest.
using NodeValues = std::vector<double>;
/// One flag per node: its value is given.
using NodeMask = std::vector<unsigned char>;

/// Solves (A / decay^2 + L) x = rhs at the nodes that are not fixed, A the area of a node's cell
/// and
///   (L x)_i = sum over the grid neighbours j of (width of the face between) / (distance) (x_i -
///   x_j):
/// minus the Laplacian integrated over the cell, no flux through the edge. per_decay2 = decay^-2.
/// x comes with the values of the fixed nodes and a guess of the others.
///
/// Conjugate gradients until the residual is `tolerance` per node, preconditioned by a V-cycle with
/// every other node on each coarser grid. Nodes of a stretched grid lie far apart along one axis
/// and close along the other: lines along both axes are solved as wholes, which no ratio of
/// distances slows down. A dozen iterations, whatever the grid's size and
/// stretch; returns how many.
int solve_poisson(const Axes& axes, double per_decay2, const NodeMask& fixed, const NodeValues& rhs,
                  double tolerance, NodeValues& x);

}  // namespace kaname::earth
