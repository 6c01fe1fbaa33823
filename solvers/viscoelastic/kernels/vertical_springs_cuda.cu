// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/viscoelastic/kernels/vertical_springs_body.hpp"

namespace kaname::viscoelastic {

template <class T>
void apply_springs_cuda(const VerticalSprings<T>& springs, device::View<const T> x,
                        device::View<T> y, device::Queue& queue) {
    device::cuda::for_each(static_cast<std::int64_t>(springs.node.size()) * lanes::kLanes,
                           body::spring_row(springs, x, y), "apply_springs", queue);
}

template void apply_springs_cuda(const VerticalSprings<float>&, device::View<const float>,
                                 device::View<float>, device::Queue&);
template void apply_springs_cuda(const VerticalSprings<double>&, device::View<const double>,
                                 device::View<double>, device::Queue&);

}  // namespace kaname::viscoelastic
