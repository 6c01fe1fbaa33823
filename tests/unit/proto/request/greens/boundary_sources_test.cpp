// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/greens/boundary.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/plan.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::boundary_sources_test {
namespace {

using namespace examples;

v1::GreensBatch batch_with(const std::string& boundaries) {
    return read_yaml(kPlaneYaml + "boundaries: " + boundaries + "\n");
}

Plan plan_of(v1::GreensBatch batch) {
    fill_defaults(batch);
    return make_plan({std::move(batch), {}});
}

Plan plan_with(const std::string& boundaries) {
    return plan_of(batch_with(boundaries));
}

TEST(BoundarySources, SidesThatGrowAlikeAreOneSource) {
    const v1::GreensBatch batch = batch_with(
        "{west: {displacement: {north_m: 1}, time: {kind: step}}, "
        "east: {displacement: {up_m: 1}, time: {kind: steady, duration_s: 9}}, "
        "top: {traction: {up_pa: 1}}, bottom: {fixed: [up]}}");

    const auto sources = boundary_sources(batch);

    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0].id, "boundary");
    EXPECT_EQ(sources[0].time.kind(), "step");
    EXPECT_EQ(sources[0].places, (std::vector<int>{0, 3}));  // west, top; 2 is the bottom
    EXPECT_EQ(sources[1].id, "boundary_2");
    EXPECT_EQ(sources[1].time.duration_s(), 9.0);
    v1::GreensBatch filled = batch;
    fill_defaults(filled);
    EXPECT_EQ(source_ids(filled).size(), 4U);
    EXPECT_EQ(source_ids(filled).back(), "boundary_2");
}

TEST(BoundarySources, NoneWithoutData) {
    EXPECT_TRUE(boundary_sources(plane_batch()).empty());
    EXPECT_TRUE(boundary_sources(batch_with("{west: {fixed: [east]}}")).empty());
}

TEST(BoundarySources, SidesWithDataAreFreeElsewhere) {
    v1::GreensBatch batch = batch_with("{west: {displacement: {north_m: 1}}, east: {fixed: [up]}}");

    fill_defaults(batch);

    EXPECT_EQ(batch.boundaries().west().kind(), v1::BoundarySide::KIND_FREE);
    EXPECT_EQ(batch.boundaries().east().kind(), v1::BoundarySide::KIND_FREE);
    EXPECT_EQ(batch.boundaries().south().kind(), v1::BoundarySide::KIND_FIXED);
}

TEST(BoundarySources, ValuesAreInTheKeyOfTheirSourceAlone) {
    const Plan one = plan_with("{west: {displacement: {north_m: 1}}}");
    const Plan two = plan_with("{west: {displacement: {north_m: 2}}}");
    const Plan slower =
        plan_with("{west: {displacement: {north_m: 1}, time: {kind: ramp, duration_s: 9}}}");
    const Plan other = plan_with("{west: {displacement: {up_m: 1}}}");
    const auto slip_key = [](const Plan& plan) { return plan.sources.front().key; };
    const auto side_key = [](const Plan& plan) { return plan.sources.back().key; };

    EXPECT_EQ(slip_key(one), slip_key(two));
    EXPECT_NE(side_key(one), side_key(two));
    EXPECT_NE(slip_key(one), side_key(one));
    // The key is that of the step response: another time function is another dataset of the same
    // solution.
    EXPECT_EQ(side_key(one), side_key(slower));
    EXPECT_NE(one.package_key, slower.package_key);
    // Which components move shapes every source.
    EXPECT_NE(slip_key(one), slip_key(other));
    EXPECT_EQ(one.mesh_key, other.mesh_key);
}

TEST(BoundarySources, WithAVolumeTheirTimeIsInTheKeyOfTheirSource) {
    const auto keyed = [](double duration_s) {
        v1::GreensBatch batch = batch_with("{west: {displacement: {north_m: 1}}}");
        v1::BoundaryTime& time = *batch.mutable_boundaries()->mutable_west()->mutable_time();
        time.set_kind("ramp");
        time.set_duration_s(duration_s);
        batch.mutable_output()->mutable_volume()->add_epochs_s(0.0);
        return plan_of(batch);
    };
    const Plan one = keyed(9.0);
    const Plan slower = keyed(99.0);

    EXPECT_EQ(one.sources.front().key, slower.sources.front().key);
    EXPECT_NE(one.sources.back().key, slower.sources.back().key);
    EXPECT_NE(one.sources.back().slip_key, slower.sources.back().slip_key);
}

TEST(BoundarySources, TablesCountByTheirBytes) {
    const auto keyed = [](const std::string& hash) {
        v1::GreensBatch batch = batch_with("{west: {displacement: {file: w.csv}}}");
        batch.mutable_boundaries()
            ->mutable_west()
            ->mutable_displacement()
            ->mutable_file()
            ->set_sha256(hash);
        return plan_of(batch);
    };

    EXPECT_NE(keyed("aa").sources.back().key, keyed("bb").sources.back().key);
    EXPECT_EQ(keyed("aa").sources.front().key, keyed("bb").sources.front().key);
}

}  // namespace
}  // namespace kaname::request::boundary_sources_test
