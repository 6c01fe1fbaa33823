// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "solvers/lanes/lanes.hpp"
#include "solvers/linalg/sketch_kernels.hpp"

namespace kaname::linalg {

using lanes::kLanes;
using lanes::load_lanes;
using lanes::store_lanes;

namespace {
constexpr int kParts = 8;  // partial sketches, added in order: independent of the threads
}

void sketch_cpu(const SketchLists& lists, device::View<const double> v, device::View<double> sums) {
    const std::size_t width = sums.size();
    std::vector<double> parts(kParts * width, 0.0);
    const auto n = static_cast<std::int64_t>(lists.place.size());
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < kParts; ++part) {
        double* mine = parts.data() + part * width;
        for (std::int64_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i) {
            const std::int32_t place = lists.place[i];
            if (place > 0) {
                double* sum = mine + std::size_t(place - 1) * kLanes;
                store_lanes(sum, load_lanes(sum) + load_lanes(v.data() + i * kLanes));
            } else if (place < 0) {
                double* sum = mine + std::size_t(-place - 1) * kLanes;
                store_lanes(sum, load_lanes(sum) - load_lanes(v.data() + i * kLanes));
            }
        }
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int part = 0; part < kParts; ++part) {
        for (std::size_t k = 0; k < width; ++k) {
            sums[k] += parts[part * width + k];
        }
    }
}

}  // namespace kaname::linalg
