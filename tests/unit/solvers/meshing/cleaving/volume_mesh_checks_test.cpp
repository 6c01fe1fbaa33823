// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "tests/unit/solvers/meshing/cleaving/models.hpp"

namespace kaname::cleaving::volume_mesh_checks_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

VolumeMeshParams sound() {
    VolumeMeshParams params;
    params.box = {120e3, 120e3, 60e3, 0.0};
    params.model = test::layers({-21e3});
    params.sizes.far_m = 16e3;
    params.sizes.points.push_back({4e3, {{0.0, 0.0, -6e3}}});
    params.sizes.depths.push_back({10e3, 8e3});
    FaultRequest on_surface;
    on_surface.surface = 1;
    FaultRequest plane;
    plane.plane = {{0.0, 0.0, -6e3}, {1.0, 0.0, 0.0}};
    plane.outline.resize(4);
    params.faults = {on_surface, plane};
    return params;
}

/// Refused by the mesher, before it looks at anything else.
void expect_refused(const std::function<void(VolumeMeshParams&)>& spoil, const std::string& text) {
    VolumeMeshParams params = sound();
    spoil(params);
    try {
        (void)make_volume_mesh(std::move(params));
        ADD_FAILURE() << "accepted; expected: " << text;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_EQ(error.what(), text);
    }
}

TEST(VolumeMeshChecks, AcceptWhatIsAtTheirBounds) {
    VolumeMeshParams params = sound();
    params.sizes.at_surface_m = 0.0;
    params.thinnest = 0.0;

    EXPECT_NO_THROW(check_volume_mesh(params));
}

TEST(VolumeMeshChecks, RefuseABoxWithoutDepth) {
    expect_refused([](auto& p) { p.box.depth_m = 0.0; },
                   "box.depth_m must be finite and > 0, got 0");
}

TEST(VolumeMeshChecks, RefuseSizesThatNoElementCanHave) {
    expect_refused([](auto& p) { p.sizes.far_m = 0.0; },
                   "sizes.far_m must be finite and > 0, got 0");
    expect_refused([](auto& p) { p.sizes.far_m = kInf; },
                   "sizes.far_m must be finite and > 0, got inf");
    expect_refused([](auto& p) { p.sizes.far_m = kNan; },
                   "sizes.far_m must be finite and > 0, got nan");
    expect_refused([](auto& p) { p.sizes.at_surface_m = -2.0; },
                   "sizes.at_surface_m must be finite and >= 0, got -2");
    expect_refused(
        [](auto& p) {
            p.sizes.points.push_back({-3.0, {}});
        },
        "sizes.points[1].size_m must be finite and > 0, got -3");
    expect_refused([](auto& p) { p.sizes.depths[0].size_m = 0.0; },
                   "sizes.depths[0].size_m must be finite and > 0, got 0");
}

TEST(VolumeMeshChecks, RefuseSizesThatDoNotGrow) {
    expect_refused([](auto& p) { p.sizes.growth = 0.0; },
                   "sizes.growth must be finite and > 0, got 0");
    expect_refused([](auto& p) { p.sizes.growth = kNan; },
                   "sizes.growth must be finite and > 0, got nan");
}

TEST(VolumeMeshChecks, RefuseAThinnestLayerOfAWholeElement) {
    expect_refused([](auto& p) { p.thinnest = 1.0; }, "thinnest must be in [0, 1), got 1");
    expect_refused([](auto& p) { p.thinnest = -0.1; }, "thinnest must be in [0, 1), got -0.1");
    expect_refused([](auto& p) { p.thinnest = kNan; }, "thinnest must be in [0, 1), got nan");
}

TEST(VolumeMeshChecks, RefuseRootsAlongSomeSidesAlone) {
    expect_refused([](auto& p) { p.roots = {4, 0, 2}; }, "roots must be all > 0, or all 0, got 0");
    expect_refused([](auto& p) { p.roots = {0, 0, 2}; }, "roots must be all > 0, or all 0, got 2");
}

TEST(VolumeMeshChecks, RefuseFaultsThatAreNowhere) {
    expect_refused([](auto& p) { p.faults[0].surface = 2; },
                   "faults[0].surface must be one of the model's surfaces, or -1 with a plane, "
                   "got 2");
    expect_refused([](auto& p) { p.faults[1].plane.reset(); },
                   "faults[1].surface must be one of the model's surfaces, or -1 with a plane, "
                   "got -1");
}

TEST(VolumeMeshChecks, RefuseAnOutlineThatIsNoRectangle) {
    expect_refused([](auto& p) { p.faults[1].outline.pop_back(); },
                   "faults[1].outline must be empty or of four corners, got 3");
}

TEST(VolumeMeshChecks, RefuseMoreFaultsThanLabelsCanTell) {
    expect_refused([](auto& p) { p.faults.resize(kMaxFaults + 1, p.faults[0]); },
                   "faults must be at most 32, got 33");
}

}  // namespace
}  // namespace kaname::cleaving::volume_mesh_checks_test
