// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/stiffness.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/linalg/dense.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

class BlockJacobi final : public linalg::Preconditioner {
public:
    explicit BlockJacobi(device::View<const float> inverse_diagonal) : D_(inverse_diagonal) {}
    void apply(device::View<const float> r, device::View<float> z, device::Queue& queue) override {
        const device::InPhase phase(queue, device::Phase::SmootherVectors);
        lanes::block_diagonal_apply(3, 1.0F, D_, r, z, queue);
    }

private:
    device::View<const float> D_;
};

device::Buffer<float> inverse_diagonal_float(const Model& model, const ElementModuli& moduli,
                                             device::Queue& queue) {
    std::vector<double> D = diagonal_blocks(model, moduli);
    parallel_for(std::ssize(D) / 9, [&](std::int64_t node) {
        linalg::invert_semidefinite({D.data() + node * 9, 9}, 3);
    });
    return multigrid::to_float(D, queue);
}

const PressureNodes* acting_nodes(const Model& model, const ElementModuli& moduli) {
    return moduli.nodal() ? model.pressure_nodes() : nullptr;
}

}  // namespace

template <class T>
EbeOperator<T>::EbeOperator(const Model& model, const ElementModuli& moduli, device::Queue& queue,
                            Scatter scatter)
    : scatter_(scatter),
      nodes_(acting_nodes(model, moduli)),
      elements_(model.mesh(), model.geometry(), moduli, queue,
                nodes_ ? std::span(nodes_->conn) : std::span<const std::array<std::int32_t, 4>>()),
      halo_(model.mesh().node_halo, queue),
      fixed_(std::span(model.boundary().fixed()), queue) {
    if (moduli.buoyant) {
        // The preconditioner's: its residual is no more than what it smooths and restricts.
        constexpr bool kLumped = sizeof(T) == sizeof(float);
        buoyancy_.emplace(kLumped ? model.buoyancy()->lumped() : model.buoyancy()->rows(), queue);
    }
    if (nodes_) {
        pressure_halo_.emplace(nodes_->halo, queue);
        std::vector<T> per_sum(nodes_->volume.size() + 1, T(0));
        for (std::size_t v = 0; v < nodes_->volume.size(); ++v) {
            per_sum[v] = static_cast<T>(moduli.nodal_bulk[v] / nodes_->volume[v]);
        }
        pressure_per_sum_ = {std::span<const T>(per_sum), queue};
        pressure_ = device::Buffer<T>(per_sum.size() * kLanes, queue);
    }
}

template <class T>
void EbeOperator<T>::apply(device::View<const T> x, device::View<T> y, device::Queue& queue) {
    apply_unconstrained(x, y, queue);
    lanes::zero_dofs<T>(fixed_, y, queue);
}

template <class T>
void EbeOperator<T>::apply_unconstrained(device::View<const T> x, device::View<T> y,
                                         device::Queue& queue) {
    const device::InPhase phase(queue, sizeof(T) == sizeof(float) ? device::Phase::SmootherOperator
                                                                  : device::Phase::OperatorFp64);
    const int n_colours = static_cast<int>(elements_.colours.size());
    if (nodes_) {
        find_pressure(x, queue);
    }
    lanes::fill<T>(0, y, queue);
    ebe_apply<T>({elements_, x, y, 0, elements_.n_boundary_colours, pressure_, scatter_}, queue);
    if (buoyancy_) {
        apply_springs<T>(buoyancy_->springs(), x, y, queue);
    }
    halo_.sum_start(device::View<const T>(y), 3 * kLanes, queue);
    ebe_apply<T>({elements_, x, y, elements_.n_boundary_colours, n_colours, pressure_, scatter_},
                 queue);
    halo_.sum_finish(y, 3 * kLanes, queue);
}

template <class T>
void EbeOperator<T>::find_pressure(device::View<const T> x, device::Queue& queue) {
    const int boundary = elements_.n_boundary_colours;
    const auto shared = pressure_.view().first(std::size_t(nodes_->size()) * kLanes);
    lanes::fill<T>(0, pressure_, queue);
    ebe_dilatation<T>({elements_, x, pressure_, 0, boundary}, queue);
    pressure_halo_->sum_start(device::View<const T>(shared), kLanes, queue);
    ebe_dilatation<T>(
        {elements_, x, pressure_, boundary, static_cast<int>(elements_.colours.size())}, queue);
    pressure_halo_->sum_finish(shared, kLanes, queue);
    lanes::scale_items<T>(pressure_per_sum_, pressure_, queue);
}

