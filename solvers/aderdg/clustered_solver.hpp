// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/kernels/squares_body.hpp"
#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/aderdg/wave_solver.hpp"

namespace kaname::aderdg {

/// int rho v.v/2 and int sigma : C^-1 : sigma/2 over a tet.
struct ElementEnergy {
    double kinetic_j = 0.0, elastic_j = 0.0;
};

/// Holds the weights of an element's Squares in its energies:
///   C^-1 : s = s/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr s; of a liquid p^2/lambda.
struct EnergyWeights {
    double velocity = 0.0, stress = 0.0, trace = 0.0;

    [[nodiscard]] static EnergyWeights of(const Solid& solid, double volume_m3);
    /// Squares::kFields numbers, each `stride` after the one before.
    [[nodiscard]] ElementEnergy energy(const double* squares, std::size_t stride) const;
};

/// WaveSolver::given_energy_j of each lane [J], from the point sources that ranks have and from the
/// model's faults. Collective.
[[nodiscard]] std::vector<double> given_energies_j(const WaveModel& model,
                                                   const TetTopology& topology,
                                                   const Layout& layout,
                                                   std::span<const BlockSource> own,
                                                   const WaveParams& params, comm::Comm& comm);

/// Lanes that so many sources take together.
[[nodiscard]] inline int lanes_of(int sources) {
    return sources == 3 ? 4 : sources;
}

/// Steps one rank's elements by clusters and hands out what they did.
class ClusteredSolver final : public WaveSolver {
public:
    /// Collective. Throws as make_wave_solver.
    ClusteredSolver(const WaveModel& model, const WaveParams& params, const WavePoints& points,
                    comm::Comm& comm, const device::Queue& queue);

