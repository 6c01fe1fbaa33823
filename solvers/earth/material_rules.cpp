// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/material_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "solvers/base/error.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/grid_readers.hpp"

namespace kaname::earth {
namespace {

double squared_distance(LonLat a, LonLat b) {
    const double east = std::remainder(a.lon_deg - b.lon_deg, 360.0) *
                        std::cos(0.5 * (a.lat_deg + b.lat_deg) * kDegree);
    const double north = a.lat_deg - b.lat_deg;
    return east * east + north * north;
}

/// Column of the top of the layer that follows `layer`; empty where the table has no tops, or it is
/// the last.
std::string top_below(const CsvTable& table, const std::string& layer) {
    const std::vector<std::string>& names = table.names();
    auto at = std::find(names.begin(), names.end(), "top_" + layer + "_km");
    while (at != names.end() && ++at != names.end()) {
        if (at->starts_with("top_") && at->ends_with("_km")) {
            return *at;
        }
    }
    return {};
}

void require_layer(const CsvTable& table, const std::string& layer) {
    std::string layers;
    for (const std::string& name : table.names()) {
        if (name.starts_with("vp_")) {
            layers += (layers.empty() ? "" : ", ") + name.substr(3);
        }
    }
    for (const char* kind : {"vp_", "vs_", "rho_"}) {
        if (!table.has(kind + layer)) {
            table.header().refuse("has no column " + (kind + layer) +
                                  "; the table's layers: " + (layers.empty() ? "none" : layers));
        }
    }
}

EarthColumns::Cell cell_of(const CsvTable& table, const CsvTable::Row& row,
                           const std::string& layer, const std::string& next_top) {
    EarthColumns::Cell cell;
    cell.centre = {table.number(row, "lon_deg"), table.number(row, "lat_deg")};
    const auto number = [&](const std::string& name) {
        const double value = table.number_or_gap(row, name);
        if (std::isnan(value)) {
            row.line.refuse(name + " at " + text_of(cell.centre) + " is nan, must be a number");
        }
        return value;
    };
    constexpr double kThousand = 1000.0;  // km/s to m/s, g/cm3 to kg/m3
    cell.speeds = {kThousand * number("vp_" + layer), kThousand * number("vs_" + layer),
                   kThousand * number("rho_" + layer)};
    cell.has_layer = cell.speeds.vs_m_per_s > 0.0 &&
                     (next_top.empty() || number("top_" + layer + "_km") > number(next_top));
    if (cell.has_layer && !cell.speeds.is_solid()) {
        row.line.refuse(layer + " at " + text_of(cell.centre) +
                        " must have rho > 0 and vp > sqrt(4/3) vs (bulk modulus > 0), got vp " +
                        std::to_string(cell.speeds.vp_m_per_s) + " and vs " +
                        std::to_string(cell.speeds.vs_m_per_s) + " m/s, rho " +
                        std::to_string(cell.speeds.density_kg_per_m3) + " kg/m3");
    }
    return cell;
}

}  // namespace

EarthColumns::Nearest EarthColumns::nearest(LonLat place) const {
    double east = place.lon_deg - lon0_deg + 0.5 * spacing_lon_deg;
    east -= 360.0 * std::floor(east / 360.0);
    const double u = east / spacing_lon_deg;
    const double v = (place.lat_deg - lat0_deg) / spacing_lat_deg + 0.5;
    const bool inside = u < n_lon && v >= 0.0 && v < n_lat;
    // Outside, the nearest cell of the rim: the west one when that is the shorter way round.
    const double beyond = 0.5 * (n_lon + 360.0 / spacing_lon_deg);
    const double column = u < n_lon ? std::floor(u) : u < beyond ? n_lon - 1.0 : 0.0;
    const double row = std::clamp(std::floor(v), 0.0, n_lat - 1.0);
    const int cell =
        cell_at[static_cast<std::size_t>(row) * n_lon + static_cast<std::size_t>(column)];
    if (cell >= 0) {
        return {cell, inside};
    }
    const auto closer = [&](const Cell& a, const Cell& b) {
        return squared_distance(a.centre, place) < squared_distance(b.centre, place);
    };
    const auto best = std::min_element(cells.begin(), cells.end(), closer);
    return {static_cast<int>(best - cells.begin()), false};
}

int EarthColumns::with_layer(int cell) const {
    int best = cell;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < cells.size() && !cells[cell].has_layer; ++k) {
        const double distance = squared_distance(cells[k].centre, cells[cell].centre);
        if (cells[k].has_layer && distance < least) {
            least = distance;
            best = static_cast<int>(k);
        }
    }
    return best;
}

