// SPDX-License-Identifier: BSD-3-Clause
// Time series as Pyrocko's Trace takes them: regular in time, channels N, E and D (down). A store
// of type C is none: it holds moment tensors in a volume, not slip on patches.
#include <array>
#include <cmath>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/export/binary_file.hpp"
#include "solvers/io/export/greens/export_text.hpp"
#include "solvers/io/export/greens/npy_file.hpp"
#include "solvers/io/export/greens/place_tables.hpp"

namespace kaname::io {
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
        throw Error(ErrorCode::InvalidArgument, source.path() + ": dt_years must give fewer than " +
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
