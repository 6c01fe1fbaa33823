// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/slip_model/slip_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "solvers/base/error.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/segment_grid.hpp"

namespace kaname::slip_model {
namespace {

/// Shear along the patch's plane and opening across it.
struct PatchSlip {
    Vec3 shear_m;
    double opening_m = 0.0;
    PlaneAxes axes;
};

struct Segment {
    std::vector<PlacedPatch> patches;
    std::vector<PatchSlip> slip;
    std::optional<PatchGrid> grid;
    bool bilinear = false;
    bool to_surface = false;
    bool ends_at_top = false;
    double max_distance_m = 0.0;
    Vec3 centre;  ///< centre of a ball of radius_m that holds all that slips
    double radius_m = 0.0;
};

/// A segment's slip at a point.
struct Found {
    Vec3 shear_m;
    Vec3 opening_m;  ///< along the patches' normals
    double opening_size_m = 0.0;
    bool inside = false;  ///< the point is over a patch, not in the taper around them
    double distance_m = std::numeric_limits<double>::infinity();

    void add(double weight, const PatchSlip& slip) {
        shear_m += weight * slip.shear_m;
        opening_m += (weight * slip.opening_m) * slip.axes.normal;
        opening_size_m += weight * slip.opening_m;
    }
};

double hat(double t) {
    return std::max(0.0, 1.0 - std::abs(t));
}

Found sample_grid(const Segment& segment, const Vec3& x) {
    const PatchGrid& grid = *segment.grid;
    const PatchGrid::At at = grid.locate(x);
    Found found;
    if (std::abs(at.distance_m) > segment.max_distance_m) {
        return found;
    }
    double j = at.j;
    if (j < 0.0 && (segment.to_surface || (segment.ends_at_top && j >= -0.5))) {
        j = 0.0;
    }
    found.inside =
        at.i >= -0.5 && at.i <= grid.n_strike - 0.5 && j >= -0.5 && j <= grid.n_dip - 0.5;
    found.distance_m = std::abs(at.distance_m);
    const auto slip_of = [&](int strike, int dip) -> const PatchSlip& {
        static const PatchSlip kNone;
        const std::int32_t patch =
            grid.patch[static_cast<std::size_t>(dip) * grid.n_strike + strike];
        return patch < 0 ? kNone : segment.slip[static_cast<std::size_t>(patch)];
    };
    if (!segment.bilinear) {
        if (found.inside) {
            found.add(1.0,
                      slip_of(std::clamp(static_cast<int>(std::lround(at.i)), 0, grid.n_strike - 1),
                              std::clamp(static_cast<int>(std::lround(j)), 0, grid.n_dip - 1)));
        }
        return found;
    }
    if (at.i <= -1.0 || at.i >= grid.n_strike || j <= (segment.ends_at_top ? -0.5 : -1.0) ||
        j >= grid.n_dip) {
        return found;
    }
    const int strike0 = static_cast<int>(std::floor(at.i));
    const int dip0 = static_cast<int>(std::floor(j));
    for (int dip = std::max(dip0, 0); dip <= std::min(dip0 + 1, grid.n_dip - 1); ++dip) {
        for (int strike = std::max(strike0, 0); strike <= std::min(strike0 + 1, grid.n_strike - 1);
             ++strike) {
            found.add(hat(at.i - strike) * hat(j - dip), slip_of(strike, dip));
        }
    }
    return found;
}

/// The patch nearest to x among those whose rectangle, widened by 5 %, holds its projection.
Found sample_nearest(const Segment& segment, const Vec3& x) {
    constexpr double kWider = 1.05;
    Found found;
    const PatchSlip* nearest = nullptr;
    double closest_m = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < segment.patches.size(); ++k) {
        const PlacedPatch& patch = segment.patches[k];
        const Vec3 d = x - patch.centre;
        const PlaneAxes& axes = segment.slip[k].axes;
        const double along = std::abs(dot(d, axes.along_strike)) - 0.5 * patch.length_m;
        const double down = std::abs(dot(d, axes.down_dip)) - 0.5 * patch.width_m;
        const double off = std::abs(dot(d, axes.normal));
        if (off > segment.max_distance_m || along > 0.5 * (kWider - 1.0) * patch.length_m ||
            down > 0.5 * (kWider - 1.0) * patch.width_m) {
            continue;
        }
        const double distance = std::hypot(off, std::max(along, 0.0), std::max(down, 0.0));
        if (distance < closest_m) {
            closest_m = distance;
            found.distance_m = off;
            nearest = &segment.slip[k];
        }
    }
    if (nearest != nullptr) {
        found.inside = true;
        found.add(1.0, *nearest);
    }
    return found;
}

Segment make_segment(std::vector<PlacedPatch> patches, const PlacedSegment& plane,
                     const SampleOptions& options) {
    Segment segment;
    segment.grid = find_grid(patches, plane);
    const PlacedPatch& first = patches.front();
    segment.max_distance_m = options.max_distance_m.value_or(first.width_m);
    double highest = -std::numeric_limits<double>::infinity();
    for (const PlacedPatch& patch : patches) {
        const PlaneAxes axes = plane_axes(patch.strike_rad, patch.dip_rad);
        const double opening = dot(patch.slip_m, axes.normal);
        segment.slip.push_back({patch.slip_m - opening * axes.normal, opening, axes});
        highest = std::max(highest, patch.centre.z);
        segment.centre += 1.0 / static_cast<double>(patches.size()) * patch.centre;
    }
    if (segment.grid) {
        constexpr int kLeastBilinear = 4;  // rows and columns: fewer would slip far beyond patches
        segment.bilinear =
            options.interpolation == Interpolation::Bilinear ||
            (options.interpolation == Interpolation::Auto &&
             segment.grid->n_strike >= kLeastBilinear && segment.grid->n_dip >= kLeastBilinear);
        // Upper edges are rounded to 10 m, and files of degrees are of the flat Earth.
        constexpr double kRounded_m = 50.0, kRounded = 0.02;
        const double height = -segment.grid->dip_step.z;
        const double under_m = -(highest + 0.5 * height);
        segment.to_surface = height > 0.0 && under_m < std::min(kRounded_m, kRounded * height);
        segment.ends_at_top = segment.bilinear && !segment.to_surface && under_m < 0.5 * height;
    }
    for (const PlacedPatch& patch : patches) {
        // Taper included, and the way up to the surface, which may lie above z = 0.
        const double reach = patch.length_m + patch.width_m + segment.max_distance_m;
        segment.radius_m = std::max(segment.radius_m, norm(patch.centre - segment.centre) + reach);
    }
    segment.patches = std::move(patches);
    return segment;
}

/// Potency [m^3] that bilinear interpolation loses in the cells between four centres, where slip
/// has several directions: the integral of sum w |s| - |sum w s|.
double cancelled_m3(const Segment& segment) {
    constexpr int kParts = 4;
    const auto& grid = *segment.grid;
    const double cell_m2 = norm(cross(grid.strike_step, grid.dip_step)) / (kParts * kParts);
    double sum = 0.0;
    const auto patch_at = [&](int strike, int dip) {
        const bool inside = strike >= 0 && strike < grid.n_strike && dip >= 0 && dip < grid.n_dip;
        return inside ? grid.patch[static_cast<std::size_t>(dip) * grid.n_strike + strike] : -1;
    };
    for (int dip = -1; dip < grid.n_dip; ++dip) {
        for (int strike = -1; strike < grid.n_strike; ++strike) {
            for (int part = 0; part < kParts * kParts; ++part) {
                const double u = (part % kParts + 0.5) / kParts, v = (part / kParts + 0.5) / kParts;
                Vec3 slip;
                double size = 0.0;
                for (int corner = 0; corner < 4; ++corner) {
                    const int i = corner % 2, j = corner / 2;
                    const std::int32_t patch = patch_at(strike + i, dip + j);
                    const double weight = (i ? u : 1.0 - u) * (j ? v : 1.0 - v);
                    if (patch >= 0) {
                        slip += weight * segment.slip[static_cast<std::size_t>(patch)].shear_m;
                        size +=
                            weight * norm(segment.slip[static_cast<std::size_t>(patch)].shear_m);
                    }
                }
                sum += cell_m2 * (size - norm(slip));
            }
        }
    }
    return sum;
}

}  // namespace

