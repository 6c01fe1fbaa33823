// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/wave_solver.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::voxelwave {
namespace {

int lanes_for(std::size_t sources) {
    if (sources < 1 || sources > kMostLoads) {
        throw Error(ErrorCode::InvalidArgument,
                    "sources must be 1 to 4 at a time, got " + std::to_string(sources));
    }
    return lanes_of(static_cast<std::int64_t>(sources));
}

}  // namespace

template <class T>
WaveSolver<T>::WaveSolver(VoxelModel model, const WaveParams& params,
                          std::span<const PointSource> sources,
                          std::span<const std::array<double, 3>> receivers_m,
                          const device::Queue& queue, comm::Comm* comm)
    : model_(std::move(model)),
      params_(params),
      comm_(comm),
      slab_(
          slab_of(model_, comm == nullptr ? 0 : comm->rank(), comm == nullptr ? 1 : comm->size())),
      terms_(step_terms(model_, params.dt_s, params.damping, params.layer, params.fixed,
                        is_orthogonal(params.variant))),
      lanes_(lanes_for(sources.size())) {
    WaveSetup setup{params.variant, params.stages, lanes_, static_cast<int>(sources.size()), {}, {},
                    slab_,          comm};
    for (std::size_t k = 0; k < sources.size(); ++k) {
        add_loads(sources[k], static_cast<int>(k), setup.loads);
        times_.push_back(sources[k].time);
    }
    if (!parts_.empty()) {
        std::ranges::stable_sort(parts_, {}, [](const Part& part) { return part.span.until_s; });
        loads_ = setup.loads;
        reached_.assign(loads_.size(), {});
    }
    add_receivers(receivers_m, setup);
    if (slab_.ranks > 1) {
        terms_ = terms_of(terms_, model_, slab_);
        slab_model_ = model_of(model_, slab_);
    }
    fields_ =
        make_fields<T>(slab_.ranks > 1 ? slab_model_ : model_, terms_, std::move(setup), queue);
}

/// terms_ are still those of the whole model.
template <class T>
void WaveSolver<T>::add_loads(const PointSource& source, int lane, std::vector<PointLoad>& loads) {
    const std::string what = "sources[" + std::to_string(lane) + "]";
    std::map<std::array<int, 3>, int> load_of;  // of the source's nodes
    // Returns null for the nodes of other ranks.
    const auto load_at = [&](const std::array<int, 3>& node) -> PointLoad* {
        const auto& [x, y, z] = node;
        if (z < slab_.own.from || z >= slab_.own.to) {
            return nullptr;
        }
        const auto [at, fresh] = load_of.try_emplace(node, static_cast<int>(loads.size()));
        if (fresh) {
            loads.push_back(PointLoad{lane, {x, y, z - slab_.known.from}, {}, {}});
        }
        return &loads[static_cast<std::size_t>(at->second)];
    };
    const auto per_n = [&](const std::array<int, 3>& node) {
        return terms_.dt2_per_mass[model_.node(node[0], node[1], node[2])];
    };
    PointSource together = source;
    std::vector<PointMoment> parts;
    if (std::ranges::any_of(source.further,
                            [](const PointMoment& m) { return m.time.has_value(); })) {
        by_parts_[static_cast<std::size_t>(lane)] = true;
        parts = std::exchange(together.further, {});
        parts.push_back({source.position_m, std::exchange(together.moment_nm, {})});
    }
    // The middle of parts need not lie in rock, where it has no force.
    const bool at_middle = parts.empty() || source.force_n != std::array<double, 3>{};
    for (const NodeForce& force :
         at_middle ? node_forces(model_, together, what.c_str()) : std::vector<NodeForce>()) {
        if (PointLoad* load = load_at(force.node)) {
            for (int c = 0; c < 3; ++c) {
                load->force[c] = force.force_n[c] * per_n(force.node);
                load->moment[c] = force.of_moment_n[c] * per_n(force.node);
            }
        }
    }
    for (const PointMoment& moment : parts) {
        const source_time::TimeFunction& time = moment.time ? *moment.time : source.time;
        Part part{time, time.moment_rate_span(), {}};
        for (const NodeForce& force : node_forces(model_, moment, what.c_str())) {
            if (load_at(force.node) != nullptr) {
                const double scale = per_n(force.node);
                const auto& f = force.of_moment_n;
                part.at.push_back(
                    {load_of.at(force.node), {scale * f[0], scale * f[1], scale * f[2]}});
            }
        }
        parts_.push_back(std::move(part));
    }
}

template <class T>
void WaveSolver<T>::set_moments(double t_s) {
    if (n_ended_ == parts_.size()) {
        return;
    }
    // A run begins at rest, as in step().
    const auto add = [](const Part& part, double at_s, std::vector<std::array<double, 3>>& sums) {
        const double reached = part.time.moment_at(at_s) - part.time.moment_at(0.0);
        for (const auto& [load, moment] : part.at) {
            for (std::size_t c = 0; c < 3; ++c) {
                sums[static_cast<std::size_t>(load)][c] += reached * moment[c];
            }
        }
    };
    // Parts are added up in the order of their ends, also by a run that goes on from a checkpoint.
    for (; n_ended_ < parts_.size() && parts_[n_ended_].span.until_s <= t_s; ++n_ended_) {
        add(parts_[n_ended_], parts_[n_ended_].span.until_s, reached_);
    }
    std::vector<std::array<double, 3>> now = reached_;
    for (std::size_t k = n_ended_; k < parts_.size(); ++k) {
        if (parts_[k].span.from_s < t_s) {
            add(parts_[k], t_s, now);
        }
    }
    for (std::size_t k = 0; k < loads_.size(); ++k) {
        if (by_parts_[static_cast<std::size_t>(loads_[k].lane)]) {
            std::ranges::copy(now[k], loads_[k].moment);
        }
    }
    fields_->set_loads(loads_);
}

