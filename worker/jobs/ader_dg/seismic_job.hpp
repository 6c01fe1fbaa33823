// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "solvers/aderdg/attenuation.hpp"
#include "solvers/source_time/time_function.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/waves/slip_points.hpp"

namespace kaname::jobs {

/// Waves on tetrahedra: what kaname.v1.SeismicWaves says in plain numbers, every value validated on
/// its own. SI units; x east, y north, z up.
struct SeismicJob : WaveRequest {
    struct Source : WaveName {
        WavePlace at;
        std::array<double, 3> force_n{};
        std::array<double, 6> moment_nm{};  ///< xx, yy, zz, yz, xz, xy
        source_time::TimeFunction time = source_time::TimeFunction::ricker(1.0, 0.0);
        std::optional<RuptureRequest> rupture;  ///< in place of what stands before it
    };
    struct Quality {
        double qp = 0.0, qs = 0.0;
    };
    SeismicMeshRequest mesh;
    std::map<std::string, Quality> quality;  ///< of materials that have it
    aderdg::QBand band;                      ///< where there is some quality
    std::optional<earth::LonLat> centre;  ///< of the projection; absent: of no place on the globe
    std::vector<Source> sources;
    /// Reciprocity: forces along x, y, z at each receiver that are solved in place of the sources,
    /// all of one time function; empty: the sources themselves.
    std::vector<WaveName> forces;
    /// `method_note` explains how unit sources of one time function are solved, and why; it is
    /// empty for other jobs.
    std::string method_note;
    double interval_s = 0.0;
    int oversampling = 1;  ///< samples taken in each interval, of which decimate() makes one
    aderdg::Motion motion = aderdg::Motion::Velocity;
    aderdg::Precision precision = aderdg::Precision::Single;
    bool local_time_steps = true;
    double cfl = 0.0;
    bool peak_ground_velocity = true;
    bool volume_snapshots = false;  ///< snapshots are of all elements, too

    /// Returns the names of what is solved: the forces of reciprocity, or the sources.
    [[nodiscard]] std::vector<WaveName> names() const override {
        if (!forces.empty()) {
            return forces;
        }
        return {sources.begin(), sources.end()};
    }
    /// Returns the number of samples of a seismogram, the first at 0.
    [[nodiscard]] std::int64_t n_samples() const {
        constexpr double kWhole = 1e-12;  // an interval that ends at end_s but for rounding
        return static_cast<std::int64_t>(end_s / interval_s * (1.0 + kWhole)) + 1;
    }
};

}  // namespace kaname::jobs
