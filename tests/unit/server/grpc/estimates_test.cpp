// SPDX-License-Identifier: BSD-3-Clause
// Estimates of a job's time are right: FakeHelpers' mesh takes 10 s, setting up 5, a pack 100,
// the dataset 3, times or by 2.
#include <gtest/gtest.h>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::estimates_test {
namespace {

class Estimates : public ApiTest {
protected:
    v1::Job get(const v1::Job& job) {
        v1::GetJobRequest request;
        request.set_name(job.name());
        v1::Job now;
        EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, request, now).ok());
        return now;
    }
};

TEST_F(Estimates, AFreshJobTakesAllOfItsStages) {
    const v1::Estimate estimate = submit().report().estimate();

    EXPECT_DOUBLE_EQ(estimate.total_s(), 118.0);
    EXPECT_DOUBLE_EQ(estimate.low_s(), 59.0);
    EXPECT_DOUBLE_EQ(estimate.high_s(), 236.0);
    EXPECT_DOUBLE_EQ(estimate.solve_s(), 105.0);
}

TEST_F(Estimates, WhatIsReusedTakesNoTime) {
    register_worker();
    (void)submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh file").ok());
    auto* more = batch_.mutable_stations()->add_list();
    *more = batch_.stations().list(0);
    more->set_id("MORE");
    EXPECT_DOUBLE_EQ(submit().report().estimate().total_s(), 108.0);  // the mesh is there

    const v1::ClaimResponse pack = claim();
    for (const v1::Task& task : pack.tasks()) {
        ASSERT_TRUE(complete(task, "source " + task.label()).ok());
    }
    more->set_id("OTHER");
    EXPECT_DOUBLE_EQ(submit().report().estimate().total_s(), 3.0);  // the dataset alone

    v1::CreateJobRequest request;
    *request.mutable_batch() = batch_;
    request.set_validate_only(true);
    v1::Job job;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, job).ok());
    EXPECT_DOUBLE_EQ(job.report().estimate().total_s(), 3.0);
}

TEST_F(Estimates, TheTimeToGoBeginsAsPredictedAndLacksWhatIsDone) {
    const v1::Job job = submit();
    EXPECT_DOUBLE_EQ(get(job).progress().eta_s(), -1.0);  // there is no worker

    register_worker();
    EXPECT_DOUBLE_EQ(get(job).progress().eta_s(), 118.0);

    const v1::ClaimResponse mesh = claim();
    EXPECT_NEAR(get(job).progress().eta_s(), 118.0, 5.0);
    ASSERT_TRUE(complete(mesh.tasks(0), "mesh file").ok());
    const v1::ClaimResponse pack = claim();
    beat(pack, 0.0);
    EXPECT_LE(get(job).progress().eta_s(), 108.0);
    EXPECT_GT(get(job).progress().eta_s(), 60.0);
    const double before_s = get(job).progress().eta_s();
    beat(pack, 0.75);
    EXPECT_LT(get(job).progress().eta_s(), before_s / 2.0);
}

TEST_F(Estimates, AJobBehindOthersHasNoTimeToGo) {
    register_worker();
    (void)submit();
    const v1::ClaimResponse mesh = claim();
    batch_.mutable_mesh()->set_size_far_m(batch_.mesh().size_far_m() * 1.01);
    const v1::Job second = submit();

    EXPECT_DOUBLE_EQ(get(second).progress().eta_s(), -1.0);
    ASSERT_TRUE(complete(mesh.tasks(0), "mesh file").ok());
    EXPECT_DOUBLE_EQ(get(second).progress().eta_s(), 118.0);
}

}  // namespace
}  // namespace kaname::service::estimates_test
