// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/posterior/rectified_field.hpp"
#include "tests/support/okada.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::test {

inline constexpr double kThrustPatch_m = 10e3;
inline constexpr int kThrustColumns = 14, kThrustRows = 6;

/// A dataset of a thrust of 84 patches of 10 km that dips by 15 degrees from 5 km depth, strike
/// north, in an elastic half-space, and stations over it at random.
inline io::GreensDataset okada_thrust(int stations, posterior::RandomStream& random) {
    constexpr double kDip = 15.0 * kDegree, kTop_m = 5e3;
    constexpr double kLength_m = kThrustPatch_m * kThrustColumns;
    const double width_m = kThrustPatch_m * kThrustRows * std::cos(kDip);
    io::GreensDataset d;
    d.name = "thrust";
    d.crs_wkt = "LOCAL";
    d.epochs_s = {0.0};
    d.step_time_s = {0.0};
    for (int s = 0; s < stations; ++s) {
        io::GreensDataset::Station station{.id = "P" + std::to_string(100 + s)};
        station.x_m = width_m * (0.2 + 1.1 * random.uniform());
        station.y_m = kLength_m * (random.uniform() - 0.5);
        station.lon_deg = station.snapped_lon_deg = station.x_m / 1e5;
        station.lat_deg = station.snapped_lat_deg = station.y_m / 1e5;
        d.stations.push_back(station);
    }
    for (int row = 0; row < kThrustRows; ++row) {
        for (int column = 0; column < kThrustColumns; ++column) {
            const double down = kThrustPatch_m * row, middle = down + 0.5 * kThrustPatch_m;
            io::GreensDataset::Source source;
            source.patch_id = "p" + std::to_string(kThrustColumns * row + column);
            source.component = "dip_slip";
            source.id = source.patch_id + "/dip_slip";
            source.rake_deg = 90.0;
            source.dip_deg = kDip / kDegree;
            source.x_m = middle * std::cos(kDip);
            source.y_m = kThrustPatch_m * (column + 0.5) - 0.5 * kLength_m;
            source.depth_m = kTop_m + middle * std::sin(kDip);
            source.status = 1;
            source.potency_m3 = kThrustPatch_m * kThrustPatch_m;
            source.rigidity_pa = 3e10;
            source.grid_row = row;
            source.grid_column = column;
            for (const auto& [r, c] : {std::pair(row, column - 1),
                                       {row, column + 1},
                                       {row - 1, column},
                                       {row + 1, column}}) {
                const bool there = r >= 0 && r < kThrustRows && c >= 0 && c < kThrustColumns;
                source.neighbours.push_back(there ? r * kThrustColumns + c : -1);
            }
            d.sources.push_back(source);
            const OkadaFault patch{
                {down * std::cos(kDip), source.y_m, -kTop_m - down * std::sin(kDip)},
                0.0,
                kDip,
                kThrustPatch_m,
                kThrustPatch_m};
            for (const io::GreensDataset::Station& station : d.stations) {
                const Vec3 u =
                    okada_displacement(patch, {0.0, 1.0, 0.0}, {}, {station.x_m, station.y_m, 0.0});
                d.greens.insert(d.greens.end(), {u[0], u[1], u[2]});
            }
        }
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    return d;
}

/// Slip [patch] of one of five kinds in turn: compact, two patches, a block, broad, a random field
/// cut off at zero.
inline std::vector<double> slip_of_kind(int kind, posterior::RandomStream& random) {
    const auto between = [&](double low, double high) {
        return low + (high - low) * random.uniform();
    };
    const double at_x = between(0.25, 0.75), at_y = between(0.3, 0.7), size_m = between(1.5, 4.0);
    const double other_x = at_x < 0.5 ? at_x + 0.45 : at_x - 0.45, other_y = between(0.3, 0.7);
    const auto bump = [](double dx, double dy) {
        const double q = std::hypot(dx, dy);
        return q < 1.0 ? std::pow(std::cos(0.5 * std::numbers::pi * q), 2) : 0.0;
    };
    std::vector<double> slip;
    std::vector<Vec3> centres;
    for (int p = 0; p < kThrustColumns * kThrustRows; ++p) {
        const int column = p % kThrustColumns, row = p / kThrustColumns;
        const double x = (column + 0.5) / kThrustColumns, y = (row + 0.5) / kThrustRows;
        centres.push_back({kThrustPatch_m * row, kThrustPatch_m * column, 0.0});
        const double one = bump((x - at_x) / 0.2, (y - at_y) / 0.35);
        switch (kind % 5) {
            case 0:
                slip.push_back(size_m * one);
                break;
            case 1:
                slip.push_back(size_m *
                               (one + 0.6 * bump((x - other_x) / 0.2, (y - other_y) / 0.35)));
                break;
            case 2:
                slip.push_back(std::abs(x - at_x) < 0.2 && std::abs(y - at_y) < 0.25 ? 0.7 * size_m
                                                                                     : 0.0);
                break;
            default:
                slip.push_back(0.7 * size_m * bump((x - 0.5) / 0.7, (y - 0.5) / 0.8));
        }
    }
    if (kind % 5 == 4) {
        const Eigen::LLT<Eigen::MatrixXd> factor(
            posterior::matern(centres, {0.0, 1.0, 0.0}, {1.5, 30e3}));
        Eigen::VectorXd m(static_cast<Eigen::Index>(slip.size()));
        do {
            for (double& value : m) {
                value = random.normal();
            }
            m = (Eigen::VectorXd(factor.matrixL() * m).array() - 0.5).cwiseMax(0.0);
        } while (m.maxCoeff() < 0.5);
        m *= size_m / m.maxCoeff();
        std::ranges::copy(m, slip.begin());
    }
    return slip;
}

/// Motion of some stations, [first, last), by slip with errors of `off` times `sigma_m`: east,
/// north and up, or along a line of sight.
inline jobs::ObservationSet thrust_data(const io::GreensDataset& d, const std::vector<double>& slip,
                                        std::size_t first, std::size_t last, bool line_of_sight,
                                        double sigma_m, double off,
                                        posterior::RandomStream& random) {
    jobs::ObservationSet set;
    set.name = line_of_sight ? "insar" : "gnss";
    set.kind = line_of_sight ? jobs::ObservationKind::Insar : jobs::ObservationKind::Gnss;
    const char* const names[] = {"east", "north", "up"};
    for (std::size_t s = first; s < last; ++s) {
        for (std::size_t c = 0; c < (line_of_sight ? 1u : 3u); ++c) {
            jobs::Datum datum;
            datum.station = d.stations[s].id;
            datum.lon_deg = datum.lat_deg = std::nan("");
            if (line_of_sight) {
                datum.east = 0.6;
                datum.north = -0.1;
                datum.up = std::sqrt(1.0 - 0.37);
            } else {
                (c == 0 ? datum.east : c == 1 ? datum.north : datum.up) = 1.0;
            }
            datum.component = line_of_sight ? "los" : names[c];
            datum.sigma = sigma_m;
            datum.value = off * sigma_m * random.normal();
            for (std::size_t p = 0; p < slip.size(); ++p) {
                const double* u = &d.greens[(p * d.stations.size() + s) * 3];
                datum.value += slip[p] * (datum.east * u[0] + datum.north * u[1] + datum.up * u[2]);
            }
            set.data.push_back(datum);
        }
    }
    return set;
}

/// As a request without `regularisation` has it: ABIC over ten weights of smoothness.
inline jobs::InversionJob thrust_job(std::vector<jobs::ObservationSet> sets) {
    jobs::InversionJob job;
    job.name = "thrust";
    job.sets = std::move(sets);
    job.regularisation.choice = jobs::Regularisation::Choice::Abic;
    for (int k = 0; k < 10; ++k) {
        job.regularisation.smoothness.push_back(1e-4 * std::pow(1e6, k / 9.0));
    }
    job.regularisation.sparsity = {0.0};
    job.regularisation.variance_components = job.sets.size() > 1;
    return job;
}

/// Root mean square over patches of what slip found lacks of the true one [m].
inline double slip_error(const std::vector<double>& found, const std::vector<double>& truth) {
    double sum = 0.0;
    for (std::size_t p = 0; p < truth.size(); ++p) {
        sum += std::pow(found[p] - truth[p], 2) / static_cast<double>(truth.size());
    }
    return std::sqrt(sum);
}

}  // namespace kaname::test
