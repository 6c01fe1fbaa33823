// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/wave_solver.hpp"

#include <algorithm>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

int lanes_for(std::size_t sources) {
    if (sources < 1 || sources > kMostLoads) {
        throw Error(ErrorCode::InvalidArgument,
                    "sources must be 1 to 4 at a time, got " + std::to_string(sources));
    }
    return sources == 3 ? 4 : static_cast<int>(sources);
}

}  // namespace

template <class T>
WaveSolver<T>::WaveSolver(VoxelModel model, const WaveParams& params,
                          std::span<const PointSource> sources,
                          std::span<const std::array<double, 3>> receivers_m,
                          const device::Queue& queue)
    : model_(std::move(model)),
      params_(params),
      terms_(step_terms(model_, params.dt_s, params.damping, params.layer, params.fixed,
                        is_orthogonal(params.variant))),
      lanes_(lanes_for(sources.size())) {
    WaveSetup setup{params.variant, params.stages, lanes_, {}, {}};
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const std::string what = "sources[" + std::to_string(k) + "]";
        const Point point(model_, sources[k].position_m, what.c_str());
        const auto forces = corner_forces(point, sources[k]);
        PointLoad load{static_cast<int>(k), {}, {}};
        for (int corner = 0; corner < 8; ++corner) {
            const auto node = point.corner(corner);
            std::ranges::copy(node, load.node[corner]);
            for (int c = 0; c < 3; ++c) {
                load.force[corner][c] =
                    forces[corner][c] * terms_.dt2_per_mass[model_.node(node[0], node[1], node[2])];
            }
        }
        setup.loads.push_back(load);
        times_.push_back(sources[k].time);
    }
    for (std::size_t k = 0; k < receivers_m.size(); ++k) {
        const std::string what = "receivers[" + std::to_string(k) + "]";
        const Point point(model_, receivers_m[k], what.c_str());
        PointReceiver receiver{};
        for (int corner = 0; corner < 8; ++corner) {
            std::ranges::copy(point.corner(corner), receiver.node[corner]);
            receiver.weight[corner] = point.weight(corner);
        }
        receivers_.push_back(receiver);
    }
    setup.receivers = receivers_;
    fields_ = make_fields<T>(model_, terms_, std::move(setup), queue);
}

template <class T>
void WaveSolver<T>::step() {
    LoadValues values{};
    for (std::size_t k = 0; k < times_.size(); ++k) {
        values.of[k] = times_[k].at(time_s());
    }
    fields_->step(values);
    ++n_steps_;
}

template <class T>
void WaveSolver<T>::run(std::int64_t steps, std::int64_t every) {
    if (steps < 0 || every < 1) {
        throw Error(ErrorCode::InvalidArgument, "steps must be >= 0 and every >= 1, got " +
                                                    std::to_string(steps) + " and " +
                                                    std::to_string(every));
    }
    for (std::int64_t k = 0; k < steps; ++k) {
        step();
        if (n_steps_ % every == 0) {
            fields_->record();
        }
    }
    fields_->finish();
}

template <class T>
std::vector<float> WaveSolver<T>::take_record() {
    return fields_->take_record();
}

template <class T>
std::vector<double> WaveSolver<T>::at_receivers(int source) const {
    const NodeField<T>& u = displacement();
    std::vector<double> motion;
    for (const PointReceiver& receiver : receivers_) {
        for (int c = 0; c < 3; ++c) {
            motion.push_back(motion_at(receiver, u, c, source));
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
    fields_->resume(displacement, before);
    n_steps_ = n_steps;
}

template <class T>
double WaveSolver<T>::energy_j(int source) const {
    // A step from rest at u gives u - dt^2 M^-1 K u.
    StepTerms still = terms_;
    still.beta_per_dt = 0.0;
    NodeField<T> moved(model_.nodes(), lanes_);
    const NodeField<T>& now = displacement();
    const NodeField<T>& past = before();
    make_step<T>(params_.variant, model_, still, lanes_, params_.stages)->step(now, now, moved);
    const auto nodes = model_.nodes();
    double energy = 0.0;
    for (int z = 0; z < nodes[2]; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x) {
                const double inverse = terms_.dt2_per_mass[model_.node(x, y, z)];
                for (int c = 0; c < 3 && inverse > 0.0; ++c) {
                    const double u = now.of(c, x, y, z, source);
                    const double old = past.of(c, x, y, z, source);
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
