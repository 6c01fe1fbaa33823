// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/greens_dataset.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

constexpr const char* kGroup = "fault_response";

std::string in_response(const char* name) {
    return std::string(kGroup) + "/" + name;
}

template <std::size_t N>
std::span<const std::int32_t> flat(const std::vector<std::array<std::int32_t, N>>& rows) {
    return {reinterpret_cast<const std::int32_t*>(rows.data()), rows.size() * N};
}

[[noreturn]] void refuse_response(const std::string& path, const std::string& rule) {
    throw Error(ErrorCode::InvalidArgument, path + ": fault_response " + rule);
}

void write_mesh_around(GroupWriter& group, const mesh::TetMesh& mesh) {
    std::vector<double> xyz;
    for (const Vec3& x : mesh.xyz) {
        xyz.insert(xyz.end(), {x.x, x.y, x.z});
    }
    std::vector<std::int32_t> faces, fault;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        faces.insert(faces.end(), face.vertices.begin(), face.vertices.end());
        fault.push_back(face.fault);
    }
    group.bare_dimension("vertex", mesh.xyz.size());
    group.bare_dimension("element", mesh.tets.size());
    group.bare_dimension("face", mesh.fault_faces.size());
    group.bare_dimension("corner", 4);
    group.bare_dimension("face_corner", 3);
    group.bare_dimension("fault", mesh.faults.size());
    group.variable<double>("vertex_xyz", {"vertex", "axis"}, xyz, "m",
                           "vertices of the elements that touch the fault: x, y, z of the model");
    group.variable<std::int32_t>("elements", {"element", "corner"}, flat(mesh.tets), "1",
                                 "vertices of the elements that touch the fault");
    group.variable<std::int32_t>("element_material", {"element"}, mesh.material, "1",
                                 "index of the element's material");
    group.variable<std::int32_t>(
        "faces", {"face", "face_corner"}, faces, "1",
        "vertices of the fault's faces; the normal points to the plus side");
    group.variable<std::int32_t>("face_fault", {"face"}, fault, "1", "index of the face's fault");
    group.text("fault_name", "fault", mesh.faults, "name of a fault");
}

mesh::TetMesh read_mesh_around(const h5::File& file) {
    mesh::TetMesh mesh;
    const auto xyz = file.read<double>(in_response("vertex_xyz"), {h5::kAny, 3});
    for (std::size_t k = 0; k < xyz.size(); k += 3) {
        mesh.xyz.push_back({xyz[k], xyz[k + 1], xyz[k + 2]});
    }
    const auto tets = file.read<std::int32_t>(in_response("elements"), {h5::kAny, 4});
    for (std::size_t k = 0; k < tets.size(); k += 4) {
        mesh.tets.push_back({tets[k], tets[k + 1], tets[k + 2], tets[k + 3]});
    }
    mesh.material = file.read<std::int32_t>(in_response("element_material"), {mesh.tets.size()});
    const auto faces = file.read<std::int32_t>(in_response("faces"), {h5::kAny, 3});
    const auto fault = file.read<std::int32_t>(in_response("face_fault"), {faces.size() / 3});
    for (std::size_t k = 0; k < fault.size(); ++k) {
        mesh.fault_faces.push_back({{faces[3 * k], faces[3 * k + 1], faces[3 * k + 2]}, fault[k]});
    }
    mesh.faults = file.read_strings(in_response("fault_name"));
    const auto within = [&](std::span<const std::int32_t> indices, std::size_t n) {
        return std::ranges::all_of(indices, [n](std::int32_t index) {
            return index >= 0 && static_cast<std::size_t>(index) < n;
        });
    };
    if (!within(tets, mesh.xyz.size()) || !within(faces, mesh.xyz.size()) ||
        !within(fault, mesh.faults.size())) {
        refuse_response(file.path(),
                        "is damaged: its elements and faces must name its vertices and faults");
    }
    return mesh;
}

}  // namespace