struct SlipSampler::Impl {
    std::vector<Segment> segments;
    std::vector<SegmentGrid> grids;
    double potency_m3 = 0.0;
    double cancelled_m3 = 0.0;

    [[nodiscard]] Found sample(const Vec3& x) const {
        Found sum;
        Found nearest;
        for (const Segment& segment : segments) {
            if (!segment.to_surface && norm(x - segment.centre) > segment.radius_m) {
                continue;
            }
            const Found found = segment.grid ? sample_grid(segment, x) : sample_nearest(segment, x);
            if (found.inside) {
                nearest = found.distance_m < nearest.distance_m ? found : nearest;
            } else {
                sum.shear_m += found.shear_m;
                sum.opening_m += found.opening_m;
                sum.opening_size_m += found.opening_size_m;
            }
        }
        sum.shear_m += nearest.shear_m;
        sum.opening_m += nearest.opening_m;
        sum.opening_size_m += nearest.opening_size_m;
        return sum;
    }
};

SlipSampler::SlipSampler(const PlacedModel& model, const SampleOptions& options)
    : impl_(std::make_unique<Impl>()) {
    if (model.patches.empty()) {
        throw Error(ErrorCode::InvalidArgument, "slip model: must have at least one patch");
    }
    if (options.max_distance_m &&
        !(*options.max_distance_m > 0.0 && std::isfinite(*options.max_distance_m))) {
        throw Error(ErrorCode::InvalidArgument, "max_distance_m must be finite and > 0, got " +
                                                    std::to_string(*options.max_distance_m));
    }
    std::vector<std::vector<PlacedPatch>> members(model.segments.size());
    for (const PlacedPatch& patch : model.patches) {
        members.at(static_cast<std::size_t>(patch.segment)).push_back(patch);
        impl_->potency_m3 += patch.area_m2() * norm(patch.slip_m);
    }
    for (std::size_t k = 0; k < members.size(); ++k) {
        if (members[k].empty()) {
            impl_->grids.emplace_back();
            continue;
        }
        impl_->segments.push_back(make_segment(std::move(members[k]), model.segments[k], options));
        const Segment& segment = impl_->segments.back();
        impl_->grids.push_back({segment.grid ? segment.grid->n_strike : 0,
                                segment.grid ? segment.grid->n_dip : 0, segment.bilinear,
                                segment.to_surface, segment.ends_at_top,
                                static_cast<int>(segment.patches.size())});
        impl_->cancelled_m3 += segment.bilinear ? cancelled_m3(segment) : 0.0;
    }
}

