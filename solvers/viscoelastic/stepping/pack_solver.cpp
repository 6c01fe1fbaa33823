// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/stepping/pack_solver.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/lanes/bcrs.hpp"
#include "solvers/lanes/blas1.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

/// Returns true if Kv of the first steps is near enough to K to share its hierarchy. Their moduli
/// lie within a factor mu_v / mu, so the condition number grows by less than its inverse. Only the
/// default method shares: the reference methods stay as they were published.
bool shares_hierarchy(const Model& model, const TimeGrid& grid, const SolverParams& params) {
    constexpr double kNear = 0.6;
    if (params.method != Method::Default || grid.total_steps() == 0) {
        return false;
    }
    return std::ranges::all_of(model.materials(), [&](const earth::Material& material) {
        return material_step(material, grid.step_s(1), grid.alpha).share > kNear;
    });
}

/// Degrees of freedom of the nodes that another rank owns.
std::vector<std::int32_t> copies(const p2::LocalMesh& mesh) {
    std::vector<std::int32_t> dofs;
    const auto owned = mesh.node_halo.owned_mask();
    for (std::size_t node = 0; node < owned.size(); ++node) {
        for (int c = 0; c < 3 && owned[node] == 0; ++c) {
            dofs.push_back(static_cast<std::int32_t>(3 * node) + c);
        }
    }
    return dofs;
}

std::vector<ElementOffset> scaled_offsets(std::vector<ElementOffset> offsets, double factor) {
    for (ElementOffset& offset : offsets) {
        for (auto& node : offset.s) {
            for (auto& comp : node) {
                for (double& lane : comp) {
                    lane *= factor;
                }
            }
        }
    }
    return offsets;
}

}  // namespace

PackSolver::PackSolver(const Model& model, const TimeGrid& grid, const SolverParams& params,
                       const PredictorParams& predictor, comm::Comm& comm, device::Queue& queue)
    : model_(model),
      grid_(grid.checked()),
      times_s_(grid.times_s()),
      params_(params),
      comm_(comm),
      queue_(queue),
      coseismic_(model, model.step_moduli(0.0, grid.alpha), params, comm, queue,
                 shares_hierarchy(model, grid, params) ? Stiffness::Preconditioned::ByAnother
                                                       : Stiffness::Preconditioned::ByItself),
      work_(model.vector_size(), queue),
      predictor_(make_predictor(predictor, model, comm, queue)),
      u_(model.vector_size(), queue),
      du_(model.vector_size(), queue),
      f_(model.vector_size(), queue),
      stress_(std::size_t(model.mesh().n_tets()) * kStressPerElement, queue),
      branch_stress_(model, queue),
      nodal_stress_(model, queue),
      boundary_(model, queue),
      relaxing_(model, queue),
      copies_(std::span<const std::int32_t>(copies(model.mesh())), queue) {
    if (grid.total_steps() > 0) {
        change_step(1);
    }
    if (!grid.later.empty()) {
        du_before_ = device::Buffer<double>(model.vector_size(), queue);
    }
    if (model.buoyancy()) {
        weight_.emplace(model.buoyancy()->rows(), queue, -1.0);
    }
    if (boundary_.any()) {
        prescribed_ = device::Buffer<double>(model.vector_size(), queue);
        lift_ = device::Buffer<double>(model.vector_size(), queue);
    }
}

void PackSolver::start(std::vector<ElementOffset> offsets, std::function<double(double)> slip_at,
                       device::Buffer<double> forces) {
    unit_offsets_ = std::move(offsets);
    forces_ = std::move(forces);
    slip_at_ = std::move(slip_at);
    slip_ = 0.0;
    offsets_.clear();
    lanes::fill<double>(0.0, u_, queue_);
    lanes::fill<double>(0.0, stress_, queue_);
    branch_stress_.clear(queue_);
    nodal_stress_.clear(queue_);
    predictor_->clear();
    failed_ = {};
    next_step_ = 0;
    carried_ = 0;
}

bool PackSolver::change_step(int step) {
    const double dt_s = grid_.step_s(step);
    if (dt_s == viscous_dt_s_) {
        return false;
    }
    viscous_.reset();  // before the new one is there: both would be the peak of memory
    viscous_ = std::make_unique<Stiffness>(model_, model_.step_moduli(dt_s, grid_.alpha), params_,
                                           comm_, queue_);
    viscous_dt_s_ = dt_s;
    predictor_->clear();
    return true;
}

