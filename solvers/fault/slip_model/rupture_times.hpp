// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/slip_model.hpp"

namespace kaname::slip_model {

/// Rupture times within the patches of a model that states them at the patches' centres. Where a
/// segment's patches form a grid they are bilinear between the centres, and go on along the same
/// lines where no patch that slips lies beyond, but never before the first patch breaks. Patches of
/// other segments break at once.
class RuptureTimes {
public:
    /// Both models have the same patches.
    RuptureTimes(const SlipModel& model, const PlacedModel& placed);

    /// Time [s] in the patch at (along, down), -1/2..1/2 of its length and width from its centre.
    /// The patch must slip and state a time.
    [[nodiscard]] double at(std::size_t patch, double along, double down) const;

private:
    using Around = std::array<std::array<double, 3>, 3>;  ///< [down][along], the patch's own inside

    std::vector<Around> around_s_;
    double first_s_ = 0.0;
};

}  // namespace kaname::slip_model
