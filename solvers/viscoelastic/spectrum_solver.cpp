// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/spectrum_solver.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/error.hpp"
#include "solvers/kernels/blas1.hpp"
#include "solvers/viscoelastic/nodal_stress.hpp"

namespace kaname::viscoelastic {

using kernels::kLanes;

namespace {

constexpr kernels::LaneScalars kOnes = kernels::all_lanes(1.0);
constexpr double kSameRate = 1e-9;
constexpr int kCandidatesPerDecade = 8;
constexpr int kBuckets = 1024;
// Of the tolerance: where the residuals of the reduced model end, and those of the solves, which
// need be no better. Displacements are off by four to six times the largest residual (measured on
// kaname-bench's lattice against time steps), since what remains is smooth.
constexpr double kResidualShare = 0.1;
constexpr double kSolveShare = 0.03;

SolverParams with_tolerance(SolverParams params, double tolerance) {
    params.cg.tolerance = std::max(params.cg.tolerance, tolerance);
    return params;
}

const SpectrumParams& checked(const SpectrumParams& params, const RelaxationGroups& groups) {
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

/// From a third of 1 / end, where everything that will be seen has relaxed, to twice the fastest
/// rate.
std::vector<double> candidate_shifts(double end_s, const RelaxationGroups& groups) {
    double fastest = 0.0;
    for (const Relaxation& relaxation : groups.relaxation) {
        fastest = std::max(fastest, relaxation.fastest_rate_per_s());
    }
    const double low = 1.0 / (3.0 * end_s);
    const double high = std::max(2.0 * fastest, 10.0 * low);
    const int count =
        1 + static_cast<int>(std::ceil(kCandidatesPerDecade * std::log10(high / low)));
    std::vector<double> shifts;
    for (int k = 0; k < count; ++k) {
        shifts.push_back(low * std::pow(high / low, static_cast<double>(k) / (count - 1)));
    }
    return shifts;
}

/// [materials]: `value` in the materials of one group, zero elsewhere.
std::vector<double> only(const RelaxationGroups& groups, int group) {
    std::vector<double> share;
    for (const int of : groups.group_of) {
        share.push_back(of == group ? 1.0 : 0.0);
    }
    return share;
}

bool alike(const Relaxation& a, const Relaxation& b) {
    const auto close = [](double x, double y) {
        return std::abs(x - y) <= kSameRate * std::max(std::abs(x), std::abs(y));
    };
    return std::equal(a.branches.begin(), a.branches.end(), b.branches.begin(), b.branches.end(),
                      [&](const Relaxation::Branch& x, const Relaxation::Branch& y) {
                          return close(x.share, y.share) && close(x.rate_per_s, y.rate_per_s);
                      });
}

}  // namespace

RelaxationGroups relaxation_groups(const std::vector<earth::Material>& materials) {
    RelaxationGroups groups;
    for (const earth::Material& material : materials) {
        if (!material.viscosity_pa_s) {
            groups.group_of.push_back(-1);
            continue;
        }
        const Relaxation relaxation = relaxation_of(material);
        const auto same =
            std::find_if(groups.relaxation.begin(), groups.relaxation.end(),
                         [&](const Relaxation& other) { return alike(relaxation, other); });
        groups.group_of.push_back(static_cast<int>(same - groups.relaxation.begin()));
        if (same == groups.relaxation.end()) {
            groups.relaxation.push_back(relaxation);
        }
    }
    return groups;
}

SpectrumSolver::SpectrumSolver(const Model& model, const RelaxationGroups& groups,
                               const SpectrumParams& params, const SolverParams& solver,
                               comm::Comm& comm, device::Queue& queue)
    : model_(model),
      groups_(groups),
      params_(checked(params, groups)),
      solver_(solver),
      comm_(comm),
      queue_(queue),
      candidates_(candidate_shifts(params.end_s, groups)),
      elastic_(model, {model.shear_scaled(std::vector<double>(groups.group_of.size(), 1.0)), {}},
               solver_, comm, queue),
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
    std::vector<double> elastic_part;
    for (const int of : groups.group_of) {
        elastic_part.push_back(of < 0 ? 1.0 : 0.0);
    }
    K_el_ = std::make_unique<EbeOperator<double>>(model, model.shear_scaled(elastic_part), queue);
    for (std::size_t group = 0; group < groups.relaxation.size(); ++group) {
        const auto share = only(groups, static_cast<int>(group));
        K_group_.push_back(
            std::make_unique<EbeOperator<double>>(model, model.relaxing(share), queue));
        q_.emplace_back(model.vector_size(), queue);
    }
}

std::array<linalg::LaneResult, kLanes> SpectrumSolver::start(std::vector<ElementOffset> offsets) {
    offsets_ = std::move(offsets);
    W_.clear();
    reduced_ = {};
    SKW_.assign(1 + q_.size(), {});
    Sq_.clear();
    const auto fixed = elastic_.K().fixed();
    const device::Mirror<ElementOffset> on_queue(std::span<const ElementOffset>(offsets_), queue_);
    const auto force = [&](const ElementModuli& moduli, device::Buffer<double>& f) {
        kernels::fill<double>(0.0, f, queue_);
        const device::Mirror<double> lam(moduli.lam, queue_);
        const device::Mirror<double> mu(moduli.mu, queue_);
        const ElementData data = model_.elements(queue_).data(lam, mu, moduli.nodal());
        offset_force({data, on_queue, f}, queue_);
        nodal_offset_force(model_, moduli, on_queue, f, queue_);
        elastic_.K().halo().sum(f.view(), 3 * kLanes, queue_);
        kernels::zero_dofs<double>(fixed, f, queue_);
    };
    force(elastic_.step().moduli, load_);
    kernels::fill<double>(0.0, u0_, queue_);
    auto lanes = elastic_.solve(load_, u0_, work_);
    for (std::size_t group = 0; group < q_.size(); ++group) {
        // q = K_j u_0 - f_j, f_j = -int B^T D_j B s_e (and with nodal dilatation its C^T part).
        const ElementModuli moduli = model_.relaxing(only(groups_, static_cast<int>(group)));
        force(moduli, q_[group]);
        K_group_[group]->apply(u0_, image_, queue_);
        kernels::axpby(kOnes, image_, kernels::all_lanes(-1.0), q_[group], queue_);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!lanes[lane].ok()) {
            kernels::zero_lane<double>(lane, u0_, queue_);
            for (auto& q : q_) {
                kernels::zero_lane<double>(lane, q, queue_);
            }
        }
    }
    for (const auto& q : q_) {
        Sq_.push_back(sketch_.of(q, queue_));
    }
    reduced_.A.resize(q_.size());
    reduced_.b.resize(q_.size());
    find_worst();
    return lanes;
}

