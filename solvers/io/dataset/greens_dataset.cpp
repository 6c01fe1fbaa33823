// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_dataset.hpp"

#include <array>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_layout.hpp"

namespace kaname::io {
namespace {

struct TextColumn {
    const char* name;
    std::string ScenarioEventRow::*member;
    const char* long_name;
};
struct NumberColumn {
    const char* name;
    double ScenarioEventRow::*member;
    const char* units;
    const char* long_name;
};
constexpr std::array kTexts = {
    TextColumn{"name", &ScenarioEventRow::name, "event"},
    TextColumn{"source_id", &ScenarioEventRow::source_id,
               "slip model: the first event that has it"},
    TextColumn{"history", &ScenarioEventRow::history, "kind of slip in time"}};
constexpr std::array kNumbers = {
    NumberColumn{"time", &ScenarioEventRow::time_s, "s", "begin, since the scenario began"},
    NumberColumn{"interval", &ScenarioEventRow::interval_s, "s", "time between repetitions"},
    NumberColumn{"repeats", &ScenarioEventRow::repeats, "1", "how many times it happens"},
    NumberColumn{"scale", &ScenarioEventRow::scale, "1", "factor on the model's slip"},
    NumberColumn{"moment", &ScenarioEventRow::moment_nm, "N m",
                 "moment on the meshed fault each time, with the smaller of both sides' rigidity"},
    NumberColumn{"moment_magnitude", &ScenarioEventRow::mw, "1", "(log10 moment - 9.1) / 1.5"},
    NumberColumn{"largest_slip", &ScenarioEventRow::max_slip_m, "m", "largest slip each time"},
    NumberColumn{"potency_ratio", &ScenarioEventRow::potency_ratio, "1",
                 "potency on the meshed fault over that of the model's patches"}};

std::string path_of(const char* name) {
    return std::string("events/") + name;
}

}  // namespace

void write_events(const GroupWriter& root, const std::vector<ScenarioEventRow>& events) {
    if (events.empty()) {
        return;
    }
    GroupWriter group = root.inside("events");
    group.dimension<std::string>("event", layout::column(events, &ScenarioEventRow::name), {},
                                 "event");
    for (const TextColumn& text : kTexts) {
        group.text(text.name, "event", layout::column(events, text.member), text.long_name);
    }
    for (const NumberColumn& number : kNumbers) {
        group.variable(number.name, {"event"}, layout::column(events, number.member), number.units,
                       number.long_name);
    }
}

std::vector<ScenarioEventRow> read_events(const h5::File& file) {
    std::vector<ScenarioEventRow> events;
    if (!file.has("events")) {
        return events;
    }
    for (const TextColumn& column : kTexts) {
        const std::vector<std::string> values = file.read_strings(path_of(column.name));
        events.resize(values.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            events[k].*column.member = values[k];
        }
    }
    for (const NumberColumn& column : kNumbers) {
        const std::vector<double> values = file.read<double>(path_of(column.name), {events.size()});
        for (std::size_t k = 0; k < values.size(); ++k) {
            events[k].*column.member = values[k];
        }
    }
    return events;
}

namespace {

template <typename Row>
void read_texts(const h5::File& file, const char* name, std::string Row::*member,
                std::vector<Row>& rows) {
    const std::vector<std::string> values = file.read_strings(name);
    if (values.size() != rows.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": '" + name + "': has " + std::to_string(values.size()) +
                        " values, must have " + std::to_string(rows.size()));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].*member = values[i];
    }
}

template <typename Row, typename Columns>
void read_columns(const h5::File& file, const Columns& columns, std::vector<Row>& rows) {
    for (const auto& column : columns) {
        if (column.later && !file.has(column.name)) {
            continue;
        }
        const std::vector<double> values = file.read<double>(column.name, {rows.size()});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].*column.member = values[i];
        }
    }
}

/// Files of earlier versions have no grid.
void read_grid(const h5::File& file, std::vector<GreensDataset::Source>& sources) {
    if (!file.has("neighbours")) {
        return;
    }
    const auto hat = file.read<std::int8_t>("hat", {sources.size()});
    const auto row = file.read<std::int32_t>("grid_row", {sources.size()});
    const auto column = file.read<std::int32_t>("grid_column", {sources.size()});
    const auto neighbours = file.read<std::int32_t>("neighbours", {sources.size(), h5::kAny});
    const std::size_t most = sources.empty() ? 0 : neighbours.size() / sources.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        sources[i].hat = static_cast<GreensDataset::Hat>(hat[i]);
        sources[i].grid_row = row[i];
        sources[i].grid_column = column[i];
        const auto first = neighbours.begin() + static_cast<std::ptrdiff_t>(i * most);
        sources[i].neighbours.assign(first, first + static_cast<std::ptrdiff_t>(most));
    }
}

