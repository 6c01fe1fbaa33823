// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

using Text = std::string;

struct Extents {
    std::size_t sources, epochs, stations, steps;
};

void check_value_count(const std::string& path, const char* field, std::size_t found,
                       std::size_t expected) {
    if (found != expected || expected == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    path + ": dataset." + field + " has " + std::to_string(found) +
                        " values, must have " +
                        (expected == 0 ? "at least one" : std::to_string(expected)));
    }
}

// About 1 MiB per chunk: inversions read one station over all sources and epochs.
constexpr std::size_t kChunkValues = 131072, kChunkSources = 64, kChunkEpochs = 32;

Extents checked_extents(const std::string& path, const GreensDataset& d) {
    const Extents n{d.sources.size(), d.epochs_s.size(), d.stations.size(), d.step_time_s.size()};
    check_value_count(path, "sources", n.sources, n.sources);
    check_value_count(path, "epochs_s", n.epochs, n.epochs);
    check_value_count(path, "stations", n.stations, n.stations);
    check_value_count(path, "step_time_s", n.steps, n.steps);
    check_value_count(path, "greens", d.greens.size(), n.sources * n.epochs * n.stations * 3);
    check_value_count(path, "iterations", d.iterations.size(), n.sources * n.steps);
    check_value_count(path, "residual", d.residual.size(), n.sources * n.steps);
    check_value_count(path, "initial_residual", d.initial_residual.size(), n.sources * n.steps);
    if (!d.reduced.empty()) {
        check_value_count(path, "reduced", d.reduced.size(), n.sources);
        check_value_count(path, "shift_per_s", d.shift_per_s.size(), n.sources * n.steps);
    }
    return n;
}

h5::Dims greens_chunk(const Extents& n) {
    const std::size_t sources = std::min<std::size_t>(n.sources, kChunkSources);
    const std::size_t epochs = std::min<std::size_t>(n.epochs, kChunkEpochs);
    return {sources, epochs, stations_per_chunk(n.sources, n.epochs, n.stations), 3};
}

Text axes_text(const GreensDataset& d) {
    return d.projected ? "true east, true north, up" : "x and y of the mesh, up";
}

void write_dimensions(GroupWriter& root, const GreensDataset& d) {
    using Source = GreensDataset::Source;
    using Station = GreensDataset::Station;
    const std::vector<std::string> source = layout::column(d.sources, &Source::id);
    const std::vector<std::string> station = layout::column(d.stations, &Station::id);
    const std::vector<std::string> component(kDirections.begin(), kDirections.end());
    root.dimension<std::string>("source", source, {}, "unit source: patch and slip component");
    root.epochs(d.epochs_s, "time since slip");
    root.dimension<std::string>("station", station, {}, "station");
    root.dimension<std::string>("component", component, {}, axes_text(d));
    root.count("corner", layout::kCorners, "corner of a patch");
    root.count(
        "step", d.step_time_s.size(),
        d.reduced.empty() ? "time step; 0 is coseismic" : "solve; 0 is coseismic, then shifts");
}

void write_source_rows(GroupWriter& root, const GreensDataset& d) {
    using Source = GreensDataset::Source;
    write_source_places(root, d.sources, d.projected);
    root.variable<std::int8_t>("status", {"source"}, layout::column(d.sources, &Source::status),
                               "1", "state of the source");
    root.flags("status", std::vector<std::int8_t>{0, 1, 2}, "missing done failed");
    root.text("failure", "source", layout::column(d.sources, &Source::failure),
              "why the source failed");
    if (std::ranges::any_of(d.sources, [](const Source& s) { return s.spectrum_error >= 0.0; })) {
        root.variable<double>("spectrum_error", {"source"},
                              layout::column(d.sources, &Source::spectrum_error), "1",
                              "bound of the error at all times over the largest change");
    }
    root.variable<double>("step_time", {"step"}, d.step_time_s, "s", "time since slip");
    root.variable<std::int32_t>("iterations", {"source", "step"}, d.iterations, "1",
                                "solver iterations; -1 where missing");
    root.variable<double>("residual", {"source", "step"}, d.residual, "1",
                          "final residual relative to the load");
    root.variable<double>("initial_residual", {"source", "step"}, d.initial_residual, "1",
                          "residual before the first iteration relative to the load");
}

