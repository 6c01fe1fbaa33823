// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/layout.hpp"
#include "solvers/rupture/fault_faces.hpp"
#include "solvers/rupture/kernels/real_math.hpp"

namespace kaname::aderdg {

/// A fault face from the condition of its minus side: corners in the order of the face's modes.
[[nodiscard]] rupture::FaultFaceShape fault_shape(const WaveModel& model,
                                                  const TetTopology& topology,
                                                  const Layout::Condition& minus);

/// The two conditions (Layout) of a fault face.
struct FaultSides {
    std::int32_t minus = -1, plus = -1;
    int cluster = 0;
};
/// Returns the fault faces of a rank, sorted by cluster, law and face.
[[nodiscard]] std::vector<FaultSides> fault_sides(const WaveModel& model, const Layout& layout);
[[nodiscard]] std::vector<rupture::FaultFaceShape> fault_shapes(const WaveModel& model,
                                                                const TetTopology& topology,
                                                                const Layout& layout,
                                                                std::span<const FaultSides> sides);

/// Holds the factors that turn the traces of a face's two elements into tractions on the fault, and
/// slip rates back.
struct FaultFaceTerms {
    double axes[3][3];  ///< normal to the plus side, along strike, down dip
    /// Normal [0] and shear [1]: eta = Z+ Z-/(Z+ + Z-), and 1/Z of either side.
    double eta[2], per_plus[2], per_minus[2];

    [[nodiscard]] static FaultFaceTerms of(const WaveModel& model, const TetTopology& topology,
                                           const Layout::Condition& minus);

    /// The traction if the fault held, eta (v+ - v- + t+/Z+ + t-/Z-), of coefficient k from traces
    /// [6][stride] (traction on each side's outward normal, velocity): `to` [3][stride] by axes.
    /// Real is double, or Pack<double> for as many coefficients.
    template <class Real>
    KANAME_HD void lock(const double* minus, const double* plus, int stride, int k,
                        double* to) const {
        const auto at = [&](const double* of, int row) {
            return rupture::kernels::read<Real>(of + row * stride + k);
        };
        // The plus side's outward normal is the fault's turned round.
        Real normal{}, strike{}, dip{};
        for (int d = 0; d < 3; ++d) {
            const Real t_minus = at(minus, d), t_plus = at(plus, d);
            const Real v = at(plus, 3 + d) - at(minus, 3 + d);
            const Real shear = v - per_plus[1] * t_plus + per_minus[1] * t_minus;
            normal = normal + axes[0][d] * (v - per_plus[0] * t_plus + per_minus[0] * t_minus);
            strike = strike + axes[1][d] * shear;
            dip = dip + axes[2][d] * shear;
        }
        rupture::kernels::write(to + k, eta[0] * normal);
        rupture::kernels::write(to + stride + k, eta[1] * strike);
        rupture::kernels::write(to + 2 * stride + k, eta[1] * dip);
    }
    /// A coefficient along strike and down dip to direction d of x, y, z.
    [[nodiscard]] KANAME_HD double turn(int d, double strike, double dip) const {
        return axes[1][d] * strike + axes[2][d] * dip;
    }
};

}  // namespace kaname::aderdg