bool PackSolver::grow_slip(double t_s) {
    const double before = slip_;
    slip_ = slip_at_ ? slip_at_(t_s) : 1.0;
    grown_.clear();
    if (slip_ != before) {
        offsets_ = scaled_offsets(unit_offsets_, slip_);
        grown_ = scaled_offsets(unit_offsets_, slip_ - before);
    }
    grown_on_queue_ = {std::span<const ElementOffset>(grown_), queue_};
    return slip_ != before;
}

StepResult PackSolver::advance() {
    device::InPhase phase(queue_, device::Phase::LoadStress);
    StepResult result;
    result.step = next_step_++;
    const bool coseismic = result.step == 0;
    const bool changed = grid_.total_steps() > 0 && change_step(std::max(result.step, 1));
    if (coseismic && shares_hierarchy(model_, grid_, params_)) {
        coseismic_.precondition_with(*viscous_);
    }
    result.time_s = times_s_[result.step];
    Stiffness& stiffness = coseismic ? coseismic_ : *viscous_;
    const auto fixed = stiffness.K().fixed();
    if (changed || result.step <= 1) {
        nodal_stress_.set_step(stiffness.step(), queue_);
    }
    if (carried_ == 0 && !coseismic) {
        find_lasting_stress();  // before there is more slip
    }
    const bool slipped = grow_slip(result.time_s);
    find_load(stiffness, slipped);

    phase.change(device::Phase::Predictor);
    const bool residual_known = !guess_from_velocity(result.step, fixed) && guess(stiffness);
    const auto inner_before = stiffness.preconditioner().inner_iterations();
    result.lanes = stiffness.solve(f_, du_, work_, residual_known);
    phase.change(device::Phase::LoadStress);
    result.inner_iterations = stiffness.preconditioner().inner_iterations();
    for (std::size_t loop = 0; loop < inner_before.size(); ++loop) {
        result.inner_iterations[loop] -= inner_before[loop];
    }
    if (boundary_.any()) {
        lanes::axpby(lanes::kOnes, prescribed_, lanes::kOnes, du_, queue_);
    }
    remove_failed_lanes(result);
    lanes::axpby(lanes::kOnes, du_, lanes::kOnes, u_, queue_);
    nodal_stress_.update(grown_on_queue_, du_, queue_);
    // The coseismic displacement is no increment of the relaxation: it never enters the history.
    if (!coseismic) {
        phase.change(device::Phase::Predictor);
        predictor_->push(du_, f_, work_.r, queue_);
        phase.change(device::Phase::LoadStress);
    }
    step_stress(stiffness);
    return result;
}

/// f_ of the step next_step_ - 1.
void PackSolver::find_load(Stiffness& stiffness, bool slipped) {
    const double time_s = times_s_[next_step_ - 1];
    const bool whole = carried_ == 0;
    if (whole) {
        find_whole_load(stiffness, time_s);
    } else {
        find_change_of_load(time_s);
    }
    offset_force({stiffness.data(), grown_on_queue_, f_}, queue_);
    if (model_.buoyancy()) {
        buoyant_offset_force(*model_.buoyancy(), model_.mesh(), whole ? offsets_ : grown_, f_,
                             queue_);
    }
    if (slipped) {  // on every rank or on none
        nodal_offset_force(model_, stiffness.step().moduli, grown_on_queue_, f_, queue_);
    }
    stiffness.K().halo().sum(f_.view(), 3 * kLanes, queue_);
    // Prescribed displacements go to the right-hand side: solve for x = du - du_b.
    if (boundary_.any()) {
        boundary_.set_increment(time_s, u_, prescribed_, queue_);
        stiffness.K().apply_unconstrained(prescribed_, lift_, queue_);
        lanes::axpby(lanes::kMinusOnes, lift_, lanes::kOnes, f_, queue_);
    }
    lanes::zero_dofs<double>(stiffness.K().fixed(), f_, queue_);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (failed_[lane]) {
            lanes::zero_lane<double>(lane, f_, queue_);
        }
    }
}

/// Sets f_ to the forces that stress and weight do not balance, and adds the stress that relaxes.
void PackSolver::find_whole_load(Stiffness& stiffness, double time_s) {
    lanes::fill<double>(0.0, f_, queue_);
    if (boundary_.any()) {
        boundary_.set_traction(time_s, f_, queue_);
    }
    if (forces_.size() > 0) {
        lanes::axpby(lanes::kOnes, forces_, lanes::kOnes, f_, queue_);
    }
    if (next_step_ > 1) {
        stress_force(
            {stiffness.data(), stiffness.relax(), stress_, f_, branch_stress_.with(stiffness)},
            queue_);
        nodal_stress_.add_force(f_, queue_);
    }
    if (weight_) {  // f -= K_b u; that of the slip follows
        apply_springs<double>(weight_->springs(), u_, f_, queue_);
    }
}

