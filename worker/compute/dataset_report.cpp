// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/dataset_report.hpp"

#include <array>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

namespace kaname::compute {
namespace {

using nlohmann::json;

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

/// Mean over the steps that were solved; nothing was solved where the count is negative.
struct MeanIterations {
    double sum = 0.0;
    std::int64_t steps = 0;

    void take(std::span<const std::int32_t> iterations) {
        for (const std::int32_t count : iterations) {
            if (count >= 0) {
                sum += count;
                ++steps;
            }
        }
    }
    [[nodiscard]] json value() const {
        return steps > 0 ? json(sum / static_cast<double>(steps)) : json(nullptr);
    }
};

template <class T>
std::span<const T> block_of(const std::vector<T>& values, std::size_t index, std::size_t blocks) {
    const std::size_t size = blocks == 0 ? 0 : values.size() / blocks;
    return std::span<const T>(values).subspan(index * size, size);
}

const char* status_name(std::int8_t status) {
    const auto index = static_cast<std::size_t>(status);
    return index < kStatusNames.size() ? kStatusNames[index] : "unknown";
}

json source_report(const io::GreensDataset& dataset, std::size_t index) {
    const io::GreensDataset::Source& source = dataset.sources[index];
    Largest largest;
    largest.take(block_of(dataset.greens, index, dataset.sources.size()));
    MeanIterations iterations;
    iterations.take(block_of(dataset.iterations, index, dataset.sources.size()));
    json report = {{"id", source.id},
                   {"patch", source.patch_id},
                   {"component", source.component},
                   {"rake_deg", source.rake_deg},
                   {"depth_m", source.depth_m},
                   {"strike_deg", source.strike_deg},
                   {"dip_deg", source.dip_deg},
                   {"length_m", source.length_m},
                   {"width_m", source.width_m},
                   {"potency_m3", source.potency_m3},
                   {"rigidity_pa", source.rigidity_pa},
                   {"status", status_name(source.status)},
                   {"mean_iterations", iterations.value()},
                   {"max_displacement_m", nullptr}};
    if (dataset.projected) {
        report["lon_deg"] = source.lon_deg;
        report["lat_deg"] = source.lat_deg;
    } else {
        report["x_m"] = source.x_m;
        report["y_m"] = source.y_m;
    }
    if (source.status == 1) {
        report["max_displacement_m"] = largest.vector;
    }
    if (!source.failure.empty()) {
        report["failure"] = source.failure;
    }
    return report;
}

json station_report(const io::GreensDataset::Station& station, bool projected) {
    if (!projected) {
        return {{"id", station.id},
                {"x_m", station.x_m},
                {"y_m", station.y_m},
                {"depth_m", station.depth_m},
                {"snapped_x_m", station.snapped_x_m},
                {"snapped_y_m", station.snapped_y_m},
                {"snapped_depth_m", station.snapped_depth_m}};
    }
    return {{"id", station.id},
            {"lon_deg", station.lon_deg},
            {"lat_deg", station.lat_deg},
            {"depth_m", station.depth_m},
            {"snapped_lon_deg", station.snapped_lon_deg},
            {"snapped_lat_deg", station.snapped_lat_deg},
            {"snapped_depth_m", station.snapped_depth_m}};
}

/// The specification as an object, so that readers need not parse twice; null when it is none.
json specification_of(const std::string& text) {
    json specification = json::parse(text, nullptr, /*allow_exceptions=*/false);
    return specification.is_discarded() ? json(nullptr) : specification;
}

json events_report(const std::vector<io::ScenarioEventRow>& events) {
    json rows = json::array();
    for (const io::ScenarioEventRow& event : events) {
        rows.push_back({{"name", event.name},
                        {"time_s", event.time_s},
                        {"history", event.history},
                        {"repeats", event.repeats},
                        {"moment_nm", event.moment_nm},
                        {"moment_magnitude", event.mw},
                        {"largest_slip_m", event.max_slip_m},
                        {"potency_ratio", event.potency_ratio}});
    }
    return rows;
}

}  // namespace

std::string dataset_report(const io::GreensDataset& dataset,
                           const std::vector<std::string>& fields) {
    json sources = json::array(), stations = json::array(), counts = json::object();
    for (const char* name : kStatusNames) {
        counts[name] = 0;
    }
    for (std::size_t i = 0; i < dataset.sources.size(); ++i) {
        sources.push_back(source_report(dataset, i));
        const std::string status = sources.back()["status"];
        counts[status] = counts.value(status, 0) + 1;
    }
    for (const io::GreensDataset::Station& station : dataset.stations) {
        stations.push_back(station_report(station, dataset.projected));
    }
    Largest largest;  // of slip: what moved sides cause is not per metre of it
    for (std::size_t i = 0; i < dataset.sources.size(); ++i) {
        if (dataset.sources[i].component != "boundary") {
            largest.take(block_of(dataset.greens, i, dataset.sources.size()));
        }
    }
    MeanIterations iterations;
    iterations.take(dataset.iterations);
    return json{
        {"name", dataset.name},
        {"title", dataset.title},
        {"dims",
         {{"source", dataset.sources.size()},
          {"epoch", dataset.epochs_s.size()},
          {"station", dataset.stations.size()},
          {"component", 3},
          {"step", dataset.step_time_s.size()}}},
        {"time_method", dataset.reduced.empty() ? "stepping" : "spectrum"},
        {"slip_history", dataset.slip_history},
        {"units",
         {{"greens", dataset.unit_slip ? "m per m of slip" : "m"}, {"epoch", "s"}, {"depth", "m"}}},
        {"fields", fields},
        {"events", events_report(dataset.events)},
        {"epochs_s", dataset.epochs_s},
        {"stations", stations},
        {"sources", sources},
        {"status_counts", counts},
        {"max_displacement_m",
         {{"east", largest.component[0]},
          {"north", largest.component[1]},
          {"up", largest.component[2]},
          {"vector", largest.vector}}},
        {"mean_iterations", iterations.value()},
        {"provenance",
         {{"kaname_version", dataset.kaname_version},
          {"mesh_sha256", dataset.mesh_sha256},
          {"material_sha256", dataset.material_sha256},
          {"tolerance", dataset.tolerance},
          {"dof", dataset.dof},
          {"crs_wkt", dataset.crs_wkt},
          {"specification", specification_of(dataset.specification_json)}}}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string xdmf_report(const std::vector<std::string>& written) {
    return json{{"written", written}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace kaname::compute
