// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"

namespace kaname::viscoelastic {
namespace {

void require_size(const char* kernel, const char* what, std::size_t size, std::size_t expected) {
    if (size != expected) {
        throw Error(ErrorCode::InvalidArgument, std::string(kernel) + ": " + what + " must have " +
                                                    std::to_string(expected) + " numbers, got " +
                                                    std::to_string(size));
    }
}

std::size_t pressure_size(std::int32_t none) {
    return (std::size_t(none) + 1) * lanes::kLanes;
}

}  // namespace

void dilatation(const DilatationArgs& args, device::Queue& queue) {
    require_size("dilatation", "y", args.y.size(), pressure_size(args.none));
    if (!args.x.empty()) {
        require_size("dilatation", "x", args.x.size(), args.data.vector_size());
    }
    device::note(queue,
                 element_work(static_cast<double>(args.nodes.size()), kElementBytes + 16.0,
                              kVertexDilatationFlop, 8.0 * (args.x.size() + 2 * args.y.size())));
    KANAME_DISPATCH(queue, dilatation, args)
}

void pressure_force(const PressureForceArgs& args, device::Queue& queue) {
    require_size("pressure_force", "pressure", args.pressure.size(), pressure_size(args.none));
    require_size("pressure_force", "f", args.f.size(), args.data.vector_size());
    device::note(queue, element_work(static_cast<double>(args.nodes.size()), kElementBytes + 16.0,
                                     kVertexPressureFlop + kForceFlop + kScatterFlop,
                                     8.0 * (args.pressure.size() + 2 * args.f.size())));
    KANAME_DISPATCH(queue, pressure_force, args)
}

}  // namespace kaname::viscoelastic
