// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/fault/split_nodes.hpp"
#include "solvers/io/source_file.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Snapshots of the whole model as sums over time steps, source by source:
///   snapshot_s += w_sk (u, strain, stress) after step k.
/// Displacement at the points of SplitVertices is that of u + s_e, the slip offset of an element of
/// their side. Strain is the symmetric gradient of u + s_e at an element's centroid, where of the
/// second-order shape functions only those of the edges' middles have one:
///   strain = sum_(edges ij) sym(u_ij x (grad L_i + grad L_j)),
/// and stress the mean of the element's vertices; both are linear within it, so these are its
/// means.
class VolumeFields {
public:
    /// `cut` [E][4] of the whole mesh. Both outlive it.
    VolumeFields(const Model& model, const fault::SplitVertices& cut);

    /// Forgets all sums. weights[lane] [n_snapshots][steps], up to four lanes.
    void start(std::size_t n_snapshots, std::vector<std::vector<double>> weights);
    /// True when any weight of the step is not zero: only then must its fields leave a GPU.
    [[nodiscard]] bool wants(int step) const;
    /// After a step: u [N][3][4] m, offsets of the slip so far, stress [El][4][6][4] as of
    /// PackSolver::stress(), all on the host.
    struct Fields {
        std::span<const double> u;
        std::span<const ElementOffset> offsets;
        std::span<const double> stress;
    };
    void add(int step, const Fields& fields);

    /// The sums of a lane so far, by the whole mesh's points and tets on rank 0, nothing elsewhere.
    /// Collective. They are doubles, so that resume() takes them up again without loss.
    [[nodiscard]] io::VolumeSnapshots collect(int lane, comm::Comm& comm) const;
    /// After start(): the sums of a lane go on from `sums` of rank 0, which may have been collected
    /// from any number of ranks. Collective. Throws InvalidArgument where the shape disagrees.
    void resume(int lane, const io::VolumeSnapshots& sums, comm::Comm& comm);

private:
    static constexpr int kTensor = 6;
    struct Point {
        std::int32_t id;      ///< id of the point in SplitVertices
        std::int32_t elem;    ///< local element on the point's side
        std::int32_t corner;  ///< vertex of elem
    };
    /// This rank's sums for one snapshot of one lane.
    struct Sums {
        std::vector<double> displacement;  ///< [points_][3]
        std::vector<double> strain;        ///< [El][6]
        std::vector<double> stress;        ///< [El][6]
    };
    void add_displacement(int step, const Fields& fields);
    void add_tensors(int step, const Fields& fields);
    [[nodiscard]] double weight(std::size_t lane, std::size_t snapshot, int step) const;

    const Model& model_;
    const fault::SplitVertices& cut_;
    std::vector<Point> points_;  ///< points of this rank, by ascending id
    std::size_t n_snapshots_ = 0, n_steps_ = 0;
    std::vector<std::vector<double>> weights_;
    std::vector<std::vector<Sums>> sums_;  ///< [lanes][S]
};

}  // namespace kaname::viscoelastic
