// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

// PyLith's output of Green's function problems: responses at points and impulses on the fault, a
// pair of files for each direction of slip, as its example subduction-3d reads them.
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

// Time series as Pyrocko's Trace takes them: regular in time, channels N, E and D (down). A store
// of type C is none: it holds moment tensors in a volume, not slip on patches.
namespace {

constexpr double kMostSamples = 100000.0;

/// Times first_s + i dt_s, i = 0 .. n - 1, none of them after the last epoch.
struct TimeGrid {
    double first_s = 0.0, dt_s = 1.0;
    std::size_t n = 1;
};

TimeGrid time_grid(const ExportSource& source, std::optional<double> dt_s) {
    const std::vector<double>& epochs_s = source.rows().epochs_s;
    TimeGrid grid{epochs_s.front(), dt_s.value_or(1.0), 1};
    if (!dt_s && epochs_s.size() > 1) {
        grid.dt_s = epochs_s[1] - epochs_s[0];
        for (std::size_t i = 1; i + 1 < epochs_s.size(); ++i) {
            grid.dt_s = std::min(grid.dt_s, epochs_s[i + 1] - epochs_s[i]);
        }
    }
    // Rounding must not lose a last epoch that lies on the grid.
    const double steps = (epochs_s.back() - epochs_s.front()) / grid.dt_s * (1.0 + 1e-12);
    if (!(steps < kMostSamples)) {
        throw Error(ErrorCode::InvalidArgument, "--dt: must give fewer than " +
                                                    number(kMostSamples) + " samples, " +
                                                    number(grid.dt_s / kJulianYear_s) + " gives " +
                                                    number(std::floor(steps) + 1.0));
    }
    grid.n = static_cast<std::size_t>(std::floor(steps)) + 1;
    return grid;
}

/// Where a time lies among the epochs: (1 - weight) of `before` and weight of the next.
struct Between {
    std::size_t before;
    double weight;
};

std::vector<Between> positions(const TimeGrid& grid, const std::vector<double>& epochs_s) {
    std::vector<Between> result;
    std::size_t before = 0;
    for (std::size_t i = 0; i < grid.n; ++i) {
        const double t = grid.first_s + static_cast<double>(i) * grid.dt_s;
        while (before + 2 < epochs_s.size() && epochs_s[before + 1] <= t) {
            ++before;
        }
        double weight = 0.0;
        if (before + 1 < epochs_s.size()) {
            weight = (t - epochs_s[before]) / (epochs_s[before + 1] - epochs_s[before]);
        }
        result.push_back({before, std::clamp(weight, 0.0, 1.0)});
    }
    return result;
}

void write_traces(const ExportCall& call, const std::string& name, const TimeGrid& grid) {
    // North, east, down.
    struct Channel {
        std::size_t component;
        double sign;
    };
    constexpr std::array<Channel, 3> kChannels = {{{1, 1.0}, {0, 1.0}, {2, -1.0}}};
    const ExportSource& source = call.source;
    const std::vector<Between> times = positions(grid, source.rows().epochs_s);
    const std::size_t n_sources = source.rows().sources.size();
    const Part epochs{0, source.n_epochs()};
    NpyFile file(call.path(name), {n_sources, source.n_stations(), 3, grid.n});
    const auto write_trace = [&](const GreensBlock& block, std::size_t row, std::size_t station,
                                 const Channel& channel) {
        for (const Between& at : times) {
            const auto value = [&](std::size_t epoch) {
                return block.at(row, epoch, station, channel.component);
            };
            // At an epoch its own value, bit for bit.
            const double now = at.weight == 0.0   ? value(at.before)
                               : at.weight == 1.0 ? value(at.before + 1)
                                                  : (1.0 - at.weight) * value(at.before) +
                                                        at.weight * value(at.before + 1);
            file.number(channel.sign * now);
        }
    };
    // Stations are split only where a single source is larger than a part.
    const std::size_t per_station = 3 * epochs.count;
    for_parts(n_sources, per_station * source.n_stations(), [&](Part rows) {
        for_parts(source.n_stations(), per_station * rows.count, [&](Part stations) {
            const GreensBlock block = source.read(rows, epochs, stations);
            for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
                for (std::size_t i = 0; i < stations.count; ++i) {
                    for (const Channel& channel : kChannels) {
                        write_trace(block, row, stations.first + i, channel);
                    }
                }
            }
        });
    });
    file.commit();
}

