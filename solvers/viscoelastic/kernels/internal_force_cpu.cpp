// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/element_loop.hpp"
#include "solvers/viscoelastic/kernels/internal_force_body.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure_body.hpp"

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

void dilatation_cpu(const DilatationArgs& args) {
    const body::NodesOfElements nodes(args.nodes, args.none);
    const body::Dilatation dilatation{args.data, args.offsets.data(),
                                      static_cast<std::int32_t>(args.offsets.size()),
                                      args.x.empty() ? nullptr : args.x.data()};
    const auto add_element = [&](std::int32_t elem) {
        if (!nodes.at(elem)) {
            return;
        }
        element_loop::V theta[4];
        dilatation(elem, element_loop::Share{}, theta);
        for (int k = 0; k < 4; ++k) {
            element_loop::add(nodes.node(elem, k), theta[k], args.y.data());
        }
    };
    if (args.x.empty()) {
        for (const ElementOffset& offset : args.offsets) {
            add_element(offset.elem);
        }
    } else {
        element_loop::for_each_element(*args.data.blocks, add_element);
    }
}

void pressure_force_cpu(const PressureForceArgs& args) {
    const body::PressureForce force{args.data, {args.nodes, args.none}, args.pressure.data()};
    element_loop::for_each_element(*args.data.blocks, [&](std::int32_t elem) {
        if (force.nodes.at(elem)) {
            element_loop::add_force(force, elem, args.data.conn[elem], args.f.data());
        }
    });
}

}  // namespace kaname::viscoelastic
