// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/placed_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"

namespace kaname::slip_model {
namespace {

constexpr std::array<std::pair<SlipFormat, std::string_view>, 9> kFormats = {{
    {SlipFormat::SrcmodFsp, "srcmod_fsp"},
    {SlipFormat::UsgsParam, "usgs_param"},
    {SlipFormat::CsiGmt, "csi_gmt"},
    {SlipFormat::RelaxFlt, "relax_flt"},
    {SlipFormat::MudpyRupt, "mudpy_rupt"},
    {SlipFormat::PatchCsv, "patch_csv"},
    {SlipFormat::CornerCsv, "corner_csv"},
    {SlipFormat::UsgsGeojson, "usgs_geojson"},
    {SlipFormat::Srf, "srf"},
}};

}  // namespace

std::string_view to_string(SlipFormat format) {
    for (const auto& [value, name] : kFormats) {
        if (value == format) {
            return name;
        }
    }
    return "unknown";
}

SlipFormat slip_format(std::string_view name) {
    std::string names;
    for (const auto& [value, known] : kFormats) {
        if (known == name) {
            return value;
        }
        names += names.empty() ? known : ", " + std::string(known);
    }
    throw Error(ErrorCode::InvalidArgument,
                "slip model format: '" + std::string(name) + "', must be one of " + names);
}

double RigidityTable::mu_pa(double depth_m) const {
    double mu = rows.front().mu_pa;
    for (const Row& row : rows) {
        if (row.top_depth_m > depth_m) {
            break;
        }
        mu = row.mu_pa;
    }
    return mu;
}

Vec3 PlacedPatch::along_strike() const {
    return plane_axes(strike_rad, dip_rad).along_strike;
}

Vec3 PlacedPatch::down_dip() const {
    return plane_axes(strike_rad, dip_rad).down_dip;
}

Vec3 PlacedPatch::normal() const {
    return plane_axes(strike_rad, dip_rad).normal;
}

PlacedModel place(const SlipModel& model,
                  const std::function<PatchSpot(const SlipPatch& patch)>& spot_of) {
    PlacedModel placed;
    placed.patches.reserve(model.patches.size());
    // Mean convergence of a segment's patches; it varies by a degree or two over a large one.
    std::vector<double> turn(model.segments.size(), 0.0);
    std::vector<double> count(model.segments.size(), 0.0);
    for (const SlipPatch& patch : model.patches) {
        const PatchSpot spot = spot_of(patch);
        PlacedPatch out;
        out.id = patch.id;
        out.segment = patch.segment;
        out.centre = spot.centre;
        out.length_m = patch.length_m;
        out.width_m = patch.width_m;
        out.strike_rad = patch.strike_deg * kDegree + spot.convergence_rad;
        out.dip_rad = patch.dip_deg * kDegree;
        const PlaneAxes axes = plane_axes(out.strike_rad, out.dip_rad);
        const double rake = patch.rake_deg * kDegree;
        out.slip_m = (patch.slip_m * std::cos(rake)) * axes.along_strike +
                     (-patch.slip_m * std::sin(rake)) * axes.down_dip +
                     patch.opening_m * axes.normal;
        placed.patches.push_back(std::move(out));
        const auto segment = static_cast<std::size_t>(patch.segment);
        turn.at(segment) += spot.convergence_rad;
        count.at(segment) += 1.0;
    }
    for (std::size_t i = 0; i < model.segments.size(); ++i) {
        const double mean = count[i] > 0.0 ? turn[i] / count[i] : 0.0;
        placed.segments.push_back(
            {model.segments[i].strike_deg * kDegree + mean, model.segments[i].dip_deg * kDegree});
    }
    return placed;
}

PlacedModel place(const SlipModel& model, const Vec3& origin) {
    if (model.geographic) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip model '" + model.name +
                        "' is in longitude and latitude: it needs a map projection");
    }
    return place(model, [&](const SlipPatch& patch) {
        return PatchSpot{origin + Vec3{patch.east_m, patch.north_m, -patch.depth_m}, 0.0};
    });
}

namespace {

/// Midpoints down a patch at which mu is taken: a layer boundary is found to 1/32 of the width.
constexpr int kPointsDown = 16;

double mean_mu(const PlacedPatch& patch, const std::function<double(const Vec3& x)>& mu_pa) {
    const Vec3 down = patch.width_m * patch.down_dip();
    double sum = 0.0;
    for (int i = 0; i < kPointsDown; ++i) {
        const double t = (i + 0.5) / kPointsDown - 0.5;
        const double mu = mu_pa(patch.centre + t * down);
        if (!(mu >= 0.0) || !std::isfinite(mu)) {
            throw Error(ErrorCode::InvalidArgument, "patch " + patch.id + ": shear modulus " +
                                                        std::to_string(mu) +
                                                        " Pa, must be finite and >= 0");
        }
        sum += mu;
    }
    return sum / kPointsDown;
}

double shear_slip(const PlacedPatch& patch) {
    const Vec3 normal = patch.normal();
    return norm(patch.slip_m - dot(patch.slip_m, normal) * normal);
}

void add(MomentSum& sum, double area_m2, double slip_m, double mu_pa) {
    sum.area_m2 += area_m2;
    sum.potency_m3 += area_m2 * slip_m;
    sum.moment_nm += mu_pa * area_m2 * slip_m;
    sum.max_slip_m = std::max(sum.max_slip_m, slip_m);
}

}  // namespace

double moment_magnitude(double moment_nm) {
    return (std::log10(moment_nm) - 9.1) / 1.5;
}

double moment_of_magnitude(double magnitude) {
    return std::pow(10.0, 1.5 * magnitude + 9.1);
}

double MomentSum::mw() const {
    return moment_magnitude(moment_nm);
}

double patch_moment(const PlacedPatch& patch, const std::function<double(const Vec3& x)>& mu_pa) {
    return mean_mu(patch, mu_pa) * patch.area_m2() * shear_slip(patch);
}

MomentSum seismic_moment(const PlacedModel& model,
                         const std::function<double(const Vec3& x)>& mu_pa) {
    MomentSum sum;
    for (const PlacedPatch& patch : model.patches) {
        add(sum, patch.area_m2(), shear_slip(patch), mean_mu(patch, mu_pa));
    }
    return sum;
}

namespace {

constexpr double kOff = 0.05;        // distance from the plane / patch width
constexpr double kTurned_deg = 2.0;  // angle between the normals

}  // namespace

std::string off_plane(const PlacedPatch& first, const PlacedPatch& patch) {
    const Vec3 normal = first.normal();
    const double off_m = std::abs(dot(patch.centre - first.centre, normal));
    const double turned_deg =
        std::acos(std::min(1.0, std::abs(dot(patch.normal(), normal)))) / kDegree;
    const double most_m = kOff * patch.width_m;
    if (off_m <= most_m && turned_deg <= kTurned_deg) {
        return "";
    }
    char text[256];
    std::snprintf(text, sizeof text,
                  "lies %.0f m off the plane of the first patch and is turned by %.1f degrees "
                  "(at most %.0f m, 5 %% of its width, and %g degrees); that plane has strike "
                  "%.1f and dip %.1f degrees",
                  off_m, turned_deg, most_m, kTurned_deg, first.strike_rad / kDegree,
                  first.dip_rad / kDegree);
    return text;
}

}  // namespace kaname::slip_model
