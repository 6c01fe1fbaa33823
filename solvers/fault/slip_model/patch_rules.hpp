// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <filesystem>

#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"

namespace kaname::slip_model {

inline constexpr double kMetresPerCm = 0.01;
inline constexpr double kNewtonMetresPerDyneCm = 1e-7;
inline constexpr int kMostPatches = 200000;
/// Parts of a patch's slip whose sum differs by more from it are told.
inline constexpr double kSumDiffers = 0.05;

/// Checks a patch read from `line` against the ranges every format shares, turns strike into
/// [0, 360) and longitude into [-180, 180], and appends it. Refuses the line otherwise.
void add_patch(SlipModel& model, SlipPatch patch, const TextLine& line);

/// One segment per run of patches whose strike and dip stay within a degree, and lengths and widths
/// within 1 %, of the run's first: for formats that know no segments.
void split_into_segments(SlipModel& model);

/// Refuses a file without patches, without slip anywhere, or with all of its patches above sea
/// level: its depths count up.
void check_patches(const SlipModel& model, const TextFile& file);

/// A place below sea level.
struct Place {
    double lon_deg = 0.0;
    double lat_deg = 0.0;
    double depth_m = 0.0;
};

/// East, north, up [m] from `from` to `to` in the plane that touches WGS84 at `from`'s latitude
/// (radii of curvature there). For the few kilometres within a patch and between neighbours:
/// the error grows as distance^2 tan(latitude) / (2 R), 0.1 m at 1 km, 8 m at 10 km in
/// mid-latitudes.
[[nodiscard]] Vec3 local_offset(const Place& from, const Place& to);
/// The place at `offset` from `from`: the inverse of local_offset.
[[nodiscard]] Place moved(const Place& from, const Vec3& offset);

/// Unit vectors of a plane (east, north, up).
struct PlaneAxes {
    Vec3 along_strike;
    Vec3 down_dip;
    Vec3 normal;  ///< into the hanging wall: up, for dip = 90 to the right of strike
};
[[nodiscard]] PlaneAxes plane_axes(double strike_rad, double dip_rad);

/// The rectangle of four corners that go round it, from any corner either way: centre, length,
/// width, strike (dip to its right; a vertical patch has strike in [0, 180)) and dip. The upper
/// edge is the pair of neighbours with the smaller mean depth. Corners in files are rounded, so the
/// rectangle is the one whose edges are the means of opposite sides; refuses the line when corners
/// miss it by more than 5 % of the patch, or no edge is level within 5 degrees.
[[nodiscard]] SlipPatch patch_of_corners(const std::array<Place, 4>& corners, const TextLine& line);

}  // namespace kaname::slip_model
