// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/fault_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::jobs {
namespace {

constexpr double kMpa = 1e6;
constexpr std::size_t kMostPlaces = 100;  ///< of the grid, for each row of a csv file
constexpr double kOneNode_m = 1e-3;       ///< coordinates nearer to each other are one node's

struct FaultColumn {
    const char* name;
    FaultNumber number;
    double scale;
};
constexpr auto kColumns = std::to_array<FaultColumn>({
    {"normal_mpa", FaultNumber::Normal, kMpa},
    {"strike_mpa", FaultNumber::Strike, kMpa},
    {"dip_mpa", FaultNumber::Dip, kMpa},
    {"static", FaultNumber::StaticFriction, 1.0},
    {"dynamic", FaultNumber::DynamicFriction, 1.0},
    {"slip_weakening_m", FaultNumber::WeakeningSlip, 1.0},
    {"cohesion_mpa", FaultNumber::Cohesion, kMpa},
    {"forced_rupture_s", FaultNumber::ForcedRupture, 1.0},
    {"a", FaultNumber::A, 1.0},
    {"b", FaultNumber::B, 1.0},
    {"state_slip_m", FaultNumber::StateSlip, 1.0},
    {"reference_friction", FaultNumber::ReferenceFriction, 1.0},
    {"reference_rate_m_per_s", FaultNumber::ReferenceRate, 1.0},
    {"weakened_friction", FaultNumber::WeakenedFriction, 1.0},
    {"weakening_rate_m_per_s", FaultNumber::WeakeningRate, 1.0},
    {"initial_rate_m_per_s", FaultNumber::InitialRate, 1.0},
    // SCEC TPV16
    {"shear_strike_mpa", FaultNumber::Strike, kMpa},
    {"shear_updip_mpa", FaultNumber::Dip, -kMpa},
    {"mu_static", FaultNumber::StaticFriction, 1.0},
    {"mu_dynamic", FaultNumber::DynamicFriction, 1.0},
    {"slip_weakening_distance_m", FaultNumber::WeakeningSlip, 1.0},
    {"forced_rupture_time_s", FaultNumber::ForcedRupture, 1.0},
});

struct Axis {
    const char* name;
    int axis;  ///< 0 along, 1 down, 2 depth
    double metres;
};
constexpr auto kAxes = std::to_array<Axis>({{"along_m", 0, 1.0},
                                            {"along_km", 0, 1e3},
                                            {"along_strike_m", 0, 1.0},
                                            {"along_strike_km", 0, 1e3},
                                            {"down_m", 1, 1.0},
                                            {"down_km", 1, 1e3},
                                            {"depth_m", 2, 1.0},
                                            {"depth_km", 2, 1e3}});

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw Error(ErrorCode::InvalidArgument, path + ": " + what);
}

/// The two axes of a table, named by `has`.
struct Axes {
    std::string along, down;
    double along_metres = 1.0, down_metres = 1.0;
    bool depth = false;
};
template <class Has>
Axes find_axes(const std::string& path, const Has& has) {
    Axes found;
    for (const Axis& axis : kAxes) {
        if (!has(axis.name)) {
            continue;
        }
        std::string& name = axis.axis == 0 ? found.along : found.down;
        if (!name.empty()) {
            refuse(path,
                   "must have one of the columns " + name + " and " + axis.name + ", has both");
        }
        name = axis.name;
        (axis.axis == 0 ? found.along_metres : found.down_metres) = axis.metres;
        found.depth = found.depth || axis.axis == 2;
    }
    if (found.along.empty() || found.down.empty()) {
        refuse(path,
               "must have a column along_m (or along_km) and one of down_m and depth_m (or "
               "_km), has no " +
                   std::string(found.along.empty() ? "along" : "down or depth"));
    }
    return found;
}

std::vector<double> nodes_of(std::vector<double> values) {
    std::ranges::sort(values);
    std::vector<double> nodes;
    for (const double value : values) {
        if (nodes.empty() || value > nodes.back() + kOneNode_m) {
            nodes.push_back(value);
        }
    }
    return nodes;
}

std::size_t node_at(const std::vector<double>& nodes, double value) {
    const auto at = std::ranges::lower_bound(nodes, value - kOneNode_m);
    return static_cast<std::size_t>(at - nodes.begin());
}

/// The cell of a value and where in it, 0 to 1.
struct Cell {
    std::size_t first = 0, second = 0;
    double part = 0.0;
};
Cell cell_of(const std::vector<double>& nodes, double value) {
    if (value <= nodes.front()) {
        return {0, 0, 0.0};
    }
    if (value >= nodes.back()) {
        return {nodes.size() - 1, nodes.size() - 1, 0.0};
    }
    const auto above =
        static_cast<std::size_t>(std::ranges::upper_bound(nodes, value) - nodes.begin());
    return {above - 1, above, (value - nodes[above - 1]) / (nodes[above] - nodes[above - 1])};
}

struct Read {
    bool depth = false;
    std::vector<double> along_m, down_m;
    std::map<FaultNumber, std::vector<double>> values;
};

void add_number(const std::string& path, Read& read, const FaultColumn& column,
                std::vector<double> values) {
    if (!read.values.emplace(column.number, std::move(values)).second) {
        refuse(path, "has two columns for one number, the second is " + std::string(column.name));
    }
}

