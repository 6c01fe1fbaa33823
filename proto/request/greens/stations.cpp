// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/stations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::request {
namespace {

v1::WaveReceiver receiver_of(const RequestStation& station) {
    v1::WaveReceiver receiver;
    receiver.set_id(station.id);
    v1::WavePlace& at = *receiver.mutable_at();
    if (station.plain) {
        at.set_x_m(station.x_m);
        at.set_y_m(station.y_m);
        if (station.depth_m) {
            at.set_z_m(-*station.depth_m);
        }
    } else {
        at.set_lon_deg(station.lon_deg);
        at.set_lat_deg(station.lat_deg);
        if (station.depth_m) {
            at.set_depth_m(*station.depth_m);
        }
    }
    return receiver;
}

}  // namespace

void take_receivers(google::protobuf::RepeatedPtrField<v1::File>& files,
                    google::protobuf::RepeatedPtrField<v1::WaveReceiver>& receivers,
                    std::vector<Violation>& broken) {
    google::protobuf::RepeatedPtrField<v1::File> left;
    for (int index = 0; index < files.size(); ++index) {
        const v1::File& file = files[index];
        if (file.sha256().empty()) {
            *left.Add() = file;  // resolve_files() has reported it
            continue;
        }
        try {
            for (const RequestStation& station : read_station_csv(file.path())) {
                *receivers.Add() = receiver_of(station);
            }
        } catch (const ValidationError& error) {
            std::ranges::copy(error.violations(), std::back_inserter(broken));
        } catch (const Error& error) {
            broken.push_back({"receiver_files[" + std::to_string(index) + "]", error.what()});
        }
    }
    files.Swap(&left);
}

namespace {

constexpr std::size_t kMaxId = 64;
constexpr std::array<const char*, 3> kLooks = {"look_east", "look_north", "look_up"};

struct Column {
    std::size_t index = 0;
    double factor = 1.0;
    std::string name;  ///< as the header has it
};

class Table {
public:
    explicit Table(const std::string& path) : errors_(path) {}

    void read(std::string_view text);
    [[nodiscard]] std::vector<RequestStation> take();

private:
    void fail(const std::string& message) { errors_.fail(line_, message); }
    void read_header(const std::vector<std::string>& cells);
    void read_row(const std::vector<std::string>& cells);
    void read_look(const std::vector<std::string>& cells, RequestStation& station);
    std::optional<Column> column(const std::vector<std::string>& names, const std::string& field);
    std::optional<double> number(const std::vector<std::string>& cells, const Column& column,
                                 double low, double high);
    bool is_exchanged(const std::vector<std::string>& cells);

