// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/linalg/chebyshev.hpp"
#include "solvers/p2/multigrid/aggregation.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/p2/multigrid/p2_transfer.hpp"

namespace kaname::multigrid {

struct HierarchyParams {
    linalg::ChebyshevSmoother::Params p2 = {2, 15.0};
    /// Instead of p2 where a V-cycle with that has a condition number above kappa_flat, or even
    /// above kappa_thin, which four steps of Lanczos' method tell at set-up: thin and long elements
    /// need the range.
    linalg::ChebyshevSmoother::Params p2_flat = {3, 30.0};
    linalg::ChebyshevSmoother::Params p2_thin = {6, 100.0};
    double kappa_flat = 2.7;
    std::optional<double> kappa_thin = 3.6;  ///< none: p2, unmeasured
    linalg::ChebyshevSmoother::Params p1 = {3, 20.0};
    linalg::ChebyshevSmoother::Params coarse = {2, 20.0};
    double strength = 0.02;           ///< coupling that counts as strong
    std::int64_t direct_size = 600;   ///< levels of no more unknowns are not coarsened
    std::int64_t dense_limit = 6000;  ///< largest coarsest level that is inverted densely
    /// In place of the inverse where coarsening ends above dense_limit: it stalls, or each of very
    /// many ranks has an aggregate.
    linalg::ChebyshevSmoother::Params coarsest = {40, 1000.0};
    bool recorded = true;  ///< with one rank on a GPU the V-cycle is one launch
};

/// Symmetric V-cycle in FP32 for four right-hand sides: P2 (element by element) - P1 (block CRS) -
/// smoothed aggregation with rigid motions - dense inverse, Chebyshev over block Jacobi between. A
/// coarsest level that is too large for an inverse is smoothed.
class Hierarchy final : public linalg::Preconditioner {
public:
    /// Collective.
    Hierarchy(const FineLevel& fine, const HierarchyParams& params, comm::Comm& comm,
              device::Queue& queue);
    ~Hierarchy() override;

    void apply(device::View<const float> r, device::View<float> z, device::Queue& queue) override;

    /// "P2 45,000 nodes - P1 6,100 vertices - 310 - 22 (dense)" for logs.
    [[nodiscard]] const std::string& description() const { return description_; }
    /// Returns the parameters with the smoother chosen for P2: another hierarchy of the same mesh
    /// that gets them measures nothing.
    [[nodiscard]] const HierarchyParams& params() const { return params_; }

private:
    class Level;
    void choose_smoother(const FineLevel& fine, device::Queue& queue);
    void cycle(std::size_t level, device::View<const float> b, device::View<float> x,
               device::Queue& queue);
    void smooth_coarsest(const BlockMatrix& A, const std::vector<std::int32_t>& fixed,
                         device::Queue& queue);
    void solve_coarsest(device::View<const float> b, device::View<float> x, device::Queue& queue);
    void build_direct(const BlockMatrix& A, const Items& items, std::int64_t n_global,
                      device::Queue& queue);
    std::vector<std::int64_t> dense_numbering(const Items& items);

    HierarchyParams params_;
    comm::Comm& comm_;
    P2Transfer p2_transfer_;
    device::Buffer<std::int32_t> fixed_p1_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::string description_;
    // Coarsest: rows of the dense inverse for this rank's items.
    Items coarsest_;
    std::unique_ptr<Level> smoothed_coarsest_;  ///< else the dense inverse
    device::Recording recording_;
    bool recorded_;
    std::vector<std::int64_t> direct_index_;  ///< [local items] place in the dense system
    std::int64_t direct_unknowns_ = 0;
    device::Buffer<float> inverse_;  ///< [local unknowns][direct_unknowns_]
    // With several ranks the right-hand side is summed on the host.
    std::vector<float> coarsest_b_;    ///< [local unknowns][4]
    std::vector<double> direct_rhs_;   ///< [direct_unknowns_][4]
    std::vector<float> direct_float_;  ///< direct_rhs_ in FP32; direct_x_ in the queue's memory
    device::Buffer<float> direct_x_;
};

}  // namespace kaname::multigrid
