// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/parallel/aligned.hpp"
#include "solvers/parallel/pack.hpp"
#include "solvers/voxelwave/step_terms.hpp"
#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

/// Numbers of nodes or voxels to the lanes of a pack: number k of `lanes` = 1, 2 or 4 sources.
template <class T>
class Spread {
public:
    explicit Spread(int lanes) : log_lanes_(lanes / 2) {
        for (int k = 0; k < kPack<T>; ++k) {
            place_[k] = k / lanes;
        }
    }
    /// of[i / lanes ...] for the pack that begins at i, a multiple of kPack.
    Pack<T> operator()(const T* of, int i) const {
        return {__builtin_shuffle(load_pack(of + (i >> log_lanes_)).v, place_)};
    }

private:
    using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef Index Places __attribute__((vector_size(kPackBytes)));
    int log_lanes_;
    Places place_{};
};

/// Packs along a row moved by a voxel, `lanes` = 1, 2 or 4 numbers.
template <class T>
class Shift {
public:
    explicit Shift(int lanes) : lanes_(lanes) {
        for (int k = 0; k < kPack<T>; ++k) {
            place_[0][k] = k + lanes;
            place_[1][k] = kPack<T> + k - lanes;
        }
    }
    /// Returns the numbers a voxel ahead of `a`, which `b` follows.
    Pack<T> ahead(const Pack<T>& a, const Pack<T>& b) const { return moved(a, b, 0, lanes_); }
    /// Returns the numbers a voxel behind `b`, which follows `a`.
    Pack<T> behind(const Pack<T>& a, const Pack<T>& b) const {
        return moved(a, b, 1, kPack<T> - lanes_);
    }

private:
    using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    typedef Index Places __attribute__((vector_size(kPackBytes)));

    Pack<T> moved(const Pack<T>& a, const Pack<T>& b, int way, int first) const {
#ifdef __AVX512F__
        (void)first;
        return {__builtin_shuffle(a.v, b.v, place_[way])};
#else
        (void)way;  // without this shuffle by one instruction
        alignas(kPackBytes) T both[2 * kPack<T>];
        store_pack(both, a);
        store_pack(both + kPack<T>, b);
        return load_pack(both + first);
#endif
    }

    int lanes_;
    Places place_[2]{};
};

/// Length of a row with room for a whole pack anywhere in it and `beyond` it.
template <class T>
inline int padded(int length, int beyond = 0) {
    return (length + beyond + 2 * kPack<T> - 1) / kPack<T> * kPack<T>;
}

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

/// Describes the part of a model that a rank has: the planes that it steps, and one more at each
/// side with a neighbour, which the neighbour steps and sends. Planes count in the whole model.
struct Slab {
    Planes own, known;
    int rank = 0, ranks = 1;

    [[nodiscard]] bool below() const { return rank > 0; }
    [[nodiscard]] bool above() const { return rank + 1 < ranks; }
    /// Own planes as the rank counts its known ones.
    [[nodiscard]] Planes local() const { return {own.from - known.from, own.to - known.from}; }
};

/// Throws InvalidArgument for more ranks than half of the planes.
[[nodiscard]] Slab slab_of(const VoxelModel& model, int rank, int ranks);
/// Voxels between the known planes.
[[nodiscard]] VoxelModel model_of(const VoxelModel& whole, const Slab& slab);
/// Terms of the whole model at the known planes.
[[nodiscard]] StepTerms terms_of(const StepTerms& whole, const VoxelModel& model, const Slab& slab);

/// Brings the planes of neighbours, which travel while others are stepped.
template <class T>
class PlaneExchange {
public:
    /// `comm` outlives it.
    PlaneExchange(comm::Comm& comm, const Slab& slab, std::array<int, 3> known_nodes, int lanes);
    /// Own outermost planes are complete in `field` and begin to travel.
    void start(const NodeField<T>& field);
    /// The neighbours' planes are in `field`.
    void finish(NodeField<T>& field);

private:
    comm::Comm& comm_;
    Slab slab_;
    std::vector<T> send_[2], receive_[2];  ///< below, above
};

/// All planes on rank 0, from each rank's own ones; an empty field elsewhere. Collective.
template <class T>
[[nodiscard]] NodeField<T> gather_planes(const NodeField<T>& known, const Slab& slab,
                                         const VoxelModel& model, comm::Comm& comm);
/// The known planes of each rank, from the whole field of rank 0. Collective.
template <class T>
[[nodiscard]] NodeField<T> scatter_planes(const NodeField<T>& whole, const Slab& slab,
                                          const VoxelModel& model, int lanes, comm::Comm& comm);

}  // namespace kaname::voxelwave