/// How the greens lie in the file.
h5::Dims greens_shape(const h5::File& file) {
    const h5::Dims shape = file.dims("greens");
    if (shape.size() != 4 || shape[3] != kDirections.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    file.path() + ": greens must have the axes source, epoch, station, component");
    }
    return shape;
}

void read_outlines(const h5::File& file, GreensDataset& d) {
    for (const auto& column : layout::outline_columns(d.projected)) {
        if (column.later && !file.has(column.name)) {
            continue;
        }
        const std::vector<double> values =
            file.read<double>(column.name, {d.sources.size(), layout::kCorners});
        for (std::size_t at = 0; at < values.size(); ++at) {
            (d.sources[at / layout::kCorners].*column.member)[at % layout::kCorners] = values[at];
        }
    }
}

void read_sources_and_stations(const h5::File& file, GreensDataset& d) {
    using Source = GreensDataset::Source;
    read_texts(file, "source", &Source::id, d.sources);
    read_texts(file, "patch_id", &Source::patch_id, d.sources);
    read_texts(file, "slip_component", &Source::component, d.sources);
    read_texts(file, "failure", &Source::failure, d.sources);
    if (file.has("fault")) {
        read_texts(file, "fault", &Source::fault, d.sources);
    }
    d.projected = !file.has_attribute("/", "crs");
    if (file.has_attribute("/", "unit")) {
        d.unit_slip = file.string_attribute("/", "unit") != layout::kUnitOfTables;
    }
    read_columns(file, layout::source_columns(d.projected), d.sources);
    read_grid(file, d.sources);
    const std::vector<std::int8_t> status = file.read<std::int8_t>("status", {d.sources.size()});
    for (std::size_t i = 0; i < d.sources.size(); ++i) {
        d.sources[i].status = status[i];
    }
    if (file.has("spectrum_error")) {
        const auto errors = file.read<double>("spectrum_error", {d.sources.size()});
        for (std::size_t i = 0; i < d.sources.size(); ++i) {
            d.sources[i].spectrum_error = errors[i];
        }
    }
    read_outlines(file, d);
    read_texts(file, "station", &GreensDataset::Station::id, d.stations);
    read_columns(file, layout::station_columns(d.projected), d.stations);
    read_columns(file, layout::kLookColumns, d.stations);
}

void read_attributes(const h5::File& file, GreensDataset& d) {
    d.name = file.string_attribute("/", "name");
    d.title = file.string_attribute("/", "title");
    d.kaname_version = file.string_attribute("/", "kaname_version");
    d.specification_json = file.string_attribute("/", "specification");
    d.mesh_sha256 = file.string_attribute("/", "mesh_sha256");
    d.material_sha256 = file.string_attribute("/", "material_sha256");
    if (d.projected) {
        d.crs_wkt = file.string_attribute("crs", "crs_wkt");
    }
    if (file.has_attribute("/", "slip_history")) {
        d.slip_history = file.string_attribute("/", "slip_history");
    }
    d.tolerance = file.double_attribute("/", "tolerance");
    d.dof = file.int_attribute("/", "dof");
    for (const auto& [name, member] : layout::kWaysOfSolving) {
        if (file.has_attribute("/", name)) {
            d.*member = file.string_attribute("/", name);
        }
    }
}

/// Sources, stations, epochs and attributes.
GreensDataset read_rows(const h5::File& file) {
    const h5::Dims shape = greens_shape(file);
    GreensDataset d;
    d.sources.resize(shape[0]);
    d.stations.resize(shape[2]);
    d.epochs_s = file.read<double>("epoch", {shape[1]});
    read_sources_and_stations(file, d);
    read_attributes(file, d);
    d.events = read_events(file);
    return d;
}

}  // namespace

GreensDataset read_greens_rows(const std::string& path) {
    return read_rows(h5::File(path, h5::File::Mode::Read));
}

GreensDataset read_greens_dataset(const std::string& path, FieldGroups fields) {
    const h5::File file(path, h5::File::Mode::Read);
    GreensDataset d = read_rows(file);
    d.greens = file.read<double>("greens");
    d.step_time_s = file.read<double>("step_time", {h5::kAny});
    const h5::Dims by_step = {d.sources.size(), d.step_time_s.size()};
    d.iterations = file.read<std::int32_t>("iterations", by_step);
    d.residual = file.read<double>("residual", by_step);
    d.initial_residual = file.read<double>("initial_residual", by_step);
    if (file.has("shift")) {
        d.shift_per_s = file.read<double>("shift", by_step);
        d.reduced.resize(d.sources.size());
        for (std::size_t source = 0; source < d.sources.size(); ++source) {
            const std::string group = layout::reduced_group(source);
            if (file.has("reduced_model") && file.has(group)) {
                d.reduced[source].matrices = read_reduced(file, group);
                d.reduced[source].fields = file.read<double>(group + "/fields");
            }
        }
    }
    if (fields == FieldGroups::Read) {
        d.surface = read_surface(file);
        d.volume = read_volume(file);
    }
    return d;
}

}  // namespace kaname::io
