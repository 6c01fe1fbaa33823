// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/viscoelastic/model/nodal_stress.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

/// Coefficients of the last four basis vectors, each in its own lane.
const ReducedModel::LaneRows kEachLane = [] {
    ReducedModel::LaneRows c(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
        c[lane][lane] = 1.0;
    }
    return c;
}();
constexpr int kBuckets = 1024;
// Numbers of the observed motion that are looked at, spread over the points.
constexpr std::size_t kSeen = 12288;
// The share of the tolerance that one solve may leave. Answers in time are combinations of the
// shifts' with large weights of both signs, which enlarge it (with 1e-3 it was seen in the error,
// decision 0060).
// Where no rock is elastic nothing holds back what it moves (there 1e-4 was seen, decision 0034).
constexpr double kSolveShare = 3e-4;
constexpr double kSolveShareAllRelaxing = 1e-6;
// FP64 reaches kSmallestResidual in every problem: with relaxation times 1,000 apart a solve
// stalled at 4e-13.
constexpr double kSmallestResidual = 1e-12;
// The elastic solve is cheap, and no later solve corrects its residual.
constexpr double kElasticShare = 0.1;
// A solve leaves at most this share of what the reduced model left, lest it change nothing.
constexpr double kSmallestGain = 1e-2;
// The estimate must fall by this factor within so many solves; else rounding keeps it where it is.
constexpr double kProgress = 0.8;
constexpr std::size_t kPatience = 8;

const SpectrumParams& checked_params(const SpectrumParams& params, const RelaxationGroups& groups) {
    const auto refuse = [](const std::string& text) {
        throw Error(ErrorCode::InvalidArgument, text);
    };
    if (!(params.end_s > 0.0)) {
        refuse("time.end_s must be > 0 for the relaxation spectrum, got " +
               std::to_string(params.end_s));
    }
    if (!(params.tolerance > 0.0)) {
        refuse("time.spectrum_tolerance must be > 0, got " + std::to_string(params.tolerance));
    }
    if (groups.relaxation.empty()) {
        refuse("the relaxation spectrum needs a viscous material");
    }
    return params;
}

/// Collective: of all ranks' elements.
bool has_elastic_rock(const p2::LocalMesh& mesh, const RelaxationGroups& groups, comm::Comm& comm) {
    double any = std::any_of(mesh.material.begin(), mesh.material.end(),
                             [&](std::int32_t material) { return groups.group_of[material] < 0; });
    comm.max({&any, 1});
    return any > 0.0;
}

}  // namespace

SpectrumSolver::SpectrumSolver(const Model& model, const RelaxationGroups& groups,
                               const SpectrumParams& params, const SolverParams& solver,
                               Observation& observer, comm::Comm& comm, device::Queue& queue)
    : model_(model),
      groups_(groups),
      params_(checked_params(params, groups)),
      solver_(solver),
      comm_(comm),
      queue_(queue),
      observer_(observer),
      error_(groups.relaxation, params.end_s),
      alike_(alike_shifts(groups.relaxation, error_.shifts())),
      some_elastic_(has_elastic_rock(model.mesh(), groups, comm)),
      elastic_(model, {model.relaxed_to(std::vector<Share>(groups.group_of.size())), {}}, solver_,
               comm, queue),
      work_(model.vector_size(), queue),
      sketch_(model.mesh().node_gid, model.mesh().node_halo.owned_mask(), kBuckets, comm, queue),
      u0_(model.vector_size(), queue),
      load_(model.vector_size(), queue),
      image_(model.vector_size(), queue) {
    if (model.boundary().has_values()) {
        throw Error(ErrorCode::InvalidArgument,
                    "the relaxation spectrum needs sides that are free or fixed: prescribed motion "
                    "and traction need time steps");
    }
    solver_.hierarchy = elastic_.params().hierarchy;
    if (!groups_.range.parameters.empty()) {
        search_.emplace(groups_.range, params_.end_s, params_.tolerance);
        params_.max_shifts = params_.max_solves_of_range;
    }
    // The residual of this solve is a force to which the softest state of the body responds.
    elastic_.set_tolerance(std::max(kSmallestResidual, kElasticShare * solve_tolerance()));
    K_el_ = std::make_unique<EbeOperator<double>>(model, model.relaxed_to(groups.elastic()), queue);
    for (std::size_t group = 0; group < groups.relaxation.size(); ++group) {
        K_group_.push_back(std::make_unique<EbeOperator<double>>(
            model, model.relaxing(groups.only(static_cast<int>(group))), queue));
        q_.emplace_back(model.vector_size(), queue);
    }
}

