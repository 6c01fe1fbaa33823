// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/inversion/synthetic_region.hpp"

#include <array>
#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/inversion/weights.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"

namespace kaname::bench {
namespace {

constexpr double kSpacing_m = 20e3, kNoise_m = 0.005, kDip = 15.0 * kDegree;
constexpr std::array kComponents = {"strike_slip", "dip_slip"};

Vec3 patch_centre(const SyntheticRegion& region, int row, int column) {
    const double across = kSpacing_m * (row - 0.5 * (region.rows - 1));
    return {kSpacing_m * (column - 0.5 * (region.columns - 1)), across * std::cos(kDip),
            -25e3 + across * std::sin(kDip)};
}

/// Returns the places of the stations, which are the same for dataset and data.
std::vector<Vec3> station_places(const SyntheticRegion& region) {
    inversion::Draws draws(3);
    std::vector<Vec3> places;
    for (int k = 0; k < region.stations; ++k) {
        const double x = static_cast<double>(draws.below(700001)) - 350e3;
        const double y = static_cast<double>(draws.below(300001)) - 100e3;
        places.push_back({x, y, 0.0});
    }
    return places;
}

std::string station_id(int k) {
    return "S" + std::to_string(1000 + k);
}

double epoch_s(int k) {
    return 0.1 * k * kJulianYear_s;
}

double relaxed(double t_s, double depth_m) {
    return 1.0 + 0.5 * (1.0 - std::exp(-t_s / (kJulianYear_s * (1.0 + depth_m / 20e3))));
}

/// Displacement per metre of slip, decaying with the square of the distance.
Vec3 motion(const Vec3& patch, const Vec3& station, int component) {
    const Vec3 away = station - patch;
    const double r = norm(away);
    const double size = kSpacing_m * kSpacing_m / (6.0 * r * r);
    const Vec3 slip =
        component == 0 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, -std::cos(kDip), std::sin(kDip)};
    return size * (slip + (dot(slip, away) / (r * r)) * away);
}

double true_slip(const SyntheticRegion& region, int row, int column) {
    const double u = (column - 0.5 * (region.columns - 1)) / (0.3 * region.columns);
    const double v = (row - 0.5 * (region.rows - 1)) / (0.5 * region.rows);
    return std::max(0.0, 1.0 - u * u - v * v) * 5.0;
}

}  // namespace

void SyntheticRegion::write(const std::string& path) const {
    io::GreensDataset d;
    d.name = d.title = "synthetic";
    d.projected = false;
    d.step_time_s = {0.0};
    for (int k = 0; k < epochs; ++k) {
        d.epochs_s.push_back(epoch_s(k));
    }
    const std::vector<Vec3> places = station_places(*this);
    for (int k = 0; k < stations; ++k) {
        io::GreensDataset::Station station{.id = station_id(k)};
        station.x_m = station.snapped_x_m = places[k].x;
        station.y_m = station.snapped_y_m = places[k].y;
        d.stations.push_back(station);
    }
    d.greens.reserve(static_cast<std::size_t>(sources()) * epochs * stations * 3);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const Vec3 centre = patch_centre(*this, row, column);
            const int patch = row * columns + column;
            for (int component = 0; component < 2; ++component) {
                io::GreensDataset::Source source;
                source.patch_id = "p" + std::to_string(patch);
                source.component = kComponents[component];
                source.id = source.patch_id + "/" + source.component;
                source.rake_deg = 90.0 * component;
                source.strike_deg = 270.0;
                source.dip_deg = kDip / kDegree;
                source.status = 1;
                source.x_m = centre.x;
                source.y_m = centre.y;
                source.depth_m = -centre.z;
                source.length_m = source.width_m = kSpacing_m;
                source.patch_area_m2 = source.potency_m3 = kSpacing_m * kSpacing_m;
                source.rigidity_pa = 4e10;
                source.grid_row = row;
                source.grid_column = column;
                for (const auto& [down, along] : {std::pair(0, -1), {0, 1}, {-1, 0}, {1, 0}}) {
                    const int r = row + down, c = column + along;
                    const bool there = r >= 0 && r < rows && c >= 0 && c < columns;
                    source.neighbours.push_back(there ? 2 * (r * columns + c) + component : -1);
                }
                d.sources.push_back(std::move(source));
                for (const double t_s : d.epochs_s) {
                    const double factor = relaxed(t_s, -centre.z);
                    for (const Vec3& place : places) {
                        const Vec3 u = factor * motion(centre, place, component);
                        d.greens.insert(d.greens.end(), {u.x, u.y, u.z});
                    }
                }
            }
        }
    }
    d.iterations.assign(d.sources.size(), 1);
    d.residual.assign(d.sources.size(), 1e-9);
    d.initial_residual.assign(d.sources.size(), 1.0);
    io::write_greens_dataset(path, d);
}

jobs::InversionJob SyntheticRegion::job() const {
    jobs::InversionJob job;
    job.name = "synthetic";
    jobs::ObservationSet set;
    set.name = "gnss";
    inversion::Draws draws(4);
    const std::vector<Vec3> places = station_places(*this);
    for (int k = 0; k < stations; ++k) {
        for (int epoch = 0; epoch < epochs; ++epoch) {
            Vec3 u;
            for (int row = 0; row < rows; ++row) {
                for (int column = 0; column < columns; ++column) {
                    const double slip = true_slip(*this, row, column);
                    const Vec3 centre = patch_centre(*this, row, column);
                    if (slip > 0.0) {
                        u += slip * relaxed(epoch_s(epoch), -centre.z) *
                             motion(centre, places[k], 1);
                    }
                }
            }
            for (int component = 0; component < 3; ++component) {
                jobs::Datum datum;
                datum.station = station_id(k);
                datum.lon_deg = datum.lat_deg = std::nan("");
                (component == 0 ? datum.east : component == 1 ? datum.north : datum.up) = 1.0;
                datum.component = component == 0 ? "east" : component == 1 ? "north" : "up";
                datum.epoch_s = epoch_s(epoch);
                datum.sigma = kNoise_m;
                datum.value = u[component] + kNoise_m * draws.normal();
                set.data.push_back(datum);
            }
        }
    }
    job.sets.push_back(std::move(set));
    for (int k = 0; k < 10; ++k) {
        job.regularisation.smoothness.push_back(std::pow(10.0, -6.0 + 0.6 * k));
        job.regularisation.sparsity.push_back(std::pow(10.0, -5.0 + 0.4 * k));
    }
    return job;
}

}  // namespace kaname::bench
