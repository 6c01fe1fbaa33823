// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/patch_rules.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kaname::slip_model {
namespace {

struct Rule {
    const char* field;
    double value;
    double low;
    double high;
    const char* text;
};

std::string as_text(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

}  // namespace

void add_patch(SlipModel& model, SlipPatch patch, const TextLine& line) {
    const Rule rules[] = {
        {"latitude", patch.lat_deg, -90.0, 90.0, "must be from -90 to 90 degrees"},
        {"longitude", patch.lon_deg, -360.0, 360.0, "must be from -360 to 360 degrees"},
        {"east", patch.east_m, -1e7, 1e7, "m must be within 10,000 km of the frame's origin"},
        {"north", patch.north_m, -1e7, 1e7, "m must be within 10,000 km of the frame's origin"},
        {"depth", patch.depth_m, -9e3, 8e5,
         "m must be from -9 km (depth counts down from sea level) to 800 km"},
        {"length", patch.length_m, 1e-3, 2e6, "m must be > 0 and at most 2000 km"},
        {"width", patch.width_m, 1e-3, 2e6, "m must be > 0 and at most 2000 km"},
        {"strike", patch.strike_deg, -360.0, 720.0, "must be from -360 to 720 degrees"},
        {"dip", patch.dip_deg, 0.0, 90.0,
         "must be from 0 to 90 degrees (a plane that dips the other way has strike + 180)"},
        {"rake", patch.rake_deg, -720.0, 720.0, "must be from -720 to 720 degrees"},
        {"slip", patch.slip_m, 0.0, 100.0,
         "m must be from 0 to 100 m (opposite slip has rake + 180; are the units right?)"},
        {"opening", patch.opening_m, -100.0, 100.0, "m must be from -100 to 100 m"},
        {"rupture time", patch.rupture_time_s.value_or(0.0), -1e4, 1e6,
         "s must be from -10,000 to 1,000,000 s"},
        {"rise time", patch.rise_time_s.value_or(0.0), 0.0, 1e6, "s must be from 0 to 1,000,000 s"},
        {"moment", patch.moment_nm.value_or(0.0), 0.0, 1e25, "N m must be from 0 to 1e25 N m"},
    };
    for (const Rule& rule : rules) {
        if (!(rule.value >= rule.low && rule.value <= rule.high)) {
            line.refuse(rule.field, as_text(rule.value), rule.text);
        }
    }
    if (model.patches.size() >= static_cast<std::size_t>(kMostPatches)) {
        line.refuse("patches: must be at most " + std::to_string(kMostPatches));
    }
    patch.strike_deg -= 360.0 * std::floor(patch.strike_deg / 360.0);
    patch.lon_deg = std::remainder(patch.lon_deg, 360.0);
    model.patches.push_back(std::move(patch));
}

void split_into_segments(SlipModel& model) {
    constexpr double kAngle_deg = 1.0;
    constexpr double kSize = 0.01;
    const SlipPatch* first = nullptr;
    const auto same_size = [](double a, double b) { return std::abs(a - b) <= kSize * b; };
    for (SlipPatch& patch : model.patches) {
        const bool fits =
            first != nullptr &&
            std::abs(std::remainder(patch.strike_deg - first->strike_deg, 360.0)) <= kAngle_deg &&
            std::abs(patch.dip_deg - first->dip_deg) <= kAngle_deg &&
            same_size(patch.length_m, first->length_m) && same_size(patch.width_m, first->width_m);
        if (!fits) {
            first = &patch;
            model.segments.push_back({patch.strike_deg, patch.dip_deg});
        }
        patch.segment = static_cast<int>(model.segments.size()) - 1;
    }
}

void check_patches(const SlipModel& model, const TextFile& file) {
    if (model.patches.empty()) {
        file.whole().refuse("holds no patch");
    }
    const auto slips = [](const SlipPatch& patch) {
        return patch.slip_m > 0.0 || patch.opening_m != 0.0;
    };
    if (std::none_of(model.patches.begin(), model.patches.end(), slips)) {
        file.whole().refuse("slip is zero on every patch");
    }
    const auto [shallowest, deepest] =
        std::ranges::minmax_element(model.patches, {}, &SlipPatch::depth_m);
    if (deepest->depth_m < 0.0) {
        file.whole().refuse("depth: must be positive down, got centres of patches from " +
                            as_text(shallowest->depth_m / kMetresPerKm) + " to " +
                            as_text(deepest->depth_m / kMetresPerKm) + " km");
    }
}

}  // namespace kaname::slip_model
