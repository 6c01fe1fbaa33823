// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/step_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_matrices.hpp"

namespace kaname::voxelwave {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(ErrorCode::InvalidArgument, text.str());
}

/// Returns true if shift I - K has a Cholesky factor: no eigenvalue of K reaches the shift.
bool is_above(double shift, ElementMatrices::Matrix K) {
    for (double& value : K) {
        value = -value;
    }
    for (int j = 0; j < kElementSize; ++j) {
        double pivot = K[j * kElementSize + j] + shift;
        for (int k = 0; k < j; ++k) {
            pivot -= K[j * kElementSize + k] * K[j * kElementSize + k];
        }
        if (pivot <= 0.0) {
            return false;
        }
        K[j * kElementSize + j] = std::sqrt(pivot);
        for (int i = j + 1; i < kElementSize; ++i) {
            double sum = K[i * kElementSize + j];
            for (int k = 0; k < j; ++k) {
                sum -= K[i * kElementSize + k] * K[j * kElementSize + k];
            }
            K[i * kElementSize + j] = sum / K[j * kElementSize + j];
        }
    }
    return true;
}

/// Upper bound of the eigenvalues, within 1e-6 of the largest.
double largest_eigenvalue(const ElementMatrices::Matrix& K) {
    double above = 0.0;
    for (int row = 0; row < kElementSize; ++row) {
        double sum = 0.0;
        for (int column = 0; column < kElementSize; ++column) {
            sum += std::abs(K[row * kElementSize + column]);
        }
        above = std::max(above, sum);
    }
    double below = 0.0;
    while (above - below > 1e-6 * above) {
        const double middle = 0.5 * (above + below);
        (is_above(middle, K) ? above : below) = middle;
    }
    return above;
}

/// Square of the highest frequency of a voxel alone [1/s^2], of all solids.
double highest_frequency_squared(const VoxelModel& model, bool orthogonal) {
    const ElementMatrices of = orthogonal ? ovfem_matrices() : vfem_matrices();
    double highest = 0.0;
    for (const Solid& solid : model.solids) {
        if (solid.is_void()) {
            continue;
        }
        ElementMatrices::Matrix K;
        for (int k = 0; k < kElementSize * kElementSize; ++k) {
            K[k] = (of.per_kappa[k] * solid.bulk_modulus_pa +
                    of.per_shear[k] * solid.shear_modulus_pa) /
                   solid.bulk_modulus_pa;
        }
        const double per_mass =
            8.0 * solid.bulk_modulus_pa / (solid.density_kg_per_m3 * model.ds_m * model.ds_m);
        if (!is_above(highest / per_mass, K)) {
            highest = std::max(highest, per_mass * largest_eigenvalue(K));
        }
    }
    return highest;
}

/// Factor of u - u- for damping by alpha, of central differences.
double kept(double alpha_per_s, double dt_s) {
    return (1.0 - 0.5 * alpha_per_s * dt_s) / (1.0 + 0.5 * alpha_per_s * dt_s);
}

/// alpha of a damping layer at each node of an axis.
std::vector<double> layer_along(const VoxelModel& model, const DampingLayer& layer, int axis) {
    const int n = model.voxels[axis];
    const int low = layer.width[2 * axis], high = layer.width[2 * axis + 1];
    if (low < 0 || high < 0 || low + high > n) {
        refuse("damping layers along ", "xyz"[axis], " must have at most the ", n,
               " voxels of the model, got ", low, " and ", high);
    }
    std::vector<double> alpha(n + 1, 0.0);
    for (int k = 0; k <= n; ++k) {
        const double depth = std::max({0.0, low > 0 ? double(low - k) / low : 0.0,
                                       high > 0 ? double(k - (n - high)) / high : 0.0});
        alpha[k] = layer.alpha_per_s * depth * depth;
    }
    return alpha;
}

}  // namespace

double largest_stable_dt(const VoxelModel& model, const Damping& damping, bool orthogonal) {
    const double w2 = highest_frequency_squared(model, orthogonal);
    const double b = damping.beta_s * w2;
    return 4.0 / (b + std::sqrt(b * b + 4.0 * w2));
}

StepTerms step_terms(const VoxelModel& model, double dt_s, const Damping& damping,
                     const DampingLayer& layer, std::span<const std::int64_t> fixed,
                     bool orthogonal) {
    model.check();
    if (!(damping.alpha_per_s >= 0.0) || !(damping.beta_s >= 0.0) || !(layer.alpha_per_s >= 0.0)) {
        refuse("damping must not be negative, got alpha = ", damping.alpha_per_s,
               " 1/s, beta = ", damping.beta_s, " s, layer ", layer.alpha_per_s, " 1/s");
    }
    const double stable_s = largest_stable_dt(model, damping, orthogonal);
    if (!(dt_s > 0.0 && dt_s <= stable_s)) {
        refuse("dt_s must be above 0 and at most ", stable_s, ", beyond which steps grow, got ",
               dt_s);
    }
    StepTerms terms;
    terms.dt_s = dt_s;
    terms.beta_per_dt = damping.beta_s / dt_s;
    for (int axis = 0; axis < 3; ++axis) {
        for (const double alpha : layer_along(model, layer, axis)) {
            terms.keep[axis].push_back(kept(alpha + (axis == 0 ? damping.alpha_per_s : 0.0), dt_s));
        }
    }
    terms.dt2_per_mass = model.masses();
    const auto nodes = model.nodes();
    auto value = terms.dt2_per_mass.begin();
    for (int z = 0; z < nodes[2]; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x, ++value) {
                const double share = 0.5 * (1.0 + terms.kept(x, y, z));
                *value = *value > 0.0 ? share * dt_s * dt_s / *value : 0.0;
            }
        }
    }
    for (const std::int64_t node : fixed) {
        if (node < 0 || node >= model.n_nodes()) {
            refuse("fixed nodes must be below ", model.n_nodes(), ", got ", node);
        }
        terms.dt2_per_mass[node] = 0.0;
    }
    return terms;
}

Damping damping_of_band(double ratio, double from_hz, double to_hz) {
    if (!(ratio >= 0.0 && from_hz > 0.0 && to_hz > from_hz)) {
        refuse("a damping ratio must be >= 0 and its band rise from above 0 Hz, got ", ratio,
               " from ", from_hz, " to ", to_hz);
    }
    const double low = 2.0 * std::numbers::pi * from_hz, high = 2.0 * std::numbers::pi * to_hz;
    // Normal equations of a/w + b w = ratio over [low, high].
    const double aa = 1.0 / low - 1.0 / high, ab = high - low,
                 bb = (std::pow(high, 3) - std::pow(low, 3)) / 3.0;
    const double ra = ratio * std::log(high / low), rb = ratio * (high * high - low * low) / 2.0;
    const double determinant = aa * bb - ab * ab;
    return {2.0 * (ra * bb - rb * ab) / determinant, 2.0 * (aa * rb - ab * ra) / determinant};
}

}  // namespace kaname::voxelwave
