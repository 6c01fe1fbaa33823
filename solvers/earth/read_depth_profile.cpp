// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <filesystem>

#include "solvers/base/csv_table.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/depth_profile.hpp"

namespace kaname::earth {
namespace {

constexpr double kPerKm = 1000.0;    // km/s to m/s
constexpr double kPerGram = 1000.0;  // g/cm3 to kg/m3

void append(DepthProfile& profile, const TextLine& line, const DepthProfile::Row& row) {
    const Speeds& s = row.speeds;
    if (!(s.vp_m_per_s > 0.0) || !(s.vs_m_per_s >= 0.0) || !(s.density_kg_per_m3 > 0.0)) {
        line.refuse("must have vp > 0, vs >= 0 and density > 0, got " +
                    std::to_string(s.vp_m_per_s) + " m/s, " + std::to_string(s.vs_m_per_s) +
                    " m/s and " + std::to_string(s.density_kg_per_m3) + " kg/m3");
    }
    if (!profile.rows.empty() && row.depth_m < profile.rows.back().depth_m) {
        line.refuse("depth must not decrease, got " + std::to_string(row.depth_m / kMetresPerKm) +
                    " km after " + std::to_string(profile.rows.back().depth_m / kMetresPerKm));
    }
    profile.rows.push_back(row);
}

bool begins_with_number(std::string_view cell) {
    double value = 0.0;
    return std::from_chars(cell.data(), cell.data() + cell.size(), value).ec == std::errc{};
}

DepthProfile read_rows(const TextFile& file, int titles) {
    DepthProfile profile;
    for (const TextLine& line : file.lines()) {
        const std::vector<std::string_view> cells = cells_of(line.text);
        const bool names_a_discontinuity = cells.size() == 1 && !begins_with_number(cells[0]);
        if (line.number <= titles || line.text.starts_with('#') || names_a_discontinuity) {
            continue;
        }
        if (cells.size() < 4) {
            line.refuse("must have depth, vp, vs and density, got " + std::to_string(cells.size()) +
                        " cells");
        }
        append(profile, line,
               {kMetresPerKm * line.number_of("depth", cells[0]),
                {kPerKm * line.number_of("vp", cells[1]), kPerKm * line.number_of("vs", cells[2]),
                 kPerGram * line.number_of("density", cells[3])}});
    }
    return profile;
}

DepthProfile read_csv(const TextFile& file) {
    const CsvTable table(file, {});
    DepthProfile profile;
    for (const CsvTable::Row& row : table.rows()) {
        const double density =
            table.has("density_kg_per_m3")
                ? table.number(row, "density_kg_per_m3")
                : kPerGram * table.number(row, table.has("rho") ? "rho" : "density");
        append(profile, row.line,
               {table.metres(row, "depth"),
                {kPerKm * table.number(row, "vp"), kPerKm * table.number(row, "vs"), density}});
    }
    return profile;
}

}  // namespace

DepthProfile read_depth_profile(const std::string& path) {
    const TextFile file(path);
    const std::string ending = lower_case(std::filesystem::path(path).extension().string());
    if (ending != ".nd" && ending != ".tvel" && ending != ".csv") {
        file.whole().refuse("ending", ending,
                            "must be .nd, .tvel or .csv: it says what a row holds");
    }
    constexpr int kTitles = 2;
    DepthProfile profile =
        ending == ".csv" ? read_csv(file) : read_rows(file, ending == ".tvel" ? kTitles : 0);
    if (profile.rows.empty()) {
        file.whole().refuse("holds no row");
    }
    return profile;
}

}  // namespace kaname::earth
