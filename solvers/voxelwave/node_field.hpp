// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "solvers/parallel/aligned.hpp"
#include "solvers/voxelwave/pack.hpp"

namespace kaname::voxelwave {

/// Planes of nodes [from, to) along z.
struct Planes {
    int from = 0, to = 0;
};

/// Three components at all nodes of one to four sources, [component][z][y][x][lane]: what a row
/// along x has lies together. Rows end in a padding of zeros.
template <class T>
class NodeField {
public:
    NodeField() = default;
    NodeField(std::array<int, 3> nodes, int lanes)
        : nodes_(nodes),
          lanes_(lanes),
          stride_(padded<T>(nodes[0] * lanes, lanes)),
          values_(std::size_t(3) * nodes[2] * nodes[1] * stride_, T(0)) {}

    [[nodiscard]] std::array<int, 3> nodes() const { return nodes_; }
    [[nodiscard]] int lanes() const { return lanes_; }
    [[nodiscard]] int row_length() const { return nodes_[0] * lanes_; }
    [[nodiscard]] int stride() const { return stride_; }  ///< from row to row
    [[nodiscard]] T* row(int component, int z, int y) {
        return values_.data() + at(component, z, y);
    }
    [[nodiscard]] const T* row(int component, int z, int y) const {
        return values_.data() + at(component, z, y);
    }
    [[nodiscard]] T& of(int component, int x, int y, int z, int lane) {
        return row(component, z, y)[x * lanes_ + lane];
    }
    [[nodiscard]] T of(int component, int x, int y, int z, int lane) const {
        return row(component, z, y)[x * lanes_ + lane];
    }
    [[nodiscard]] std::size_t bytes() const { return values_.size() * sizeof(T); }
    void clear() { std::fill(values_.begin(), values_.end(), T(0)); }

private:
    [[nodiscard]] std::size_t at(int component, int z, int y) const {
        return ((std::size_t(component) * nodes_[2] + z) * nodes_[1] + y) * stride_;
    }

    std::array<int, 3> nodes_{};
    int lanes_ = 1, stride_ = 0;
    AlignedVector<T> values_;
};

}  // namespace kaname::voxelwave
