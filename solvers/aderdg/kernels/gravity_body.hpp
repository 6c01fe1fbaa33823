// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

namespace kaname::aderdg {

/// A face whose own weight pulls it back (GravityPass).
struct GravityTerms {
    double normal[3] = {};
    double weight_pa_per_m = 0.0;  ///< rho g
    double per_impedance = 0.0;    ///< 1/Z
    double step_s = 0.0;
};

namespace kernels {

/// dt (v_n + p/Z), which raises the face, as number j of a kept trace [6][stride].
KANAME_HD inline double driving(const GravityTerms& face, const double* kept, int stride, int j) {
    double traction = 0.0, velocity = 0.0;
    for (int d = 0; d < 3; ++d) {
        traction += face.normal[d] * kept[d * stride + j];
        velocity += face.normal[d] * kept[(3 + d) * stride + j];
    }
    return face.step_s * (velocity - face.per_impedance * traction);
}

/// Returns twice the weight of a mode of mean height, along d. The traction that the element sees
/// beyond is its own trace plus this.
KANAME_HD inline double seen_weight(const GravityTerms& face, int d, double mean_m) {
    return 2.0 * face.weight_pa_per_m * face.normal[d] * mean_m;
}

}  // namespace kernels
}  // namespace kaname::aderdg