LonLatBox EarthColumns::extent() const {
    LonLatBox box;
    box.add({lon0_deg - 0.5 * spacing_lon_deg, lat0_deg - 0.5 * spacing_lat_deg});
    box.add(
        {lon0_deg + (n_lon - 0.5) * spacing_lon_deg, lat0_deg + (n_lat - 0.5) * spacing_lat_deg});
    return box;
}

EarthColumns read_earth_columns(const std::string& path, const std::string& layer) {
    const TextFile file(path);
    const CsvTable table(file, {});
    table.require("lon_deg");
    table.require("lat_deg");
    require_layer(table, layer);
    const std::string next_top = top_below(table, layer);
    EarthColumns columns;
    std::vector<double> lons;
    std::vector<double> lats;
    for (const CsvTable::Row& row : table.rows()) {
        columns.cells.push_back(cell_of(table, row, layer, next_top));
        lons.push_back(columns.cells.back().centre.lon_deg);
        lats.push_back(columns.cells.back().centre.lat_deg);
    }
    if (std::none_of(columns.cells.begin(), columns.cells.end(),
                     [](const EarthColumns::Cell& cell) { return cell.has_layer; })) {
        file.whole().refuse("no cell has the layer '" + layer + "' with vs > 0 and a thickness");
    }

    const GridAxis lon = find_axis(path, "lon_deg", std::move(lons));
    const GridAxis lat = find_axis(path, "lat_deg", std::move(lats));
    columns.lon0_deg = lon.origin;
    columns.lat0_deg = lat.origin;
    columns.spacing_lon_deg = lon.spacing;
    columns.spacing_lat_deg = lat.spacing;
    columns.n_lon = lon.n;
    columns.n_lat = lat.n;
    constexpr double kMostCells = 1e8;
    if (static_cast<double>(lon.n) * lat.n > kMostCells) {
        file.whole().refuse("is not on a regular grid");
    }
    columns.cell_at.assign(static_cast<std::size_t>(lon.n) * lat.n, -1);
    for (std::size_t k = 0; k < columns.cells.size(); ++k) {
        const LonLat centre = columns.cells[k].centre;
        const int i = lon.index(centre.lon_deg);
        const int j = lat.index(centre.lat_deg);
        if (i < 0 || j < 0) {
            table.rows()[k].line.refuse("cell at " + text_of(centre) + " is not on a regular grid");
        }
        int& at = columns.cell_at[static_cast<std::size_t>(j) * lon.n + i];
        if (at >= 0) {
            table.rows()[k].line.refuse("cell at " + text_of(centre) + " is given twice");
        }
        at = static_cast<int>(k);
    }
    return columns;
}

namespace {

/// Material of the nearest node of a grid over the plan: no projection when it is asked.
class ColumnsRule final : public MaterialRule {
public:
    ColumnsRule(const HeightField::Grid& grid, std::vector<int> material)
        : grid_(grid), material_(std::move(material)) {}
    [[nodiscard]] int material_at(double u, double v, double) const override {
        const double i = std::round(grid_.column(u));
        const double j = std::round(grid_.row(v));
        const auto column = static_cast<std::size_t>(std::clamp(i, 0.0, grid_.nu - 1.0));
        const auto row = static_cast<std::size_t>(std::clamp(j, 0.0, grid_.nv - 1.0));
        return material_[row * static_cast<std::size_t>(grid_.nu) + column];
    }

private:
    HeightField::Grid grid_;
    std::vector<int> material_;
};

std::string cell_name(const EarthColumns::Cell& cell) {
    char text[64];
    std::snprintf(text, sizeof text, "%.7g,%.7g", cell.centre.lon_deg, cell.centre.lat_deg);
    return text;
}

}  // namespace

