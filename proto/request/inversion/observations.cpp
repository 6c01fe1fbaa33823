// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/inversion/observations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "proto/request/form/text.hpp"
#include "proto/request/inversion/observation_columns.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::request {
namespace {

using Cells = std::vector<std::string>;
using Columns = ObservationColumns;

constexpr std::size_t kMaxId = 64;
constexpr double kUnitLength = 1e-2;  // rounding of look vectors in tables
constexpr double kLargestRadians = 90.0 * kDegree;
// Beyond these the numbers are in another unit than they are said to be.
constexpr double kLargestDisplacement_m = 100.0;
constexpr double kLargestVelocity_m_per_year = 1.0;
constexpr double kSmallest_m = 1e-6;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

std::string unit_names() {
    std::vector<std::string> names;
    for (const ObservationUnit& unit : observation_units()) {
        names.push_back(unit.name);
    }
    return join_or(names);
}

/// In place of a column of values that will be synthetic.
constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

/// A column of numbers of one component with the factor to metres.
struct Measured {
    std::size_t index = 0;
    std::string name;
    double factor = 1.0;
};

/// One component of a table: its values, and where their standard deviations are.
struct Component {
    std::string name;
    Measured value;
    std::optional<Measured> sigma;
    double default_sigma_m = 0.0;  // 0: none
};

class Reader {
public:
    Reader(const v1::Observations& set, const std::string& field, bool synthetic)
        : set_(set),
          field_(field),
          synthetic_(synthetic),
          kind_(*find_observation_kind(set.kind())),
          errors_(set.file().path()) {}

    void read(std::string_view text);
    [[nodiscard]] ObservationTable take();

private:
    void fail(const std::string& message) { errors_.fail(line_, message); }
    void fail_set(const std::string& key, const std::string& message) {
        of_set_.push_back({field_ + "." + key, message});
    }
    [[nodiscard]] bool broken() const { return errors_.any() || !of_set_.empty(); }

    void read_header(const Cells& names);
    void check_places(const Cells& names);
    void check_look();
    void find_components(const Cells& names);
    void find_sigmas();
    [[nodiscard]] double default_sigma_m(const std::string& component) const;

    void read_row(const Cells& cells);
    std::optional<double> number(const Cells& cells, std::size_t index, const std::string& name);
    std::optional<double> in_range(const Cells& cells, std::size_t index, const std::string& name,
                                   double low, double high);
    void read_time(const Cells& cells, Observation& row);
    bool read_look(const Cells& cells, Observation& row);
    static bool is_observed(const Cells& cells, const Component& component);
    void read_value(const Cells& cells, const Component& component, const Observation& row);
    void check_repeated(const Observation& row);
    void warn_of_size();