/// Pyrocko's table of stations: NET.STA.LOC lat lon elevation depth name, then a line for each
/// channel: name, azimuth, dip, gain.
void write_station_channels(const ExportCall& call, const std::string& name) {
    std::set<std::string> codes;
    BinaryFile file(call.path(name));
    for (const GreensDataset::Station& station : call.source.rows().stations) {
        const std::string code = plain_name(station.id);
        if (!codes.insert(code).second) {
            throw Error(ErrorCode::InvalidArgument,
                        call.source.path() +
                            ": stations must differ in letters and digits for "
                            "pyrocko, two are '" +
                            code + "'");
        }
        file.text("." + code + ". " + exact(station.lat_deg) + " " + exact(station.lon_deg) + " " +
                  exact(0.0 - station.depth_m) + " 0 " + code + "\n" +
                  "N 0 0 1\nE 90 0 1\nD 0 90 1\n");
    }
    file.commit();
}

/// A rectangle of Pyrocko for each source, the cell of its patch.
void write_rectangles(const ExportCall& call, const std::string& name) {
    BinaryFile file(call.path(name));
    for (const GreensDataset::Source& row : call.source.rows().sources) {
        file.text("--- !pf.RectangularSource\n");
        const std::pair<const char*, double> fields[] = {
            {"lat", row.lat_deg},       {"lon", row.lon_deg},   {"depth", row.depth_m},
            {"strike", row.strike_deg}, {"dip", row.dip_deg},   {"rake", row.rake_deg},
            {"length", row.length_m},   {"width", row.width_m}, {"slip", 1.0}};
        for (const auto& [field, value] : fields) {
            file.text(std::string(field) + ": " + formatted("%.17e", value) + "\n");
        }
        file.text("anchor: center\n");
    }
    file.commit();
}

}  // namespace

void write_pyrocko(const ExportCall& call, ExportRecord& record) {
    const ExportSource& source = call.source;
    const GreensDataset& rows = source.rows();
    const TimeGrid grid = time_grid(source, call.dt_s);
    const auto is_sized = [](const GreensDataset::Source& row) {
        return std::isfinite(row.length_m) && std::isfinite(row.width_m);
    };
    write_traces(call, "traces.npy", grid);
    write_station_channels(call, "stations.txt");
    record.files.push_back({"traces.npy",
                            "displacement, ydata of a trace for each source, station and channel",
                            "float64",
                            {rows.sources.size(), source.n_stations(), 3, grid.n},
                            {"source", "station", "channel N, E, D (down)", "sample"},
                            "m per m of slip"});
    record.files.push_back({"stations.txt", "Pyrocko's table of stations with channels N, E, D"});
    if (std::ranges::all_of(rows.sources, is_sized)) {
        write_rectangles(call, "sources.yaml");
        record.files.push_back(
            {"sources.yaml", "a RectangularSource for each source: the cell of its patch"});
    } else {
        record.notes.push_back("no sources.yaml: patches have no length and width");
    }
    write_place_tables(call, record);
    record.numbers.emplace_back("tmin_s", grid.first_s);
    record.numbers.emplace_back("deltat_s", grid.dt_s);
    record.numbers.emplace_back("samples", static_cast<double>(grid.n));
    record.notes.push_back(
        "samples are interpolated linearly between epochs; sample 0 is the first epoch");
    record.notes.push_back(
        "no store of type C: the sources are slip on patches, not moment tensors in a volume");
}

}  // namespace kaname::io
