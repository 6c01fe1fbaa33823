// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/voxelwave/node_field.hpp"
#include "solvers/voxelwave/step_terms.hpp"
#include "solvers/voxelwave/voxel_model.hpp"

namespace kaname::voxelwave {

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
