// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "solvers/earth/material_rules.hpp"

namespace kaname::earth {
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

std::shared_ptr<const MaterialRule> columns_rule(const VolumeSpec& volume,
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

}  // namespace kaname::earth
