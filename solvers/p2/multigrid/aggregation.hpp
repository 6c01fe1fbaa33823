// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/comm/halo.hpp"
#include "solvers/p2/multigrid/block_matrix.hpp"

namespace kaname::multigrid {

/// Items of one level: P1 vertices (3 unknowns: the displacement) or aggregates (6 unknowns: the
/// displacement of their centre and, times the scale, their rotation).
struct Items {
    std::vector<std::int64_t> gid;
    std::vector<Vec3> centre;
    std::vector<double> scale;  ///< length that makes a rotation a displacement; 0 for vertices
    comm::Halo halo;
    int block = 3;

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(gid.size()); }
};

/// Aggregate of each owned item, -1 for items that other ranks own and for items whose degrees of
/// freedom are all fixed. Greedy over the graph of
/// strong couplings ||A_ij||^2 > strength^2 ||A_ii|| ||A_jj|| (Vanek, Mandel, Brezina 1996): whole
/// strong neighbourhoods first, then leftovers join the neighbour they are coupled to most.
[[nodiscard]] std::vector<std::int32_t> aggregate(const BlockMatrix& A,
                                                  std::span<const std::uint8_t> owned,
                                                  double strength, std::int32_t& n_aggregates);

struct CoarseLevel {
    Items items;
    BlockMatrix P;  ///< [fine items][coarse items]: smoothed rigid-body prolongation, all copies
    BlockMatrix A;  ///< this rank's part of P^T A P
    std::int64_t n_global = 0;
};

/// Smoothed aggregation with the six rigid motions of each aggregate as its unknowns:
///   P = (I - omega D^-1 A) P_rigid,   omega = 4 / (3 lambda_max(D^-1 A))
/// A holds this rank's partial sums; inverse_diagonal [items][block][block] is assembled; rows of
/// `fixed` degrees of freedom (item * block + component) are zero in A and become zero in P.
/// Collective.
[[nodiscard]] CoarseLevel coarsen(const BlockMatrix& A, Items& items,
                                  std::span<const double> inverse_diagonal,
                                  std::span<const std::int32_t> fixed, double lambda_max,
                                  double strength, comm::Comm& comm);

}  // namespace kaname::multigrid
