// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "solvers/base/units.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "worker/jobs/inversion/inversion_job.hpp"

namespace kaname::test {

/// 3 x 4 patches of two components, `n_stations` stations, three epochs (0, 1, 3 years), numbers
/// drawn at random: any error of place, sign or order shows.
inline io::GreensDataset small_greens(int n_stations = 30) {
    io::GreensDataset d;
    d.name = "small";
    d.crs_wkt = "LOCAL";
    d.epochs_s = {0.0, kJulianYear_s, 3.0 * kJulianYear_s};
    d.step_time_s = {0.0};
    for (int k = 0; k < n_stations; ++k) {
        io::GreensDataset::Station station{.id = "G" + std::to_string(100 + k)};
        station.lon_deg = station.snapped_lon_deg = 135.0 + 0.1 * (k % 6);
        station.lat_deg = station.snapped_lat_deg = 33.0 + 0.1 * (k / 6);
        d.stations.push_back(station);
    }
    inversion::Draws draws(1);
    for (int patch = 0; patch < 12; ++patch) {
        for (int component = 0; component < 2; ++component) {
            io::GreensDataset::Source source;
            source.patch_id = "s0" + std::to_string(patch % 4) + "d0" + std::to_string(patch / 4);
            source.component = component == 0 ? "strike_slip" : "dip_slip";
            source.id = source.patch_id + "/" + source.component;
            source.rake_deg = 90.0 * component;
            source.strike_deg = 240.0;
            source.dip_deg = 20.0;
            source.lon_deg = 135.0 + 0.2 * (patch % 4);
            source.lat_deg = 33.0 + 0.2 * (patch / 4);
            source.x_m = 20e3 * (patch % 4);
            source.y_m = 19e3 * (patch / 4);
            source.depth_m = 10e3 + 6e3 * (patch / 4);
            source.status = 1;
            source.potency_m3 = 4e8 * (1 + patch % 3);
            source.rigidity_pa = 3e10;
            source.grid_row = patch / 4;
            source.grid_column = patch % 4;
            for (const auto& [down, along] : {std::pair(0, -1), {0, 1}, {-1, 0}, {1, 0}}) {
                const int r = patch / 4 + down, c = patch % 4 + along;
                const bool there = r >= 0 && r < 3 && c >= 0 && c < 4;
                source.neighbours.push_back(there ? 2 * (4 * r + c) + component : -1);
            }
            d.sources.push_back(source);
        }
    }
    const std::size_t values = d.sources.size() * d.epochs_s.size() * d.stations.size() * 3;
    for (std::size_t k = 0; k < values; ++k) {
        d.greens.push_back(draws.normal());
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 0.0);
    d.initial_residual.assign(d.sources.size(), 1.0);
    return d;
}

/// u of unit slip: source, epoch, station, component.
inline double greens_at(const io::GreensDataset& d, std::size_t s, std::size_t t, std::size_t n,
                        std::size_t c) {
    return d.greens[((s * d.epochs_s.size() + t) * d.stations.size() + n) * 3 + c];
}

/// All components of all stations at an epoch of the dataset, moved by slip [source].
inline jobs::ObservationSet motion_of(const io::GreensDataset& d, const std::vector<double>& slip,
                                      std::size_t epoch, const std::string& name = "gnss") {
    jobs::ObservationSet set;
    set.name = name;
    const char* const names[] = {"east", "north", "up"};
    for (std::size_t n = 0; n < d.stations.size(); ++n) {
        for (std::size_t c = 0; c < 3; ++c) {
            jobs::Datum datum;
            datum.station = d.stations[n].id;
            datum.lon_deg = d.stations[n].lon_deg;
            datum.lat_deg = d.stations[n].lat_deg;
            (c == 0 ? datum.east : c == 1 ? datum.north : datum.up) = 1.0;
            datum.component = names[c];
            datum.epoch_s = d.epochs_s[epoch];
            datum.sigma = 0.01;
            datum.field = name + ".csv:" + std::to_string(n + 2);
            for (std::size_t s = 0; s < slip.size(); ++s) {
                datum.value += slip[s] * greens_at(d, s, epoch, n, c);
            }
            set.data.push_back(datum);
        }
    }
    return set;
}

/// Fixed weights, none by default.
inline jobs::InversionJob small_job(jobs::ObservationSet set, double smoothness = 0.0) {
    jobs::InversionJob job;
    job.name = "small";
    job.sets.push_back(std::move(set));
    job.slip.min_m = -std::numeric_limits<double>::infinity();
    job.regularisation.choice = jobs::Regularisation::Choice::Fixed;
    job.regularisation.smoothness = {smoothness};
    job.regularisation.sparsity = {0.0};
    return job;
}

}  // namespace kaname::test