std::vector<double> SpectrumSolver::group_values(double shift_per_s) const {
    std::vector<double> g;
    for (const Relaxation& relaxation : groups_.relaxation) {
        g.push_back(relaxation.at(shift_per_s));
    }
    return g;
}

ElementModuli SpectrumSolver::moduli(std::span<const double> g) const {
    std::vector<double> share;
    for (const int of : groups_.group_of) {
        share.push_back(of < 0 ? 1.0 : g[of]);
    }
    return model_.shear_scaled(share);
}

/// ||sum (1 - g_j) q_j - K(g) W c|| over the norm of the first term, in sketches; worst source.
double SpectrumSolver::reduced_residual(double shift_per_s) const {
    const std::vector<double> g = group_values(shift_per_s);
    const auto c = reduced_.at(g);
    const std::size_t buckets = kBuckets;
    double worst = 0.0;
    std::vector<double> load(buckets);
    std::vector<double> rest(buckets);
    for (int lane = 0; lane < kLanes; ++lane) {
        std::fill(load.begin(), load.end(), 0.0);
        for (std::size_t j = 0; j < g.size(); ++j) {
            for (std::size_t i = 0; i < buckets; ++i) {
                load[i] += (1.0 - g[j]) * Sq_[j][lane * buckets + i];
            }
        }
        rest = load;
        for (int column = 0; column < reduced_.n_basis; ++column) {
            const std::size_t from = std::size_t(column % kLanes) * buckets;
            for (std::size_t part = 0; part <= g.size(); ++part) {
                const double weight = c[column][lane] * (part == 0 ? 1.0 : g[part - 1]);
                const double* image = SKW_[part][column / kLanes].data() + from;
                for (std::size_t i = 0; i < buckets; ++i) {
                    rest[i] -= weight * image[i];
                }
            }
        }
        double rr = 0.0;
        double ll = 0.0;
        for (std::size_t i = 0; i < buckets; ++i) {
            rr += rest[i] * rest[i];
            ll += load[i] * load[i];
        }
        if (ll > 0.0) {
            worst = std::max(worst, std::sqrt(rr / ll));
        }
    }
    return worst;
}

