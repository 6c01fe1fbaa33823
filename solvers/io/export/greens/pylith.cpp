// SPDX-License-Identifier: BSD-3-Clause
// PyLith's output of Green's function problems: responses at points and impulses on the fault, a
// pair of files for each direction of slip, as its example subduction-3d reads them.
#include <map>

#include "solvers/h5/atomic_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"
#include "solvers/io/export/greens/slip_columns.hpp"

namespace kaname::io {
namespace {

/// Place of a direction among PyLith's components of slip: opening, left-lateral, reverse.
std::size_t slip_component(const SlipDirection& direction) {
    return direction.opening ? 0 : same_rake(direction.rake_deg, 0.0) ? 1 : 2;
}

/// `time` of PyLith counts the impulses of such a problem.
void write_impulse_numbers(h5::File& file, std::size_t n) {
    std::vector<double> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
        numbers[i] = static_cast<double>(i);
    }
    file.write<double>("time", numbers, {n, 1, 1});
}

void write_vertices(h5::File& file, const std::vector<double>& xyz) {
    file.write<double>("geometry/vertices", xyz, {xyz.size() / 3, 3});
}

void write_cells(h5::File& file, const std::vector<std::int64_t>& cells, std::uint64_t corners,
                 std::int64_t dimension) {
    file.write<std::int64_t>("viz/topology/cells", cells, {cells.size() / corners, corners});
    file.set_attribute("viz/topology/cells", "cell_dim", dimension);
}

/// Quadrilaterals between the centres of neighbouring patches where these are a grid without gaps;
/// each patch by itself where they are not.
void write_fault_cells(h5::File& file, const ExportSource& source) {
    std::map<std::pair<int, int>, std::int64_t> at;
    int rows = 0;
    int columns = 0;
    for (std::size_t i = 0; i < source.n_patches(); ++i) {
        const GreensDataset::Source& patch = source.patch(i);
        at[{patch.grid_row, patch.grid_column}] = static_cast<std::int64_t>(i);
        rows = std::max(rows, patch.grid_row + 1);
        columns = std::max(columns, patch.grid_column + 1);
    }
    std::vector<std::int64_t> cells;
    if (rows < 2 || columns < 2 || at.begin()->first.first < 0 ||
        at.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) ||
        at.size() != source.n_patches()) {
        for (std::size_t i = 0; i < source.n_patches(); ++i) {
            cells.push_back(static_cast<std::int64_t>(i));
        }
        write_cells(file, cells, 1, 0);
        return;
    }
    for (int row = 0; row + 1 < rows; ++row) {
        for (int column = 0; column + 1 < columns; ++column) {
            for (const auto& corner :
                 {std::pair(row, column), std::pair(row, column + 1),
                  std::pair(row + 1, column + 1), std::pair(row + 1, column)}) {
                cells.push_back(at.at(corner));
            }
        }
    }
    write_cells(file, cells, 4, 2);
}

void write_points(const ExportCall& call, const std::string& name, const SlipDirection& direction) {
    const ExportSource& source = call.source;
    const GreensDataset& rows = source.rows();
    constexpr const char* kField = "vertex_fields/displacement";
    h5::write_atomically(call.path(name), [&](h5::File& file) {
        std::vector<double> xyz;
        std::vector<std::int64_t> cells;
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < source.n_stations(); ++i) {
            const PlanePlace at = station_place(rows, i);
            xyz.insert(xyz.end(), {at.x, at.y, 0.0 - rows.stations[i].depth_m});
            cells.push_back(static_cast<std::int64_t>(i));
            ids.push_back(rows.stations[i].id);
        }
        write_vertices(file, xyz);
        write_cells(file, cells, 1, 0);
        file.write_strings("stations", ids);
        write_impulse_numbers(file, source.n_patches());
        file.create<double>(kField, {source.n_patches(), source.n_stations(), 3});
        file.set_attribute(kField, "vector_field_type", std::string("vector"));
        const Part stations{0, source.n_stations()};
        std::vector<double> values;
        for_parts(source.n_patches(), 6 * source.n_stations(), [&](Part patches) {
            const GreensBlock block =
                source.read_patches(direction, patches, {call.epoch, 1}, stations);
            values.clear();
            for (std::size_t i = patches.first; i < patches.first + patches.count; ++i) {
                for_stations(block, [&](std::size_t station) {
                    for (std::size_t component = 0; component < 3; ++component) {
                        values.push_back(
                            block.at(direction.sources[i], call.epoch, station, component));
                    }
                });
            }
            file.write_block<double>(kField, values, {patches.first, 0, 0},
                                     {patches.count, stations.count, 3});
        });
    });
}

void write_fault(const ExportCall& call, const std::string& name, const SlipDirection& direction) {
    const ExportSource& source = call.source;
    const std::size_t n = source.n_patches();
    constexpr const char* kField = "vertex_fields/slip";
    h5::write_atomically(call.path(name), [&](h5::File& file) {
        std::vector<double> xyz;
        for (std::size_t i = 0; i < n; ++i) {
            const GreensDataset::Source& patch = source.patch(i);
            const PlanePlace at = patch_place(source.rows(), patch);
            xyz.insert(xyz.end(), {at.x, at.y, 0.0 - patch.depth_m});
        }
        write_vertices(file, xyz);
        write_fault_cells(file, source);
        write_impulse_numbers(file, n);
        file.create<double>(kField, {n, n, 3});
        file.set_attribute(kField, "vector_field_type", std::string("vector"));
        for_parts(n, 3 * n, [&](Part impulses) {
            std::vector<double> slip(impulses.count * n * 3, 0.0);
            for (std::size_t i = 0; i < impulses.count; ++i) {
                slip[(i * n + impulses.first + i) * 3 + slip_component(direction)] = 1.0;
            }
            file.write_block<double>(kField, slip, {impulses.first, 0, 0}, {impulses.count, n, 3});
        });
    });
}

}  // namespace

void write_pylith(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const std::size_t n = source.n_patches();
    for (const SlipDirection& direction :
         named_directions(source, "pylith", {"leftlateral", "reverse", "opening"})) {
        const std::string points = direction.name + "-points.h5";
        const std::string fault = direction.name + "-fault.h5";
        write_points(call, points, direction);
        write_fault(call, fault, direction);
        record.files.push_back({points,
                                "responses: vertex_fields/displacement",
                                "float64",
                                {n, source.n_stations(), 3},
                                {"impulse", "station", "east, north, up"},
                                "m per m of slip"});
        record.files.push_back({fault,
                                "impulses: vertex_fields/slip, impulse i slips by 1 m at patch i",
                                "float64",
                                {n, n, 3},
                                {"impulse", "patch", "opening, left-lateral, reverse"},
                                "m"});
    }
    write_place_tables(call, record);
    record.notes.push_back("time holds the number of the impulse, from 0");
    record.notes.push_back(source.rows().projected
                               ? "geometry/vertices are longitude, latitude [degree], z [m, up]"
                               : "geometry/vertices are x, y, z of the model [m, z up]");
    record.notes.push_back(
        "a patch stands for a vertex of the fault: slip between vertices falls off as the "
        "dataset's hats do (docs/user/dataset.md)");
}

}  // namespace kaname::io