/// Completes the same load from what step_stress has left in f_: adds the relaxation at pressure
/// nodes and the change of tractions.
void PackSolver::find_change_of_load(double time_s) {
    nodal_stress_.add_relaxation(f_, queue_);
    if (boundary_.any()) {
        lanes::fill<double>(0.0, lift_, queue_);
        boundary_.set_traction_change(time_s, lift_, queue_);
        lanes::axpby(lanes::kOnes, lift_, lanes::kOnes, f_, queue_);
    }
}

/// The stress after a step. Where the next one has the same length, f_ becomes the residual and
/// what relaxes in it.
void PackSolver::step_stress(Stiffness& stiffness) {
    // By its recurrence the residual drifts, though by rounding alone: whole loads renew it.
    constexpr int kMostCarried = 64;
    const StressUpdateArgs update{stiffness.data(),
                                  stiffness.relax(),
                                  grown_on_queue_,
                                  du_,
                                  stress_,
                                  LaneChain::None,
                                  branch_stress_.with(stiffness)};
    if (finished() || grid_.step_s(next_step_) != viscous_dt_s_ || carried_ == kMostCarried) {
        carried_ = 0;
        StressUpdateArgs relaxing = update;
        relaxing.only = relaxing_.relaxing();
        if (!relaxing.only.empty()) {  // an empty list stands for all elements
            stress_update(relaxing, queue_);
        }
        return;
    }
    ++carried_;
    std::swap(f_, work_.r);
    lanes::zero_dofs<double>(copies_, f_, queue_);  // others have them: the sum of all is r
    StressStepArgs step{update, viscous_->relax(), viscous_->second_relax(), f_};
    step.update.data = relaxing_.blocks_of(stiffness.data());
    stress_step(step, queue_);
}

/// sigma = D B (u + s) where nothing relaxes.
void PackSolver::find_lasting_stress() {
    find_lasting_stress(relaxing_.lasting());
}

void PackSolver::find_lasting_stress(device::View<const std::int32_t> elements) {
    const device::Mirror<ElementOffset> offsets{std::span<const ElementOffset>(offsets_), queue_};
    lasting_stress({coseismic_.data(), elements, offsets, u_, stress_}, queue_);
}

/// At the first step of another length: du = dt times the velocity at its middle, extrapolated from
/// the middles of the last two steps. False at other steps. Keeps the last increment.
bool PackSolver::guess_from_velocity(int step, device::View<const std::int32_t> fixed) {
    if (step < 2 || du_before_.size() == 0) {
        return false;
    }
    const double before_s = grid_.step_s(step - 1);
    const double now_s = grid_.step_s(step);
    if (before_s == now_s) {
        lanes::axpby(lanes::kOnes, du_, {}, du_before_, queue_);
        return false;
    }
    const double older_s = step > 2 ? grid_.step_s(step - 2) : 0.0;
    const double ratio = now_s / before_s;
    // v(t) = v1 + (v1 - v2) (now + before) / (before + older), v = du / dt at the middles.
    const double slope = older_s > 0.0 ? (now_s + before_s) / (before_s + older_s) : 0.0;
    const double newest = ratio * (1.0 + slope);
    const double older = older_s > 0.0 ? -slope * now_s / older_s : 0.0;
    lanes::axpby(lanes::all_lanes(newest), du_, lanes::all_lanes(older), du_before_, queue_);
    std::swap(du_, du_before_);
    lanes::zero_dofs<double>(fixed, du_, queue_);
    return true;
}

/// du = first guess. With two of them, their combination g + c (g2 - g) with the smallest residual,
/// source by source: never worse than either. True when work_.r then holds that residual.
bool PackSolver::guess(Stiffness& stiffness) {
    const auto fixed = stiffness.K().fixed();
    predictor_->predict(du_, f_, queue_);
    lanes::zero_dofs<double>(fixed, du_, queue_);
    if (!predictor_->predict_plainly(work_.p, queue_)) {
        return false;
    }
    lanes::zero_dofs<double>(fixed, work_.p, queue_);
    const auto dot = [&](device::View<const double> x, device::View<const double> y) {
        lanes::LaneScalars value = lanes::dot(x, y, 3 * kLanes, stiffness.K().owned(), queue_);
        const device::InPhase waiting(queue_, device::Phase::Waiting);
        comm_.sum(std::span<double>(value));
        return value;
    };
    // With d = g2 - g: r - c K d is smallest for c = (r, K d) / (K d, K d).
    stiffness.K().apply(du_, work_.r, queue_);
    lanes::axpby(lanes::kOnes, f_, lanes::kMinusOnes, work_.r, queue_);
    lanes::axpby(lanes::kMinusOnes, du_, lanes::kOnes, work_.p, queue_);
    stiffness.K().apply(work_.p, work_.Ap, queue_);
    const lanes::LaneScalars rKd = dot(work_.r, work_.Ap);
    const lanes::LaneScalars KdKd = dot(work_.Ap, work_.Ap);
    lanes::LaneScalars c{};
    lanes::LaneScalars minus_c{};
    for (int lane = 0; lane < kLanes; ++lane) {
        c[lane] = KdKd[lane] > 0.0 ? rKd[lane] / KdKd[lane] : 0.0;
        minus_c[lane] = -c[lane];
    }
    lanes::axpby(c, work_.p, lanes::kOnes, du_, queue_);
    lanes::axpby(minus_c, work_.Ap, lanes::kOnes, work_.r, queue_);
    return true;
}