Read read_csv(const std::string& path) {
    const TextFile file(path);
    const CsvTable table(file, {});
    std::map<std::string, std::string> named;  // lower case to that of the file
    for (const std::string& name : table.names()) {
        named[lower_case(name)] = name;
    }
    const Axes axes = find_axes(path, [&](const char* name) { return named.contains(name); });
    std::vector<double> along, down;
    for (const CsvTable::Row& row : table.rows()) {
        along.push_back(axes.along_metres * table.number(row, named[axes.along]));
        down.push_back(axes.down_metres * table.number(row, named[axes.down]));
    }
    Read read{axes.depth, nodes_of(along), nodes_of(down), {}};
    // Rows that share no coordinate would make their number squared.
    if (read.along_m.size() * read.down_m.size() > kMostPlaces * table.rows().size()) {
        refuse(path, "must be a grid: its " + std::to_string(table.rows().size()) + " rows have " +
                         std::to_string(read.along_m.size()) + " coordinates " + axes.along +
                         " and " + std::to_string(read.down_m.size()) + ' ' + axes.down);
    }
    named.erase(axes.along);
    named.erase(axes.down);
    for (const FaultColumn& column : kColumns) {
        const auto found = named.find(column.name);
        if (found == named.end()) {
            continue;
        }
        std::vector<double> values(read.along_m.size() * read.down_m.size(),
                                   std::numeric_limits<double>::quiet_NaN());
        for (std::size_t k = 0; k < table.rows().size(); ++k) {
            values[node_at(read.down_m, down[k]) * read.along_m.size() +
                   node_at(read.along_m, along[k])] =
                column.scale * table.number_or_gap(table.rows()[k], found->second);
        }
        add_number(path, read, column, std::move(values));
        named.erase(found);
    }
    if (!named.empty()) {
        table.header().refuse("column", named.begin()->second,
                              "must be a number of friction or traction with its unit, as "
                              "strike_mpa or slip_weakening_m");
    }
    return read;
}

Read read_netcdf(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    const Axes axes = find_axes(path, [&](const char* name) { return file.has(name); });
    const auto scaled = [&](const std::string& name, double scale, const h5::Dims& dims) {
        std::vector<double> values = file.read<double>(name, dims);
        for (double& value : values) {
            value *= scale;
        }
        return values;
    };
    Read read{axes.depth,
              scaled(axes.along, axes.along_metres, {h5::kAny}),
              scaled(axes.down, axes.down_metres, {h5::kAny}),
              {}};
    for (const std::vector<double>* nodes : {&read.along_m, &read.down_m}) {
        const bool finite =
            std::ranges::all_of(*nodes, [](double value) { return std::isfinite(value); });
        if (nodes->empty() || !finite || !std::ranges::is_sorted(*nodes, std::less_equal<>())) {
            refuse(path,
                   "must have finite, increasing coordinates " + axes.along + " and " + axes.down);
        }
    }
    for (const FaultColumn& column : kColumns) {
        if (file.has(column.name)) {
            add_number(
                path, read, column,
                scaled(column.name, column.scale, {read.down_m.size(), read.along_m.size()}));
        }
    }
    return read;
}

}  // namespace

FaultTable FaultTable::read(const std::string& path) {
    Read read = h5::has_hdf5_signature(path) ? read_netcdf(path) : read_csv(path);
    FaultTable table;
    table.down_is_depth_ = read.depth;
    table.along_m_ = std::move(read.along_m);
    table.down_m_ = std::move(read.down_m);
    table.values_ = std::move(read.values);
    if (table.values_.empty()) {
        refuse(path,
               "must have a number of friction or traction beside its coordinates, as "
               "strike_mpa");
    }
    return table;
}

SomeNumbers FaultTable::at(double along_m, double down_m) const {
    const Cell x = cell_of(along_m_, along_m), y = cell_of(down_m_, down_m);
    SomeNumbers numbers;
    for (const auto& [number, values] : values_) {
        const auto row = [&](std::size_t j) {
            const double first = values[j * along_m_.size() + x.first];
            return first +
                   (x.part > 0.0 ? x.part * (values[j * along_m_.size() + x.second] - first) : 0.0);
        };
        const double upper = row(y.first);
        numbers[number] = upper + (y.part > 0.0 ? y.part * (row(y.second) - upper) : 0.0);
    }
    return numbers;
}

bool FaultTable::covers(double along_m, double down_m, double slack_m) const {
    const auto within = [slack_m](const std::vector<double>& nodes, double value) {
        return value >= nodes.front() - slack_m && value <= nodes.back() + slack_m;
    };
    if (!within(along_m_, along_m) || !within(down_m_, down_m)) {
        return false;
    }
    return std::ranges::all_of(at(along_m, down_m),
                               [](const auto& entry) { return std::isfinite(entry.second); });
}

std::string FaultTable::extent() const {
    return "along " + number(along_m_.front()) + " to " + number(along_m_.back()) + " m, " +
           (down_is_depth_ ? "depth " : "down ") + number(down_m_.front()) + " to " +
           number(down_m_.back()) + " m";
}

void FaultTable::flip_strike() {
    if (const auto strike = values_.find(FaultNumber::Strike); strike != values_.end()) {
        for (double& value : strike->second) {
            value = -value;
        }
    }
}

}  // namespace kaname::jobs