void SpectrumSolver::find_worst() {
    worst_ = {};
    for (const double shift : candidates_) {
        const double residual = reduced_residual(shift);
        if (residual > worst_.residual) {
            worst_ = {shift, residual};
        }
    }
}

double SpectrumSolver::residual_goal() const {
    return kResidualShare * params_.tolerance;
}

std::shared_ptr<Stiffness> SpectrumSolver::stiffness_at(double shift_per_s) {
    if (const auto found = kept_.find(shift_per_s); found != kept_.end()) {
        return found->second;
    }
    auto stiffness = std::make_shared<Stiffness>(
        model_, StepModuli{moduli(group_values(shift_per_s)), {}},
        with_tolerance(solver_, kSolveShare * params_.tolerance), comm_, queue_);
    if (static_cast<int>(kept_.size()) < params_.kept_shifts) {
        kept_.emplace(shift_per_s, stiffness);
    }
    return stiffness;
}

std::optional<ShiftResult> SpectrumSolver::advance() {
    if (worst_.residual <= residual_goal() || static_cast<int>(W_.size()) >= params_.max_shifts) {
        return std::nullopt;
    }
    ShiftResult result;
    result.shift_per_s = worst_.shift_per_s;
    result.residual_before = worst_.residual;
    const std::vector<double> g = group_values(worst_.shift_per_s);
    kernels::fill<double>(0.0, load_, queue_);
    for (std::size_t j = 0; j < g.size(); ++j) {
        const double w = 1.0 - g[j];
        kernels::axpby(kernels::all_lanes(w), q_[j], kOnes, load_, queue_);
    }
    device::Buffer<double> d(model_.vector_size(), queue_);
    const auto c = reduced_.at(g);
    const auto add_reduced = [&](double factor) {
        for (std::size_t k = 0; k < W_.size(); ++k) {
            kernels::LaneGram weight;
            std::copy_n(c.begin() + std::ptrdiff_t(k) * kLanes, kLanes, weight.begin());
            for (auto& row : weight) {
                std::transform(row.begin(), row.end(), row.begin(),
                               [factor](double x) { return factor * x; });
            }
            kernels::add_mixed(weight, W_[k], d, queue_);
        }
    };
    add_reduced(1.0);
    result.lanes = stiffness_at(worst_.shift_per_s)->solve(load_, d, work_);
    // Only what the basis could not give goes into it: whole solutions would be so much alike that
    // their reduced matrices could not tell them apart.
    add_reduced(-1.0);
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!result.lanes[lane].ok()) {
            kernels::zero_lane<double>(lane, d, queue_);
        }
    }
    extend(d);
    find_worst();
    return result;
}

/// Rows and columns of the reduced matrices for the four new basis vectors.
void SpectrumSolver::extend(const device::Buffer<double>& d) {
    const int old = reduced_.n_basis;
    const int n = old + kLanes;
    W_.emplace_back(model_.vector_size(), queue_);
    device::copy_on_device(W_.back().data(), d.data(), d.size() * sizeof(double), queue_);
    const auto product = [&](device::View<const double> x, device::View<const double> y) {
        kernels::LaneGram G = kernels::gram(x, y, 3 * kLanes, elastic_.K().owned(), queue_);
        for (auto& row : G) {
            comm_.sum(std::span<double>(row));
        }
        return G;
    };
    const auto grow = [&](std::vector<double>& A, EbeOperator<double>& K, std::size_t part) {
        K.apply(W_.back(), image_, queue_);
        SKW_[part].push_back(sketch_.of(image_, queue_));
        std::vector<double> larger(std::size_t(n) * n, 0.0);
        for (int i = 0; i < old; ++i) {
            std::copy_n(A.begin() + std::ptrdiff_t(i) * old, old,
                        larger.begin() + std::ptrdiff_t(i) * n);
        }
        for (std::size_t k = 0; k < W_.size(); ++k) {
            const kernels::LaneGram G = product(W_[k], image_);
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
        const kernels::LaneGram G = product(W_.back(), q_[j]);
        reduced_.b[j].insert(reduced_.b[j].end(), G.begin(), G.end());
    }
    reduced_.n_basis = n;
}

}  // namespace kaname::viscoelastic
