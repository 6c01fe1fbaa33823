// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/dataset_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <span>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::compute {
namespace {

constexpr std::array kStatusNames = {"missing", "done", "failed"};

/// Largest |component| and |vector| of displacements [n][3], passing over NaN.
struct Largest {
    std::array<double, 3> component{};
    double vector = 0.0;

    void take(std::span<const double> values) {
        for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
            for (std::size_t comp = 0; comp < 3; ++comp) {
                component[comp] = std::fmax(component[comp], std::abs(values[i + comp]));
            }
            vector = std::fmax(vector, std::hypot(values[i], values[i + 1], values[i + 2]));
        }
    }
};

/// Mean over the steps that were solved; nothing was solved where the count is negative. NaN: none
/// was, which a report leaves out.
double mean_iterations(std::span<const std::int32_t> iterations) {
    double sum = 0.0;
    std::int64_t steps = 0;
    for (const std::int32_t count : iterations) {
        if (count >= 0) {
            sum += count;
            ++steps;
        }
    }
    return sum / static_cast<double>(steps);
}

template <class T>
std::span<const T> block_of(const std::vector<T>& values, std::size_t index, std::size_t blocks) {
    const std::size_t size = blocks == 0 ? 0 : values.size() / blocks;
    return std::span<const T>(values).subspan(index * size, size);
}

v1::DatasetReport::Source source_report(const io::GreensDataset& dataset, std::size_t index) {
    const io::GreensDataset::Source& source = dataset.sources[index];
    v1::DatasetReport::Source report;
    report.set_id(source.id);
    report.set_patch(source.patch_id);
    report.set_component(source.component);
    report.set_rake_deg(source.rake_deg);
    if (dataset.projected) {
        report.set_lon_deg(source.lon_deg);
        report.set_lat_deg(source.lat_deg);
    } else {
        report.set_x_m(source.x_m);
        report.set_y_m(source.y_m);
    }
    report.set_depth_m(source.depth_m);
    report.set_strike_deg(source.strike_deg);
    report.set_dip_deg(source.dip_deg);
    report.set_length_m(source.length_m);
    report.set_width_m(source.width_m);
    report.set_potency_m3(source.potency_m3);
    report.set_rigidity_pa(source.rigidity_pa);
    report.set_status(status_name(source.status));
    if (!source.failure.empty()) {
        report.set_failure(source.failure);
    }
    report.set_mean_iterations(
        mean_iterations(block_of(dataset.iterations, index, dataset.sources.size())));
    if (source.status == 1) {
        Largest largest;
        largest.take(block_of(dataset.greens, index, dataset.sources.size()));
        report.set_max_displacement_m(largest.vector);
    }
    return report;
}

v1::DatasetReport::Station station_report(const io::GreensDataset::Station& station,
                                          bool projected) {
    v1::DatasetReport::Station report;
    report.set_id(station.id);
    report.set_depth_m(station.depth_m);
    report.set_snapped_depth_m(station.snapped_depth_m);
    if (projected) {
        report.set_lon_deg(station.lon_deg);
        report.set_lat_deg(station.lat_deg);
        report.set_snapped_lon_deg(station.snapped_lon_deg);
        report.set_snapped_lat_deg(station.snapped_lat_deg);
    } else {
        report.set_x_m(station.x_m);
        report.set_y_m(station.y_m);
        report.set_snapped_x_m(station.snapped_x_m);
        report.set_snapped_y_m(station.snapped_y_m);
    }
    return report;
}

void add_largest(const io::GreensDataset& dataset, v1::DatasetReport& report) {
    Largest largest;  // without moved sides: what they cause is not per metre of slip
    for (std::size_t i = 0; i < dataset.sources.size(); ++i) {
        if (dataset.sources[i].component != io::layout::kSides) {
            largest.take(block_of(dataset.greens, i, dataset.sources.size()));
        }
    }
    v1::DatasetReport::Displacement& of = *report.mutable_max_displacement_m();
    of.set_east(largest.component[0]);
    of.set_north(largest.component[1]);
    of.set_up(largest.component[2]);
    of.set_vector(largest.vector);
}

void add_provenance(const io::GreensDataset& dataset, v1::DatasetReport& report) {
    v1::DatasetReport::Provenance& of = *report.mutable_provenance();
    of.set_kaname_version(dataset.kaname_version);
    of.set_mesh_sha256(dataset.mesh_sha256);
    of.set_material_sha256(dataset.material_sha256);
    of.set_tolerance(dataset.tolerance);
    of.set_dof(report::count(dataset.dof));
    of.set_crs_wkt(dataset.crs_wkt);
    try {
        report::parse_into(dataset.specification_json, "request", *of.mutable_specification());
    } catch (const report::BrokenReport&) {
        of.clear_specification();
    }
}