void PackSolver::remove_failed_lanes(const StepResult& result) {
    for (int lane = 0; lane < kLanes; ++lane) {
        if (failed_[lane]) {
            lanes::zero_lane<double>(lane, du_, queue_);
            lanes::zero_lane<double>(lane, work_.r, queue_);
        }
        if (result.lanes[lane].ok() || failed_[lane]) {
            continue;
        }
        failed_[lane] = true;
        lanes::zero_lane<double>(lane, u_, queue_);
        lanes::zero_lane<double>(lane, du_, queue_);
        lanes::zero_lane<double>(lane, f_, queue_);
        lanes::zero_lane<double>(lane, work_.r, queue_);
        lanes::zero_lane<double>(lane, stress_, queue_);
        branch_stress_.zero_lane(lane, queue_);
        nodal_stress_.zero_lane(lane, queue_);
        predictor_->zero_lane(lane, queue_);
        zero_slip(lane);
        grown_on_queue_ = {std::span<const ElementOffset>(grown_), queue_};
    }
}

void PackSolver::zero_slip(int lane) {
    for (auto* offsets : {&unit_offsets_, &offsets_, &grown_}) {
        for (ElementOffset& offset : *offsets) {
            for (auto& node : offset.s) {
                for (auto& comp : node) {
                    comp[lane] = 0.0;
                }
            }
        }
    }
}

std::vector<double> PackSolver::stress() {
    find_lasting_stress();
    std::vector<double> stress(stress_.size());
    device::download<double>(stress_, stress, queue_);
    std::vector<std::int32_t> all(model_.mesh().n_tets());
    std::iota(all.begin(), all.end(), 0);
    nodal_stress_.add_to_stress(stress, all, queue_);
    return stress;
}

std::vector<double> PackSolver::stress_of(std::span<const std::int32_t> elements) {
    std::vector<std::int32_t> lasting;
    std::ranges::copy_if(elements, std::back_inserter(lasting), [&](std::int32_t elem) {
        return !model_.materials()[model_.mesh().material[elem]].viscosity_pa_s;
    });
    find_lasting_stress(device::Mirror<std::int32_t>(lasting, queue_));
    const device::Mirror<std::int32_t> items(elements, queue_);
    device::Buffer<double> packed(elements.size() * kStressPerElement, queue_);
    lanes::gather_items<double>(items, kStressPerElement, device::View<const double>(stress_),
                                packed, queue_);
    std::vector<double> stress(packed.size());
    device::download<double>(packed, stress, queue_);
    nodal_stress_.add_to_stress(stress, elements, queue_);
    return stress;
}

std::string failure_text(const linalg::LaneResult& lane, int step) {
    std::ostringstream text;
    text << "step " << step << ": " << to_string(lane.status) << " after " << lane.iterations
         << " iterations, relative residual " << lane.residual << " (started at "
         << lane.initial_residual << "; last:";
    const std::size_t shown = std::min<std::size_t>(lane.history.size(), 5);
    for (std::size_t k = lane.history.size() - shown; k < lane.history.size(); ++k) {
        text << ' ' << lane.history[k];
    }
    text << "); likely cause: ";
    switch (lane.status) {
        case linalg::LaneStatus::MaxIterations:
            text
                << (lane.residual < 1e-3
                        ? "slow convergence (thin elements, strong contrasts or a time step of "
                          "many Maxwell times); raise solver.max_iterations or improve the mesh"
                        : "badly shaped elements or too few iterations; the mesh stage's log tells "
                          "the angles of its elements");
            break;
        case linalg::LaneStatus::NotFinite:
            text << "a material, slip or boundary value is not a finite number";
            break;
        case linalg::LaneStatus::Indefinite:
            text << "inverted elements or a material with negative moduli";
            break;
        default:
            text << "none";
            break;
    }
    return text.str();
}

}  // namespace kaname::viscoelastic
