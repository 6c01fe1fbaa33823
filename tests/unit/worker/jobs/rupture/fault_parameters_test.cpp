// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/rupture/fault_parameters.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "tests/unit/worker/jobs/rupture/small_rupture.hpp"

namespace kaname::jobs::fault_parameters_test {
namespace {

FaultParameters parameters_of(const RuptureJob& job) {
    return {job, fault_axes(job.mesh, nullptr)};
}

/// A place on fault 0 by its coordinates.
OnFault on(const FaultParameters& parameters, double along_m, double down_m) {
    const FaultAxes& axes = parameters.axes(0);
    return parameters.place({0, axes.at(along_m, down_m), axes.normal()});
}

TEST(FaultAxes, OfADippingPlane) {
    // Strike north, dip 60 degrees to the east.
    const FaultAxes axes = FaultAxes::of({100.0, 200.0, 1000.0, 0.0, 60.0, 8000.0, 4000.0});
    const Vec3 at = axes.at(500.0, 2000.0);
    EXPECT_NEAR(at.x, 100.0 + 1000.0, 1e-9);
    EXPECT_NEAR(at.y, 200.0 + 500.0, 1e-9);
    EXPECT_NEAR(at.z, -1000.0 - 2000.0 * std::sqrt(0.75), 1e-9);
    EXPECT_NEAR(axes.normal().x, std::sqrt(0.75), 1e-12) << "to the hanging wall, right of strike";
    EXPECT_NEAR(axes.normal().z, 0.5, 1e-12);
    const auto [along, down] = axes.place(at);
    EXPECT_NEAR(along, 500.0, 1e-9);
    EXPECT_NEAR(down, 2000.0, 1e-9);
}

TEST(FaultAxes, AroundFacesOfAMeshTheirMeanPlane) {
    // A roof of two squares whose mean plane is level; its strike then is x, and down dip is -y.
    mesh::TetMesh mesh;
    mesh.xyz = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0.5}, {0, 1, 0.5}, {2, 2, 0}, {0, 2, 0}};
    mesh.fault_faces = {{{0, 1, 2}, 0}, {{0, 2, 3}, 0}, {{3, 2, 4}, 0}, {{3, 4, 5}, 0}};
    const FaultAxes axes = FaultAxes::around(mesh, 0);
    EXPECT_NEAR(axes.normal().z, 1.0, 1e-12);
    EXPECT_NEAR(axes.length_m, 2.0, 1e-12);
    EXPECT_NEAR(axes.width_m, 2.0, 1e-12);
    EXPECT_NEAR(axes.origin_m.x, 1.0, 1e-12);
    EXPECT_NEAR(axes.origin_m.y, 2.0, 1e-12);
    mesh.fault_faces.clear();
    EXPECT_THROW((void)FaultAxes::around(mesh, 0), Error);
}

TEST(FaultParameters, PatchesStandInPlaceOfTheFaultsNumbers) {
    RuptureJob job = test::small_rupture();
    RupturePatch ellipse;
    ellipse.shape = PatchShape::Ellipse;
    ellipse.along_m = 1800.0;
    ellipse.down_m = 1200.0;
    ellipse.length_m = 1000.0;
    ellipse.width_m = 600.0;
    ellipse.numbers = {{FaultNumber::StaticFriction, 1.0}, {FaultNumber::Strike, 60e6}};
    job.faults[0].patches.push_back(ellipse);
    const FaultParameters parameters = parameters_of(job);
    EXPECT_EQ(parameters.numbers(on(parameters, 0.0, 1200.0))[FaultNumber::Strike], 81.6e6);
    EXPECT_EQ(parameters.numbers(on(parameters, 900.0, 2100.0))[FaultNumber::Strike], 81.6e6)
        << "the corner is part of it";
    EXPECT_EQ(parameters.numbers(on(parameters, 901.0, 1200.0))[FaultNumber::Strike], 70e6);
    EXPECT_EQ(parameters.numbers(on(parameters, 2299.0, 1200.0))[FaultNumber::StaticFriction], 1.0);
    EXPECT_EQ(parameters.numbers(on(parameters, 2200.0, 1450.0))[FaultNumber::StaticFriction],
              0.677)
        << "in the rectangle around the ellipse, not in it";
    EXPECT_TRUE(parameters.nucleates(on(parameters, 0.0, 1200.0)));
    EXPECT_FALSE(parameters.nucleates(on(parameters, -2000.0, 1200.0)));

    const FaultAxes& axes = parameters.axes(0);
    const rupture::FaultPoint point = parameters.point({0, axes.at(-2000.0, 100.0), axes.normal()});
    // Strike is x, the normal -y.
    EXPECT_NEAR(point.traction_pa.x, 70e6, 1e-3);
    EXPECT_NEAR(point.traction_pa.y, 120e6, 1e-3);
    EXPECT_NEAR(point.traction_pa.z, 0.0, 1e-3);
    EXPECT_EQ(point.forced_rupture_s, 1e9);
    EXPECT_EQ(point.dynamic_friction, 0.525);
}

TEST(FaultParameters, ATensorIsResolvedOnTheNormal) {
    RuptureJob job = test::small_rupture();
    // Dip 60 degrees to the east; vertical load 60 MPa, horizontal 20 MPa across strike.
    job.mesh.faults[0].place = FaultPlane{0.0, 0.0, 0.0, 0.0, 60.0, 4000.0, 2000.0};
    job.faults[0].stress = StressByDepth::constant({-20e6, -35e6, -60e6, 5e6, 0.0, 0.0});
    job.faults[0].patches.clear();
    const FaultParameters parameters = parameters_of(job);
    const FaultNumbers n = parameters.numbers(on(parameters, 0.0, 500.0));
    // sin2 60 = 3/4 of xx, 1/4 of zz; down dip (zz - xx) sin cos is against d: -(zz - xx) sin cos
    EXPECT_NEAR(n[FaultNumber::Normal], -0.75 * 20e6 - 0.25 * 60e6, 1.0);
    EXPECT_NEAR(n[FaultNumber::Dip], 40e6 * std::sqrt(0.75) * 0.5, 1.0)
        << "the load lets the hanging wall go down";
    EXPECT_NEAR(n[FaultNumber::Strike], 5e6 * std::sqrt(0.75), 1.0);
}