/// Adds box and sizes, of datasets whose request this version reads.
void add_model(const io::GreensDataset& dataset, v1::DatasetReport& report) {
    v1::GreensBatch batch;
    try {
        report::parse_into(dataset.specification_json, "request", batch);
    } catch (const report::BrokenReport&) {
        return;
    }
    if (!(batch.region().depth_m() > 0.0)) {
        return;
    }
    v1::DatasetReport::Model& model = *report.mutable_model();
    model.set_size_east_m(batch.region().size_east_m());
    model.set_size_north_m(batch.region().size_north_m());
    model.set_depth_m(batch.region().depth_m());
    model.set_size_at_fault_m(batch.mesh().size_at_fault_m());
    model.set_size_far_m(batch.mesh().size_far_m());
}

std::uint32_t size_of(const auto& values) {
    return report::count(std::ssize(values));
}

}  // namespace

const char* status_name(std::int8_t status) {
    const auto index = static_cast<std::size_t>(status);
    return index < kStatusNames.size() ? kStatusNames[index] : "unknown";
}

v1::DatasetReport::Event event_report(const io::ScenarioEventRow& event) {
    v1::DatasetReport::Event report;
    report.set_name(event.name);
    report.set_time_s(event.time_s);
    report.set_history(event.history);
    report.set_repeats(event.repeats);
    report.set_moment_nm(event.moment_nm);
    report.set_moment_magnitude(event.mw);
    report.set_largest_slip_m(event.max_slip_m);
    report.set_potency_ratio(event.potency_ratio);
    return report;
}

v1::StatusCounts status_counts(const io::GreensDataset& dataset) {
    std::array<std::uint32_t, kStatusNames.size()> counts{};
    std::uint32_t unknown = 0;
    for (const io::GreensDataset::Source& source : dataset.sources) {
        const auto status = static_cast<std::size_t>(source.status);
        ++(status < counts.size() ? counts[status] : unknown);
    }
    v1::StatusCounts of;
    of.set_missing(counts[0]);
    of.set_done(counts[1]);
    of.set_failed(counts[2]);
    if (unknown > 0) {
        of.set_unknown(unknown);
    }
    return of;
}

v1::DatasetReport dataset_report(const io::GreensDataset& dataset,
                                 const std::vector<std::string>& fields) {
    v1::DatasetReport report;
    report.set_name(dataset.name);
    report.set_title(dataset.title);
    v1::DatasetReport::Dims& dims = *report.mutable_dims();
    dims.set_source(size_of(dataset.sources));
    dims.set_epoch(size_of(dataset.epochs_s));
    dims.set_station(size_of(dataset.stations));
    dims.set_component(3);
    dims.set_step(size_of(dataset.step_time_s));
    report.set_time_method(jobs::text_of(dataset.reduced.empty() ? jobs::TimeMethod::Stepping
                                                                 : jobs::TimeMethod::Spectrum));
    report.set_slip_history(dataset.slip_history);
    report.mutable_units()->set_greens(dataset.unit_slip ? "m per m of slip" : "m");
    report.mutable_units()->set_epoch("s");
    report.mutable_units()->set_depth("m");
    report.mutable_fields()->Assign(fields.begin(), fields.end());
    for (const io::ScenarioEventRow& event : dataset.events) {
        *report.add_events() = event_report(event);
    }
    report.mutable_epochs_s()->Assign(dataset.epochs_s.begin(), dataset.epochs_s.end());
    for (const io::GreensDataset::Station& station : dataset.stations) {
        *report.add_stations() = station_report(station, dataset.projected);
    }
    for (std::size_t i = 0; i < dataset.sources.size(); ++i) {
        *report.add_sources() = source_report(dataset, i);
    }
    *report.mutable_status_counts() = status_counts(dataset);
    report.set_element(dataset.element);
    report.set_solver_method(dataset.solver_method);
    report.set_gravity(dataset.gravity);
    report.set_predicted_error(dataset.predicted_error);
    report.mutable_warnings()->Assign(dataset.warnings.begin(), dataset.warnings.end());
    add_model(dataset, report);
    add_largest(dataset, report);
    report.set_mean_iterations(mean_iterations(dataset.iterations));
    add_provenance(dataset, report);
    return report;
}

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

/// Centre, turn and box, of datasets whose request this version reads.
void add_box(const io::GreensDataset& rows, v1::DatasetMap::Projection& of) {
    v1::GreensBatch batch;
    try {
        report::parse_into(rows.specification_json, "request", batch);
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
