// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/fault/fault_slip.hpp"
#include "solvers/fault/fault_surface.hpp"

namespace kaname::fault {

/// A moment tensor [N m] (xx, yy, zz, yz, xz, xy) at a place of the model frame: a stress-free
/// strain C^-1 M delta(x - at), C of the rock there before it relaxes. The strain stays while the
/// rock relaxes, as slip does.
struct PointMoment {
    Vec3 at;
    std::array<double, 6> moment_nm{};
};

enum class Hat { Uniform, Bilinear, Bicubic };

/// One patch in fault coordinates. Uniform: 1 inside |s - centre.s| < length/2 and
/// |d - centre.d| < width/2, else 0. Bilinear: hat of half-width `length`, `width`. Bicubic:
/// product of cubic B-splines with knot spacing `length`, `width`, scaled to 1 at the centre's
/// partition (a full grid of patches sums to 1 in its interior for both hats).
struct Patch {
    std::string id;  ///< "s03d01"
    FaultCoordinates centre;
    double length_m = 0.0;  ///< along strike
    double width_m = 0.0;   ///< down dip
    Hat hat = Hat::Bilinear;
    bool open_top = false;  ///< above its centre (uniform: its edge) it goes on up to the ground
    /// Towards the start and the end of strike and down dip: it does not taper there but goes on to
    /// half a spacing from its centre, and ends.
    bool open_start = false, open_end = false, open_bottom = false;
    int column = 0, row = 0;  ///< in the grid of patches: along strike, down dip

    [[nodiscard]] double shape(FaultCoordinates at) const;
    /// Half extents of the support.
    [[nodiscard]] double reach_s() const;
    [[nodiscard]] double reach_d() const;
    /// Area of the rectangle length x width about the centre, on the fault as it is bent.
    [[nodiscard]] double area_m2(const FaultSurface& fault) const;
};

/// Unit slip on one patch: slip is the displacement of the plus side (hanging wall) relative to
/// the minus side, in Aki-Richards rake: 0 left-lateral, 90 reverse.
struct UnitSource {
    std::string id;         ///< "s03d01/strike_slip"
    std::string component;  ///< strike_slip | dip_slip | rake_<deg>
    double rake_rad = 0.0;
    Patch patch;

    /// Unit vector: the direction of slip at the patch's centre, with the strike averaged over the
    /// patch.
    [[nodiscard]] Vec3 direction(const FaultSurface& fault) const;
    /// `direction` turned into the surface with normal `normal`: no opening by construction.
    /// Throws InvalidArgument where the fault bends by 90 degrees within the patch.
    [[nodiscard]] Vec3 in_surface(const Vec3& direction, const Vec3& normal) const;
    /// Slip vector [m] at a point of the fault, the direction there times the hat. Throws as
    /// in_surface.
    [[nodiscard]] Vec3 slip_at(const FaultSurface& fault, FaultCoordinates at) const;
    /// Four outline corners of the patch's core rectangle (length x width about the centre, for
    /// every hat) in the model frame: top start, top end, bottom end, bottom start along strike.
    [[nodiscard]] std::array<Vec3, 4> outline(const FaultSurface& fault) const;
};

/// int shape phi dA [n_split] m^2 of a patch's amount of slip, for SlipProjection. Triangles are
/// cut where the patch ends and where its hat has kinks, so that in each piece it is a polynomial;
/// fault coordinates between nodes are interpolated.
///   coordinates  of each triangle's six nodes
[[nodiscard]] std::vector<double> patch_load(
    std::span<const FaultTriangle> triangles,
    std::span<const std::array<FaultCoordinates, 6>> coordinates, std::size_t n_split,
    const Patch& patch);

/// int s phi dA [3][n_split] m^3 of slip known by its values only, for SlipProjection. A triangle
/// is quartered while its edges are longer than `finest_m`, and, where s is not linear between the
/// corners and middles of its edges by 1e-3 of the largest slip, down to 1/32 of that.
///   slip      [m] at a place of a triangle
///   finest_m  no feature of s is smaller: half the shorter side of its smallest patch
[[nodiscard]] std::array<std::vector<double>, 3> sampled_load(
    std::span<const FaultTriangle> triangles, std::span<const Vec3> node_xyz, std::size_t n_split,
    const std::function<Vec3(const FaultTriangle&, const Vec3& x)>& slip, double finest_m,
    double largest_m);

}  // namespace kaname::fault