/// A receiver is of the rank that owns its voxel's lower corners.
template <class T>
void WaveSolver<T>::add_receivers(std::span<const std::array<double, 3>> receivers_m,
                                  WaveSetup& setup) {
    whose_.resize(static_cast<std::size_t>(slab_.ranks));
    for (std::size_t k = 0; k < receivers_m.size(); ++k) {
        const std::string what = "receivers[" + std::to_string(k) + "]";
        const Point point(model_, receivers_m[k], what.c_str());
        int owner = 0;
        while (point.corner(0)[2] >= slab_of(model_, owner, slab_.ranks).own.to) {
            ++owner;
        }
        whose_[static_cast<std::size_t>(owner)].push_back(k);
        if (owner != slab_.rank) {
            continue;
        }
        PointReceiver receiver{};
        for (int corner = 0; corner < 8; ++corner) {
            std::ranges::copy(point.corner(corner), receiver.node[corner]);
            receiver.node[corner][2] -= slab_.known.from;
            receiver.weight[corner] = point.weight(corner);
        }
        receivers_.push_back(receiver);
    }
    setup.receivers = receivers_;
}

template <class T>
template <class Number>
std::vector<Number> WaveSolver<T>::of_all_receivers(std::vector<Number> own) const {
    if (slab_.ranks == 1) {
        return own;
    }
    comm::Bytes mine(own.size() * sizeof(Number));
    std::memcpy(mine.data(), own.data(), mine.size());
    const std::vector<comm::Bytes> all = comm_->all_gather(mine);
    std::size_t n = 0, numbers = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        n += whose_[rank].size();
        numbers += all[rank].size() / sizeof(Number);
    }
    std::vector<Number> sorted(numbers);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const std::vector<std::size_t>& places = whose_[rank];
        for (std::size_t k = 0; k * 3 * sizeof(Number) < all[rank].size(); ++k) {
            const std::size_t block = k / places.size(), at = places[k % places.size()];
            std::memcpy(&sorted[3 * (block * n + at)], &all[rank][k * 3 * sizeof(Number)],
                        3 * sizeof(Number));
        }
    }
    return sorted;
}

template <class T>
void WaveSolver<T>::step() {
    LoadValues values{};
    for (std::size_t k = 0; k < times_.size(); ++k) {
        // A run begins at rest: what of a moment would have come before is left out.
        values.force[k] = times_[k].at(time_s());
        values.moment[k] =
            by_parts_[k] ? 1.0 : times_[k].moment_at(time_s()) - times_[k].moment_at(0.0);
    }
    set_moments(time_s());
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
    return of_all_receivers(fields_->take_record());
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
    return of_all_receivers(std::move(motion));
}

template <class T>
void WaveSolver<T>::resume(const NodeField<T>& displacement, const NodeField<T>& before,
                           std::int64_t n_steps) {
    for (const NodeField<T>* field : {&displacement, &before}) {
        if (field->nodes() != fields_->displacement().nodes() || field->lanes() != lanes_) {
            throw Error(ErrorCode::InvalidArgument,
                        "a state must have the model's nodes and as many sources");
        }
    }
    fields_->resume(displacement, before);
    n_steps_ = n_steps;
    n_ended_ = 0;
    reached_.assign(loads_.size(), {});
}

template <class T>
double WaveSolver<T>::energy_j(int source) const {
    // A step from rest at u gives u - (1 + k)/2 dt^2 M^-1 K u.
    StepTerms still = terms_;
    still.beta_per_dt = 0.0;
    const VoxelModel& model = slab_.ranks > 1 ? slab_model_ : model_;
    const auto nodes = model.nodes();
    NodeField<T> moved(nodes, lanes_);
    const NodeField<T>& now = displacement();
    const NodeField<T>& past = before();
    make_step<T>(params_.variant, model, still, lanes_, params_.stages)->step(now, now, moved);
    const Planes own = slab_.local();
    double energy = 0.0;
    for (int z = own.from; z < own.to; ++z) {
        for (int y = 0; y < nodes[1]; ++y) {
            for (int x = 0; x < nodes[0]; ++x) {
                const double inverse =
                    terms_.dt2_per_mass[model.node(x, y, z)] * 2.0 / (1.0 + terms_.kept(x, y, z));
                for (int c = 0; c < 3 && inverse > 0.0; ++c) {
                    const double u = now.of(c, x, y, z, source);
                    const double old = past.of(c, x, y, z, source);
                    const double pull =
                        (u - moved.of(c, x, y, z, source)) * 2.0 / (1.0 + terms_.kept(x, y, z));
                    energy += 0.5 / inverse * ((u - old) * (u - old) + pull * old);
                }
            }
        }
    }
    return comm_ == nullptr ? energy : comm_->sum(energy);
}

template class WaveSolver<double>;
template class WaveSolver<float>;

}  // namespace kaname::voxelwave
