// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/depth_profile.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "solvers/base/error.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"

namespace kaname::earth {
namespace {

Speeds operator+(const Speeds& a, const Speeds& b) {
    return {a.vp_m_per_s + b.vp_m_per_s, a.vs_m_per_s + b.vs_m_per_s,
            a.density_kg_per_m3 + b.density_kg_per_m3};
}
Speeds operator*(double f, const Speeds& s) {
    return {f * s.vp_m_per_s, f * s.vs_m_per_s, f * s.density_kg_per_m3};
}

/// Integral from the upper row, linear to the lower one, over the part of [top, bottom] between.
Speeds integral(const DepthProfile::Row& upper, const DepthProfile::Row& lower, double top,
                double bottom) {
    const double from = std::max(top, upper.depth_m);
    const double to = std::min(bottom, lower.depth_m);
    if (!(to > from)) {
        return {};
    }
    const bool level = std::isinf(upper.depth_m) || std::isinf(lower.depth_m);
    const double span = lower.depth_m - upper.depth_m;
    const double weight = level ? 0.0 : (0.5 * (from + to) - upper.depth_m) / span;
    return (to - from) * ((1.0 - weight) * upper.speeds + weight * lower.speeds);
}

bool differ(double a, double b) {
    constexpr double kJump = 0.005;
    return std::abs(a - b) > kJump * std::max(a, b);
}

/// How much the shear modulus differs between the quarters of a step, against its mean.
double variation(const DepthProfile& profile, double top, double bottom) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0.0;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const double from = top + 0.25 * quarter * (bottom - top);
        const double mu = profile.mean(from, from + 0.25 * (bottom - top)).mu_pa();
        low = std::min(low, mu);
        high = std::max(high, mu);
    }
    return (high - low) / std::max(high, std::numeric_limits<double>::min());
}

}  // namespace

Speeds DepthProfile::mean(double top_m, double bottom_m) const {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Speeds sum = integral({-kFar, rows.front().speeds}, rows.front(), top_m, bottom_m) +
                 integral(rows.back(), {kFar, rows.back().speeds}, top_m, bottom_m);
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
        sum = sum + integral(rows[k], rows[k + 1], top_m, bottom_m);
    }
    return 1.0 / (bottom_m - top_m) * sum;
}

std::vector<double> DepthProfile::jumps(double top_m, double bottom_m) const {
    std::vector<double> depths;
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
        const Speeds& a = rows[k].speeds;
        const Speeds& b = rows[k + 1].speeds;
        const double depth = rows[k].depth_m;
        const bool differs = differ(a.vp_m_per_s, b.vp_m_per_s) ||
                             differ(a.vs_m_per_s, b.vs_m_per_s) ||
                             differ(a.density_kg_per_m3, b.density_kg_per_m3);
        if (rows[k + 1].depth_m == depth && differs && depth > top_m && depth < bottom_m &&
            (depths.empty() || depths.back() != depth)) {
            depths.push_back(depth);
        }
    }
    return depths;
}

std::vector<double> cut_profile(const DepthProfile& profile, double top_m, double bottom_m,
                                int most) {
    std::vector<double> bounds = profile.jumps(top_m, bottom_m);
    bounds.insert(bounds.begin(), top_m);
    bounds.push_back(bottom_m);
    if (static_cast<int>(bounds.size()) - 1 > most) {
        throw Error(ErrorCode::InvalidArgument,
                    "must be at least " + std::to_string(bounds.size() - 1) +
                        ", the layers between jumps from " + std::to_string(top_m / 1000.0) +
                        " to " + std::to_string(bottom_m / 1000.0) + " km depth, got " +
                        std::to_string(most));
    }
    constexpr double kEven = 0.01;
    while (static_cast<int>(bounds.size()) - 1 < most) {
        std::size_t worst = 0;
        double largest = 0.0;
        for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
            const double here = variation(profile, bounds[k], bounds[k + 1]);
            if (here > largest) {
                largest = here;
                worst = k;
            }
        }
        if (largest < kEven) {
            break;
        }
        bounds.insert(bounds.begin() + static_cast<std::ptrdiff_t>(worst) + 1,
                      0.5 * (bounds[worst] + bounds[worst + 1]));
    }
    return bounds;
}

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
