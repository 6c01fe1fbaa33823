// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/viscoelastic/kernels/lane_steps_body.hpp"

namespace kaname::viscoelastic {
namespace {

/// Numbers of all lanes.
std::int64_t count(device::View<const double> x) {
    return static_cast<std::int64_t>(x.size()) / lanes::kLanes;
}

}  // namespace

void spread_first_lane(device::View<double> x, device::Queue& queue) {
    device::note(queue, {2.0 * 8.0 * static_cast<double>(x.size())});
    lanes::for_each(queue, count(x), body::SpreadFirstLane<>{x.data()});
}

void take_first_lane(device::View<const double> x, device::View<double> first,
                     device::Queue& queue) {
    if (first.size() * lanes::kLanes != x.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "take_first_lane: x must have " + std::to_string(lanes::kLanes) +
                        " numbers for each of first, got " + std::to_string(x.size()) + " and " +
                        std::to_string(first.size()));
    }
    device::note(queue, {8.0 * static_cast<double>(x.size() + first.size())});
    lanes::for_each(queue, count(x), body::TakeFirstLane<>{x.data(), first.data()});
}

void shift_lanes(const LaneShift& shift, device::View<double> x, device::Queue& queue) {
    if (shift.newest == NewestLane::Line && std::ranges::count(shift.increment, nullptr) > 0) {
        throw Error(ErrorCode::InvalidArgument, "shift_lanes: a line needs seven increments");
    }
    const double line = shift.newest == NewestLane::Line ? LaneShift::kTerms : 0.0;
    const auto n = static_cast<double>(count(x));
    device::note(queue,
                 device::Work::of<double>(8.0 * (2.0 * lanes::kLanes + line) * n, 2.0 * line * n));
    lanes::for_each(queue, count(x), body::ShiftLanes<>{shift, x.data()});
}

template <class T>
void apply_springs(const VerticalSprings<T>& springs, device::View<const T> x, device::View<T> y,
                   device::Queue& queue) {
    if (springs.ptr.size() != springs.node.size() + 1 || springs.col.size() != springs.val.size() ||
        x.size() != y.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "apply_springs: the rows' ends, columns and vectors must fit together");
    }
    const auto rows = static_cast<double>(springs.node.size());
    const auto entries = static_cast<double>(springs.col.size());
    device::note(queue, device::Work::of<T>((4.0 + sizeof(T)) * entries + 8.0 * rows +
                                                3.0 * sizeof(T) * lanes::kLanes * rows,
                                            2.0 * lanes::kLanes * entries));
    lanes::for_each(queue, static_cast<std::int64_t>(springs.node.size()),
                    body::SpringRow<T>{springs.node.data(), springs.ptr.data(), springs.col.data(),
                                       springs.val.data(), x.data(), y.data()});
}

template void apply_springs(const VerticalSprings<float>&, device::View<const float>,
                            device::View<float>, device::Queue&);
template void apply_springs(const VerticalSprings<double>&, device::View<const double>,
                            device::View<double>, device::Queue&);

}  // namespace kaname::viscoelastic
