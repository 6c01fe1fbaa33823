// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"

namespace kaname::comm {

/// Items (nodes, vertices, aggregates) that several ranks hold. Every rank's copy of an item is
/// kept equal; operators compute partial sums per rank and `sum_start/sum_finish` add them.
///
/// Contributions are added in ascending rank order on every rank, so copies stay bitwise equal.
/// Buffers grow with the widest use and are kept: no allocation after the first sum of a width.
class Halo {
public:
    Halo() = default;  ///< nothing shared
    /// global_ids [n]: one id >= 0 per local item, unique on a rank. `comm` outlives the halo.
    /// Collective; throws InvalidArgument on every rank when any rank's ids are bad.
    Halo(Comm& comm, std::span<const std::int64_t> global_ids);

    /// Adds the other ranks' partial sums into `values` [n][width]. `start` packs and sends, local
    /// work on items that are not shared may follow, `finish` waits and adds. T: float, double,
    /// std::int32_t, std::int64_t. Throws InvalidArgument when the size is not n times width.
    template <class T>
    void sum_start(std::span<const T> values, int width);
    template <class T>
    void sum_finish(std::span<T> values, int width);
    template <class T>
    void sum(std::span<T> values, int width) {
        sum_start(std::span<const T>(values), width);
        sum_finish(values, width);
    }

    /// True where this rank is the lowest that holds the item: owned items count each item once.
    [[nodiscard]] bool owned(std::int32_t item) const {
        return owned_.empty() || owned_[item] != 0;
    }
    /// 1 for owned items, 0 otherwise [n]; empty when this rank shares nothing (all are owned).
    [[nodiscard]] const std::vector<std::uint8_t>& owned_mask() const { return owned_; }
    /// Sorted local ids of items held by other ranks too.
    [[nodiscard]] const std::vector<std::int32_t>& shared() const { return shared_; }
    [[nodiscard]] Comm* comm() const { return comm_; }  ///< null: nothing shared
    /// Halo for an array that holds the shared items alone, in the order of shared(): the part of a
    /// GPU's values that passes through the host. Not collective.
    [[nodiscard]] Halo of_shared() const;
    /// Neighbour ranks, ascending, and for each the local ids of the items shared with it, in an
    /// order both sides agree on (ascending global id).
    struct Neighbour {
        int rank;
        std::vector<std::int32_t> items;
    };
    [[nodiscard]] const std::vector<Neighbour>& neighbours() const { return neighbours_; }

private:
    void check_shape(std::size_t count, int width) const;

    Comm* comm_ = nullptr;
    std::size_t item_count_ = 0;
    std::vector<std::uint8_t> owned_;
    std::vector<std::int32_t> shared_;
    std::vector<Neighbour> neighbours_;
    std::vector<Bytes> send_;
    std::vector<Bytes> receive_;
    std::vector<Message> sends_;
    std::vector<Message> receives_;
    Bytes own_;
};

}  // namespace kaname::comm
