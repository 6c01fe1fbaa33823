// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// Makes a fault of the model's faces that lie in the plane y = y_m and whose middles are `on` it.
/// The plus side is the one of smaller y, so that strike is along x and dip down.
void add_fault(
    WaveModel& model, double y_m,
    const std::function<bool(const Vec3& middle)>& on = [](const Vec3&) { return true; });

/// Friction that falls from static_friction to dynamic_friction over weakening_slip_m, under
/// `shear_pa` along strike and a compression of normal_pa.
[[nodiscard]] rupture::FaultPoint weakening(double normal_pa, double shear_pa,
                                            double static_friction, double dynamic_friction,
                                            double weakening_slip_m);

/// n^3 cubes that get thin towards y = 0, a fault of some faces in the middle, so that steps
/// differ.
[[nodiscard]] WaveModel graded_fault_box(int n = 4);

/// The middle of the fault is over its strength; the rest follows, and stops at the rim.
void make_rupture(WaveModel& model,
                  rupture::FrictionLaw law = rupture::FrictionLaw::LinearSlipWeakening);

}  // namespace kaname::aderdg