void write_reduced_models(h5::File& file, GroupWriter& root, const GreensDataset& d) {
    if (d.reduced.empty()) {
        return;
    }
    root.variable<double>("shift", {"source", "step"}, d.shift_per_s, "s-1",
                          "Laplace shift of the solve; none for the coseismic one");
    for (std::size_t source = 0; source < d.reduced.size(); ++source) {
        const GreensDataset::Reduced& reduced = d.reduced[source];
        if (reduced.fields.empty()) {
            continue;
        }
        const Text group = layout::reduced_group(source);
        reduced.matrices.check(group);
        const auto n_fields = static_cast<std::size_t>(1 + reduced.matrices.n_basis);
        check_value_count(group, "fields", reduced.fields.size(), n_fields * d.stations.size() * 3);
        // The group has dimensions of its own: a scale of the root could not keep track of the
        // variables of many groups (HDF5 lists them in an attribute of at most 64 KiB).
        GroupWriter writer(file, group);
        writer.bare_dimension("field", n_fields);
        writer.bare_dimension("station", d.stations.size());
        writer.bare_dimension("component", kDirections.size());
        writer.variable("fields", {"field", "station", "component"}, reduced.fields,
                        d.unit_slip ? "m m-1" : "m",
                        "elastic displacement, then the shapes that motion adds to it");
        write_reduced(writer, reduced.matrices);
    }
}

/// Names of auxiliary coordinates of `greens`, which readers such as xarray attach to it.
Text auxiliary_coordinates(bool projected) {
    Text names = "patch_id slip_component";
    for (const auto& c : layout::source_columns(projected)) {
        names += Text(" ") + c.name;
    }
    for (const auto& c : layout::station_columns(projected)) {
        names += Text(" ") + c.name;
    }
    return names;
}

void write_attributes(h5::File& file, const GreensDataset& d) {
    write_about(file, d.title.empty() ? d.name : d.title, d.kaname_version,
                "displacements computed from the attribute specification");
    file.set_attribute("/", "name", d.name);
    file.set_attribute("/", "unit",
                       Text(d.unit_slip ? layout::kUnitOfUnitSlip : layout::kUnitOfTables));
    if (!d.projected) {
        file.set_attribute("/", "crs", Text(layout::kNoCrs));
    }
    file.set_attribute("/", "slip_convention",
                       Text("unit slip is the displacement of the hanging wall relative to the "
                            "footwall; rake 0 left-lateral, 90 reverse (Aki and Richards); "
                            "strike clockwise from true north, dip to the right of strike"));
    file.set_attribute("/", "displacement_convention",
                       Text("cumulative since before slip: after a step in slip epoch 0 is the "
                            "coseismic displacement, later epochs include it; other slip "
                            "histories (attribute slip_history, specification) are convolved; ") +
                           axes_text(d));
    file.set_attribute("/", "slip_history", d.slip_history);
    file.set_attribute("/", "tolerance", d.tolerance);
    file.set_attribute("/", "dof", d.dof);
    for (const auto& [name, member] : layout::kWaysOfSolving) {
        if (!(d.*member).empty()) {
            file.set_attribute("/", name, d.*member);
        }
    }
    file.set_attribute("/", "mesh_sha256", d.mesh_sha256);
    file.set_attribute("/", "material_sha256", d.material_sha256);
    file.set_attribute("/", "specification", d.specification_json);
}

}  // namespace

std::size_t stations_per_chunk(std::size_t sources, std::size_t epochs, std::size_t stations) {
    const std::size_t values =
        std::min(sources, kChunkSources) * std::min(epochs, kChunkEpochs) * 3;
    return std::clamp<std::size_t>(kChunkValues / values, 1, stations);
}

