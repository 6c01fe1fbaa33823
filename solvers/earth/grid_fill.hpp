// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace kaname::earth
