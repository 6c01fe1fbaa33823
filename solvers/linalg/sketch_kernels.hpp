// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/buffer.hpp"
#include "solvers/device/hd.hpp"
#include "solvers/lanes/row_threads.hpp"

/// The sums of linalg::Sketch on either backend.
namespace kaname::linalg {

/// The same lists twice, since a CPU streams the vector and a GPU the sums.
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

/// What thread `thread` of lanes::kRowThreads adds to lane thread % kLanes of a bucket.
struct SketchBucket {
    const std::int32_t* ptr;
    const std::int32_t* entry;
    const double* v;
    KANAME_HD void operator()(std::int64_t bucket, int thread, double (&sum)[1]) const {
        const int lane = thread % lanes::kLanes;
        sum[0] = 0.0;
        for (std::int32_t k = ptr[bucket] + thread / lanes::kLanes; k < ptr[bucket + 1];
             k += lanes::kRowStride) {
            const std::int64_t number = entry[k] > 0 ? entry[k] - 1 : -entry[k] - 1;
            const double value = v[number * lanes::kLanes + lane];
            sum[0] += entry[k] > 0 ? value : -value;
        }
    }
};

}  // namespace body
}  // namespace kaname::linalg
