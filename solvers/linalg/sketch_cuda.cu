// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/row_kernel.cuh"
#include "solvers/linalg/sketch_kernels.hpp"

namespace kaname::linalg {

void sketch_cuda(const SketchLists& lists, device::View<const double> v, device::View<double> sums,
                 device::Queue& queue) {
    const body::SketchBucket body{lists.ptr.data(), lists.entry.data(), v.data()};
    lanes::for_each_row<1>(lists.buckets, body, sums.data(), false, "sketch", queue);
}

}  // namespace kaname::linalg
