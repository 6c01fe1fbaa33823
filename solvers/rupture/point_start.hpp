// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "solvers/rupture/fault_layout.hpp"
#include "solvers/rupture/fault_setup.hpp"
#include "solvers/rupture/point_problems.hpp"

namespace kaname::rupture {

/// A point's numbers before the first step.
struct PointStart {
    std::array<double, Given::kFields> given{};
    std::array<double, Kept::kFields> kept{};
};

/// Numbers of point `number`; what is wrong with it is told to `problems`.
[[nodiscard]] PointStart start_of(const FaultSetup& setup, const FaultPlace& place,
                                  std::int64_t number, PointProblems& problems);

}  // namespace kaname::rupture
