// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <span>

#include "solvers/linalg/halo_sum.hpp"
#include "solvers/linalg/pcg.hpp"
#include "solvers/p2/multigrid/hierarchy.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/model.hpp"
#include "solvers/viscoelastic/stepping/pack_state.hpp"

namespace kaname::viscoelastic {

/// y = K x element by element; sums at shared nodes travel while the interior is computed. With
/// nodal bulk moduli in two passes, K = K_P2 + C^T diag(nodal_bulk / volume) C: the first finds the
/// volume strains C x of the pressure nodes. Buoyant moduli have the springs of Buoyancy besides.
/// scatter: how a GPU adds up the forces.
template <class T>
class EbeOperator final : public linalg::Operator<T> {
public:
    EbeOperator(const Model& model, const ElementModuli& moduli, device::Queue& queue,
                Scatter scatter = Scatter::BlockAtomics);
    void apply(device::View<const T> x, device::View<T> y, device::Queue& queue) override;
    /// Without the fixed degrees of freedom: x may be non-zero there, y gets their reactions.
    void apply_unconstrained(device::View<const T> x, device::View<T> y, device::Queue& queue);
    /// Degrees of freedom without equation and nodes that count here (empty: all), in the queue's
    /// memory.
    [[nodiscard]] device::View<const std::int32_t> fixed() const { return fixed_; }
    [[nodiscard]] device::View<const std::uint8_t> owned() const { return halo_.owned(); }
    /// Sums over the ranks' copies of shared nodes.
    [[nodiscard]] linalg::HaloSum& halo() { return halo_; }

private:
    void find_pressure(device::View<const T> x, device::Queue& queue);

    Scatter scatter_;
    const PressureNodes* nodes_;  ///< null without nodal bulk moduli
    ElementGroups<T> elements_;
    linalg::HaloSum halo_;
    std::optional<linalg::HaloSum> pressure_halo_;
    std::optional<BuoyancyRows<T>> buoyancy_;
    device::Buffer<std::int32_t> fixed_;
    device::Buffer<T> pressure_per_sum_;  ///< [pressure nodes + 1] nodal_bulk / volume
    device::Buffer<T> pressure_;          ///< [pressure nodes + 1][4]
};

/// Diagonal 3x3 blocks of K [N][3][3], assembled over ranks; rows and columns of fixed degrees of
/// freedom zero. At nodes that ranks share, pressure nodes count as if every rank had its own: a
/// little larger than K's.
[[nodiscard]] std::vector<double> diagonal_blocks(const Model& model, const ElementModuli& moduli);

/// This rank's part of the P1 stiffness (the Galerkin product with P1 in P2), fixed dofs zeroed;
/// pressure nodes as above. These couple every vertex to the neighbours of its neighbours.
[[nodiscard]] multigrid::BlockMatrix p1_stiffness(const Model& model, const ElementModuli& moduli);

enum class Method {
    Default,  ///< CG with the multigrid V-cycle
    Pcge,     ///< CG with 3x3 block Jacobi: the reference line of the papers
    Seed,     ///< flexible CG with three nested FP32 loops (Murakami et al. 2023, Algorithm 2)
};

struct SolverParams {
    Method method = Method::Default;
    linalg::PcgParams cg;
    multigrid::HierarchyParams hierarchy;
    multigrid::NestedCgParams nested;
    /// On a GPU, of both operators. BlockAtomics rounds in another order in every run; Coloured
    /// does not, at half the speed.
    Scatter scatter = Scatter::BlockAtomics;
};

/// One stiffness matrix with its preconditioner; solves for four right-hand sides.
class Stiffness {
public:
    enum class Preconditioned {
        ByItself,
        ByAnother,  ///< set by precondition_with before the first solve
    };
    /// Collective.
    Stiffness(const Model& model, StepModuli step, const SolverParams& params, comm::Comm& comm,
              device::Queue& queue, Preconditioned preconditioned = Preconditioned::ByItself);
    Stiffness(const Stiffness&) = delete;
    Stiffness& operator=(const Stiffness&) = delete;

    /// From now on solves take the preconditioner of `other`, which outlives them: as good as its
    /// own when the moduli differ little, and no second hierarchy in memory.
    void precondition_with(Stiffness& other);

    /// x: start on entry, solution on return; zero at fixed degrees of freedom. residual_known:
    /// work.r holds b - K x already. Collective.
    std::array<linalg::LaneResult, lanes::kLanes> solve(device::View<const double> b,
                                                        device::View<double> x,
                                                        linalg::PcgWorkspace& work,
                                                        bool residual_known = false);
    void set_tolerance(double tolerance) { params_.cg.tolerance = tolerance; }
    [[nodiscard]] EbeOperator<double>& K() { return K_; }
    /// For the stress kernels, in the queue's memory.
    [[nodiscard]] const ElementData& data() const { return data_; }
    [[nodiscard]] device::View<const Parts> relax() const { return relax_; }
    [[nodiscard]] device::View<const Parts> second_relax() const { return second_relax_; }
    [[nodiscard]] device::View<const Parts> second_weight() const { return second_weight_; }
    [[nodiscard]] const StepModuli& step() const { return step_; }
    [[nodiscard]] linalg::Preconditioner& preconditioner() { return *preconditioner_; }
    /// Returns the parameters with the smoother that the preconditioner chose: other matrices of
    /// the mesh may take it.
    [[nodiscard]] const SolverParams& params() const { return params_; }
    /// Describes the preconditioner for logs.
    [[nodiscard]] const std::string& description() const { return description_; }

private:
    StepModuli step_;
    SolverParams params_;
    comm::Comm& comm_;
    device::Queue& queue_;
    EbeOperator<double> K_;
    device::Mirror<double> lam_, mu_;
    device::Mirror<Parts> relax_, second_relax_, second_weight_;
    ElementData data_;
    std::unique_ptr<EbeOperator<float>> K_float_;
    device::Buffer<float> inverse_diagonal_;
    std::unique_ptr<linalg::Preconditioner> own_preconditioner_;
    linalg::Preconditioner* preconditioner_ = nullptr;
    std::string description_;
};

/// The stress of the second branch of standard linear solids and Burgers bodies, four sources
/// [n_second()][4][6][4], in the memory of a queue; no memory where this rank has none.
class BranchStress {
public:
    BranchStress(const Model& model, device::Queue& queue);

    void clear(device::Queue& queue);
    void zero_lane(int lane, device::Queue& queue);
    /// All sources take what the first has.
    void spread_first_lane(device::Queue& queue);
    /// `tet` [El]: the elements in the whole mesh. Collective.
    void exchange(std::span<const std::int32_t> tet, StateArchive& state, device::Queue& queue);
    /// For the stress kernels of a step with this stiffness.
    [[nodiscard]] SecondBranch with(const Stiffness& stiffness);

private:
    std::span<const std::int32_t> slot_of_;  ///< the model's
    device::Mirror<std::int32_t> slot_;
    device::Buffer<double> stress_;
};

}  // namespace kaname::viscoelastic
