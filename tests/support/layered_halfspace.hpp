// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "tests/support/layered_waves.hpp"
#include "tests/support/okada.hpp"

namespace kaname::test {

/// Motion of the surface of a plane-layered half-space after a step in slip: Hankel transforms of
/// LayeredWaves, in time by a fixed Talbot contour (Abate and Valko 2004) whose error is 1e-9 of
/// the motion, rectangles by Gauss points. Independent of any mesh; no tests/support/okada.hpp in
/// it, and so no top edge at the surface (time grows with reach over depth).
class LayeredHalfspace {
public:
    /// `times_s`: 0 is right after the slip. `reach_m`: largest distance asked for.
    LayeredHalfspace(LayeredMedium medium, std::vector<double> times_s, double reach_m);

    /// Displacement [m] (east, north, up) at the surface, [place][time]. `slip` shears: no tensile
    /// part. With `ramp_m` the slip's edges fall off linearly over that length, centred on the
    /// rectangle's.
    [[nodiscard]] std::vector<std::vector<Vec3>> displacement(const OkadaFault& fault,
                                                              const OkadaSlip& slip,
                                                              std::span<const Vec3> places,
                                                              double ramp_m = 0.0) const;

private:
    class Rings;

    LayeredMedium medium_;
    std::vector<double> times_s_;
    double reach_m_;
};

}  // namespace kaname::test
