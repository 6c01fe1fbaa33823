// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/buffer.hpp"

namespace kaname::linalg {

/// Random projection S that keeps norms and angles in a space of few dimensions: every number is
/// added with a random sign to one of `buckets` sums (Clarkson and Woodruff 2013). It depends on
/// the nodes' global ids only, not on the partition or the number of threads.
class Sketch {
public:
    /// node_gid [nodes]; owned as in kernels::dot. `comm` outlives this.
    Sketch(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned, int buckets,
           comm::Comm& comm);

    [[nodiscard]] int buckets() const { return buckets_; }
    /// S v [4][buckets] of v [nodes][3][4], summed over ranks. Collective.
    [[nodiscard]] std::vector<double> of(device::View<const double> v) const;

private:
    comm::Comm* comm_;
    int buckets_;
    std::vector<std::int32_t> place_;  ///< [nodes * 3] +-(bucket + 1), 0 where another rank counts
};

}  // namespace kaname::linalg
