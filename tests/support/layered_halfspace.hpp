// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "tests/support/layered_waves.hpp"
#include "tests/support/okada.hpp"

namespace kaname::test {

/// Slip whose edges fall off linearly over these lengths, centred on the rectangle's: as long as
/// its side, the slip of a bilinear hat that reaches one side's length from its middle.
struct SlipRamp {
    double strike_m = 0.0, dip_m = 0.0;
};

/// Motion of the surface of a plane-layered half-space after a step in slip: Hankel transforms of
/// LayeredWaves, in time by a fixed Talbot contour (Abate and Valko 2004) whose error is 1e-9 of
/// the motion, rectangles by Gauss points. Independent of any mesh; no tests/support/okada.hpp in
/// it, and so no top edge at the surface (time grows with reach over depth).
class LayeredHalfspace {
public:
    /// `times_s`: 0 is right after the slip. `reach_m`: largest distance asked for.
    LayeredHalfspace(LayeredMedium medium, std::vector<double> times_s, double reach_m);

    /// Displacement [m] (east, north, up) at the surface, [place][time]. `slip` shears: no tensile
    /// part.
    [[nodiscard]] std::vector<std::vector<Vec3>> displacement(const OkadaFault& fault,
                                                              const OkadaSlip& slip,
                                                              std::span<const Vec3> places,
                                                              const SlipRamp& ramp = {}) const;

private:
    class Rings;

    LayeredMedium medium_;
    std::vector<double> times_s_;
    double reach_m_;
};

}  // namespace kaname::test