template class EbeOperator<float>;
template class EbeOperator<double>;

Stiffness::Stiffness(const Model& model, StepModuli step, const SolverParams& params,
                     comm::Comm& comm, device::Queue& queue, Preconditioned preconditioned)
    : step_(std::move(step)),
      params_(params),
      comm_(comm),
      queue_(queue),
      K_(model, step_.moduli, queue, params.scatter),
      lam_(step_.moduli.lam, queue),
      mu_(step_.moduli.mu, queue),
      relax_(step_.relax, queue),
      second_relax_(step_.second_relax, queue),
      second_weight_(step_.second_weight, queue),
      data_(model.elements(queue).data(lam_, mu_)) {
    params_.cg.flexible = params.method == Method::Seed;
    if (preconditioned == Preconditioned::ByAnother) {
        return;
    }
    inverse_diagonal_ = inverse_diagonal_float(model, step_.moduli, queue);
    if (params.method == Method::Pcge) {
        own_preconditioner_ = std::make_unique<BlockJacobi>(inverse_diagonal_.view());
        preconditioner_ = own_preconditioner_.get();
        description_ = "block Jacobi";
        return;
    }
    K_float_ = std::make_unique<EbeOperator<float>>(model, step_.moduli, queue, params.scatter);
    const multigrid::FineLevel fine{*K_float_,
                                    inverse_diagonal_,
                                    K_float_->fixed(),
                                    K_float_->owned(),
                                    model.mesh(),
                                    p1_stiffness(model, step_.moduli),
                                    model.boundary().fixed_p1()};
    if (params.method == Method::Seed) {
        auto nested = std::make_unique<multigrid::NestedCg>(fine, params.nested, comm, queue);
        description_ = nested->description();
        own_preconditioner_ = std::move(nested);
    } else {
        auto hierarchy =
            std::make_unique<multigrid::Hierarchy>(fine, params.hierarchy, comm, queue);
        description_ = hierarchy->description();
        params_.hierarchy = hierarchy->params();
        own_preconditioner_ = std::move(hierarchy);
    }
    preconditioner_ = own_preconditioner_.get();
}

void Stiffness::precondition_with(Stiffness& other) {
    preconditioner_ = other.preconditioner_;
    description_ = other.description_;
}

std::array<linalg::LaneResult, kLanes> Stiffness::solve(device::View<const double> b,
                                                        device::View<double> x,
                                                        linalg::PcgWorkspace& work,
                                                        bool residual_known) {
    const device::InPhase phase(queue_, device::Phase::DotsVectors);
    const linalg::PcgProblem problem{K_,         *preconditioner_, b, x, 3 * kLanes,
                                     K_.owned(), residual_known};
    return linalg::pcg(problem, params_.cg, work, comm_, queue_);
}

using lanes::kLanes;

BranchStress::BranchStress(const Model& model, device::Queue& queue)
    : slot_of_(model.second_slot()),
      slot_(model.second_slot(), queue),
      stress_(std::size_t(model.n_second()) * kStressPerElement, queue) {}

void BranchStress::clear(device::Queue& queue) {
    lanes::fill<double>(0.0, stress_, queue);
}

void BranchStress::zero_lane(int lane, device::Queue& queue) {
    lanes::zero_lane<double>(lane, stress_, queue);
}

void BranchStress::spread_first_lane(device::Queue& queue) {
    viscoelastic::spread_first_lane(stress_, queue);
}

void BranchStress::exchange(std::span<const std::int32_t> tet, StateArchive& state,
                            device::Queue& queue) {
    std::vector<std::int64_t> ids(stress_.size() / kStressPerElement);
    for (std::size_t elem = 0; elem < slot_of_.size(); ++elem) {
        if (slot_of_[elem] >= 0) {
            ids[slot_of_[elem]] = tet[elem];
        }
    }
    state.items("second_stress", ids, kStressPerElement / kLanes, stress_, queue);
}

SecondBranch BranchStress::with(const Stiffness& stiffness) {
    return {slot_, stiffness.second_relax(), stiffness.second_weight(), stress_};
}

}  // namespace kaname::viscoelastic