std::array<linalg::LaneResult, kLanes> SpectrumSolver::start(std::vector<ElementOffset> offsets,
                                                             device::View<const double> forces) {
    begin(std::move(offsets), forces);
    const Lanes lanes = elastic_.solve(load_, u0_, work_);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!lanes[lane].ok()) {
            lanes::zero_lane<double>(lane, u0_, queue_);
        }
    }
    take_elastic(lanes);
    return lanes;
}

void SpectrumSolver::begin(std::vector<ElementOffset> offsets, device::View<const double> forces) {
    offsets_ = std::move(offsets);
    W_.clear();
    seen_.clear();
    solved_.clear();
    rheology_of_.clear();
    estimates_.clear();
    chosen_.reset();
    point_ = {};
    reduced_ = {};
    sketches_ = {kBuckets, {}, {}};
    sketches_.KW.resize(1 + q_.size());
    set_force(elastic_.step().moduli, forces, load_);
    lanes::fill<double>(0.0, u0_, queue_);
}

void SpectrumSolver::set_force(const ElementModuli& moduli, device::View<const double> beside,
                               device::Buffer<double>& f) {
    const device::Mirror<ElementOffset> on_queue(std::span<const ElementOffset>(offsets_), queue_);
    lanes::fill<double>(0.0, f, queue_);
    if (!beside.empty()) {
        lanes::axpby(lanes::kOnes, beside, lanes::kOnes, f, queue_);
    }
    const device::Mirror<double> lam(moduli.lam, queue_);
    const device::Mirror<double> mu(moduli.mu, queue_);
    const ElementData data = model_.elements(queue_).data(lam, mu);
    offset_force({data, on_queue, f}, queue_);
    nodal_offset_force(model_, moduli, on_queue, f, queue_);
    if (moduli.buoyant) {
        buoyant_offset_force(*model_.buoyancy(), model_.mesh(), offsets_, f.view(), queue_);
    }
    elastic_.K().halo().sum(f.view(), 3 * kLanes, queue_);
    lanes::zero_dofs<double>(elastic_.K().fixed(), f, queue_);
}

void SpectrumSolver::take_elastic(const Lanes& lanes) {
    ShiftResult elastic;
    elastic.lanes = lanes;
    solved_.push_back(elastic);
    rheology_of_.push_back(0);
    LaneNorms left = ResidualSketches{kBuckets, {sketch_.of(load_, queue_)}, {}}.norms(
        std::vector<double>{1.0}, {});
    for (int lane = 0; lane < kLanes; ++lane) {
        left[lane] *= lanes[lane].ok() ? lanes[lane].residual : 0.0;
    }
    for (std::size_t group = 0; group < q_.size(); ++group) {
        // q = K_j u_0 - f_j, f_j = -int B^T D_j B s_e (and with nodal dilatation its C^T part).
        set_force(model_.relaxing(groups_.only(static_cast<int>(group))), {}, q_[group]);
        K_group_[group]->apply(u0_, image_, queue_);
        lanes::axpby(lanes::kOnes, image_, lanes::all_lanes(-1.0), q_[group], queue_);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!lanes[lane].ok()) {
            for (auto& q : q_) {
                lanes::zero_lane<double>(lane, q, queue_);
            }
        }
    }
    for (const auto& q : q_) {
        sketches_.q.push_back(sketch_.of(q, queue_));
    }
    reduced_.A.resize(q_.size());
    reduced_.b.resize(q_.size());
    // q takes u_0 for exact.
    const std::vector<double> seen = observed(u0_);
    const LaneNorms moved = largest_motion({&seen, 1}, kEachLane);
    error_.start(left, moved);
    if (search_) {
        search_->start(left, moved);
    }
    const LaneNorms load = sketches_.norms(std::vector<double>(q_.size(), 1.0), {});
    const bool any = std::any_of(load.begin(), load.end(), [](double x) { return x > 0.0; });
    estimate_ = {any ? 1.0 : 0.0, params_.end_s, error_.first_shifts().front()};
}

std::vector<double> SpectrumSolver::group_values(double shift_per_s) const {
    std::vector<double> g;
    for (const Relaxation& relaxation : groups_.relaxation) {
        g.push_back(relaxation.at(shift_per_s));
    }
    return g;
}

/// Some of the observed numbers [numbers][4].
std::vector<double> SpectrumSolver::observed(const device::Buffer<double>& w) {
    const std::vector<double> all = observer_.observe(w.view(), {}, comm_, queue_);
    const std::size_t numbers = all.size() / kLanes;
    std::size_t stride = (numbers + kSeen - 1) / kSeen;
    stride += stride > 0 && stride % 3 == 0 ? 1 : 0;  // not one component alone
    std::vector<double> some;
    for (std::size_t i = 0; i < numbers; i += stride) {
        some.insert(some.end(), all.begin() + std::ptrdiff_t(i) * kLanes,
                    all.begin() + std::ptrdiff_t(i + 1) * kLanes);
    }
    return some;
}

