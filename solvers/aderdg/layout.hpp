// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_setup.hpp"

namespace kaname::aderdg {

/// Which cluster every tet advances with, and the smallest step.
struct Clustering {
    std::vector<std::uint8_t> cluster;  ///< [E]
    int n_clusters = 1;
    double step_s = 0.0;  ///< of cluster 0; that of c is 2^c times as long
    std::int64_t macro_steps = 0;
};

/// Part of insphere diameter/((2 N + 1) vp) that a step may take, where params.cfl is 0.
[[nodiscard]] double default_cfl(int order);

/// Longest step in which memory variables of this relaxation frequency decay [s]: the predictor is
/// a Taylor series of theta' = -omega theta, which at order 2 grows from omega dt = 2 on, at higher
/// orders from 2.5 to 3.9 on.
[[nodiscard]] double relaxation_step_s(double omega_per_s);

/// The lesser of params.longest_step_s and cfl * insphere diameter / ((2 N + 1) vp) [s],
/// N = order - 1.
[[nodiscard]] double largest_step_s(double insphere_diameter_m, double vp_m_per_s,
                                    const WaveParams& params);

/// Largest step of each tet [s], within relaxation_step_s of its mechanisms.
[[nodiscard]] std::vector<double> largest_steps(const WaveModel& model, const TetTopology& topology,
                                                const WaveParams& params);

/// Clusters of rate 2, neighbours at most one apart, for which the count of updates until end_s is
/// least among smallest steps from `least_wiggle` times the largest one possible; end_s is a whole
/// number of macro steps.
[[nodiscard]] Clustering cluster(std::span<const double> largest_s, const TetTopology& topology,
                                 const WaveParams& params);

/// Where a rank keeps its elements and the traces that go from element to element.
///
/// Elements stand in blocks of `per_block`, clusters one after the other, in each the blocks whose
/// traces other ranks need first. Every face of every element has a record for its trace, number
/// (block * 4 + face) * per_block + element; others follow: one of zeros, for neighbours with
/// other steps, and for what comes from other ranks.
struct Layout {
    int per_block = 1;
    int n_clusters = 1;
    std::vector<std::int64_t> tets;      ///< [blocks * per_block], -1: no element
    std::vector<std::int32_t> first;     ///< [clusters + 1] blocks
    std::vector<std::int32_t> copy_end;  ///< [clusters] end of the blocks that others need
    /// Record with what comes in through a face, [2][blocks * per_block * 4]: in the first and in
    /// the second of two steps; they differ where the neighbour's steps are longer.
    std::array<std::vector<std::int32_t>, 2> beyond;
    /// A face whose neighbour has other steps. Twice as long ones: `record` is the mean of two of
    /// the element's. Half as long ones: `record` and the next are its two halves'.
    struct OtherStep {
        std::int32_t block = 0, record = 0;
        std::uint8_t face = 0, element = 0;
        bool halves = false;
    };
    std::vector<OtherStep> other_steps;     ///< by block
    std::vector<std::int32_t> first_other;  ///< [blocks + 1] into other_steps
    /// A face whose element keeps its trace as a function of time, since what it sees beyond
    /// depends on that: a side of a fault, or a surface with gravity. Both of its `beyond` are the
    /// record named here, which whoever solves the condition writes.
    struct Condition {
        std::int32_t block = 0, record = 0;
        std::uint8_t face = 0, element = 0;
        std::int64_t tet = 0;
        std::int32_t fault_face = -1;  ///< -1: gravity
        bool on_plus_side = false;
    };
    std::vector<Condition> conditions;          ///< by block
    std::vector<std::int32_t> first_condition;  ///< [blocks + 1] into conditions
    std::int32_t n_records = 0;
    /// Records that go to and come from a rank when clusters 0..m begin their steps, [m].
    struct Peer {
        int rank = 0;
        std::vector<std::vector<std::int32_t>> sends, receives;
    };
    std::vector<Peer> peers;

    [[nodiscard]] std::int32_t n_blocks() const { return first.back(); }
    [[nodiscard]] int cluster_of(std::int32_t block) const {
        int c = 0;
        while (block >= first[c + 1]) {
            ++c;
        }
        return c;
    }
    [[nodiscard]] std::int32_t own_record(std::int32_t block, int face, int element) const {
        return (block * 4 + face) * per_block + element;
    }

    /// part [E]: rank of each tet.
    [[nodiscard]] static Layout of(const WaveModel& model, const TetTopology& topology,
                                   const Clustering& clusters, std::span<const std::int32_t> part,
                                   int rank, int per_block);
};

}  // namespace kaname::aderdg
