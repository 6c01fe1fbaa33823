// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/dense_apply.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::lanes {

void dense_apply_cpu(device::View<const float> A, device::View<const float> x,
                     device::View<float> y) {
    const auto rows = static_cast<std::int64_t>(y.size()) / kLanes;
    const auto columns = static_cast<std::int64_t>(x.size()) / kLanes;
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* a = A.data() + row * columns;
        // Two sums: one would wait for itself.
        Lanes<float> even = {};
        Lanes<float> odd = {};
        std::int64_t k = 0;
        for (; k + 1 < columns; k += 2) {
            even += a[k] * load_lanes(x.data() + k * kLanes);
            odd += a[k + 1] * load_lanes(x.data() + (k + 1) * kLanes);
        }
        if (k < columns) {
            even += a[k] * load_lanes(x.data() + k * kLanes);
        }
        store_lanes(y.data() + row * kLanes, even + odd);
    }
}

}  // namespace kaname::lanes