    RowErrors errors_;
    int line_ = 0;
    std::size_t n_columns_ = 0;
    Column id_, lon_, lat_;  // x and y where `plain_`
    bool plain_ = false;
    std::optional<Column> depth_;
    std::array<std::optional<Column>, 3> look_;
    std::vector<RequestStation> stations_;
    std::map<std::string, int> first_line_;
};

std::optional<Column> Table::column(const std::vector<std::string>& names,
                                    const std::string& field) {
    std::optional<Column> found;
    std::vector<QuantityName> accepted = quantity_names(field);
    for (const std::string& name : column_names(field)) {
        accepted.push_back({name, 1.0});
    }
    for (std::size_t index = 0; index < names.size(); ++index) {
        const auto known = std::ranges::find(accepted, names[index], &QuantityName::name);
        if (known == accepted.end()) {
            continue;
        }
        if (found) {
            fail("column " + names[index] + " repeats " + found->name);
        }
        found = Column{index, known->factor, names[index]};
    }
    return found;
}

void Table::read_header(const std::vector<std::string>& cells) {
    n_columns_ = cells.size();
    std::string found;
    for (const std::string& cell : cells) {
        found += (found.empty() ? "" : ", ") + cell;
    }
    const auto required = [&](const std::string& field) {
        const std::optional<Column> place = column(cells, field);
        if (!place) {
            fail("header must name the column " + field + ", got " + quote(found));
        }
        return place.value_or(Column{});
    };
    if (const auto station = station_column(cells)) {
        id_ = {*station, 1.0, cells[*station]};
    } else {
        fail("header must name the column station (or id, site, point, name), got " + quote(found));
    }
    const std::optional<Column> x = column(cells, "x_m");
    const std::optional<Column> y = column(cells, "y_m");
    plain_ = x && y && !column(cells, "lon_deg") && !column(cells, "lat_deg");
    lon_ = plain_ ? *x : required("lon_deg");
    lat_ = plain_ ? *y : required("lat_deg");
    depth_ = column(cells, "depth_m");
    for (std::size_t comp = 0; comp < look_.size(); ++comp) {
        look_[comp] = column(cells, kLooks[comp]);
    }
    if (const auto n = std::ranges::count_if(look_, [](const auto& c) { return c.has_value(); });
        n != 0 && n != 3) {
        fail("header must name all of look_east, look_north and look_up, or none of them");
    }
    if (std::find(cells.begin(), cells.end(), "depth") != cells.end()) {
        fail("column depth has no unit; name it depth_m or depth_km");
    }
}

std::optional<double> Table::number(const std::vector<std::string>& cells, const Column& column,
                                    double low, double high) {
    const std::string& cell = cells[column.index];
    const std::optional<double> value = parse_number(cell);
    if (!value) {
        fail(column.name + " must be a number, got " + quote(cell) +
             number_hint(cell, column.name));
        return std::nullopt;
    }
    const double si = *value * column.factor;
    if (si < low || si > high) {
        fail(column.name + " must be in " + show_rounded(low / column.factor) + ".." +
             show_rounded(high / column.factor) + ", got " + cell +
             (is_exchanged(cells) ? "; are longitude and latitude exchanged?" : ""));
        return std::nullopt;
    }
    return si;
}

/// Returns true if a row's latitude is none and its longitude would be one.
bool Table::is_exchanged(const std::vector<std::string>& cells) {
    const double lon = parse_number(cells[lon_.index]).value_or(1e9);
    const double lat = parse_number(cells[lat_.index]).value_or(0.0);
    return !plain_ && std::abs(lat) > 90.0 && lat >= -180.0 && lat <= 360.0 &&
           std::abs(lon) <= 90.0;
}

/// Empty cells: the station is observed in all directions.
void Table::read_look(const std::vector<std::string>& cells, RequestStation& station) {
    constexpr double kLargest = 1e9;
    std::array<double, 3> look{};
    for (std::size_t comp = 0; comp < look.size(); ++comp) {
        if (!look_[comp] || cells[look_[comp]->index].empty()) {
            return;
        }
        look[comp] = number(cells, *look_[comp], -kLargest, kLargest).value_or(1.0);
    }
    station.look = unit_look(look[0], look[1], look[2]);
    if (!station.look) {
        fail("look_east, look_north and look_up must be a direction: all three are 0");
    }
}

void Table::read_row(const std::vector<std::string>& cells) {
    if (cells.size() != n_columns_) {
        fail("row has " + std::to_string(cells.size()) + " cells, the header has " +
             std::to_string(n_columns_) +
             (cells.size() > n_columns_ ? "; decimals are written with a point" : ""));
        return;
    }
    constexpr double kEarthRadius_m = 6.371e6;
    constexpr double kHighestStation_m = 1e4;  // above sea level; moved onto the surface
    RequestStation station;
    station.id = cells[id_.index];
    station.field = errors_.at(line_);
    if (station.id.empty() || station.id.size() > kMaxId) {
        fail("station must have 1 to 64 characters, got " + quote(station.id));
    } else if (shown_on_a_line(station.id) != station.id) {
        fail("station must have no control characters, got " + quote(shown_on_a_line(station.id)));
    } else if (const auto [at, fresh] = first_line_.try_emplace(station.id, line_); !fresh) {
        fail("station must be unique, got " + quote(station.id) + " as in line " +
             std::to_string(at->second));
    }
    constexpr double kFarthest_m = 1e8;
    const std::optional<double> lon = plain_ ? number(cells, lon_, -kFarthest_m, kFarthest_m)
                                             : number(cells, lon_, -180.0, 360.0);
    const std::optional<double> lat =
        plain_ ? number(cells, lat_, -kFarthest_m, kFarthest_m) : number(cells, lat_, -90.0, 90.0);
    if (depth_ && !cells[depth_->index].empty()) {
        station.depth_m = number(cells, *depth_, -kHighestStation_m, kEarthRadius_m);
    }
    read_look(cells, station);
    station.plain = plain_;
    (plain_ ? station.x_m : station.lon_deg) = lon.value_or(0.0);
    (plain_ ? station.y_m : station.lat_deg) = lat.value_or(0.0);
    stations_.push_back(std::move(station));
}

void Table::read(std::string_view text) {
    for_each_csv_line(text, [&](int line, std::string_view cells_text) {
        line_ = line;
        const std::optional<std::vector<std::string>> cells = split_csv(cells_text);
        if (!cells) {
            fail("quote is left open");
        } else if (const std::string other = other_separator(cells_text);
                   n_columns_ == 0 && !other.empty()) {
            fail("columns must be separated by ',', got " + other);
            return false;
        } else if (n_columns_ == 0) {
            read_header(*cells);
            return !errors_.any();  // rows mean nothing without their header
        } else {
            read_row(*cells);
        }
        return true;
    });
    if (stations_.empty() && !errors_.any()) {
        fail(n_columns_ > 0 ? "must have a row for each station, has a header alone"
                            : "must have a header and a row for each station, has neither");
    }
}

std::vector<RequestStation> Table::take() {
    if (errors_.any()) {
        throw ValidationError(errors_.take());
    }
    return std::move(stations_);
}

}  // namespace

std::optional<std::array<double, 3>> unit_look(double east, double north, double up) {
    const double length = std::hypot(east, north, up);
    if (!(length > 0.0)) {
        return std::nullopt;
    }
    return std::array{east / length, north / length, up / length};
}

std::vector<RequestStation> read_station_csv(const std::string& path) {
    Table table(path);
    table.read(read_text_file(path));
    return table.take();
}

}  // namespace kaname::request
