// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/viscoelastic/kernels/lane_steps_body.hpp"

namespace kaname::viscoelastic {

using device::cuda::for_each;

namespace {

lanes::Quad<double>* quads(device::View<double> x) {
    return reinterpret_cast<lanes::Quad<double>*>(x.data());
}
std::int64_t count(device::View<double> x) {
    return static_cast<std::int64_t>(x.size()) / lanes::kLanes;
}

}  // namespace

void spread_first_lane_cuda(device::View<double> x, device::Queue& queue) {
    for_each(count(x), body::SpreadFirstLane{quads(x)}, "spread_first_lane", queue);
}

void take_first_lane_cuda(device::View<const double> x, device::View<double> first,
                          device::Queue& queue) {
    for_each(static_cast<std::int64_t>(first.size()), body::TakeFirstLane{x.data(), first.data()},
             "take_first_lane", queue);
}

void shift_lanes_cuda(const LaneShift& shift, device::View<double> x, device::Queue& queue) {
    for_each(count(x), body::ShiftLanes{shift, quads(x)}, "shift_lanes", queue);
}

}  // namespace kaname::viscoelastic