    const v1::Observations& set_;
    const std::string& field_;
    const bool synthetic_;
    const ObservationKind& kind_;
    RowErrors errors_;
    std::vector<Violation> of_set_;
    int line_ = 0;
    double largest_incidence_deg_ = 0.0;
    std::size_t n_columns_ = 0;
    Columns columns_;
    std::vector<Component> components_;
    std::map<std::tuple<std::string, double, std::optional<double>>, int> first_line_;
    ObservationTable table_;
};

void Reader::read_header(const Cells& names) {
    n_columns_ = names.size();
    columns_ = find_columns(names, kind_);
    for (const std::string& error : columns_.errors) {
        fail(error);
    }
    for (const std::string& name : columns_.passed_over) {
        table_.warnings.push_back(errors_.at(line_) + ": column " + name +
                                  " is passed over: it ends in none of the units " + unit_names());
    }
    check_places(names);
    if (kind_.name == kInsar) {
        check_look();
    }
    find_components(names);
    find_sigmas();
}

void Reader::check_places(const Cells& names) {
    if (columns_.lon.has_value() != columns_.lat.has_value()) {
        fail(std::string("header must name lon_deg and lat_deg, or none of them, got ") +
             (columns_.lon ? "lon_deg" : "lat_deg") + " alone");
    }
    table_.placed = columns_.lon && columns_.lat;
    if (!columns_.station && (kind_.name != kInsar || !table_.placed)) {
        fail(kind_.name == kInsar
                 ? "header must name the columns lon_deg and lat_deg, or station, got " +
                       quote(joined(names))
                 : "header must name the column station (or id, site, point, name), got " +
                       quote(joined(names)));
    }
}

void Reader::check_look() {
    const bool vector = columns_.look_east && columns_.look_north && columns_.look_up;
    const bool angles = columns_.incidence && columns_.heading;
    if (!vector && !angles) {
        fail(
            "header must name look_east, look_north and look_up (from the ground to the "
            "satellite), or incidence_deg and heading_deg");
    }
}

void Reader::find_components(const Cells& names) {
    const bool chosen = set_.components_size() > 0;
    std::string first;  // column that says what is observed
    for (const std::string& name : kind_.components) {
        const bool wanted =
            !chosen || std::ranges::find(set_.components(), name) != set_.components().end();
        const auto column = columns_.values.find(name);
        if (synthetic_ && columns_.values.empty() && wanted) {
            table_.velocity = set_.quantity() == kVelocity;
            components_.push_back({name, {kNoColumn, name, 1.0}, {}, 0.0});
            table_.components.push_back(name);
            continue;
        }
        if (!wanted || column == columns_.values.end()) {
            if (chosen && wanted) {
                fail_set("components",
                         "must have columns in the file, got " + name + " without one");
            }
            continue;
        }
        std::optional<ObservationUnit> unit = column->second.unit;
        if (!unit) {
            unit = find_observation_unit(set_.unit());
        }
        if (!unit) {
            if (set_.unit().empty()) {
                fail_set("unit", "must be given, column " + name + " has no unit: " + unit_names());
            }
            continue;
        }
        if (!first.empty() && unit->velocity != table_.velocity) {
            fail("columns must be displacements or velocities, not both, got " + first + " and " +
                 column->second.name);
        }
        if (first.empty()) {
            first = column->second.name;
            table_.velocity = unit->velocity;
        }
        components_.push_back(
            {name, {column->second.index, column->second.name, unit->factor}, {}, 0.0});
        table_.components.push_back(name);
    }
    if (components_.empty() && columns_.values.empty()) {
        fail("header must name a column of " + join_or(kind_.components) +
             " with its unit, such as " + kind_.components.front() + "_mm, got " +
             quote(joined(names)));
    }
    const std::string found = table_.velocity ? kVelocity : kDisplacement;
    if (!first.empty() && !set_.quantity().empty() && set_.quantity() != found) {
        fail_set("quantity", "must be " + found + ", as the unit of column " + first +
                                 " says, got " + quote(set_.quantity()));
    }
}

double Reader::default_sigma_m(const std::string& component) const {
    return component == "east"    ? set_.sigma_east_m()
           : component == "north" ? set_.sigma_north_m()
           : component == "up"    ? set_.sigma_up_m()
                                  : set_.sigma_los_m();
}

void Reader::find_sigmas() {
    for (Component& component : components_) {
        component.default_sigma_m = default_sigma_m(component.name);
        const auto column = columns_.sigmas.find(component.name);
        if (column == columns_.sigmas.end()) {
            if (component.default_sigma_m == 0.0 && !set_.has_covariance()) {
                fail_set("sigma_" + component.name + "_m",
                         "must be given, the file has no column " + component.name + "_sigma");
            }
            continue;
        }
        const auto& [index, name, unit] = column->second;
        if (unit && unit->velocity != table_.velocity) {
            fail("columns must be displacements or velocities, not both, got " +
                 component.value.name + " and " + name);
        }
        component.sigma = Measured{index, name, unit ? unit->factor : component.value.factor};
    }
}

std::optional<double> Reader::number(const Cells& cells, std::size_t index,
                                     const std::string& name) {
    const std::optional<double> value = parse_number(cells[index]);
    if (!value || !std::isfinite(*value)) {
        fail(name + " must be a finite number, got " + quote(cells[index]) +
             number_hint(cells[index], name) + "; leave blank what was not observed");
        return std::nullopt;
    }
    return value;
}

std::optional<double> Reader::in_range(const Cells& cells, std::size_t index,
                                       const std::string& name, double low, double high) {
    const std::optional<double> value = number(cells, index, name);
    if (value && (*value < low || *value > high)) {
        fail(name + " must be in " + show(low) + ".." + show(high) + ", got " + show(*value));
        return std::nullopt;
    }
    return value;
}

void Reader::read_time(const Cells& cells, Observation& row) {
    const auto read = [&](const std::optional<Columns::Scaled>& column, const char* name) {
        std::optional<double> time_s;
        if (column && !cells[column->index].empty()) {
            if (const auto value = number(cells, column->index, name)) {
                time_s = *value * column->factor;
            }
        }
        return time_s;
    };
    const std::optional<double> epoch_s = read(columns_.epoch, "epoch");
    const std::optional<double> since_s = read(columns_.since, "since");
    row.epoch_s = epoch_s.value_or(set_.epoch_s());
    row.since_s = since_s;
    if (!since_s && set_.has_since_s()) {
        row.since_s = set_.since_s();
    }
    // Times that the set itself gives are checked by validate().
    if ((epoch_s || since_s) && row.since_s && *row.since_s >= row.epoch_s) {
        fail("since must be before the epoch, " + show(row.epoch_s) + " s, got " +
             show(*row.since_s) + " s");
    }
    if (since_s && table_.velocity) {
        fail("since must be left out of velocities, got " + show(*since_s) + " s");
    }
}

bool Reader::read_look(const Cells& cells, Observation& row) {
    if (!columns_.look_east || !columns_.look_north || !columns_.look_up) {
        const auto incidence = in_range(cells, *columns_.incidence, "incidence_deg", 0.0, 90.0);
        const auto heading = in_range(cells, *columns_.heading, "heading_deg", -360.0, 360.0);
        if (!incidence || !heading) {
            return false;
        }
        largest_incidence_deg_ = std::max(largest_incidence_deg_, *incidence);
        // A satellite that looks to its right stands to the left of what it sees.
        const double across = std::sin(*incidence * kDegree);
        row.east = -across * std::cos(*heading * kDegree);
        row.north = across * std::sin(*heading * kDegree);
        row.up = std::cos(*incidence * kDegree);
        return true;
    }
    const auto east = number(cells, *columns_.look_east, "look_east");
    const auto north = number(cells, *columns_.look_north, "look_north");
    const auto up = number(cells, *columns_.look_up, "look_up");
    if (!east || !north || !up) {
        return false;
    }
    const double length = std::hypot(*east, *north, *up);
    if (std::abs(length - 1.0) > kUnitLength || *up <= 0.0) {
        fail(
            "look_east, look_north, look_up must be a unit vector from the ground to the "
            "satellite, got " +
            show(*east) + ", " + show(*north) + ", " + show(*up) + " of length " +
            show(std::round(length * 1e3) / 1e3));
        return false;
    }
    row.east = *east / length;
    row.north = *north / length;
    row.up = *up / length;
    return true;
}

/// Places without values are all observed, by made-up slip.
bool Reader::is_observed(const Cells& cells, const Component& component) {
    const std::size_t column = component.value.index;
    return column == kNoColumn || !cells[column].empty();
}

void Reader::read_value(const Cells& cells, const Component& component, const Observation& row) {
    if (!is_observed(cells, component)) {
        return;
    }
    const std::string& name = component.value.name;
    const std::optional<double> value =
        component.value.index == kNoColumn ? 0.0 : number(cells, component.value.index, name);
    double sigma_m = component.default_sigma_m;
    if (component.sigma && !cells[component.sigma->index].empty()) {
        const auto sigma = number(cells, component.sigma->index, component.sigma->name);
        if (sigma && *sigma <= 0.0) {
            fail(component.sigma->name +
                 (row.station.empty() ? "" : " of station " + quote(row.station)) +
                 " must be > 0, got " + show(*sigma) + "; blank it takes the set's sigma_" +
                 component.name + "_m");
        }
        sigma_m = sigma.value_or(1.0) * component.sigma->factor;
    } else if (sigma_m == 0.0 && !set_.has_covariance()) {
        fail(component.sigma->name + " must be given, or sigma_" + component.name +
             "_m of the set for rows without one");
    }
    Observation observed = row;
    observed.component = component.name;
    observed.value = value.value_or(0.0) * component.value.factor;
    observed.sigma = sigma_m;
    if (kind_.name != kInsar) {
        observed.east = component.name == "east" ? 1.0 : 0.0;
        observed.north = component.name == "north" ? 1.0 : 0.0;
        observed.up = component.name == "up" ? 1.0 : 0.0;
    }
    table_.rows.push_back(std::move(observed));
}

void Reader::check_repeated(const Observation& row) {
    if (row.station.empty()) {
        return;
    }
    const auto [at, fresh] =
        first_line_.try_emplace({row.station, row.epoch_s, row.since_s}, line_);
    if (!fresh) {
        fail("station must be unique at an epoch, got " + quote(row.station) + " as in line " +
             std::to_string(at->second) +
             "; keep one of the lines, or put their mean weighted by 1/sigma^2 in their place");
    }
}

void Reader::read_row(const Cells& cells) {
    if (cells.size() != n_columns_) {
        fail("row has " + std::to_string(cells.size()) + " cells, the header has " +
             std::to_string(n_columns_) +
             (cells.size() > n_columns_ ? "; decimals are written with a point" : ""));
        return;
    }
    Observation row;
    row.field = errors_.at(line_);
    if (columns_.station) {
        row.station = cells[*columns_.station];
        if (row.station.empty() || row.station.size() > kMaxId) {
            fail("station must have 1 to 64 characters, got " + quote(row.station));
        } else if (shown_on_a_line(row.station) != row.station) {
            fail("station must have no control characters, got " +
                 quote(shown_on_a_line(row.station)));
        }
    }
    if (table_.placed) {
        row.lon_deg = in_range(cells, *columns_.lon, "lon_deg", -180.0, 360.0);
        row.lat_deg = in_range(cells, *columns_.lat, "lat_deg", -90.0, 90.0);
    }
    read_time(cells, row);
    const bool observed = std::ranges::any_of(
        components_, [&](const Component& one) { return is_observed(cells, one); });
    if (!observed) {
        return;
    }
    check_repeated(row);
    if (kind_.name == kInsar && !read_look(cells, row)) {
        return;
    }
    for (const Component& component : components_) {
        read_value(cells, component, row);
    }
}

void Reader::read(std::string_view text) {
    for_each_csv_line(text, [&](int line, std::string_view cells_text) {
        line_ = line;
        const std::optional<Cells> cells = split_csv(cells_text);
        if (!cells) {
            fail("quote is left open");
        } else if (const std::string other = other_separator(cells_text);
                   n_columns_ == 0 && !other.empty()) {
            fail("columns must be separated by ',', got " + other);
            return false;
        } else if (n_columns_ == 0) {
            read_header(*cells);
            return !broken();  // rows mean nothing without their header
        } else {
            read_row(*cells);
        }
        return true;
    });
    if (table_.rows.empty() && !broken()) {
        fail("file has no observation");
    }
    // No imaging radar looks down within 2 degrees of the vertical; 0 is motion of the vertical
    // itself.
    if (0.0 < largest_incidence_deg_ && largest_incidence_deg_ < kLargestRadians && !broken()) {
        fail("incidence_deg must be in degrees, got at most " + show(largest_incidence_deg_) +
             " in all rows; are these radians?");
    }
}

void Reader::warn_of_size() {
    if (synthetic_) {
        return;
    }
    std::vector<double> sizes;
    for (const Observation& row : table_.rows) {
        sizes.push_back(std::abs(row.value));
    }
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    const std::string unit = table_.velocity ? " m/year" : " m";
    const double largest = table_.velocity ? kLargestVelocity_m_per_year : kLargestDisplacement_m;
    const std::string what = field_ + ": half of the values of " +
                             std::filesystem::path(set_.file().path()).filename().string() +
                             " are ";
    if (*middle > largest) {
        table_.warnings.push_back(what + "larger than " + show(largest) + unit +
                                  "; are these millimetres? Their columns or unit must say so");
    } else if (*middle < kSmallest_m) {
        table_.warnings.push_back(what + "smaller than " + show(kSmallest_m) + unit +
                                  "; is their unit larger than their columns or unit say?");
    }
}

ObservationTable Reader::take() {
    if (broken()) {
        std::vector<Violation> all = std::move(of_set_);
        std::ranges::move(errors_.take(), std::back_inserter(all));
        throw ValidationError(std::move(all));
    }
    warn_of_size();
    return std::move(table_);
}

}  // namespace

std::vector<std::string> ObservationTable::station_ids() const {
    std::set<std::string> ids;
    for (const Observation& row : rows) {
        ids.insert(row.station.empty() ? row.field : row.station);
    }
    return {ids.begin(), ids.end()};
}

ObservationTable read_observations(const v1::Observations& set, const std::string& field,
                                   bool synthetic) {
    Reader reader(set, field, synthetic);
    reader.read(read_text_file(set.file().path()));
    return reader.take();
}

}  // namespace kaname::request
