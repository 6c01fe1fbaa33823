// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "solvers/lanes/all_lanes.hpp"
#include "solvers/linalg/sketch_body.hpp"

namespace kaname::linalg {

using lanes::kLanes;

namespace {
constexpr int kParts = 8;  // partial sketches, added in order: independent of the threads
}

void sketch_cpu(const SketchLists& lists, device::View<const double> v, device::View<double> sums) {
    const lanes::AllLanes<kLanes> share;
    const std::size_t width = sums.size();
    std::vector<double> parts(kParts * width, 0.0);
    const auto n = static_cast<std::int64_t>(lists.place.size());
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < kParts; ++part) {
        double* mine = parts.data() + part * width;
        for (std::int64_t i = n * part / kParts; i < n * (part + 1) / kParts; ++i) {
            const std::int32_t place = lists.place[i];
            if (place != 0) {
                const std::int64_t bucket = body::index_of(place);
                share.store(
                    mine, bucket,
                    share.load(mine, bucket) + body::sign_of(place) * share.load(v.data(), i));
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