/// ||r|| / ||f|| of every solve: by what it leaves, soft rock is moved as by forces 1/sqrt(g) times
/// as large, and all answers enter into the motion at the end.
double SpectrumSolver::solve_tolerance() const {
    const std::vector<double> g =
        search_ ? search_->softest() : group_values(error_.shifts().front());
    const double softest = *std::min_element(g.begin(), g.end());
    const double share = some_elastic_ ? kSolveShare : kSolveShareAllRelaxing;
    return std::max(kSmallestResidual, share * params_.tolerance * std::sqrt(softest));
}

std::shared_ptr<Stiffness> SpectrumSolver::stiffness_at(std::span<const double> g,
                                                        Stiffness::Preconditioned preconditioned) {
    auto stiffness =
        std::make_shared<Stiffness>(model_, StepModuli{model_.relaxed_to(groups_.shares(g)), {}},
                                    solver_, comm_, queue_, preconditioned);
    return stiffness;
}

/// Owner of the hierarchy that moduli take.
std::shared_ptr<Stiffness> SpectrumSolver::preconditioned_for(const std::vector<double>& g) {
    if (const auto found = kept_.find(g); found != kept_.end()) {
        return found->second;
    }
    const auto stiffness = stiffness_at(g, Stiffness::Preconditioned::ByItself);
    if (static_cast<int>(kept_.size()) < params_.kept_hierarchies) {
        kept_.emplace(g, stiffness);
    }
    return stiffness;
}

/// Moduli whose hierarchy a problem takes; nullopt: the elastic body's.
std::optional<std::vector<double>> SpectrumSolver::owner_of(const ShiftResult& point) const {
    if (search_) {
        return alike_moduli(point.g);
    }
    const std::optional<double> shift = alike_.at(point.shift_per_s);
    return shift ? std::optional(group_values(*shift)) : std::nullopt;
}

std::array<linalg::LaneResult, kLanes> SpectrumSolver::solve_at(const ShiftResult& point,
                                                                device::Buffer<double>& d) {
    const double tolerance = std::max(
        kSmallestResidual, std::min(solve_tolerance(), kSmallestGain * point.residual_before));
    const auto owned_by = owner_of(point);
    Lanes lanes;
    if (owned_by == point.g) {
        const auto stiffness = preconditioned_for(point.g);
        stiffness->set_tolerance(tolerance);
        lanes = stiffness->solve(load_, d, work_);
    } else {
        const auto stiffness = stiffness_at(point.g, Stiffness::Preconditioned::ByAnother);
        const auto owner = owned_by ? preconditioned_for(*owned_by) : nullptr;
        stiffness->precondition_with(owner ? *owner : elastic_);
        stiffness->set_tolerance(tolerance);
        lanes = stiffness->solve(load_, d, work_);
    }
    // A vector of the basis need not solve its problem: what it leaves is in the residuals that the
    // error is estimated from.
    for (linalg::LaneResult& lane : lanes) {
        if (lane.status == linalg::LaneStatus::MaxIterations &&
            lane.residual < lane.initial_residual) {
            lane.status = linalg::LaneStatus::Converged;
        }
    }
    return lanes;
}

/// ||sum (1 - g_j) q_j - K(g) W c||, and the worst of them over the norms of the first term.
LaneNorms SpectrumSolver::residual_at(std::span<const double> g, const ReducedModel::LaneRows& c,
                                      double& relative) const {
    const ResidualTerms terms = residual_terms(g, c);
    const LaneNorms all = sketches_.norms(terms.load, {});
    const LaneNorms rest = sketches_.norms(terms.load, terms.c);
    relative = 0.0;
    for (int lane = 0; lane < kLanes; ++lane) {
        relative = std::max(relative, all[lane] > 0.0 ? rest[lane] / all[lane] : 0.0);
    }
    return rest;
}

std::optional<ShiftResult> SpectrumSolver::next_point() {
    // A source that nothing drives is answered without a solve.
    const bool may_solve = static_cast<int>(W_.size()) < params_.max_shifts;
    if (estimate_.error == 0.0 || (!search_ && !may_solve)) {
        return std::nullopt;
    }
    ShiftResult point;
    if (search_) {
        const auto next = search_->next(reduced_, sketches_, seen_, may_solve);
        if (!next) {
            return std::nullopt;
        }
        point_ = *next;
        point.shift_per_s = next->shift_per_s;
        point.g = next->g;
        return point;
    }
    if (reached() || estimate_.next_shift_per_s == 0.0 || stalls()) {
        return std::nullopt;
    }
    point.shift_per_s = estimate_.next_shift_per_s;
    point.g = group_values(point.shift_per_s);
    return point;
}

