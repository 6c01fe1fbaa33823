// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/internal_force.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/for_each.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"
#include "solvers/viscoelastic/kernels/internal_force_body.hpp"

namespace kaname::viscoelastic {
namespace {

void require_args(bool ok, const char* kernel, const char* rule) {
    if (!ok) {
        throw Error(ErrorCode::InvalidArgument, std::string(kernel) + ": " + rule);
    }
}

std::size_t stress_size(const ElementData& data) {
    return data.conn.size() * kStressPerElement;
}

void require_second(const SecondBranch& second, const ElementData& data, const char* kernel) {
    require_args(second.slot.empty() || second.slot.size() == data.conn.size(), kernel,
                 "second.slot must be [El] or empty");
    require_args(second.relax.size() == second.weight.size() &&
                     second.stress.size() == second.relax.size() * kStressPerElement,
                 kernel, "second.relax and weight must be [n], second.stress [n][4][6][4]");
}

double elements_of(const p2::ElementBlocks& blocks) {
    double n = 0.0;
    for (const auto& colour : blocks.colours) {
        for (const auto& block : colour) {
            n += block.end - block.begin;
        }
    }
    return n;
}

double share_of(double n, const ElementData& data) {
    return n / static_cast<double>(data.conn.size());
}

void require_update(const StressUpdateArgs& args, const char* kernel) {
    require_args(args.du.size() == args.data.vector_size(), kernel, "du must be [N][3][4]");
    require_args(args.stress.size() == stress_size(args.data), kernel,
                 "stress must be [El][4][6][4]");
    require_second(args.second, args.data, kernel);
}

/// Stress read and written, du read; two moduli and what relaxes.
device::Work update_work(const StressUpdateArgs& args, double n) {
    return element_work(
        n, kElementBytes + 16.0 + sizeof(Parts) + 2.0 * 8.0 * kStressPerElement,
        kStressFlop + kUpdateFlop,
        share_of(n, args.data) * 8.0 * args.du.size() + second_bytes(args.second, 2.0));
}

}  // namespace

void offset_force(const OffsetForceArgs& args, device::Queue& queue) {
    require_args(args.f.size() == args.data.vector_size(), "offset_force", "f must be [N][3][4]");
    // The nodes of elements that the fault touches: all of them, at most.
    const auto n = static_cast<double>(args.offsets.size());
    device::note(queue, element_work(n, kElementBytes + 16.0 + sizeof(ElementOffset),
                                     kStressFlop + kForceFlop + kScatterFlop, 0.0));
    KANAME_DISPATCH(queue, offset_force, args)
}

void stress_force(const StressForceArgs& args, device::Queue& queue) {
    require_args(args.f.size() == args.data.vector_size(), "stress_force", "f must be [N][3][4]");
    require_args(args.stress.size() == stress_size(args.data), "stress_force",
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
    require_update(args, "stress_update");
    require_args(args.only.empty() || args.chain == LaneChain::None, "stress_update",
                 "only some of the elements needs LaneChain::None");
    const std::size_t n = args.only.empty() ? args.data.conn.size() : args.only.size();
    device::note(queue, update_work(args, static_cast<double>(n)));
    const body::StressUpdate<> update = body::stress_update(args);
    const auto items = static_cast<std::int64_t>(n);
    if (args.chain == LaneChain::None) {
        lanes::for_each(queue, items, update);
    } else {
        lanes::for_each(queue, items,
                        body::ChainedStressUpdate<>{update, args.chain == LaneChain::Within});
    }
}

void stress_step(const StressStepArgs& args, device::Queue& queue) {
    const StressUpdateArgs& update = args.update;
    require_update(update, "stress_step");
    require_args(update.only.empty() && update.chain == LaneChain::None, "stress_step",
                 "needs LaneChain::None and all elements");
    require_args(args.f.size() == update.data.vector_size(), "stress_step", "f must be [N][3][4]");
    require_args(args.next_relax.size() == update.data.conn.size() &&
                     args.next_second_relax.size() == update.second.relax.size(),
                 "stress_step", "next_relax must be [El], next_second_relax [n]");
    // And the force read and written.
    const double n = elements_of(*update.data.blocks);
    device::Work work = update_work(update, n);
    const device::Work force =
        element_work(n, sizeof(Parts), kRelaxFlop + kForceFlop + kScatterFlop,
                     share_of(n, update.data) * 2.0 * 8.0 * args.f.size());
    device::note(queue, work += force);
    KANAME_DISPATCH(queue, stress_step, args)
}

void lasting_stress(const LastingStressArgs& args, device::Queue& queue) {
    require_args(args.u.size() == args.data.vector_size(), "lasting_stress", "u must be [N][3][4]");
    require_args(args.stress.size() == stress_size(args.data), "lasting_stress",
                 "stress must be [El][4][6][4]");
    const auto n = static_cast<double>(args.elements.size());
    // Stress written, u read.
    device::note(queue, element_work(n, kElementBytes + 16.0 + 8.0 * kStressPerElement, kStressFlop,
                                     share_of(n, args.data) * 8.0 * args.u.size()));
    lanes::for_each(queue, std::ssize(args.elements),
                    body::LastingStress<>{body::stress_update({args.data,
                                                               {},
                                                               args.offsets,
                                                               args.u,
                                                               args.stress,
                                                               LaneChain::None,
                                                               {},
                                                               args.elements})});
}

}  // namespace kaname::viscoelastic
