// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cmath>
#include <cstdint>

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

/// An absorbing face. Nothing comes in there, so that the traction is -Z v*, v* = (v - t/Z)/2, and
/// power Z |v*|^2 leaves; means over a step stand for what changes within it.
struct Outlet {
    std::int64_t number = 0;  ///< among all absorbing faces of the model
    std::int32_t record = 0;  ///< the mean trace of a step
    double normal[3] = {};
    double zp = 0.0, zs = 0.0;
    double step_s = 0.0, area_m2 = 0.0;
    double energy_j = 0.0;  ///< that has left so far
};

namespace kernels {

/// Normal and shear parts of v*, each times its sqrt(Z), of mode k: out[d * modes + k] for x, y, z.
/// `trace` is a record's first lane, with component c of mode k at c * quantity + k * mode.
template <class T>
KANAME_HD inline void outgoing(const Outlet& face, const T* trace, int quantity, int mode,
                               int modes, int k, double* out) {
    const double* n = face.normal;
    const double per_zp = 1.0 / face.zp, per_zs = face.zs > 0.0 ? 1.0 / face.zs : 0.0;
    double t[3], v[3], tn = 0.0, vn = 0.0;
    for (int d = 0; d < 3; ++d) {
        t[d] = static_cast<double>(trace[d * quantity + k * mode]);
        v[d] = static_cast<double>(trace[(3 + d) * quantity + k * mode]);
        tn += t[d] * n[d];
        vn += v[d] * n[d];
    }
    for (int d = 0; d < 3; ++d) {
        const double along = 0.5 * (vn - per_zp * tn) * n[d];
        const double across = 0.5 * ((v[d] - vn * n[d]) - per_zs * (t[d] - tn * n[d]));
        out[d * modes + k] = sqrt(face.zp) * along + sqrt(face.zs) * across;
    }
}

/// Mode a's part of the power that leaves through an area of 1, from all that outgoing() has given;
/// mass [modes][modes] is that of a face.
KANAME_HD inline double leaving(const double* out, const double* mass, int modes, int a) {
    double sum = 0.0;
    for (int d = 0; d < 3; ++d) {
        double row = 0.0;
        for (int b = 0; b < modes; ++b) {
            row += mass[a * modes + b] * out[d * modes + b];
        }
        sum += out[d * modes + a] * row;
    }
    return sum;
}

}  // namespace kernels
}  // namespace kaname::aderdg
