// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "solvers/voxelwave/point.hpp"
#include "solvers/voxelwave/wave_fields.hpp"

namespace kaname::voxelwave {

/// Lanes that so many sources take together.
[[nodiscard]] constexpr int lanes_of(std::int64_t sources) {
    return sources == 3 ? 4 : static_cast<int>(sources);
}

struct WaveParams {
    double dt_s = 0.0;
    Damping damping;
    DampingLayer layer;
    std::vector<std::int64_t> fixed;  ///< nodes that do not move
    Variant variant = Variant::OvfemWalsh;
    int stages = 8;  ///< of Variant::OvfemInteger
};

/// Waves of one to four sources at a time, each alone in its lane, from rest; sides of the box are
/// free. T: precision of the fields.
template <class T>
class WaveSolver {
public:
    /// Fields are in the memory of the queue's backend; of several ranks each has a slab along z,
    /// and all members are collective. Throws as VoxelModel::check, step_terms, make_step, slab_of
    /// and Point; InvalidArgument for no source or more than four.
    WaveSolver(VoxelModel model, const WaveParams& params, std::span<const PointSource> sources,
               std::span<const std::array<double, 3>> receivers_m,
               const device::Queue& queue = device::Queue(), comm::Comm* comm = nullptr);

    /// From t to t + dt. A GPU has it only queued.
    void step();
    /// Steps, and after each whose n_steps() is a multiple of `every` the displacement of all
    /// sources at the receivers is appended to the record. Throws InvalidArgument unless steps >= 0
    /// and every >= 1.
    void run(std::int64_t steps, std::int64_t every);
    /// Hands out the record and begins another: [samples][sources][receivers][3] in m.
    [[nodiscard]] std::vector<float> take_record();
    [[nodiscard]] double time_s() const { return double(n_steps_) * params_.dt_s; }
    [[nodiscard]] std::int64_t n_steps() const { return n_steps_; }
    /// Displacement of a source at the receivers now, [receivers][3] in m.
    [[nodiscard]] std::vector<double> at_receivers(int source) const;
    /// As it is now at the slab's known planes, valid until the next step; a GPU's is copied.
    [[nodiscard]] const NodeField<T>& displacement() const { return fields_->displacement(); }
    /// The displacement one step before; together with displacement() it is all of the state.
    [[nodiscard]] const NodeField<T>& before() const { return fields_->before(); }
    /// Goes on from a state at the slab's known planes. Throws InvalidArgument for fields of
    /// another shape.
    void resume(const NodeField<T>& displacement, const NodeField<T>& before, std::int64_t n_steps);
    [[nodiscard]] const VoxelModel& model() const { return model_; }
    [[nodiscard]] const Slab& slab() const { return slab_; }
    /// Kinetic and elastic energy of a source between the last step and this one [J], which stays
    /// the same to rounding without damping and forces:
    ///   (u - u-)^T M (u - u-) / (2 dt^2) + u^T K u- / 2
    [[nodiscard]] double energy_j(int source) const;

private:
    void add_loads(const PointSource& source, int lane, std::vector<PointLoad>& loads);
    /// Puts the moments of t into the loads of sources whose parts go by themselves in time.
    void set_moments(double t_s);
    void add_receivers(std::span<const std::array<double, 3>> receivers_m, WaveSetup& setup);
    /// Gathers the ranks' [blocks][own receivers][3] as [blocks][receivers][3] of all receivers.
    template <class Number>
    [[nodiscard]] std::vector<Number> of_all_receivers(std::vector<Number> own) const;

    /// A moment that grows by its own time function.
    struct Part {
        source_time::TimeFunction time;
        source_time::Span span;  ///< while it grows [s]
        /// Number of a load, and the whole moment there times dt^2/m [m].
        std::vector<std::pair<int, std::array<double, 3>>> at;
    };

    VoxelModel model_;
    WaveParams params_;
    comm::Comm* comm_;
    Slab slab_;
    StepTerms terms_;                               ///< of the slab
    VoxelModel slab_model_;                         ///< none of one rank
    int lanes_;                                     ///< 1, 2 or 4
    std::vector<source_time::TimeFunction> times_;  ///< of the sources
    std::array<bool, kMostLoads> by_parts_{};       ///< lanes whose moments are all in parts_
    std::vector<Part> parts_;                       ///< by the ends of their growth
    std::vector<PointLoad> loads_;                  ///< own, as of now; none without parts
    std::vector<std::array<double, 3>> reached_;    ///< [loads] of parts that have ended [m]
    std::size_t n_ended_ = 0;                       ///< parts in reached_
    std::vector<PointReceiver> receivers_;          ///< own
    std::vector<std::vector<std::size_t>> whose_;   ///< [ranks] places of their receivers
    std::unique_ptr<WaveFields<T>> fields_;
    std::int64_t n_steps_ = 0;
};

extern template class WaveSolver<double>;
extern template class WaveSolver<float>;

}  // namespace kaname::voxelwave
