// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/wave_datasets.hpp"
#include "worker/jobs/ader_dg/seismic_records.hpp"
#include "worker/jobs/rupture/rupture_model.hpp"

namespace kaname::jobs {

/// RuptureResult holds the results of a rupture beside its seismograms, as a result file stores
/// them.
struct RuptureResult {
    /// `points` are points of faces, barycentric to their vertices in ascending order; `weights`
    /// have the sum 1; `values` are [faces][rupture::Kept::kFields][points] at the end.
    std::vector<double> points, weights;
    std::vector<float> values;
    std::vector<float> samples;  ///< [samples][fault receivers][aderdg::kFaultNumbers]
    std::vector<double> snapshots_s;
    std::vector<float>
        rates;  ///< [snapshots][faces][2] mean slip rate along strike, down dip [m/s]
    std::vector<double> energy_s;
    std::vector<double> energies;  ///< [times][io::RuptureDataset::kEnergies]
    std::vector<float> plastic;    ///< [tets] accumulated plastic strain; empty: elastic
    std::vector<double> heights_s;
    std::vector<float> heights_m;  ///< [times][ground triangles] of a surface with gravity

    static constexpr int kEnergies = io::RuptureDataset::kEnergies.size();
    [[nodiscard]] std::size_t n_points() const { return weights.size(); }
    [[nodiscard]] std::span<const float> at(std::size_t face, int field) const;

    /// Writes what a checkpoint needs: everything that grows with time.
    void write_series(h5::File& file) const;
    void read_series(const h5::File& file);
    void write(h5::File& file) const;
    [[nodiscard]] static RuptureResult read(const std::string& path);
};

/// RuptureRecords records a rupture while it is solved: its waves, receivers on the fault, slip
/// rates and energies.
class RuptureRecords final : public SolverRecords {
public:
    RuptureRecords(const RuptureJob& job, const RuptureModel& model,
                   std::span<const std::string> ids);

    void take(aderdg::WaveSolver& solver) override;
    void end(aderdg::WaveSolver& solver) override;
    void fail(std::size_t lane, double good_s, const std::string& why) override {
        waves_.fail(lane, good_s, why);
    }
    [[nodiscard]] double next_s() const override;
    [[nodiscard]] const std::vector<std::string>& keys() const override { return waves_.keys(); }
    void write(h5::File& file) const override;
    void read(const h5::File& file) override;
    void share(comm::Comm& comm) override;

    [[nodiscard]] io::WaveResult waves() const { return waves_.result(0); }
    [[nodiscard]] const RuptureResult& rupture() const { return rupture_; }

private:
    [[nodiscard]] double next_rates_s() const;
    [[nodiscard]] double next_energy_s() const;
    void take_rates(aderdg::WaveSolver& solver);
    void take_energy(aderdg::WaveSolver& solver);
    [[nodiscard]] bool rises() const;
    void take_heights(aderdg::WaveSolver& solver);
    [[nodiscard]] double next_heights_s() const;

    const RuptureJob& job_;
    const RuptureModel& model_;
    double energy_interval_s_;
    std::int64_t energies_taken_ = 0, rates_taken_ = 0, heights_taken_ = 0;  ///< known on all ranks
    double last_energy_s_ = 0.0;                                             ///< the same
    SeismicRecords waves_;
    RuptureResult rupture_;
};

}  // namespace kaname::jobs
