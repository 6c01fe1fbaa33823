// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/dataset_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/directions.hpp"
#include "solvers/base/error.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "worker/compute/dataset_report.hpp"

namespace kaname::compute {
namespace {

using Source = io::GreensDataset::Source;

constexpr std::size_t kCorners = 4, kMostHistoryNumbers = 1'000'000;

v1::DatasetMap::Station station_of(const io::GreensDataset::Station& station, bool projected) {
    v1::DatasetMap::Station of;
    of.set_id(station.id);
    of.set_depth_m(station.depth_m);
    if (projected) {
        of.set_lon_deg(station.lon_deg);
        of.set_lat_deg(station.lat_deg);
    } else {
        of.set_x_m(station.x_m);
        of.set_y_m(station.y_m);
    }
    return of;
}

bool is_place(const double (&corners)[kCorners]) {
    return std::ranges::all_of(corners, [](double value) { return std::isfinite(value); });
}

void set_outline(const Source& source, bool projected, v1::DatasetMap::Patch& patch) {
    const auto& along = projected ? source.outline_lon_deg : source.outline_x_m;
    const auto& across = projected ? source.outline_lat_deg : source.outline_y_m;
    if (!is_place(along) || !is_place(across) || !is_place(source.outline_depth_m)) {
        return;
    }
    (projected ? patch.mutable_outline_lon_deg() : patch.mutable_outline_x_m())
        ->Assign(std::begin(along), std::end(along));
    (projected ? patch.mutable_outline_lat_deg() : patch.mutable_outline_y_m())
        ->Assign(std::begin(across), std::end(across));
    patch.mutable_outline_depth_m()->Assign(std::begin(source.outline_depth_m),
                                            std::end(source.outline_depth_m));
}

void set_patch_place(const Source& source, bool projected, v1::DatasetMap::Patch& patch) {
    patch.set_id(source.patch_id);
    if (projected) {
        patch.set_lon_deg(source.lon_deg);
        patch.set_lat_deg(source.lat_deg);
    } else {
        patch.set_x_m(source.x_m);
        patch.set_y_m(source.y_m);
    }
    patch.set_depth_m(source.depth_m);
    patch.set_strike_deg(source.strike_deg);
    patch.set_dip_deg(source.dip_deg);
    patch.set_area_m2(source.patch_area_m2);
    set_outline(source, projected, patch);
}

/// A patch of a grid has a source per direction of slip; other slip is a patch by itself.
void add_patches(const io::GreensDataset& rows, v1::DatasetMap& map) {
    std::map<std::string, v1::DatasetMap::Patch*> known;
    for (std::size_t k = 0; k < rows.sources.size(); ++k) {
        const Source& source = rows.sources[k];
        v1::DatasetMap::Patch*& patch = known[source.patch_id];
        if (patch == nullptr) {
            patch = map.add_patches();
            set_patch_place(source, rows.projected, *patch);
        }
        v1::DatasetMap::Source& of = *patch->add_sources();
        of.set_index(report::count(static_cast<std::int64_t>(k)));
        of.set_id(source.id);
        of.set_component(source.component);
        of.set_rake_deg(source.rake_deg);
        of.set_status(status_name(source.status));
        if (!source.failure.empty()) {
            of.set_failure(source.failure);
        }
    }
}

/// Centre, turn and box, of datasets whose specification this version reads.
void add_box(const io::GreensDataset& rows, v1::DatasetMap::Projection& of) {
    v1::GreensBatch batch;
    try {
        report::parse_into(rows.specification_json, "specification", batch);
    } catch (const report::BrokenReport&) {
        return;
    }
    const v1::Region& region = batch.region();
    if (!region.has_centre_lon_deg() || !region.has_centre_lat_deg()) {
        return;
    }
    const earth::LonLat centre{region.centre_lon_deg(), region.centre_lat_deg()};
    of.set_lon_deg(centre.lon_deg);
    of.set_lat_deg(centre.lat_deg);
    of.set_azimuth_deg(region.azimuth_deg());
    // Boxes of other projections are not those of the azimuthal one.
    if (region.size_east_m() <= 0 || region.size_north_m() <= 0 || !region.crs().empty()) {
        return;
    }
    const earth::Projection projection(centre);
    const double turn = region.azimuth_deg() * std::numbers::pi / 180;
    constexpr std::array<std::array<double, 2>, kCorners> kRound = {
        {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}};
    for (const auto& [east, north] : kRound) {
        const double x = east * region.size_east_m(), y = north * region.size_north_m();
        const earth::LonLat corner = projection.inverse(
            {x * std::cos(turn) + y * std::sin(turn), y * std::cos(turn) - x * std::sin(turn)});
        of.add_box_lon_deg(corner.lon_deg);
        of.add_box_lat_deg(corner.lat_deg);
    }
}

template <class T>
void assign(const std::vector<T>& values, std::size_t source, std::size_t steps, auto* into) {
    if (!values.empty()) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(source * steps);
        into->Assign(first, first + static_cast<std::ptrdiff_t>(steps));
    }
}

/// Indices of sources by their ids; all of them where none is named.
std::vector<std::size_t> source_indices(const std::vector<std::string>& ids,
                                        const std::vector<std::string>& wanted) {
    std::vector<std::size_t> indices;
    std::vector<Violation> broken;
    if (wanted.empty()) {
        for (std::size_t k = 0; k < ids.size(); ++k) {
            indices.push_back(k);
        }
    }
    for (const std::string& id : wanted) {
        const auto found = std::ranges::find(ids, id);
        if (found == ids.end()) {
            broken.push_back({"source", "must be a source of the dataset, got \"" + id + '"'});
        }
        indices.push_back(static_cast<std::size_t>(found - ids.begin()));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return indices;
}

}  // namespace

v1::DatasetMap dataset_map(const io::GreensDataset& rows) {
    v1::DatasetMap map;
    map.set_title(rows.title);
    map.set_units(rows.unit_slip ? "m m-1" : "m");
    map.set_geographic(rows.projected);
    map.mutable_epochs_s()->Assign(rows.epochs_s.begin(), rows.epochs_s.end());
    map.mutable_components()->Assign(kDirections.begin(), kDirections.end());
    for (const io::GreensDataset::Station& station : rows.stations) {
        *map.add_stations() = station_of(station, rows.projected);
    }
    add_patches(rows, map);
    for (const io::ScenarioEventRow& event : rows.events) {
        *map.add_events() = event_report(event);
    }
    *map.mutable_status_counts() = status_counts(rows);
    if (rows.projected) {
        map.mutable_projection()->set_wkt(rows.crs_wkt);
        add_box(rows, *map.mutable_projection());
    }
    return map;
}

v1::SolveHistory solve_history(const io::SolveRecords& records,
                               const std::vector<std::string>& sources) {
    const std::vector<std::size_t> indices = source_indices(records.sources, sources);
    const std::size_t steps = records.step_time_s.size();
    if (indices.size() * steps > kMostHistoryNumbers) {
        throw ValidationError(std::vector<Violation>{
            {"source", "must name sources: all " + std::to_string(indices.size()) + " have " +
                           std::to_string(steps) + " steps each, and at most " +
                           std::to_string(kMostHistoryNumbers) + " are told at once"}});
    }
    v1::SolveHistory history;
    const bool is_spectrum = !records.shift_per_s.empty();
    history.set_method(is_spectrum ? "spectrum" : "stepping");
    if (!is_spectrum) {
        history.mutable_step_time_s()->Assign(records.step_time_s.begin(),
                                              records.step_time_s.end());
    }
    for (const std::size_t k : indices) {
        v1::SolveHistory::Source& of = *history.add_sources();
        of.set_id(records.sources[k]);
        of.set_status(status_name(records.status[k]));
        assign(records.iterations, k, steps, of.mutable_iterations());
        assign(records.residual, k, steps, of.mutable_residual());
        assign(records.initial_residual, k, steps, of.mutable_initial_residual());
        assign(records.shift_per_s, k, steps, of.mutable_shift_per_s());
    }
    return history;
}

}  // namespace kaname::compute
