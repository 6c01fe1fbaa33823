// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/kernels/internal_force_body.hpp"

namespace kaname::viscoelastic {

void offset_force_cpu(const OffsetForceArgs& args) {
    const body::OffsetForce force{args.data, args.offsets.data()};
    for (std::size_t item = 0; item < args.offsets.size(); ++item) {
        element_loop::add_force(force, static_cast<std::int64_t>(item),
                                args.data.conn[args.offsets[item].elem], args.f.data());
    }
}

void stress_force_cpu(const StressForceArgs& args) {
    const body::StressForce force{args.data, args.relax.data(), args.stress.data(), args.second};
    element_loop::for_each_element(*args.data.blocks, [&](std::int32_t elem) {
        element_loop::add_force(force, elem, args.data.conn[elem], args.f.data());
    });
}

void stress_step_cpu(const StressStepArgs& args) {
    const body::StressStep step = body::stress_step(args);
    const ElementData& data = args.update.data;
    element_loop::for_each_element(*data.blocks, [&](std::int32_t elem) {
        if (!step.next.passes_over(elem)) {
            element_loop::add_force(step, elem, data.conn[elem], args.f.data());
        }
    });
}

}  // namespace kaname::viscoelastic
