// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/earth/structure.hpp"
#include "tests/support/lattice/lattices.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/pack_run.hpp"

namespace kaname::convergence {

inline constexpr double kModulus_pa = 30e9;  ///< lambda and mu
inline constexpr double kViscosity_pa_s = 1e18;
inline constexpr double kMaxwellTime_s = kViscosity_pa_s / kModulus_pa;
inline constexpr test::MaxwellMedium kMaxwell = {kModulus_pa, kModulus_pa, kViscosity_pa_s};

/// Relative residual of solves whose errors are judged to a few thousandths at best.
inline constexpr double kResidual = 1e-5;

inline earth::Material rock() {
    return {"rock", kModulus_pa, kModulus_pa, 0.0, std::nullopt};
}
inline earth::Material maxwell_rock() {
    return {"rock", kModulus_pa, kModulus_pa, 0.0, kViscosity_pa_s};
}

/// Rectangle, strike north, dip to the east; its middle (not its top) is `middle_east_m` east of
/// the middle of the box, so that by default the sides are equally far.
struct Rectangle {
    double length_m = 16e3;
    double width_m = 8e3;
    double top_m = 4e3;
    double dip_deg = 90.0;
    double middle_east_m = 0.0;

    [[nodiscard]] double dip() const { return dip_deg * kDegree; }
    [[nodiscard]] Vec3 top_centre() const {
        return {middle_east_m - 0.5 * width_m * std::cos(dip()), 0.0, -top_m};
    }
    [[nodiscard]] test::OkadaFault okada() const {
        return {top_centre(), 0.0, dip(), length_m, width_m};
    }
    [[nodiscard]] Vec3 along_strike() const { return {0.0, 1.0, 0.0}; }
    [[nodiscard]] Vec3 up_dip() const { return {-std::cos(dip()), 0.0, std::sin(dip())}; }
};

inline constexpr double kHalfWidth_m = 24e3;  ///< half the width of the box
inline constexpr double kDepth_m = 24e3;
inline constexpr double kVolume_m3 = 4.0 * kHalfWidth_m * kHalfWidth_m * kDepth_m;

/// Mesh of nearly equal cells of size h.
inline mesh::TetMesh lattice(const Rectangle& r, const meshing::FaultWindow& window, double h) {
    meshing::PlaneLatticeParams params;
    params.box = {2.0 * kHalfWidth_m, 2.0 * kHalfWidth_m, kDepth_m, 0.0};
    params.sizes.at_fault_m = h;
    params.sizes.far_m = 1.01 * h;
    params.structure.materials = {rock()};
    params.structure.layers = {{0, std::nullopt}};
    params.top_centre = r.top_centre();
    params.dip_rad = r.dip();
    params.window = window;
    params.cells_strike = static_cast<int>(std::round(r.length_m / h));
    params.cells_dip = static_cast<int>(std::round(r.width_m / h));
    return make_plane_lattice(params)->build({});
}

inline meshing::FaultWindow whole(const Rectangle& r) {
    return {-0.5 * r.length_m, 0.5 * r.length_m, 0.0, r.width_m};
}

/// Slip that varies over a rectangle; its exact displacement is the sum over `cells` x `rows`
/// uniform rectangles with the slip of their centres. Lane 0 left-lateral, lane 1 reverse.
class VaryingSlip {
public:
    /// amount(s, d) [m]: s from the middle, d from the top edge, zero outside the rectangle.
    using Amount = std::function<double(double s, double d)>;

    VaryingSlip(const Rectangle& r, Amount amount, int cells, int rows)
        : r_(r), amount_(std::move(amount)), parts_(r.okada(), cells, rows, [&](int cell, int row) {
              return amount_((cell + 0.5) * r.length_m / cells - 0.5 * r.length_m,
                             (row + 0.5) * r.width_m / rows);
          }) {}

