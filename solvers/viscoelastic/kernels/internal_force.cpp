// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/internal_force.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/viscoelastic/kernels/element_work.hpp"
#include "solvers/viscoelastic/kernels/internal_force_body.hpp"

namespace kaname::viscoelastic {
namespace {

void require(bool ok, const char* kernel, const char* rule) {
    if (!ok) {
        throw Error(ErrorCode::InvalidArgument, std::string(kernel) + ": " + rule);
    }
}

std::size_t vector_size(const ElementData& data) {
    return std::size_t(data.n_nodes) * 3 * lanes::kLanes;
}

std::size_t stress_size(const ElementData& data) {
    return data.conn.size() * kStressPerElement;
}

void require_second(const SecondBranch& second, const ElementData& data, const char* kernel) {
    require(second.slot.empty() || second.slot.size() == data.conn.size(), kernel,
            "second.slot must be [El] or empty");
    require(second.relax.size() == second.weight.size() &&
                second.stress.size() == second.relax.size() * kStressPerElement,
            kernel, "second.relax and weight must be [n], second.stress [n][4][6][4]");
}

}  // namespace

void offset_force(const OffsetForceArgs& args, device::Queue& queue) {
    require(args.f.size() == vector_size(args.data), "offset_force", "f must be [N][3][4]");
    // The nodes of elements that the fault touches: all of them, at most.
    const auto n = static_cast<double>(args.offsets.size());
    device::note(queue, element_work(n, kElementBytes + 16.0 + sizeof(ElementOffset),
                                     kStressFlop + kForceFlop + kScatterFlop, 0.0));
    KANAME_DISPATCH(queue, offset_force, args)
}

void stress_force(const StressForceArgs& args, device::Queue& queue) {
    require(args.f.size() == vector_size(args.data), "stress_force", "f must be [N][3][4]");
    require(args.stress.size() == stress_size(args.data), "stress_force",
            "stress must be [El][4][6][4]");
    require_second(args.second, args.data, "stress_force");
    // Stress read, the force read and written.
    device::note(queue, element_work(static_cast<double>(args.data.conn.size()),
                                     kElementBytes + sizeof(Parts) + 8.0 * kStressPerElement,
                                     kRelaxFlop + kForceFlop + kScatterFlop,
                                     2.0 * 8.0 * args.f.size() + second_bytes(args.second, 1.0)));
    KANAME_DISPATCH(queue, stress_force, args)
}

void stress_update(const StressUpdateArgs& args, device::Queue& queue) {
    require(args.du.size() == vector_size(args.data), "stress_update", "du must be [N][3][4]");
    require(args.stress.size() == stress_size(args.data), "stress_update",
            "stress must be [El][4][6][4]");
    require_second(args.second, args.data, "stress_update");
    // Stress read and written, du read; two moduli and what relaxes.
    device::note(queue,
                 element_work(static_cast<double>(args.data.conn.size()),
                              kElementBytes + 16.0 + sizeof(Parts) + 2.0 * 8.0 * kStressPerElement,
                              kStressFlop + kUpdateFlop,
                              8.0 * args.du.size() + second_bytes(args.second, 2.0)));
    const body::StressUpdate<> update{
        args.data,           args.relax.data(),
        args.offsets.data(), static_cast<std::int32_t>(args.offsets.size()),
        args.du.data(),      args.stress.data(),
        args.second};
    const auto n = static_cast<std::int64_t>(args.data.conn.size());
    if (args.chain == LaneChain::None) {
        lanes::for_each(queue, n, update);
    } else {
        lanes::for_each(queue, n,
                        body::ChainedStressUpdate<>{update, args.chain == LaneChain::Within});
    }
}

}  // namespace kaname::viscoelastic