std::shared_ptr<const MaterialRule> columns_rule(const VolumeDefinition& volume,
                                                 const EarthColumns& columns,
                                                 const PlanNodes& nodes,
                                                 std::vector<Material>& materials,
                                                 Findings& findings) {
    const std::string who = "volume '" + volume.name + "'";
    std::vector<int> cell(nodes.places.size());
    std::vector<char> used(columns.cells.size(), 0);
    std::size_t outside = 0;
    for (std::size_t at = 0; at < cell.size(); ++at) {
        const EarthColumns::Nearest nearest = columns.nearest(nodes.places[at]);
        cell[at] = nearest.cell;
        if (nodes.in_box(static_cast<int>(at % nodes.grid.nu),
                         static_cast<int>(at / nodes.grid.nu))) {
            outside += !nearest.inside;
        }
        used[nearest.cell] = 1;
    }
    if (static_cast<double>(outside) == nodes.in_box_count()) {
        findings.fail(volume.field + ".columns_path",
                      who + ": " + volume.columns_path + " (" + columns.extent().text() +
                          ") does not overlap the region (" + nodes.region.text() + ")");
        return nullptr;
    }

    // One material for equal rows, in the order of the file.
    std::vector<int> material_of_cell(columns.cells.size(), -1);
    std::map<std::tuple<double, double, double>, int> made;
    std::size_t without = 0;
    std::size_t cells = 0;
    for (std::size_t k = 0; k < columns.cells.size(); ++k) {
        if (!used[k]) {
            continue;
        }
        ++cells;
        without += !columns.cells[k].has_layer;
        const EarthColumns::Cell& source = columns.cells[columns.with_layer(static_cast<int>(k))];
        const Speeds& s = source.speeds;
        const auto [found, is_new] = made.try_emplace(
            {s.vp_m_per_s, s.vs_m_per_s, s.density_kg_per_m3}, static_cast<int>(materials.size()));
        if (is_new) {
            materials.push_back(material_of(volume, cell_name(source), s));
        }
        material_of_cell[k] = found->second;
    }
    std::string note = who + ": " + std::to_string(made.size()) + " materials from " +
                       std::to_string(cells) + " cells of " + volume.columns_path;
    if (without > 0) {
        note += "; " + std::to_string(without) + " cells without '" + volume.columns_layer +
                "' take the nearest that has it";
    }
    if (outside > 0) {
        char text[64];
        std::snprintf(text, sizeof text, "; %.3g %% of the plan",
                      100.0 * static_cast<double>(outside) / nodes.in_box_count());
        note += text + std::string(" lies outside of it and takes the nearest cell");
    }
    findings.notes.push_back(note);
    std::transform(cell.begin(), cell.end(), cell.begin(),
                   [&](int k) { return material_of_cell[k]; });
    return std::make_shared<ColumnsRule>(nodes.grid, std::move(cell));
}

