// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/lanes/share.hpp"

/// The sums of linalg::Sketch on either backend.
namespace kaname::linalg {

/// Which bucket a number is added to, for a CPU, which streams the vector, and for a GPU, which
/// streams the sums.
struct SketchLists {
    int buckets = 0;
    device::Buffer<std::int32_t> place;  ///< CPU: [numbers] +-(bucket + 1), 0: not counted here
    device::Buffer<std::int32_t> ptr;    ///< GPU: [buckets + 1] into entry
    device::Buffer<std::int32_t> entry;  ///< GPU: +-(number + 1), by bucket, ascending number
};

/// sums [buckets][4] of v [numbers][4]. The order of additions does not depend on the threads.
void sketch_cpu(const SketchLists& lists, device::View<const double> v, device::View<double> sums);
void sketch_cuda(const SketchLists& lists, device::View<const double> v, device::View<double> sums,
                 device::Queue& queue);

namespace body {

/// The index in +-(index + 1).
KANAME_HD constexpr std::int64_t index_of(std::int32_t place) {
    return std::int64_t(place > 0 ? place : -place) - 1;
}
KANAME_HD constexpr double sign_of(std::int32_t place) {
    return place > 0 ? 1.0 : -1.0;
}

/// A bucket's sum over its numbers.
template <int L = lanes::kLanes>
struct SketchBucket {
    static constexpr const char* kName = "sketch";
    static constexpr int kLanes = L;
    static constexpr int kNumbers = 1;
    using Number = double;
    const std::int32_t* ptr;
    const std::int32_t* entry;
    const double* v;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t bucket, int first, int stride, const P& p,
                              V (&sum)[kNumbers]) const {
        const std::int32_t end = ptr[bucket + 1];
        KANAME_UNROLL(4)
        for (std::int32_t k = ptr[bucket] + first; k < end; k += stride) {
            sum[0] += sign_of(entry[k]) * p.load(v, index_of(entry[k]));
        }
    }
};

}  // namespace body
}  // namespace kaname::linalg
