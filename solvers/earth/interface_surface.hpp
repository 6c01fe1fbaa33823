// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/height_field.hpp"
#include "solvers/earth/projection.hpp"

namespace kaname::earth {

/// Depth of a plate interface as a single-valued function of the model's x, y.
///
/// Built from a gridded surface (Slab2): sampled in the model frame on a grid of 4 km or finer,
/// extended beyond its data (value and slope carry on, the slope dying out over 30 km), smoothed
/// (Gaussian), and limited to [min_depth_m, max_depth_m] with a rounded bend of up to 2 km depth at
/// the upper and a tenth of the range at the lower limit. Between grid nodes a cubic B-spline:
/// twice continuously differentiable, so normals may be taken by finite differences, and never
/// outside the limits. Outside the square the value of its nearest point.
class InterfaceSurface {
public:
    struct Params {
        double min_depth_m = 0.0;
        double max_depth_m = 0.0;
        double smoothing_length_m = 0.0;  ///< standard deviation; 0: none
        double half_size_m = 0.0;         ///< covers |x|, |y| <= half_size_m
    };
    /// Throws InvalidArgument when the data do not overlap the square or a parameter is out of
    /// range.
    InterfaceSurface(const GriddedSurface& data, const Projection& projection,
                     const Params& params);

    [[nodiscard]] double depth_m(double x, double y) const;  ///< positive below sea level
    /// True where the depth rests on data (not extended, not limited).
    [[nodiscard]] bool has_data(double x, double y) const;
    /// Fraction of the square that is extended or limited, for the report.
    [[nodiscard]] double extended_fraction() const { return extended_fraction_; }

    struct Steepest {
        double x = 0.0, y = 0.0;
        double dip_rad = 0.0;
    };
    /// Steepest dip of the finished surface and where it is, for the report.
    [[nodiscard]] Steepest steepest() const { return steepest_; }

private:
    [[nodiscard]] std::vector<double> sample(const GriddedSurface& data,
                                             const Projection& projection) const;
    void find_steepest();
    /// The grid has two cells more than the square on every side.
    [[nodiscard]] double node(int i) const { return -half_size_m_ + (i - 2) * spacing_m_; }

    double spacing_m_ = 0.0;
    double half_size_m_ = 0.0;
    int n_ = 0;
    HeightField depth_{0.0};           ///< positive down
    std::vector<unsigned char> data_;  ///< [n][n], y slowest
    double extended_fraction_ = 0.0;
    Steepest steepest_;
};

}  // namespace kaname::earth