void write_greens_dataset(const std::string& path, const GreensDataset& d) {
    const Extents extents = checked_extents(path, d);
    h5::write_atomically(path, [&](h5::File& file) {
        GroupWriter root(file);
        write_attributes(file, d);
        write_dimensions(root, d);
        root.variable<double>(
            "greens", {"source", "epoch", "station", "component"}, d.greens,
            d.unit_slip ? "m m-1" : "m",
            d.unit_slip ? "displacement per slip" : "displacement for the source's slip",
            greens_chunk(extents));
        file.set_attribute("greens", "_FillValue", std::numeric_limits<double>::quiet_NaN());
        if (d.projected && write_grid_mapping(file, d.crs_wkt)) {
            file.set_attribute("greens", "grid_mapping", Text(kMappedCoordinates));
        }
        file.set_attribute("greens", "coordinates", auxiliary_coordinates(d.projected));
        write_source_rows(root, d);
        if (!d.warnings.empty()) {
            root.dimension<Text>("warning", d.warnings, {}, "what to know of this dataset");
        }
        write_events(root, d.events);
        write_reduced_models(file, root, d);
        for (const auto& c : layout::station_columns(d.projected)) {
            root.variable<double>(c.name, {"station"}, layout::column(d.stations, c.member),
                                  c.units, c.long_name);
        }
        if (std::ranges::any_of(d.stations, [](const auto& s) { return s.look_up == s.look_up; })) {
            for (const auto& c : layout::kLookColumns) {
                root.variable<double>(c.name, {"station"}, layout::column(d.stations, c.member),
                                      c.units, c.long_name);
            }
        }
        if (d.fault_response) {
            write_fault_response(file, *d.fault_response, d.epochs_s);
        }
        if (d.surface) {
            write_surface(file, *d.surface);
        }
        if (d.volume) {
            write_volume(file, *d.volume);
        }
    });
}

namespace {

using UnitSource = GreensDataset::Source;

void write_grid(GroupWriter& root, std::span<const UnitSource> sources) {
    std::vector<std::int8_t> hat;
    std::size_t most = 1;
    for (const UnitSource& source : sources) {
        hat.push_back(static_cast<std::int8_t>(source.hat));
        most = std::max(most, source.neighbours.size());
    }
    root.variable("hat", {"source"}, hat, "1", "how unit slip falls off from the patch's centre");
    root.flags("hat", std::vector<std::int8_t>{0, 1, 2, 3}, "none uniform bilinear bicubic");
    root.variable("grid_row", {"source"}, layout::column(sources, &UnitSource::grid_row), "1",
                  "row of the patch in its grid, down dip from 0; -1 without a grid");
    root.variable("grid_column", {"source"}, layout::column(sources, &UnitSource::grid_column), "1",
                  "column of the patch in its grid, along strike from 0; -1 without a grid");
    std::vector<std::int32_t> neighbours;
    for (const UnitSource& source : sources) {
        std::vector<std::int32_t> row = source.neighbours;
        row.resize(most, -1);
        neighbours.insert(neighbours.end(), row.begin(), row.end());
    }
    root.count("neighbour", most, "place in a list of neighbours");
    root.variable("neighbours", {"source", "neighbour"}, neighbours, "1",
                  "sources beside this one with the same direction of slip; -1 where none");
}

}  // namespace

void write_source_places(GroupWriter& root, std::span<const UnitSource> sources, bool projected) {
    root.text("patch_id", "source", layout::column(sources, &UnitSource::patch_id), "patch");
    if (std::ranges::any_of(sources,
                            [](const UnitSource& source) { return !source.fault.empty(); })) {
        root.text("fault", "source", layout::column(sources, &UnitSource::fault),
                  "fault that the patch is on");
    }
    root.text("slip_component", "source", layout::column(sources, &UnitSource::component),
              "direction of unit slip");
    for (const auto& c : layout::source_columns(projected)) {
        root.variable<double>(c.name, {"source"}, layout::column(sources, c.member), c.units,
                              c.long_name);
    }
    if (projected) {
        root.attribute("patch_x", "standard_name", GroupWriter::Text("projection_x_coordinate"));
        root.attribute("patch_y", "standard_name", GroupWriter::Text("projection_y_coordinate"));
    }
    for (const auto& c : layout::outline_columns(projected)) {
        std::vector<double> values;
        for (const UnitSource& source : sources) {
            values.insert(values.end(), source.*c.member, source.*c.member + layout::kCorners);
        }
        root.variable<double>(c.name, {"source", "corner"}, values, c.units, c.long_name);
    }
    // Heights, for those who draw in the model's frame.
    std::vector<double> z;
    std::vector<double> outline_z;
    for (const UnitSource& source : sources) {
        z.push_back(0.0 - source.depth_m);
        for (const double depth_m : source.outline_depth_m) {
            outline_z.push_back(0.0 - depth_m);
        }
    }
    root.variable("patch_z", {"source"}, z, "m", "z of patch centre in the model, up");
    root.variable("outline_z", {"source", "corner"}, outline_z, "m",
                  "z of patch corner in the model, up");
    write_grid(root, sources);
}

}  // namespace kaname::io
