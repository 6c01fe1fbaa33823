// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/convergence/half_space.hpp"

namespace kaname::convergence {

/// Makes a mesh with cells of size h and the window of the rectangle's plane as its fault.
using Mesher =
    std::function<mesh::TetMesh(const Rectangle& r, const meshing::FaultWindow& window, double h)>;

/// Errors of a solution with the slip of `exact` against its displacement.
inline LaneErrors varying_errors(const mesh::TetMesh& mesh, double volume_m3,
                                 const VaryingSlip& exact) {
    return coseismic_errors(
        mesh, volume_m3, [&](const Vec3& x, int lane) { return exact.slip(x, lane); },
        [&](const Vec3& x) { return exact.displacement(x); });
}

/// Slip that falls to the rim of a buried rectangle.
inline std::vector<LaneErrors> tapered_errors(const Mesher& mesher, double dip_deg,
                                              const std::vector<double>& sizes) {
    Rectangle r;
    r.dip_deg = dip_deg;
    const VaryingSlip exact(r, taper(r), 16, 8);
    std::vector<LaneErrors> errors;
    for (const double h : sizes) {
        errors.push_back(varying_errors(mesher(r, whole(r), h), kVolume_m3, exact));
    }
    return errors;
}

/// Slip of 1 m all over a rectangle.
inline LaneErrors uniform_errors(const Rectangle& r, const mesh::TetMesh& mesh) {
    return coseismic_errors(
        mesh, kVolume_m3,
        [&](const Vec3& /*x*/, int lane) { return lane == 0 ? r.along_strike() : r.up_dip(); },
        [slip = test::OkadaPatches(r.okada(), 1, 1, [](int, int) { return 1.0; })](const Vec3& x) {
            return slip.displacement({}, x);
        });
}

/// A vertical rectangle that breaks the surface, where its slip is largest.
inline std::vector<LaneErrors> surface_breaking_errors(const Mesher& mesher,
                                                       const std::vector<double>& sizes) {
    Rectangle r;
    r.top_m = 0.0;
    // Beside the trace the rectangles of the exact solution must be small.
    const VaryingSlip far(r, taper(r), 16, 8);
    const VaryingSlip near(r, taper(r), 320, 24);
    const auto exact = [&](const Vec3& x) {
        constexpr double kNear_m = 3e3;
        const bool is_near =
            x.z == 0.0 && std::abs(x.x) < kNear_m && std::abs(x.y) < 0.5 * r.length_m + kNear_m;
        return (is_near ? near : far).displacement(x);
    };
    std::vector<LaneErrors> errors;
    for (const double h : sizes) {
        errors.push_back(coseismic_errors(
            mesher(r, whole(r), h), kVolume_m3,
            [&](const Vec3& x, int lane) { return near.slip(x, lane); }, exact));
    }
    return errors;
}

struct Bounds {
    double strike, dip;              ///< bounds of the relative L2 error on the finest mesh
    double strike_order, dip_order;  ///< least order, from the coarsest to the finest mesh
};

struct DipCase {
    double dip_deg;
    Bounds bounds;
};
inline std::string dip_name(const testing::TestParamInfo<DipCase>& info) {
    return "Dip" + std::to_string(std::lround(info.param.dip_deg));
}

/// --gtest_output=xml:FILE keeps the figures.
inline void expect_convergence(const std::vector<LaneErrors>& errors, const Bounds& bounds) {
    for (const LaneErrors& error : errors) {
        const std::string at = "_h" + std::to_string(std::lround(error.h));
        testing::Test::RecordProperty("strike_error" + at, std::to_string(error.strike));
        testing::Test::RecordProperty("dip_error" + at, std::to_string(error.dip));
    }
    const LaneErrors& coarse = errors.front();
    const LaneErrors& fine = errors.back();
    EXPECT_LT(fine.strike, bounds.strike);
    EXPECT_LT(fine.dip, bounds.dip);
    EXPECT_GT(observed_order(coarse.h, coarse.strike, fine.h, fine.strike), bounds.strike_order);
    EXPECT_GT(observed_order(coarse.h, coarse.dip, fine.h, fine.dip), bounds.dip_order);
}

}  // namespace kaname::convergence
