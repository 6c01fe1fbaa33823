// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/buffer.hpp"
#include "solvers/linalg/sketch_body.hpp"

namespace kaname::linalg {

/// Random projection S that keeps norms and angles in a space of few dimensions: every number is
/// added with a random sign to one of `buckets` sums (Clarkson and Woodruff 2013). It depends on
/// the nodes' global ids only, not on the partition or the number of threads.
class Sketch {
public:
    /// node_gid [nodes]; owned as in lanes::dot. `comm` outlives this.
    Sketch(std::span<const std::int64_t> node_gid, std::span<const std::uint8_t> owned, int buckets,
           comm::Comm& comm, device::Queue& queue);

    [[nodiscard]] int buckets() const { return lists_.buckets; }
    /// Returns S v [4][buckets] of v [nodes][3][4] on the queue, summed over ranks. Collective.
    [[nodiscard]] std::vector<double> of(device::View<const double> v, device::Queue& queue);
    /// Writes S v as [buckets][4] in the queue's memory; waits only where there are other ranks.
    void to(device::View<const double> v, device::View<double> sums, device::Queue& queue);

private:
    /// `here` computes the sums of this rank's numbers, `all_ranks` those of all ranks on the host,
    /// [buckets][4].
    void here(device::View<const double> v, device::View<double> sums, device::Queue& queue) const;
    std::span<const double> all_ranks(device::View<const double> sums, device::Queue& queue);

    comm::Comm* comm_;
    SketchLists lists_;
    device::Buffer<double> sums_;         ///< [buckets][4]
    device::HostBuffer<double> arrived_;  ///< the same, where a GPU's arrive without being staged
};

/// SketchLists::ptr and entry from place: every number that counts once, by bucket.
struct SketchEntries {
    std::vector<std::int32_t> ptr, entry;
};
[[nodiscard]] SketchEntries entries_by_bucket(std::span<const std::int32_t> place, int buckets);

}  // namespace kaname::linalg