TEST(FaultParameters, StressByDepthJumpsWhereADepthIsTwice) {
    ByDepth<1> values{{{0.0, {1.0}}, {1000.0, {3.0}}, {1000.0, {10.0}}, {2000.0, {20.0}}}};
    EXPECT_EQ(values.at(-5.0)[0], 1.0);
    EXPECT_EQ(values.at(500.0)[0], 2.0);
    EXPECT_NEAR(values.at(999.999)[0], 3.0, 1e-5);
    EXPECT_EQ(values.at(1000.0)[0], 10.0);
    EXPECT_EQ(values.at(1500.0)[0], 15.0);
    EXPECT_EQ(values.at(9000.0)[0], 20.0);
}

TEST(FaultParameters, ATaperGoesSmoothlyToItsOutside) {
    EXPECT_EQ(smooth_boxcar(-1.0, 3000.0), 1.0);
    EXPECT_EQ(smooth_boxcar(3000.0, 3000.0), 0.0);
    EXPECT_NEAR(smooth_boxcar(1500.0, 3000.0), 0.5, 1e-12) << "odd about the middle";
    EXPECT_NEAR(smooth_boxcar(500.0, 3000.0) + smooth_boxcar(2500.0, 3000.0), 1.0, 1e-12);
    EXPECT_EQ(smooth_boxcar(10.0, 0.0), 0.0);

    RuptureJob job = test::small_rupture();
    job.faults[0].law = rupture::FrictionLaw::Ageing;
    job.faults[0].numbers[FaultNumber::A] = 0.008;
    RuptureTaper taper;
    taper.down_m = 1200.0;
    taper.length_m = 3000.0;
    taper.width_m = 2400.0;
    taper.transition_m = 600.0;
    taper.outside = {{FaultNumber::A, 0.016}};
    job.faults[0].tapers = {taper};
    const FaultParameters parameters = parameters_of(job);
    const auto a = [&](double along) {
        return parameters.numbers(on(parameters, along, 1000.0))[FaultNumber::A];
    };
    EXPECT_EQ(a(0.0), 0.008);
    EXPECT_EQ(a(1500.0), 0.008);
    EXPECT_NEAR(a(-1800.0), 0.012, 1e-12);
    EXPECT_EQ(a(2200.0), 0.016);
}

TEST(FaultParameters, NucleationIsSmoothOrForced) {
    EXPECT_EQ(nucleation_shape(0.0, 3000.0), 1.0);
    EXPECT_NEAR(nucleation_shape(1500.0, 3000.0), std::exp(-1.0 / 3.0), 1e-12);
    EXPECT_EQ(nucleation_shape(3000.0, 3000.0), 0.0);

    RuptureJob job = test::small_rupture();
    job.faults[0].patches.clear();
    job.smooth_nucleation = {{0, 0.0, 1200.0, 1000.0, 25e6, -5e6, "nucleation[0]"}};
    job.forced_nucleation = {{0, -1500.0, 1200.0, 600.0, 2000.0, "nucleation[1]"}};
    const FaultParameters parameters = parameters_of(job);
    const auto [strike, dip] = parameters.nucleation(on(parameters, 500.0, 1200.0));
    EXPECT_NEAR(strike, 25e6 * std::exp(-1.0 / 3.0), 1e-3);
    EXPECT_NEAR(dip, -5e6 * std::exp(-1.0 / 3.0), 1e-3);
    const OnFault near = on(parameters, -1500.0, 1600.0), far = on(parameters, -2200.0, 1200.0);
    EXPECT_NEAR(parameters.numbers(near)[FaultNumber::ForcedRupture], 0.2, 1e-12);
    EXPECT_EQ(parameters.numbers(far)[FaultNumber::ForcedRupture], FaultNumbers::kNever_s);
    EXPECT_TRUE(parameters.nucleates(near));
    EXPECT_FALSE(parameters.nucleates(far));
}

TEST(FaultParameters, ATableStandsInPlaceOfTheStress) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "table.csv";
    write_file(path,
               "along_strike_m,depth_m,shear_strike_MPa,mu_static\n"
               "-3000,0,-40,0.6\n3000,0,-80,0.6\n-3000,3000,-40,0.8\n3000,3000,-80,0.8\n");
    RuptureJob job = test::small_rupture();
    job.faults[0].patches.clear();
    job.faults[0].table = RuptureTable{path.string(), true, "faults[0].table"};
    const FaultParameters parameters = parameters_of(job);
    const FaultNumbers n = parameters.numbers(on(parameters, 1500.0, 750.0));
    EXPECT_NEAR(n[FaultNumber::Strike], 70e6, 1.0) << "right-lateral is negative here";
    EXPECT_NEAR(n[FaultNumber::StaticFriction], 0.65, 1e-12);
    EXPECT_NEAR(n[FaultNumber::Normal], -120e6, 1e-3) << "not in the table";

    job.faults[0].table->path = (folder.path() / "none.csv").string();
    try {
        (void)parameters_of(job);
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations()[0].field, "faults[0].table");
    }
}

}  // namespace
}  // namespace kaname::jobs::fault_parameters_test
