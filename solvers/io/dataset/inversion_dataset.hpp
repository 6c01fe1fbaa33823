// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"

namespace kaname::io {

/// Holds the content of one inversion.h5: S sources of the Green's functions, P patches, W windows,
/// U unknown amounts of slip. Slip is in m (rates in m/year). Absent matrices are empty.
struct InversionDataset {
    struct Window {
        std::string name, kind;  ///< kind: step, ramp, steady, coupling, history
        double begin_s = 0.0, end_s = 0.0;
        double moment_nm = 0.0, moment_magnitude = 0.0;  ///< of rates: per year
    };
    struct Row {
        std::string station, component;
        double lon_deg = 0.0, lat_deg = 0.0;
        double direction[3] = {};             ///< east, north, up
        double epoch_s = 0.0, since_s = 0.0;  ///< since: NaN is since before all slip
        double observed = 0.0, predicted = 0.0, slip_part = 0.0, sigma = 0.0;
        double model_error = 0.0;  ///< standard deviation of the errors of the structure
    };
    struct Set {
        std::string name, kind, unit;  ///< unit: m, or m year-1
        std::vector<Row> rows;
        std::vector<std::string> nuisance_names;
        std::vector<double> nuisance;
        double sigma_factor = 1.0;     ///< on its standard deviations, in `sigma` already
        double unresolved_slip = 0.0;  ///< rms within patches; its motion is in `sigma` already
    };
    /// Weights that were tried, in units of one of each (scale); [smoothness][sparsity].
    struct Choice {
        std::string kind;  ///< cross_validation, abic, l_curve, fixed
        std::vector<double> smoothness, sparsity;
        /// Per observation: of those left out (NaN where not), and of all; x'L'L x.
        std::vector<double> score, error, misfit, roughness;
        std::vector<double> abic;  ///< [smoothness]; NaN where not
        double smoothness_scale = 0.0, sparsity_scale = 0.0;
        double chosen_smoothness = 0.0, chosen_sparsity = 0.0;
    };
    /// Posterior of slip: Q quantiles, A parts of the fault, U amounts, C chains of D draws that
    /// are kept, K sets, N numbers that are diagnosed.
    struct Posterior {
        int chains = 0, iterations = 0, discarded = 0;  ///< of each chain
        int most_iterations = 0;  ///< asked for; more than `iterations` where chains ended early
        std::int64_t seed = 0;
        std::vector<double> quantiles;                      ///< [Q] 0 to 1
        std::vector<double> slip, patch_slip;               ///< [Q][W][S], [Q][W][P]
        std::vector<double> level;                          ///< [W] slip
        std::vector<double> probability;                    ///< [W][P] that slip is above the level
        std::vector<double> moment, moment_magnitude;       ///< [Q][W]
        std::vector<std::string> parts;                     ///< [A]
        std::vector<std::int32_t> part_of_patch;            ///< [P]
        std::vector<double> part_moment;                    ///< [Q][W][A]
        std::vector<float> slip_draws;                      ///< [C][D][W][S]
        std::vector<double> moment_draws, sigma_draws;      ///< [C][D][W]
        std::vector<double> length_draws, roughness_draws;  ///< [C][D][W]
        std::vector<double> factor_draws;                   ///< [C][D][K]
        std::vector<std::string> theta;                     ///< [T] viscosities, or none
        std::vector<double> theta_range;                    ///< [T][2] Pa s
        std::vector<double> viscosity, theta_draws;         ///< [Q][T], [C][D][T] Pa s
        /// Largest at some draws: of the interpolated motion at the data, in standard deviations;
        /// of the reduced model, over the largest change.
        double interpolation_error = 0.0, certified_error = 0.0;
        std::vector<std::string> amounts, numbers;           ///< [U], [N]
        std::vector<double> effective_amount, r_hat_amount;  ///< [U]
        std::vector<double> effective_number, r_hat_number;  ///< [N]
    };
    /// Slip whose rate varies: K steps of time, I series of stations, Q terms.
    struct History {
        std::vector<double> edges_s;           ///< [K + 1]
        std::vector<double> rate, rate_sigma;  ///< [K][S] m/year
        std::vector<double> slip;              ///< [K + 1][S] m, since the first edge
        std::vector<double> patch_rate;        ///< [K][P] m/year, length of the vector
        std::vector<double> patch_slip;        ///< [K + 1][P] m
        std::vector<double> moment_rate, moment_rate_sigma;  ///< [K] N m/year
        std::vector<double> moment, moment_sigma;            ///< [K + 1] N m
        std::vector<std::string> series, terms;              ///< [I], [Q]
        std::vector<double> term_values;                     ///< [I][Q]; NaN where it has none
    };
    std::string name, title, specification_json, kaname_version;
    std::string report_json;  ///< what was found, in words and numbers; kept as it is
    std::string greens_name, greens_mesh_sha256, crs_wkt;
    bool projected = true;
    std::vector<GreensDataset::Source> sources;  ///< [S]; status 1: it was an unknown
    std::vector<Window> windows;
    double moment_magnitude = 0.0;  ///< of all slip but rates; NaN where there is none
    std::vector<double> slip, slip_sigma, resolution_diagonal;  ///< [W][S]
    std::vector<double> slip_low, slip_high;  ///< [W][S] 2.5 and 97.5 % of the bootstrap, or empty
    std::vector<double> reference_slip;       ///< [W][S] of synthetic data, else empty
    std::vector<std::string> patches;
    std::vector<double> patch_slip, patch_rake, patch_moment;  ///< [W][P] m, degrees, N m
    std::vector<std::string> unknowns;                         ///< [U]
    std::vector<double> resolution, covariance;                ///< [U][U]
    std::vector<Set> sets;
    std::int64_t model_members = 0;  ///< datasets that errors of the structure are from; 0: none
    std::int64_t model_rounds = 0;   ///< in which they were found with slip
    Choice choice;
    std::optional<Posterior> posterior;
    std::optional<History> history;
};

/// HDF5 that netCDF-4 readers open; docs/user/inversion.md lists every variable. Appears under its
/// name when it is complete. Throws Unavailable when the system refuses.
void write_inversion_dataset(const std::string& path, const InversionDataset& inversion);

/// `report_json` of a file of write_inversion_dataset; empty when the file is none, or has none.
/// Throws as h5::File.
[[nodiscard]] std::string read_inversion_report(const std::string& path);

}  // namespace kaname::io
