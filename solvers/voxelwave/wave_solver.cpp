// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/wave_solver.hpp"

#include <string>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

constexpr int kMostSources = 4;

int lanes_for(std::size_t sources) {
    if (sources < 1 || sources > kMostSources) {
        throw Error(ErrorCode::InvalidArgument,
                    "sources must be 1 to 4 at a time, got " + std::to_string(sources));
    }
    return sources == 3 ? 4 : static_cast<int>(sources);
}

}  // namespace

template <class T>
WaveSolver<T>::WaveSolver(VoxelModel model, const WaveParams& params,
                          std::span<const PointSource> sources,
                          std::span<const std::array<double, 3>> receivers_m)
    : model_(std::move(model)),
      params_(params),
      terms_(step_terms(model_, params.dt_s, params.damping, params.layer, params.fixed,
                        is_orthogonal(params.variant))),
      lanes_(lanes_for(sources.size())),
      stepper_(make_step<T>(params.variant, model_, terms_, lanes_, params.stages)) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const std::string what = "sources[" + std::to_string(k) + "]";
        const Point point(model_, sources[k].position_m, what.c_str());
        Load load{static_cast<int>(k), {}, corner_forces(point, sources[k]), sources[k].time};
        for (int corner = 0; corner < 8; ++corner) {
            load.node[corner] = point.corner(corner);
            const auto& [x, y, z] = load.node[corner];
            for (double& force : load.force[corner]) {
                force *= terms_.dt2_per_mass[model_.node(x, y, z)];
            }
        }
        loads_.push_back(load);
    }
    for (std::size_t k = 0; k < receivers_m.size(); ++k) {
        const std::string what = "receivers[" + std::to_string(k) + "]";
        receivers_.emplace_back(model_, receivers_m[k], what.c_str());
    }
    for (auto* field : {&now_, &before_, &next_}) {
        *field = std::make_unique<NodeField<T>>(model_.nodes(), lanes_);
    }
}

template <class T>
void WaveSolver<T>::step() {
    stepper_->step(*now_, *before_, *next_);
    for (const Load& load : loads_) {
        const double s = load.time.at(time_s());
        for (int corner = 0; corner < 8; ++corner) {
            const auto& [x, y, z] = load.node[corner];
            for (int c = 0; c < 3; ++c) {
                next_->of(c, x, y, z, load.lane) += static_cast<T>(s * load.force[corner][c]);
            }
        }
    }
    std::swap(before_, now_);
    std::swap(now_, next_);
    ++n_steps_;
}

template <class T>
void WaveSolver<T>::run(std::int64_t steps, std::int64_t every) {
    for (std::int64_t k = 0; k < steps; ++k) {
        step();
        if (n_steps_ % every == 0) {
            for (std::size_t source = 0; source < loads_.size(); ++source) {
                const std::vector<double> motion = at_receivers(static_cast<int>(source));
                record_.insert(record_.end(), motion.begin(), motion.end());
            }
        }
    }
}

template <class T>
std::vector<double> WaveSolver<T>::at_receivers(int source) const {
    std::vector<double> motion;
    for (const Point& receiver : receivers_) {
        for (int c = 0; c < 3; ++c) {
            double sum = 0.0;
            for (int corner = 0; corner < 8; ++corner) {
                const auto [x, y, z] = receiver.corner(corner);
                sum += receiver.weight(corner) * now_->of(c, x, y, z, source);
            }
            motion.push_back(sum);
        }
    }
    return motion;
}

template <class T>
void WaveSolver<T>::resume(const NodeField<T>& displacement, const NodeField<T>& before,
                           std::int64_t n_steps) {
    for (const NodeField<T>* field : {&displacement, &before}) {
        if (field->nodes() != model_.nodes() || field->lanes() != lanes_) {
            throw Error(ErrorCode::InvalidArgument,
                        "a state must have the model's nodes and as many sources");
        }
    }
    *now_ = displacement;
    *before_ = before;
    n_steps_ = n_steps;
}

template <class T>
double WaveSolver<T>::energy_j(int source) const {
    // A step from rest at u gives u - dt^2 M^-1 K u.
    StepTerms still = terms_;
    still.beta_per_dt = 0.0;
    NodeField<T> moved(model_.nodes(), lanes_);
    make_step<T>(params_.variant, model_, still, lanes_, params_.stages)->step(*now_, *now_, moved);
    const auto nodes = model_.nodes();
    double energy = 0.0;
    for (int z = 0; z < nodes[2]; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x) {
                const double inverse = terms_.dt2_per_mass[model_.node(x, y, z)];
                for (int c = 0; c < 3 && inverse > 0.0; ++c) {
                    const double u = now_->of(c, x, y, z, source);
                    const double old = before_->of(c, x, y, z, source);
                    const double pull = u - moved.of(c, x, y, z, source);
                    energy += 0.5 / inverse * ((u - old) * (u - old) + pull * old);
                }
            }
        }
    }
    return energy;
}

template class WaveSolver<double>;
template class WaveSolver<float>;

}  // namespace kaname::voxelwave
