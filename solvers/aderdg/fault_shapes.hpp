// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/aderdg/layout.hpp"
#include "solvers/rupture/fault_faces.hpp"

namespace kaname::aderdg {

/// A fault face from the condition of its minus side: corners in the order of the face's modes.
[[nodiscard]] rupture::FaultFaceShape fault_shape(const WaveModel& model,
                                                  const TetTopology& topology,
                                                  const Layout::Condition& minus);

/// What turns the traces of a face's two elements into tractions on the fault, and slip rates back.
struct FaultFaceTerms {
    double axes[3][3];  ///< normal to the plus side, along strike, down dip
    /// Normal [0] and shear [1]: eta = Z+ Z-/(Z+ + Z-), and 1/Z of either side.
    double eta[2], per_plus[2], per_minus[2];

    [[nodiscard]] static FaultFaceTerms of(const WaveModel& model, const TetTopology& topology,
                                           const Layout::Condition& minus);

    /// The traction if the fault held, eta (v+ - v- + t+/Z+ + t-/Z-), of n coefficients: traces
    /// [6][n] (traction on each side's outward normal, velocity) to [3][n] by axes.
    void lock(const double* minus, const double* plus, int n, double* locked) const;
    /// n coefficients along strike and down dip to x, y, z, [3][n].
    void turn(const double* strike, const double* dip, int n, double* xyz) const;
};

}  // namespace kaname::aderdg
