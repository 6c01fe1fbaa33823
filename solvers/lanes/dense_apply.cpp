// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/dense_apply.hpp"

#include <string>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/dense_apply_body.hpp"
#include "solvers/lanes/rows.hpp"

namespace kaname::lanes {

void dense_apply(device::View<const float> A, device::View<const float> x, device::View<float> y,
                 device::Queue& queue) {
    if (A.size() * kLanes * kLanes != x.size() * y.size()) {
        throw Error(ErrorCode::InvalidArgument, "dense_apply: A has " + std::to_string(A.size()) +
                                                    " numbers, x " + std::to_string(x.size()) +
                                                    ", y " + std::to_string(y.size()));
    }
    const auto n = static_cast<double>(A.size());
    device::note(queue,
                 device::Work::of<float>(4.0 * (n + static_cast<double>(x.size() + y.size())),
                                         2.0 * kLanes * n));
    const body::DenseRow<> row{A.data(), static_cast<std::int64_t>(x.size()) / kLanes, x.data()};
    for_each_row(queue, static_cast<std::int64_t>(y.size()) / kLanes, row, y.data(), false);
}

}  // namespace kaname::lanes
