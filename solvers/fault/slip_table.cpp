// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_table.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::fault {
namespace {

constexpr double kMostSlip_m = 100.0;      // as of slip models: more is another unit read as metres
constexpr std::size_t kMostReported = 20;  // a wrong column would repeat itself on every row

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> cells;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t comma = std::min(line.find(',', from), line.size());
        cells.push_back(trim(line.substr(from, comma - from)));
        from = comma + 1;
    }
    return cells;
}

struct Column {
    std::size_t index;
    double factor;
};

class Reader {
public:
    explicit Reader(std::string path) : path_(std::move(path)) {}

    SlipTable read(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = trim(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            ++line_;
            if (line.empty() || line.front() == '#') {
                continue;
            }
            const std::vector<std::string_view> cells = split(line);
            if (n_columns_ == 0) {
                read_header(cells);
                if (n_broken_ > 0) {
                    break;  // rows mean nothing without their header
                }
            } else {
                read_row(cells);
            }
        }
        if (n_broken_ == 0 && table_.places.empty()) {
            fail("has no row of slip");
        }
        if (n_broken_ > broken_.size()) {
            broken_.push_back({path_, "has " + std::to_string(n_broken_ - broken_.size()) +
                                          " more errors like these"});
        }
        if (!broken_.empty()) {
            throw ValidationError(std::move(broken_));
        }
        return std::move(table_);
    }

private:
    void fail(const std::string& message) {
        if (broken_.size() < kMostReported) {
            broken_.push_back({path_ + ":" + std::to_string(line_), message});
        }
        ++n_broken_;
    }
    /// The column of a quantity in one of its units: name, then suffix and factor of each.
    struct Unit {
        const char* suffix;
        double factor;
    };
    std::optional<Column> column(const std::vector<std::string_view>& names,
                                 const std::string& quantity, std::initializer_list<Unit> units) {
        std::optional<Column> found;
        for (std::size_t index = 0; index < names.size(); ++index) {
            for (const Unit& unit : units) {
                if (names[index] == quantity + unit.suffix) {
                    if (found) {
                        fail("column " + quantity + unit.suffix + " is given twice");
                    }
                    found = Column{index, unit.factor};
                }
            }
        }
        return found;
    }
    void read_header(const std::vector<std::string_view>& names);
    void read_row(const std::vector<std::string_view>& cells);

    std::string path_;
    int line_ = 0;
    std::size_t n_columns_ = 0;
    std::array<std::optional<Column>, 3> place_, slip_;
    SlipTable table_;
    std::vector<Violation> broken_;
    std::size_t n_broken_ = 0;
};

void Reader::read_header(const std::vector<std::string_view>& names) {
    n_columns_ = names.size();
    const auto length = [&](const char* name) {
        return column(names, name, {{"_m", 1.0}, {"_km", 1e3}});
    };
    const auto amount = [&](const char* name) {
        return column(names, name, {{"_m", 1.0}, {"_cm", 1e-2}, {"_km", 1e3}});
    };
    const auto degrees = [&](const char* name) { return column(names, name, {{"_deg", 1.0}}); };
    place_ = {length("x"), length("y"), length("z")};
    const std::array<std::optional<Column>, 2> lonlat = {degrees("lon"), degrees("lat")};
    if (place_[0] && place_[1]) {
        if (lonlat[0] || lonlat[1]) {
            fail("header must name x_m, y_m or lon_deg, lat_deg, not both");
        }
    } else if (lonlat[0] && lonlat[1]) {
        table_.geographic = true;
        place_[0] = lonlat[0];
        place_[1] = lonlat[1];
    } else {
        fail("header must name the columns x_m, y_m or lon_deg, lat_deg");
    }
    std::optional<Column> depth = length("depth");
    if (depth.has_value() == place_[2].has_value()) {
        fail("header must name one of the columns z_m (up) and depth_m (down)");
    } else if (depth) {
        depth->factor = -depth->factor;
        place_[2] = depth;
    }
    slip_ = {amount("slip_east"), amount("slip_north"), amount("slip_up")};
    const std::array<std::optional<Column>, 2> components = {amount("strike_slip"),
                                                             amount("dip_slip")};
    const bool vector = slip_[0] && slip_[1] && slip_[2];
    table_.by_components = components[0] && components[1];
    if (vector == table_.by_components) {
        fail(
            "header must name the columns slip_east_m, slip_north_m, slip_up_m or strike_slip_m, "
            "dip_slip_m");
    } else if (table_.by_components) {
        slip_ = {components[0], components[1], std::nullopt};
    }
}

void Reader::read_row(const std::vector<std::string_view>& cells) {
    if (cells.size() != n_columns_) {
        fail("row has " + std::to_string(cells.size()) + " cells, the header has " +
             std::to_string(n_columns_));
        return;
    }
    bool good = true;
    const auto vector = [&](const std::array<std::optional<Column>, 3>& columns) {
        Vec3 result;
        for (int comp = 0; comp < 3; ++comp) {
            if (!columns[comp]) {
                continue;
            }
            std::string_view cell = cells[columns[comp]->index];
            const std::string shown(cell.substr(0, 40));
            if (cell.starts_with('+')) {
                cell.remove_prefix(1);
            }
            double value = 0.0;
            const auto [end, error] =
                std::from_chars(cell.data(), cell.data() + cell.size(), value);
            if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
                fail("must be a finite number, got '" + shown + "'");
                good = false;
            }
            result[comp] = value * columns[comp]->factor;
        }
        return result;
    };
    const Vec3 place = vector(place_);
    const Vec3 slip = vector(slip_);
    if (table_.geographic && good && !(std::abs(place.y) <= 90.0 && std::abs(place.x) <= 360.0)) {
        fail("lon_deg must be in -360..360 and lat_deg in -90..90");
        good = false;
    }
    if (good && norm(slip) > kMostSlip_m) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "slip must be at most %.0f m, got %.6g m: are these centimetres or "
                      "millimetres?",
                      kMostSlip_m, norm(slip));
        fail(text);
        good = false;
    }
    if (good) {
        table_.places.push_back(place);
        table_.slip.push_back(slip);
        table_.lines.push_back(line_);
    }
}

}  // namespace

SlipTable read_slip_table(const std::string& path) {
    if (!std::filesystem::is_regular_file(path)) {
        throw Error(ErrorCode::NotFound, "slip table '" + path + "' cannot be read");
    }
    return Reader(path).read(read_file_if_any(path));
}

}  // namespace kaname::fault
