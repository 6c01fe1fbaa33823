// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"

namespace kaname::viscoelastic {

/// Numbers that are wanted of a displacement field and depend on it linearly.
class Observation {
public:
    virtual ~Observation() = default;
    /// [points][3][4] of u [N][3][4] in the queue's memory and of slip offsets on the host, the
    /// same on every rank. Collective.
    [[nodiscard]] virtual std::vector<double> observe(device::View<const double> u,
                                                      std::span<const ElementOffset> offsets,
                                                      comm::Comm& comm, device::Queue& queue) = 0;
};

}  // namespace kaname::viscoelastic
