// SPDX-License-Identifier: BSD-3-Clause
// Okada's closed form on cleaved lattices: the same faults as in okada_test.cpp, in meshes that
// know nothing of the fault's directions. Bounds are half as large again as what was measured.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/earth/material_rules.hpp"
#include "solvers/fault/fault_surface.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "tests/convergence/okada_cases.hpp"

namespace kaname::convergence::okada_cleaved_test {
namespace {

/// Nearly uniform mesh of size h with the window as its fault.
mesh::TetMesh cleaved(const Rectangle& r, const meshing::FaultWindow& w, double h) {
    auto model = std::make_shared<earth::VolumeModel>();
    model->size_u_m = model->size_v_m = 2.0 * kHalfWidth_m;
    model->depth_m = kDepth_m;
    model->surfaces.push_back({"ground", earth::HeightField(0.0), 0.0});
    model->volumes.push_back({"rock", -1, -1, earth::constant_rule(0), 0.0});
    model->materials = {rock()};

    const fault::PlaneFault plane(r.top_centre(), 0.0, r.dip());
    cleaving::VolumeMeshParams params;
    params.box = {2.0 * kHalfWidth_m, 2.0 * kHalfWidth_m, kDepth_m, 0.0};
    params.model = model;
    params.sizes.far_m = h;
    cleaving::FaultRequest fault;
    fault.name = "fault";
    fault.plane = cleaving::FaultRequest::Plane{plane.point({}), plane.normal({})};
    const int n_s = static_cast<int>(std::ceil((w.s_max - w.s_min) / (0.45 * h)));
    const int n_d = static_cast<int>(std::ceil((w.d_max - w.d_min) / (0.45 * h)));
    for (int i = 0; i <= n_s; ++i) {
        for (int j = 0; j <= n_d; ++j) {
            fault.samples.push_back(plane.point({w.s_min + i * (w.s_max - w.s_min) / n_s,
                                                 w.d_min + j * (w.d_max - w.d_min) / n_d}));
        }
    }
    fault.inside_m = [plane, w](const Vec3& x) {
        const fault::FaultCoordinates at = plane.coordinates(x);
        return std::min({at.s - w.s_min, w.s_max - at.s, at.d - w.d_min, w.d_max - at.d});
    };
    fault.outline = {plane.point({w.s_min, w.d_min}), plane.point({w.s_max, w.d_min}),
                     plane.point({w.s_max, w.d_max}), plane.point({w.s_min, w.d_max})};
    params.faults.push_back(std::move(fault));
    return make_volume_mesh(std::move(params))->build({});
}

class OkadaCleaved : public testing::Test {
protected:
    void SetUp() override { device::set_threads(1); }
};

// The order is that between the coarsest and the finest: none lies between.
const std::vector<double> kSizes_m = {3e3, 1.8e3};

class OkadaCleavedTapered : public OkadaCleaved, public testing::WithParamInterface<DipCase> {};

TEST_P(OkadaCleavedTapered, SurfaceErrorFallsWithOrderOver2) {
    expect_convergence(tapered_errors(cleaved, GetParam().dip_deg, kSizes_m), GetParam().bounds);
}

INSTANTIATE_TEST_SUITE_P(Dips, OkadaCleavedTapered,
                         testing::Values(DipCase{90.0, {3.2e-3, 4.5e-3, 2.2, 2.2}},
                                         DipCase{12.0, {5.7e-3, 7.8e-3, 2.1, 2.2}}),
                         dip_name);
// The steepest and the shallowest are in every run.
INSTANTIATE_TEST_SUITE_P(LongDips, OkadaCleavedTapered,
                         testing::Values(DipCase{60.0, {3.6e-3, 5.2e-3, 2.2, 2.2}},
                                         DipCase{45.0, {5.5e-3, 8.3e-3, 2.2, 2.2}},
                                         DipCase{30.0, {5.3e-3, 7.5e-3, 2.1, 2.2}}),
                         dip_name);

TEST_F(OkadaCleaved, RimMovedOutMakesAUniformRectangle) {
    Rectangle r;
    r.dip_deg = 60.0;
    const auto errors_of = [&](double moved, double h) {
        meshing::FaultWindow w = whole(r);
        w = {w.s_min - moved * h, w.s_max + moved * h, w.d_min - moved * h, w.d_max + moved * h};
        return uniform_errors(r, cleaved(r, w, h));
    };
    std::vector<LaneErrors> errors;
    for (const double h : kSizes_m) {
        errors.push_back(errors_of(1.0 / 6.0, h));
    }
    const LaneErrors not_moved = errors_of(0.0, kSizes_m.back());

    expect_convergence(errors, {2.5e-2, 3.1e-2, 2.0, 1.8});
    EXPECT_GT(not_moved.strike, 3.0 * errors.back().strike);
}

TEST_F(OkadaCleaved, SurfaceBreakingFaultConvergesOnBothSidesOfItsTrace) {
    expect_convergence(surface_breaking_errors(cleaved, kSizes_m), {1.2e-2, 2.0e-2, 1.6, 1.5});
}

}  // namespace
}  // namespace kaname::convergence::okada_cleaved_test