namespace {

class ConstantRule final : public MaterialRule {
public:
    explicit ConstantRule(int material) : material_(material) {}
    [[nodiscard]] int material_at(double, double, double) const override { return material_; }

private:
    int material_;
};

class ProfileRule final : public MaterialRule {
public:
    /// bottoms_m: bottoms of all steps but the last.
    ProfileRule(int first, std::vector<double> bottoms_m)
        : first_(first), bottoms_m_(std::move(bottoms_m)) {}
    [[nodiscard]] int material_at(double, double, double z) const override {
        const auto below = std::lower_bound(bottoms_m_.begin(), bottoms_m_.end(), -z);
        return first_ + static_cast<int>(below - bottoms_m_.begin());
    }

private:
    int first_;
    std::vector<double> bottoms_m_;
};

std::string km_range(double top_m, double bottom_m) {
    char text[64];
    // + 0.0 makes a zero of a negative one
    std::snprintf(text, sizeof text, "%.6g-%.6g km", top_m / kMetresPerKm + 0.0,
                  bottom_m / kMetresPerKm);
    return text;
}

/// The first depth range inside [top, bottom] where the profile is no solid.
std::string fluid_range(const DepthProfile& profile, double top, double bottom) {
    const auto& rows = profile.rows;
    const auto fluid = [&](std::size_t k) { return !rows[k].speeds.is_solid(); };
    if (fluid(0) && top < rows[0].depth_m) {
        return km_range(top, rows[0].depth_m);
    }
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
        if ((fluid(k) || fluid(k + 1)) &&
            std::min(bottom, rows[k + 1].depth_m) > std::max(top, rows[k].depth_m)) {
            return km_range(rows[k].depth_m, rows[k + 1].depth_m);
        }
    }
    return fluid(rows.size() - 1) && bottom > rows.back().depth_m
               ? km_range(rows.back().depth_m, bottom)
               : std::string();
}

}  // namespace

std::shared_ptr<const MaterialRule> constant_rule(int material) {
    return std::make_shared<ConstantRule>(material);
}

Material material_of(const VolumeDefinition& volume, const std::string& place,
                     const Speeds& speeds) {
    Material material;
    material.name = volume.name + "[" + place + "]";
    material.lambda_pa = speeds.lambda_pa();
    material.mu_pa = speeds.mu_pa();
    material.density_kg_m3 = speeds.density_kg_per_m3;
    material.viscosity_pa_s = volume.viscosity_pa_s;
    material.viscosity_range = volume.viscosity_range;
    material.viscosity_group = volume.viscosity_range ? volume.name : std::string();
    return material;
}

std::shared_ptr<const MaterialRule> profile_rule(const VolumeDefinition& volume,
                                                 const DepthProfile& profile,
                                                 const VolumeReach& reach,
                                                 std::vector<Material>& materials,
                                                 Findings& findings) {
    constexpr int kUsualSteps = 20;
    const std::string who = "volume '" + volume.name + "'";
    // Whole kilometres, outward: the reach is known on a raster only. Above its first row the
    // profile is constant.
    const double bottom = std::ceil(-reach.lowest_m / kMetresPerKm) * kMetresPerKm;
    double top = std::floor(-reach.highest_m / kMetresPerKm) * kMetresPerKm;
    top = std::min(std::max(top, profile.rows.front().depth_m), bottom - kMetresPerKm);
    const std::string fluid = fluid_range(profile, top, bottom);
    if (!fluid.empty()) {
        findings.fail(volume.field + ".profile_path",
                      who + ": " + volume.profile_path +
                          " must have vs > 0 and vp > sqrt(4/3) vs " + "at the volume's depths (" +
                          km_range(top, bottom) + "), not so at " + fluid);
        return nullptr;
    }
    std::vector<double> bounds;
    if (!findings.collect(volume.field + ".steps", who, [&] {
            bounds =
                cut_profile(profile, top, bottom, volume.steps > 0 ? volume.steps : kUsualSteps);
        })) {
        return nullptr;
    }
    const int first = static_cast<int>(materials.size());
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
        materials.push_back(material_of(volume, km_range(bounds[k], bounds[k + 1]),
                                        profile.mean(bounds[k], bounds[k + 1])));
    }
    findings.notes.push_back(who + ": " + std::to_string(bounds.size() - 1) + " materials from " +
                             volume.profile_path + " at " + km_range(top, bottom) +
                             (bottom > profile.rows.back().depth_m + kMetresPerKm
                                  ? "; below its last row it is constant"
                                  : ""));
    return std::make_shared<ProfileRule>(first,
                                         std::vector<double>(bounds.begin() + 1, bounds.end() - 1));
}

}  // namespace kaname::earth
