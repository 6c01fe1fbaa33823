// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"

namespace kaname::viscoelastic {
namespace {

template <class T>
void require_pressure_nodes(const char* kernel, const ElementGroups<T>& elements) {
    if (elements.pressure_conn.size() == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string(kernel) + ": the elements have no pressure nodes");
    }
}

}  // namespace

template <class T>
void ebe_apply(const EbeApplyArgs<T>& args, device::Queue& queue) {
    if (args.x.size() != args.y.size()) {
        throw Error(ErrorCode::InvalidArgument, "ebe_apply: x and y must have one size, got " +
                                                    std::to_string(args.x.size()) + " and " +
                                                    std::to_string(args.y.size()));
    }
    if (!args.pressure.empty()) {
        require_pressure_nodes("ebe_apply", args.elements);
    }
    if (queue.phases() != nullptr) {
        device::note(queue, operator_work(args.elements, args.x.size(), args.pressure.size(),
                                          args.first_colour, args.last_colour));
    }
    KANAME_DISPATCH(queue, ebe_apply, args)
}

template void ebe_apply(const EbeApplyArgs<float>&, device::Queue&);
template void ebe_apply(const EbeApplyArgs<double>&, device::Queue&);

template <class T>
void ebe_dilatation(const EbeDilatationArgs<T>& args, device::Queue& queue) {
    require_pressure_nodes("ebe_dilatation", args.elements);
    if (queue.phases() != nullptr) {
        device::note(queue, dilatation_work(args.elements, args.x.size(), args.y.size(),
                                            args.first_colour, args.last_colour));
    }
    KANAME_DISPATCH(queue, ebe_dilatation, args)
}

template void ebe_dilatation(const EbeDilatationArgs<float>&, device::Queue&);
template void ebe_dilatation(const EbeDilatationArgs<double>&, device::Queue&);

}  // namespace kaname::viscoelastic
