// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/rows.cuh"
#include "solvers/linalg/sketch_body.hpp"

namespace kaname::linalg {

void sketch_cuda(const SketchLists& lists, device::View<const double> v, device::View<double> sums,
                 device::Queue& queue) {
    const body::SketchBucket<> bucket{lists.ptr.data(), lists.entry.data(), v.data()};
    lanes::for_each_row_cuda(lists.buckets, bucket, sums.data(), false, queue);
}

}  // namespace kaname::linalg
