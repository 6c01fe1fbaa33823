// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/near_field.hpp"

#include <gtest/gtest.h>

#include "tests/support/loh1_box.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"

namespace kaname::jobs::near_field_test {
namespace {

constexpr double kWave_m = 3464.0;  // the shortest S wavelength

/// An explosion in the middle of a box of rock with one receiver beside it.
SeismicJob job_with_receiver(double apart_m) {
    LayeredBox box{12e3, 12e3, 12e3, {}};
    box.layers.materials = {test::rock("rock", 6000.0, 3464.0, 2700.0)};
    box.layers.layers = {{0, std::nullopt}};
    SeismicJob job;
    job.mesh.model = box;
    job.mesh.max_frequency_hz = 1.0;
    job.mesh.order = 4;
    SeismicJob::Source source;
    source.id = "shot";
    source.field = "sources[0]";
    source.at.xyz_m = {0.0, 0.0, -6000.0};
    source.moment_nm = {1e15, 1e15, 1e15, 0.0, 0.0, 0.0};
    job.sources = {source};
    WaveReceiver receiver;
    receiver.id = "near";
    receiver.field = "receivers[0]";
    receiver.at.xyz_m = {apart_m, 0.0, -6000.0};
    job.receivers = {receiver};
    return job;
}

TEST(NearField, ElementsAboutASourceAreSmallerWhereAReceiverIsNear) {
    const SeismicJob far = job_with_receiver(0.6 * kWave_m);
    const SeismicJob near = job_with_receiver(0.35 * kWave_m);
    const SeismicMeshPlan plan(far.mesh);

    EXPECT_FALSE(fitted_to_sources(far, plan));
    const auto fitted = fitted_to_sources(near, plan);
    ASSERT_TRUE(fitted);
    EXPECT_EQ(fitted->fine_at.size(), 5U);
    const double element_m = kWave_m / near.mesh.wanted_per_wavelength();
    EXPECT_LT(fitted->fine_size_m, 0.6 * element_m);

    const aderdg::WaveParams params = [] {
        aderdg::WaveParams p;
        p.order = 4;
        p.end_s = 1.0;
        p.interval_s = 0.1;
        return p;
    }();
    const auto coarse = plan_mesh(far).estimate(params).count.tets;
    const auto fine = plan_mesh(near).estimate(params).count.tets;
    EXPECT_GT(fine, coarse + 500);
    EXPECT_LT(fine, 2 * coarse);
}

TEST(NearField, ManySourcesForcesOtherOrdersAndUnitSourcesLeaveTheMeshAsItIs) {
    SeismicJob many = job_with_receiver(0.35 * kWave_m);
    many.sources.resize(17, many.sources.front());
    const SeismicMeshPlan plan(many.mesh);
    EXPECT_FALSE(fitted_to_sources(many, plan));

    SeismicJob force = job_with_receiver(0.35 * kWave_m);
    force.sources.front().moment_nm = {};
    force.sources.front().force_n = {0.0, 0.0, 1e12};
    EXPECT_FALSE(fitted_to_sources(force, plan));

    SeismicJob fifth = job_with_receiver(0.35 * kWave_m);
    fifth.mesh.order = 5;
    EXPECT_FALSE(fitted_to_sources(fifth, SeismicMeshPlan(fifth.mesh)));

    SeismicJob units = job_with_receiver(0.35 * kWave_m);
    units.method_note = "unit sources";
    EXPECT_FALSE(fitted_to_sources(units, plan));
}

TEST(NearField, AtOrdersThreeAndSevenFewElementsInAWavelengthAreHalvedAboutASource) {
    SeismicJob job = job_with_receiver(2.0 * kWave_m);
    job.mesh.order = 3;
    EXPECT_FALSE(fitted_to_sources(job, SeismicMeshPlan(job.mesh)));  // 7.3 in a wavelength

    job.mesh.elements_per_wavelength = 2.0;
    const auto fitted = fitted_to_sources(job, SeismicMeshPlan(job.mesh));

    ASSERT_TRUE(fitted);
    ASSERT_EQ(fitted->fine_at.size(), 1U);
    EXPECT_EQ(fitted->fine_at.front(), (Vec3{0.0, 0.0, -6000.0}));
    EXPECT_LT(fitted->fine_size_m, 0.5 * kWave_m / 2.0);

    job.mesh.order = 7;
    EXPECT_FALSE(fitted_to_sources(job, SeismicMeshPlan(job.mesh)));
    job.mesh.elements_per_wavelength = 0.0;  // 1.1
    EXPECT_TRUE(fitted_to_sources(job, SeismicMeshPlan(job.mesh)));
}

TEST(NearField, ReceiversBelowAThirdOfTheWavelengthAreNamed) {
    const SeismicJob job = job_with_receiver(0.3 * kWave_m);
    const SeismicMeshPlan plan(job.mesh);

    const auto text = near_receivers(job, moment_places(job, plan), receiver_places(job));

    ASSERT_TRUE(text);
    EXPECT_NE(text->find("near (1.04e+03 m from shot"), std::string::npos) << *text;
    const SeismicJob beyond = job_with_receiver(0.35 * kWave_m);
    EXPECT_FALSE(near_receivers(beyond, moment_places(beyond, plan), receiver_places(beyond)));
}

}  // namespace
}  // namespace kaname::jobs::near_field_test
