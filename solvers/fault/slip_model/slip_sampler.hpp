// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

enum class Interpolation {
    Auto,      ///< bilinear in segments of at least four rows and columns, else constant
    Bilinear,  ///< between patch centres; zero half a patch beyond the outer patches
    Constant   ///< the slip of the patch at the point: jumps that finite elements smear
};

struct SampleOptions {
    Interpolation interpolation = Interpolation::Bilinear;
    /// Points farther than this from a patch's plane get nothing of it; else one patch width.
    std::optional<double> max_distance_m = {};
};

/// How the patches of one segment lie, for the report.
struct SegmentGrid {
    int n_strike = 0;  ///< 0: no regular grid, each point takes the nearest patch (constant)
    int n_dip = 0;
    bool bilinear = false;     ///< else slip is constant in each patch
    bool to_surface = false;   ///< upper edge at the surface: slip goes on above the first row
    bool ends_at_top = false;  ///< the taper would reach the surface: slip ends at the upper edge
    int patches = 0;           ///< fewer than n_strike n_dip: cells without one do not slip
};

/// Slip of a set of rectangles at points of a fault surface near them.
///
/// The point is projected on the smooth surface through the segment's patch centres (PatchGrid),
/// which gives it real-valued indices i along strike and j down dip. Bilinear on a grid of
/// equal patches, where cells without a patch do not slip: s(x) = sum_k s_k h(i - i_k) h(j - j_k),
/// h(t) = max(0, 1 - |t|). A hat integrates to the area of a grid cell, so potency is kept as far
/// as cells have the patches' length times width. Where a segment's upper edge is at z = 0, but for
/// the rounding of files, the first row goes on unchanged to the surface instead of tapering. Where
/// its edge lies so near under it that half a patch of taper would stick out, the first row goes on
/// unchanged to that edge and ends there. Both keep its potency.
///
/// Segments add up where their tapers meet; of several segments whose patches lie over the same
/// point only the nearest counts. Segments without a grid give the slip of the nearest patch whose
/// rectangle, widened by 5 %, holds the projected point.
class SlipSampler {
public:
    /// Throws InvalidArgument for a model without patches or a limit that is not > 0.
    SlipSampler(const PlacedModel& model, const SampleOptions& options);
    ~SlipSampler();
    SlipSampler(SlipSampler&&) noexcept;
    SlipSampler& operator=(SlipSampler&&) noexcept;

    /// Displacement of the hanging wall relative to the footwall [m], model frame.
    [[nodiscard]] Vec3 slip_at(const Vec3& x) const;
    /// That slip turned into a surface with unit normal `normal` (into the hanging wall) at x:
    /// shear keeps its length in the tangent plane (where the two planes differ so much that less
    /// than half of it lies there, twice that part, so that it fades), opening goes along the
    /// normal.
    [[nodiscard]] Vec3 slip_at(const Vec3& x, const Vec3& normal) const;

    [[nodiscard]] std::span<const SegmentGrid> grids() const;
    /// sum area |slip| over the patches [m^3].
    [[nodiscard]] double given_potency_m3() const;
    /// Share of it that is lost where the slip of neighbours points in different directions, which
    /// between their centres partly cancels.
    [[nodiscard]] double cancelled_share() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kaname::slip_model