    [[nodiscard]] Vec3 slip(const Vec3& x, int lane) const {
        const Vec3 from = x - r_.top_centre();
        const double amount = amount_(dot(from, r_.along_strike()), -1.0 * dot(from, r_.up_dip()));
        return amount * (lane == 0 ? r_.along_strike() : r_.up_dip());
    }
    /// Returns the displacement of both lanes [m].
    [[nodiscard]] std::array<Vec3, 2> displacement(const Vec3& x,
                                                   const test::OkadaMedium& medium = {}) const {
        return parts_.displacement(medium, x);
    }

private:
    Rectangle r_;
    Amount amount_;
    test::OkadaPatches parts_;
};

/// The rectangle with its buried rim moved out by a sixth of a cell: rim nodes cannot slip, and the
/// edge of the slip acts as if that much further inside.
inline meshing::FaultWindow with_rim(const Rectangle& r, double h) {
    const double cells_s = std::round(r.length_m / h);
    const double cells_d = std::round(r.width_m / h);
    const double rims_d = r.top_m == 0.0 ? 1.0 : 2.0;
    const double rim_s = r.length_m / (cells_s - 2.0 / 6.0) / 6.0;
    const double rim_d = r.width_m / (cells_d - rims_d / 6.0) / 6.0;
    return {-0.5 * r.length_m - rim_s, 0.5 * r.length_m + rim_s, r.top_m == 0.0 ? 0.0 : -rim_d,
            r.width_m + rim_d};
}

/// cos^2 of the distance from the rectangle's middle, in both directions: zero on the rim with its
/// slope. At the surface (top 0) down dip from the trace instead.
inline VaryingSlip::Amount taper(const Rectangle& r) {
    return [r](double s, double d) {
        constexpr double kRounding_m = 1e-3;  // nodes on the trace belong to the rectangle
        if (std::abs(s) > 0.5 * r.length_m || d < -kRounding_m || d > r.width_m) {
            return 0.0;
        }
        const double middle = r.top_m == 0.0 ? 0.0 : 0.5 * r.width_m;
        const double reach = r.width_m - middle;
        const double along = std::cos(std::numbers::pi * s / r.length_m);
        const double down = std::cos(0.5 * std::numbers::pi * (d - middle) / reach);
        return along * along * down * down;
    };
}

/// Relative L2 errors of the surface displacement for the two lanes of a coseismic solve.
struct LaneErrors {
    double h = 0.0;  ///< edge of a cube of six mean tetrahedra [m]
    double strike = 0.0;
    double dip = 0.0;
};
using LaneSlip = std::function<Vec3(const Vec3& x, int lane)>;
using ExactLanes = std::function<std::array<Vec3, 2>(const Vec3& x)>;

inline LaneErrors coseismic_errors(const mesh::TetMesh& mesh, double volume_m3,
                                   const LaneSlip& slip, const ExactLanes& exact) {
    const auto surface = test::surface_quadrature(mesh);
    // Both lanes at once, since whoever asks for one at a place asks for the other there as well.
    std::map<std::array<double, 3>, std::array<Vec3, 2>> known;
    const auto exact_lane = [&](const Vec3& x, int lane) {
        const auto [place, fresh] = known.try_emplace({x.x, x.y, x.z});
        if (fresh) {
            place->second = exact(x);
        }
        return place->second[lane];
    };
    test::PackRun run;
    run.mesh = &mesh;
    run.materials = {rock()};
    run.prescribed_sides = test::buried_sides();
    run.field = [&](const Vec3& x, double /*t_s*/, int lane) {
        return lane < 2 ? exact_lane(x, lane) : Vec3{};
    };
    for (int lane = 0; lane < 2; ++lane) {
        run.slip[lane] = [&slip, lane](const Vec3& x) { return slip(x, lane); };
    }
    run.places = surface.places;
    run.params.cg.tolerance = kResidual;
    const auto history = test::run_pack(run);
    const auto error = [&](int lane) {
        return test::surface_error(surface, history, 0, lane,
                                   [&](const Vec3& x) { return exact_lane(x, lane); });
    };
    const double h = std::cbrt(6.0 * volume_m3 / static_cast<double>(mesh.tets.size()));
    return {h, error(0), error(1)};
}

/// Slope of log(error) over log(h) between two meshes.
inline double observed_order(double coarse_h, double coarse_error, double fine_h,
                             double fine_error) {
    return std::log(coarse_error / fine_error) / std::log(coarse_h / fine_h);
}

}  // namespace kaname::convergence