mesh::TetMesh around_faults(const mesh::TetMesh& mesh) {
    std::vector<std::uint8_t> on_fault(mesh.xyz.size(), 0);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t vertex : face.vertices) {
            on_fault[vertex] = 1;
        }
    }
    std::vector<std::int32_t> kept(mesh.xyz.size(), -1);
    std::vector<std::size_t> tets;
    for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet) {
        const auto& vertices = mesh.tets[tet];
        if (std::ranges::any_of(vertices, [&](std::int32_t v) { return on_fault[v] != 0; })) {
            tets.push_back(tet);
            for (const std::int32_t vertex : vertices) {
                kept[vertex] = 0;
            }
        }
    }
    mesh::TetMesh part;
    for (std::size_t vertex = 0; vertex < kept.size(); ++vertex) {
        if (kept[vertex] == 0) {
            kept[vertex] = static_cast<std::int32_t>(part.xyz.size());
            part.xyz.push_back(mesh.xyz[vertex]);
        }
    }
    const auto renumbered = [&](auto vertices) {
        for (std::int32_t& vertex : vertices) {
            vertex = kept[vertex];
        }
        return vertices;
    };
    for (const std::size_t tet : tets) {
        part.tets.push_back(renumbered(mesh.tets[tet]));
        part.material.push_back(mesh.material[tet]);
    }
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        part.fault_faces.push_back({renumbered(face.vertices), face.fault});
    }
    part.faults = mesh.faults;
    return part;
}

void write_fault_response(h5::File& file, const FaultResponse& response,
                          std::span<const double> epochs_s) {
    using Force = FaultResponse::Force;
    GroupWriter group(file, kGroup);
    const std::vector<std::string> ids = layout::column(response.forces, &Force::id);
    std::vector<double> along;
    for (const Force& force : response.forces) {
        along.insert(along.end(), force.along, force.along + 3);
    }
    group.dimension<std::string>("force", ids, {},
                                 "unit force at a station: station and direction");
    group.epochs(epochs_s, "time since slip");
    group.bare_dimension("node", static_cast<std::size_t>(response.n_nodes));
    group.bare_dimension("axis", 3);
    group.variable<std::int32_t>("force_station", {"force"},
                                 layout::column(response.forces, &Force::station), "1",
                                 "index of the force's station");
    group.variable<std::int32_t>("force_component", {"force"},
                                 layout::column(response.forces, &Force::component), "1",
                                 "0 east, 1 north, 2 up; -1 along the station's look");
    group.variable<double>("force_along", {"force", "axis"}, along, "1",
                           "direction of the force: true east, north, up");
    group.text("failure", "force", layout::column(response.forces, &Force::failure),
               "why the force failed");
    group.variable<std::int64_t>("iterations", {"force"},
                                 layout::column(response.forces, &Force::iterations), "1",
                                 "solver iterations of all solves");
    group.variable<std::int64_t>("solves", {"force"},
                                 layout::column(response.forces, &Force::solves), "1",
                                 "solves: steps or Laplace shifts, and the coseismic one");
    group.variable<double>("traction", {"force", "epoch", "node", "axis"}, response.traction,
                           "m m-1",
                           "motion along the force per slip at a node of the fault (x, y, z of the "
                           "model)",
                           {1, 1, static_cast<std::uint64_t>(response.n_nodes), 3});
    write_mesh_around(group, response.around);
}

FaultResponse read_fault_response(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    if (!file.has(kGroup)) {
        refuse_response(
            path,
            "is missing: only a dataset with solve_by receivers has it, whose fault other "
            "patches can be laid on");
    }
    FaultResponse response;
    const std::vector<std::string> ids = file.read_strings(in_response("force"));
    const std::size_t n = ids.size();
    const auto station = file.read<std::int32_t>(in_response("force_station"), {n});
    const auto component = file.read<std::int32_t>(in_response("force_component"), {n});
    const auto along = file.read<double>(in_response("force_along"), {n, 3});
    const auto failure = file.read_strings(in_response("failure"));
    const auto iterations = file.read<std::int64_t>(in_response("iterations"), {n});
    const auto solves = file.read<std::int64_t>(in_response("solves"), {n});
    if (failure.size() != n) {
        refuse_response(path, "has " + std::to_string(failure.size()) + " failures of " +
                                  std::to_string(n) + " forces");
    }
    const h5::Dims shape = file.dims(in_response("traction"));
    if (shape.size() != 4 || shape[0] != n || shape[3] != 3) {
        refuse_response(path, "must have traction with the axes force, epoch, node, axis");
    }
    response.n_nodes = static_cast<std::int64_t>(shape[2]);
    response.traction = file.read<double>(in_response("traction"));
    for (std::size_t k = 0; k < n; ++k) {
        response.forces.push_back({ids[k],
                                   station[k],
                                   component[k],
                                   {along[3 * k], along[3 * k + 1], along[3 * k + 2]},
                                   failure[k],
                                   iterations[k],
                                   solves[k]});
    }
    response.around = read_mesh_around(file);
    return response;
}

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
    if (file.has("warning")) {
        d.warnings = file.read_strings("warning");
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
