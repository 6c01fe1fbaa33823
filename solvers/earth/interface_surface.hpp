// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "solvers/earth/gridded_surface.hpp"
#include "solvers/earth/projection.hpp"

namespace kaname::earth {

/// Depth of a plate interface as a single-valued function of the model's x, y.
///
/// Built from a gridded surface (Slab2): sampled in the model frame, smoothed (Gaussian), extended
/// smoothly beyond its data, and limited to [min_depth_m, max_depth_m]. Continuous everywhere.
class InterfaceSurface {
public:
    struct Params {
        double min_depth_m = 0.0;
        double max_depth_m = 0.0;
        double smoothing_length_m = 0.0;  ///< 0: none
        double half_size_m = 0.0;         ///< covers |x|, |y| <= half_size_m
    };
    /// Throws InvalidArgument when the data do not overlap the square.
    InterfaceSurface(const GriddedSurface& data, const Projection& projection, const Params& params);

    [[nodiscard]] double depth_m(double x, double y) const;  ///< > 0 below sea level
    /// True where the depth rests on data (not extended, not limited).
    [[nodiscard]] bool has_data(double x, double y) const;
    /// Fraction of the square that is extended or limited, for the report.
    [[nodiscard]] double extended_fraction() const { return extended_fraction_; }

private:
    double spacing_m_ = 0.0;
    double half_size_m_ = 0.0;
    int n_ = 0;
    std::vector<double> depth_m_;       // [n][n], y slowest
    std::vector<unsigned char> data_;   // [n][n]
    double extended_fraction_ = 0.0;
};

}  // namespace kaname::earth
