// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/predicted_errors.hpp"

#include <gtest/gtest.h>

#include "tests/support/built_job.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#if KANAME_HAVE_PROJ

namespace kaname::jobs::predicted_errors_test {
namespace {

/// Stations 10 and 280 km from the slip, in a box with room, whose sides are fixed.
GreensJob wide_job() {
    GreensJob job = plane_job();
    for (int side = 0; side < mesh::kSideCount; ++side) {
        job.boundaries.kind[side] = static_cast<mesh::Side>(side) == mesh::Side::Top
                                        ? BoundaryKind::Free
                                        : BoundaryKind::Fixed;
    }
    job.region = {135.0, 34.0, 4000e3, 4000e3, 2000e3, 0.0};
    job.mesh.size_at_fault_m = 2e3;
    job.mesh.size_far_m = 400e3;
    job.mesh.growth = 0.4;
    job.mesh.sizes.by_depth = {{20e3, 35e3, 560e3}};
    job.stations.push_back({"FAR", 138.0, 34.0, std::nullopt, "stations[1]"});
    return job;
}

TEST(PredictedErrors, HaveEveryCause) {
    const GreensJob job = test::built(wide_job());

    const PredictedErrors errors = JobGeometry(job).predicted_errors();

    ASSERT_EQ(errors.places().size(), 2u);
    const PredictedErrors::Place& near = errors.places()[0];
    const PredictedErrors::Place& far = errors.places()[1];
    EXPECT_EQ(far.name, "station 'FAR'");
    EXPECT_NEAR(far.away_m, 270e3, 10e3);
    EXPECT_GT(near.at_once.fault, 1e-4);
    EXPECT_LT(far.at_once.fault, 1e-5);
    EXPECT_NEAR(far.at_once.box, box_error({far.box.station_m, far.box.side_m, 0.0, 0.0}), 1e-12);
    EXPECT_GT(far.since.box, far.at_once.box);
    EXPECT_GT(far.since.layers, 0.0);
    // The lid's elements of 35 km are smaller than 0.4 times the distance.
    EXPECT_NEAR(far.at_once.stations, station_error(33e3, far.away_m), 1e-4);
    EXPECT_DOUBLE_EQ(far.since.stations, 1.5 * far.at_once.stations);
}

TEST(PredictedErrors, AreToldInOneLine) {
    const GreensJob job = test::built(wide_job());
    const JobGeometry geometry(job);
    Survey survey;

    geometry.survey(survey);

    const std::string text = geometry.predicted_errors().text();
    EXPECT_EQ(text.find("predicted error: "), 0u) << text;
    EXPECT_NE(text.find(" % of the largest motion right after the slip as far away as station '"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" % of the largest change since as far away as station '"),
              std::string::npos)
        << text;
    EXPECT_EQ(std::ranges::count(survey.notes, text), 1);
}

TEST(PredictedErrors, WithoutStationsAreThoseOfTheGround) {
    GreensJob job = wide_job();
    job.stations.clear();
    job = test::built(std::move(job));

    const PredictedErrors errors = JobGeometry(job).predicted_errors();

    ASSERT_EQ(errors.places().size(), 1u);
    EXPECT_GT(errors.places()[0].at_once.stations, 0.0);
    EXPECT_NE(errors.text().find("of the surface near the slip ("), std::string::npos)
        << errors.text();
}

TEST(PredictedErrors, TakeNoEdgeFromSlipThatReachesTheGround) {
    GreensJob deep = wide_job();
    GreensJob open = wide_job();
    std::get<PlaneGeometry>(deep.fault).top_depth_m = 1e3;
    std::get<PlaneGeometry>(open.fault).top_depth_m = 0.0;
    // Beside the middle of the upper edge.
    deep.stations = open.stations = {{"S", 135.011, 34.0, std::nullopt, "stations[0]"}};
    deep = test::built(std::move(deep));
    open = test::built(std::move(open));

    EXPECT_GT(JobGeometry(deep).predicted_errors().places()[0].at_once.fault,
              10.0 * JobGeometry(open).predicted_errors().places()[0].at_once.fault);
}

}  // namespace
}  // namespace kaname::jobs::predicted_errors_test

#endif
