// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {

void spread_first_lane(device::View<double> x, device::Queue& queue) {
    KANAME_DISPATCH(queue, spread_first_lane, x)
}

void take_first_lane(device::View<const double> x, device::View<double> first,
                     device::Queue& queue) {
    if (first.size() * lanes::kLanes != x.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "take_first_lane: x must have " + std::to_string(lanes::kLanes) +
                        " numbers for each of first, got " + std::to_string(x.size()) + " and " +
                        std::to_string(first.size()));
    }
    KANAME_DISPATCH(queue, take_first_lane, x, first)
}

void shift_lanes(const LaneShift& shift, device::View<double> x, device::Queue& queue) {
    if (shift.newest == NewestLane::Line && std::ranges::count(shift.increment, nullptr) > 0) {
        throw Error(ErrorCode::InvalidArgument, "shift_lanes: a line needs seven increments");
    }
    KANAME_DISPATCH(queue, shift_lanes, shift, x)
}

}  // namespace kaname::viscoelastic
