// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/p2/multigrid/p2_transfer.hpp"

/// The three directions of P2Transfer on either backend; lists and views in its memory.
namespace kaname::multigrid {

void p2_restrict_cpu(const P2TransferLists& lists, device::View<const float> r,
                     device::View<float> out);
void p2_prolong_add_cpu(const P2TransferLists& lists, device::View<const float> v,
                        device::View<float> x);
void p2_inject_cpu(const P2TransferLists& lists, device::View<const float> x,
                   device::View<float> out);
void p2_restrict_cuda(const P2TransferLists& lists, device::View<const float> r,
                      device::View<float> out, device::Queue& queue);
void p2_prolong_add_cuda(const P2TransferLists& lists, device::View<const float> v,
                         device::View<float> x, device::Queue& queue);
void p2_inject_cuda(const P2TransferLists& lists, device::View<const float> x,
                    device::View<float> out, device::Queue& queue);

}  // namespace kaname::multigrid
