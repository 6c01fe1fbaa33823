// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/material_rules.hpp"

namespace kaname::earth {
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

Material material_of(const VolumeSpec& volume, const std::string& place, const Speeds& speeds) {
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

std::shared_ptr<const MaterialRule> profile_rule(const VolumeSpec& volume,
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
