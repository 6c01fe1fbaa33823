// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/device/cuda/launch.cuh"
#include "solvers/p2/multigrid/p2_transfer_body.hpp"
#include "solvers/p2/multigrid/p2_transfer_kernels.hpp"

namespace kaname::multigrid {

using device::cuda::for_each;

void p2_restrict_cuda(const P2TransferLists& lists, device::View<const float> r,
                      device::View<float> out, device::Queue& queue) {
    for_each(static_cast<std::int64_t>(out.size()),
             body::Restrict{lists.vertex_node.data(), lists.ptr.data(), lists.mid.data(), r.data(),
                            out.data()},
             "p2_restrict", queue);
}

void p2_prolong_add_cuda(const P2TransferLists& lists, device::View<const float> v,
                         device::View<float> x, device::Queue& queue) {
    for_each(static_cast<std::int64_t>(x.size()),
             body::ProlongAdd{lists.parent.data(), v.data(), x.data()}, "p2_prolong_add", queue);
}

void p2_inject_cuda(const P2TransferLists& lists, device::View<const float> x,
                    device::View<float> out, device::Queue& queue) {
    for_each(static_cast<std::int64_t>(out.size()),
             body::Inject{lists.at_vertex.data(), x.data(), out.data()}, "p2_inject", queue);
}

}  // namespace kaname::multigrid
