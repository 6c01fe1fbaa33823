// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"

#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {

template <class T>
void ebe_apply(const EbeApplyArgs<T>& args, device::Queue& queue) {
    if (args.x.size() != args.y.size()) {
        throw Error(ErrorCode::InvalidArgument, "ebe_apply: x and y must have one size, got " +
                                                    std::to_string(args.x.size()) + " and " +
                                                    std::to_string(args.y.size()));
    }
    KANAME_DISPATCH(queue, ebe_apply, args)
}

template void ebe_apply(const EbeApplyArgs<float>&, device::Queue&);
template void ebe_apply(const EbeApplyArgs<double>&, device::Queue&);

}  // namespace kaname::viscoelastic
