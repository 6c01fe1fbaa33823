// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/fsp_header.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "solvers/fault/slip_model/patch_rules.hpp"

namespace kaname::slip_model {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void set(std::optional<double>& value, const TextLine& line, std::string_view key,
         double to_si = 1.0) {
    if (const auto found = fsp_value(line, key)) {
        value = to_si * *found;
    }
}

bool starts_with_number(std::string_view text) {
    double value = 0.0;
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
}

}  // namespace

std::optional<double> fsp_value(const TextLine& line, std::string_view key) {
    const std::string text = lower_case(line.text);
    const std::string wanted = lower_case(key);
    for (std::size_t at = 0; (at = text.find(wanted, at)) != text.npos; ++at) {
        std::size_t end = at + wanted.size();
        if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) {
            continue;
        }
        end = std::min(text.find_first_not_of(' ', end), text.size());
        if (end == text.size() || text[end] != '=') {
            continue;
        }
        std::string_view rest = trimmed(line.text.substr(end + 1));
        rest = rest.substr(0, rest.find_first_of(" \t,"));
        const double value = line.number_of(key, rest);
        constexpr double kUnknown = 999.0;
        return value == kUnknown ? std::nullopt : std::optional<double>(value);
    }
    return std::nullopt;
}

void FspHeader::read(const TextLine& line) {
    const std::string_view text = trimmed(line.text.substr(1));
    const std::string lower = lower_case(text);
    if (in_layers_ && starts_with_number(text)) {
        read_layer(line);
        return;
    }
    in_layers_ = in_layers_ && lower.starts_with("[");
    if (lower.starts_with("depth ") &&
        (lower.find("s-vel") != lower.npos || lower.find("s_vel") != lower.npos)) {
        in_layers_ = true;
    } else if (lower.starts_with("event") && !lower.starts_with("eventtag")) {
        event = std::string(trimmed(text.substr(std::min(text.find(':'), text.size() - 1) + 1)));
    } else if (lower.starts_with("loc")) {
        set(hypocentre_lat_deg, line, "LAT");
        set(hypocentre_lon_deg, line, "LON");
        set(hypocentre_depth_m, line, "DEP", kMetresPerKm);
        if (std::abs(hypocentre_lat_deg.value_or(0.0)) > 90.0) {
            line.refuse("LAT: must be from -90 to 90 degrees");
        }
    } else if (lower.starts_with("size") || lower.starts_with("len ")) {
        set(length_m, line, "LEN", kMetresPerKm);
        set(width_m, line, "WID", kMetresPerKm);
        set(mw, line, "Mw");
        set(moment_nm, line, "Mo");
    } else if (lower.starts_with("mech")) {
        set(strike_deg, line, "STRK");
        set(dip_deg, line, "DIP");
        set(rake_deg, line, "RAKE");
        set(top_depth_m, line, "Htop", kMetresPerKm);
    } else if (lower.starts_with("segment #")) {
        ++segment;
        columns.clear();
        n_patches.reset();
        top_depth_m.reset();
        set(strike_deg, line, "STRIKE");
        set(dip_deg, line, "DIP");
    } else if (lower.starts_with("coordinates are given for")) {
        if (lower.find("top-center") != lower.npos || lower.find("top center") != lower.npos) {
            point = FspPoint::TopCentre;
        } else if (lower.find("center") != lower.npos || lower.find("centre") != lower.npos) {
            point = FspPoint::Centre;
        }
    } else if (lower.starts_with("lat") && lower.find("slip") != lower.npos) {
        columns.clear();
        for (const std::string_view cell : cells_of(text)) {
            columns.emplace_back(cell);
            for (char& c : columns.back()) {
                c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            }
        }
        columns_line = line;
    } else if (lower.starts_with("nsbfs")) {
        set(n_patches, line, "Nsbfs");
    } else if (lower.starts_with("depth to top")) {
        set(top_depth_m, line, "Z2top", kMetresPerKm);
    } else if (lower.starts_with("invs") || lower.starts_with("dx")) {
        set(n_strike, line, "Nx");
        set(n_dip, line, "Nz");
        set(n_segments, line, "Nsg");
        set(window_s, line, "LEN");
        set(window_shift_s, line, "SHF");
        set(dx_m, line, "Dx", kMetresPerKm);
        set(dz_m, line, "Dz", kMetresPerKm);
    }
}

/// DEPTH [km], P-VEL, S-VEL [km/s], DENS [g/cm^3]; layers by the depth of their top.
void FspHeader::read_layer(const TextLine& line) {
    if (!layers_usable_) {
        return;
    }
    const auto cells = cells_of(trimmed(line.text.substr(1)));
    const auto drop = [&](const std::string& why) {
        layers_usable_ = false;
        rigidity.rows.clear();
        warnings.push_back("the velocity structure is not used: line " +
                           std::to_string(line.number) + " " + why);
    };
    if (cells.size() < 4) {
        drop("has fewer than the 4 columns depth, P velocity, S velocity, density");
        return;
    }
    const double depth_km = line.number_of("DEPTH", cells[0]);
    const double vp_km_s = line.number_of("P-VEL", cells[1]);
    const double vs_km_s = line.number_of("S-VEL", cells[2]);
    const double density_g_cm3 = line.number_of("DENS", cells[3]);
    if (!rigidity.rows.empty() && kMetresPerKm * depth_km <= rigidity.rows.back().top_depth_m) {
        drop("does not lie below the line before it");
    } else if (density_g_cm3 < 0.9 || density_g_cm3 > 6.0) {
        drop("has a density of " + std::string(cells[3]) + " g/cm^3, not from 0.9 to 6");
    } else if (vs_km_s < 0.0 || vs_km_s > 8.0 || vp_km_s <= vs_km_s || vp_km_s > 14.0) {
        drop("has velocities of " + std::string(cells[1]) + " and " + std::string(cells[2]) +
             " km/s, which no rock has");
    } else {
        // mu = density vs^2, from g/cm^3 and km/s.
        rigidity.rows.push_back(
            {kMetresPerKm * depth_km, 1e3 * density_g_cm3 * 1e6 * vs_km_s * vs_km_s});
    }
}

}  // namespace kaname::slip_model