    [[nodiscard]] const Clusters& clusters() const override { return clusters_; }
    [[nodiscard]] std::int64_t macro_steps() const override { return clustering_.macro_steps; }
    [[nodiscard]] std::int64_t macro_steps_done() const override { return done_; }
    [[nodiscard]] double time_s() const override {
        return static_cast<double>(done_) * clusters_.macro_step_s();
    }
    void advance(std::int64_t macro_steps) override;
    void start_from(const std::function<std::array<double, 9>(const Vec3&)>& unknowns) override;
    void visit(
        int lane, int points_along,
        const std::function<void(const Vec3&, double, std::span<const double>)>& visit) override;
    [[nodiscard]] std::vector<float> take_record() override;
    [[nodiscard]] std::vector<float> velocity_at(std::span<const PointInTet> points) override;
    [[nodiscard]] std::vector<float> peak_velocity() override;
    [[nodiscard]] double energy_j(int lane) override;
    [[nodiscard]] std::vector<double> energies_j() override;
    [[nodiscard]] double given_energy_j(int lane) const override { return given_j_[lane]; }
    [[nodiscard]] LargestWaves largest_waves(int lane) override;
    [[nodiscard]] FaultField fault() override;
    [[nodiscard]] std::vector<float> take_fault_record() override;
    [[nodiscard]] WaveEnergy energy() override;
    [[nodiscard]] std::vector<float> plastic_strain() override;
    [[nodiscard]] std::vector<float> surface_height(std::span<const PointInTet> points) override;
    [[nodiscard]] std::vector<std::byte> state() override;
    void resume(std::span<const std::byte> state) override;

private:
    /// Clusters 0..m that begin or end a step at a tick.
    [[nodiscard]] int level(std::int64_t tick) const {
        return tick == 0 ? clustering_.n_clusters - 1
                         : std::min(clustering_.n_clusters - 1,
                                    std::countr_zero(static_cast<std::uint64_t>(tick)));
    }
    [[nodiscard]] std::vector<BlockRange> ranges(int m, bool copy, bool interior) const;
    template <class Body>
    void in_batches(const std::vector<BlockRange>& ranges, const Body& body) const {
        const std::span<const BlockRange> all(ranges);
        for (std::size_t k = 0; k < all.size() && params_.separate_clusters; ++k) {
            body(all.subspan(k, 1));
        }
        if (!params_.separate_clusters) {
            body(all);
        }
    }
    void predict(std::int64_t tick);
    void start_exchange(int m);
    void finish_exchange(int m);
    [[nodiscard]] std::size_t element_numbers() const {
        return static_cast<std::size_t>(tet_modes(params_.order - 1)) *
               (9 + 6 * model_.solids.front().mechanisms.size());
    }
    template <class Body>
    void for_own_elements(const Body& body);
    /// Returns the values kept at the points of the rank's faults, [faces][Kept fields][points],
    /// and appends the faces' numbers.
    [[nodiscard]] std::vector<double> own_faults(std::vector<std::int64_t>& numbers);
    /// Weights of the rank's elements, made when they are first asked for.
    [[nodiscard]] const std::vector<EnergyWeights>& energy_weights();
    /// Energy of the rank's elements.
    [[nodiscard]] ElementEnergy own_energy(int lane);
    void add_fault_energy(WaveEnergy& energy);
    void add_surface_energy(WaveEnergy& energy);
    /// Returns the sums of yielding in the rank's own tets, [own tets][Yielded fields], and appends
    /// the tets' numbers; empty without plasticity.
    [[nodiscard]] std::vector<double> own_yielded(std::vector<std::int64_t>& tets);
    /// Returns the number of tets that may yield.
    [[nodiscard]] std::int64_t yielding() const {
        return model_.plasticity.at ? std::ssize(topology_.tets) : 0;
    }
    /// Returns the number of faces with gravity.
    [[nodiscard]] std::int64_t surface_faces() const;
    /// Returns the number of height coefficients of a face with gravity, all lanes together.
    [[nodiscard]] std::size_t height_numbers() const {
        return static_cast<std::size_t>(lanes_of(params_.lanes)) * face_modes(params_.order - 1);
    }
    /// Puts rows [all faces][Kept fields][points] where they belong.
    void set_faults(std::span<const double> values);
    [[nodiscard]] std::size_t fault_numbers() const {
        return rupture::Kept::kFields * fault_rule_.points.size();
    }
    [[nodiscard]] std::int64_t fault_faces() const {
        return model_.fault.laws.empty() ? 0 : std::ssize(model_.mesh.fault_faces);
    }
    /// Returns the number of absorbing faces whose outflow is known.
    [[nodiscard]] std::int64_t outlets() const;
    /// Returns the numbers in which a saved state must agree with the solver that resumes from it.
    [[nodiscard]] std::vector<std::int64_t> kind() const;
    /// Returns the numbers of those of n points that each rank has, by rank.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> owners(
        const std::vector<BlockReceiver>& own, std::size_t n) const;

    WaveModel model_;
    WaveParams params_;
    comm::Comm& comm_;
    TetTopology topology_;
    Clustering clustering_;
    Clusters clusters_;
    Layout layout_;
    std::vector<std::vector<std::int64_t>> receivers_, peaks_;
    std::vector<std::int64_t> asked_for_;  ///< BlockPoints::asked_for
    std::size_t n_asked_for_ = 0;
    rupture::FaultRule fault_rule_;
    std::unique_ptr<Engine> engine_;
    std::vector<EnergyWeights>
        energy_weights_;           ///< as Layout::tets; empty: no energy was asked for
    std::vector<double> given_j_;  ///< given_energy_j of each lane
    std::vector<comm::Bytes> sends_, receives_;
    std::int64_t done_ = 0, samples_ = 0, fault_samples_ = 0;
};

template <class Body>
void ClusteredSolver::for_own_elements(const Body& body) {
    for (std::int64_t s = 0; s < std::ssize(layout_.tets); ++s) {
        if (layout_.tets[s] >= 0) {
            body(layout_.tets[s], static_cast<std::int32_t>(s / layout_.per_block),
                 static_cast<int>(s % layout_.per_block));
        }
    }
}

}  // namespace kaname::aderdg
