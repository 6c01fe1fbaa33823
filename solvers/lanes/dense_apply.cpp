// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/dense_apply.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/lanes/lane_count.hpp"

namespace kaname::lanes {

void dense_apply(device::View<const float> A, device::View<const float> x, device::View<float> y,
                 device::Queue& queue) {
    if (A.size() * kLanes * kLanes != x.size() * y.size()) {
        throw Error(ErrorCode::InvalidArgument, "dense_apply: A has " + std::to_string(A.size()) +
                                                    " numbers, x " + std::to_string(x.size()) +
                                                    ", y " + std::to_string(y.size()));
    }
    KANAME_DISPATCH(queue, dense_apply, A, x, y)
}

}  // namespace kaname::lanes