bool SpectrumSolver::stalls() const {
    if (estimates_.size() <= kPatience) {
        return false;
    }
    const auto recent = estimates_.end() - std::ptrdiff_t(kPatience);
    return *std::min_element(recent, estimates_.end()) >
           kProgress * *std::min_element(estimates_.begin(), recent);
}

std::optional<ShiftResult> SpectrumSolver::advance() {
    auto point = chosen_ ? std::exchange(chosen_, std::nullopt) : next_point();
    if (!point) {
        return std::nullopt;
    }
    ShiftResult& result = *point;
    const std::vector<double>& g = result.g;
    lanes::fill<double>(0.0, load_, queue_);
    for (std::size_t j = 0; j < g.size(); ++j) {
        const double w = 1.0 - g[j];
        lanes::axpby(lanes::all_lanes(w), q_[j], lanes::kOnes, load_, queue_);
    }
    device::Buffer<double> d(model_.vector_size(), queue_);
    const auto c = reduced_.at(g);
    const LaneNorms residual = residual_at(g, c, result.residual_before);
    const auto add_reduced = [&](double factor) {
        for (std::size_t k = 0; k < W_.size(); ++k) {
            lanes::LaneGram weight;
            std::copy_n(c.begin() + std::ptrdiff_t(k) * kLanes, kLanes, weight.begin());
            for (auto& row : weight) {
                std::transform(row.begin(), row.end(), row.begin(),
                               [factor](double x) { return factor * x; });
            }
            lanes::add_mixed(weight, W_[k], d, queue_);
        }
    };
    add_reduced(1.0);
    result.lanes = solve_at(result, d);
    // Only what the basis could not give goes into it: whole solutions would be so much alike that
    // their reduced matrices could not tell them apart.
    add_reduced(-1.0);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!result.lanes[lane].ok()) {
            lanes::zero_lane<double>(lane, d, queue_);
        }
    }
    take(result, d, residual);
    return point;
}

void SpectrumSolver::take(const ShiftResult& point, const device::Buffer<double>& d,
                          const LaneNorms& residual) {
    solved_.push_back(point);
    rheology_of_.push_back(rheology());
    extend(d);
    const LaneNorms moved = largest_motion({&seen_.back(), 1}, kEachLane);
    if (search_) {
        search_->calibrate(point_, moved, residual);
        return;
    }
    error_.calibrate(point.shift_per_s, moved, residual);
    if (W_.size() < error_.first_shifts().size()) {
        // How residuals turn into motion is known once both ends are.
        estimate_ = {1.0, params_.end_s, error_.first_shifts()[W_.size()]};
    } else {
        estimate_ = error_.of(reduced_, sketches_, seen_);
        estimates_.push_back(estimate_.error);
    }
}

/// Rows and columns of the reduced matrices for the four new basis vectors.
void SpectrumSolver::extend(const device::Buffer<double>& d) {
    const int old = reduced_.n_basis;
    const int n = old + kLanes;
    W_.emplace_back(model_.vector_size(), queue_);
    device::copy_on_device(W_.back().data(), d.data(), d.size() * sizeof(double), queue_);
    seen_.push_back(observed(W_.back()));
    const auto product = [&](device::View<const double> x, device::View<const double> y) {
        lanes::LaneGram G = lanes::gram(x, y, 3 * kLanes, elastic_.K().owned(), queue_);
        for (auto& row : G) {
            comm_.sum(std::span<double>(row));
        }
        return G;
    };
    const auto grow = [&](std::vector<double>& A, EbeOperator<double>& K, std::size_t part) {
        K.apply(W_.back(), image_, queue_);
        sketches_.KW[part].push_back(sketch_.of(image_, queue_));
        std::vector<double> larger(std::size_t(n) * n, 0.0);
        for (int i = 0; i < old; ++i) {
            std::copy_n(A.begin() + std::ptrdiff_t(i) * old, old,
                        larger.begin() + std::ptrdiff_t(i) * n);
        }
        for (std::size_t k = 0; k < W_.size(); ++k) {
            const lanes::LaneGram G = product(W_[k], image_);
            for (int a = 0; a < kLanes; ++a) {
                for (int b = 0; b < kLanes; ++b) {
                    const std::size_t row = k * kLanes + a;
                    const std::size_t column = old + b;
                    larger[row * n + column] = larger[column * n + row] = G[a][b];
                }
            }
        }
        A = std::move(larger);
    };
    grow(reduced_.A_el, *K_el_, 0);
    for (std::size_t j = 0; j < q_.size(); ++j) {
        grow(reduced_.A[j], *K_group_[j], j + 1);
        const lanes::LaneGram G = product(W_.back(), q_[j]);
        reduced_.b[j].insert(reduced_.b[j].end(), G.begin(), G.end());
    }
    reduced_.n_basis = n;
}

}  // namespace kaname::viscoelastic