SlipSampler::~SlipSampler() = default;
SlipSampler::SlipSampler(SlipSampler&&) noexcept = default;
SlipSampler& SlipSampler::operator=(SlipSampler&&) noexcept = default;

Vec3 SlipSampler::slip_at(const Vec3& x) const {
    const Found found = impl_->sample(x);
    return found.shear_m + found.opening_m;
}

Vec3 SlipSampler::slip_at(const Vec3& x, const Vec3& normal) const {
    const Found found = impl_->sample(x);
    const Vec3 tangent = found.shear_m - dot(found.shear_m, normal) * normal;
    const double in_surface = norm(tangent);
    // |shear| / |tangent|, at most 2: beyond 60 degrees part of the slip is lost, and the potency
    // ratio tells how much.
    constexpr double kMostStretch = 2.0;
    const double stretch =
        in_surface > 0.0 ? std::min(norm(found.shear_m) / in_surface, kMostStretch) : 0.0;
    return stretch * tangent + found.opening_size_m * normal;
}

std::span<const SegmentGrid> SlipSampler::grids() const {
    return impl_->grids;
}

double SlipSampler::given_potency_m3() const {
    return impl_->potency_m3;
}

double SlipSampler::cancelled_share() const {
    return impl_->potency_m3 > 0.0 ? impl_->cancelled_m3 / impl_->potency_m3 : 0.0;
}

}  // namespace kaname::slip_model
