// SPDX-License-Identifier: BSD-3-Clause
// Files that are gone when a stage is to begin: it fails and says which, the claim goes on, and a
// retry makes what can be made again.
#include <fstream>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::lost_inputs_test {
namespace {

class LostInputs : public ApiTest {
protected:
    v1::Job get(const v1::Job& job) {
        v1::GetJobRequest request;
        request.set_name(job.name());
        v1::Job reply;
        EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, request, reply).ok());
        return reply;
    }
    void retry(const v1::Job& job) {
        v1::RetryJobRequest request;
        request.set_name(job.name());
        v1::Job reply;
        const grpc::Status status = call(*jobs_, &v1::Jobs::Stub::RetryJob, user_, request, reply);
        ASSERT_TRUE(status.ok()) << status.error_message();
    }
    /// The first error of the job's items.
    std::string error_of(const v1::Job& job) {
        for (const store::JobItem& item : store_.list_items(id_of(job), 10, "").rows) {
            if (!item.error.empty()) {
                return item.error;
            }
        }
        return "";
    }
    grpc::Status read(const v1::ReadArtifactRequest& request) {
        Call context(agent_);
        const auto reader = workers_->GetInput(&context, request);
        v1::ReadArtifactResponse part;
        while (reader->Read(&part)) {
        }
        return reader->Finish();
    }
    void fail(const v1::Task& task) {
        v1::FailRequest request;
        request.set_worker_id(worker_);
        *request.mutable_ref() = task.ref();
        request.set_error_class("DataLoss");
        google::protobuf::Empty reply;
        ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, request, reply).ok());
    }
    void run_to_end() {
        for (v1::ClaimResponse claimed = claim(); claimed.tasks_size() > 0; claimed = claim()) {
            for (const v1::Task& task : claimed.tasks()) {
                ASSERT_TRUE(complete(task, "result of " + task.label()).ok());
            }
        }
    }
};

TEST_F(LostInputs, ALostMeshFailsTheSourcesAndARetryMakesItAgain) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh").ok());
    ASSERT_TRUE(artifacts_.remove(sha256_hex("mesh")));

    EXPECT_EQ(claim().tasks_size(), 0);

    EXPECT_EQ(get(job).state(), v1::Job::FAILED);
    EXPECT_EQ(error_of(job), "lost: the stage cannot begin: the result of mesh is lost, file " +
                                 sha256_hex("mesh") + "; retry the job to compute it again");
    EXPECT_EQ(log_of(job, "s00d00/rake_0"), "failed: " + error_of(job) + "\n");
    retry(job);
    EXPECT_NE(log_of(job, "s00d00/rake_0").find(" is lost, file " + sha256_hex("mesh")),
              std::string::npos)
        << "a retry leaves the cause in the log";
    run_to_end();
    EXPECT_EQ(get(job).state(), v1::Job::DONE);
    EXPECT_TRUE(get(job).dataset().complete());
}

TEST_F(LostInputs, ALostSourceFailsThePackageAndARetryComputesIt) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh").ok());
    const v1::ClaimResponse sources = claim();
    ASSERT_TRUE(complete(sources.tasks(0), "first").ok());
    ASSERT_TRUE(complete(sources.tasks(1), "second").ok());
    ASSERT_TRUE(artifacts_.remove(sha256_hex("first")));

    EXPECT_EQ(claim().tasks_size(), 0);

    EXPECT_NE(
        error_of(job).find(sources.tasks(0).label() + " is lost, file " + sha256_hex("first")),
        std::string::npos)
        << error_of(job);
    retry(job);
    run_to_end();
    EXPECT_EQ(get(job).state(), v1::Job::DONE);
    EXPECT_TRUE(get(job).dataset().complete());
}

TEST_F(LostInputs, ADamagedSourceIsSetAsideWhenAReaderAsksAndARetryComputesIt) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh").ok());
    const v1::ClaimResponse sources = claim();
    ASSERT_TRUE(complete(sources.tasks(0), "first").ok());
    ASSERT_TRUE(complete(sources.tasks(1), "second").ok());
    const std::filesystem::path file = artifacts_.object_path(sha256_hex("first"));
    std::filesystem::permissions(file, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).put('F');
    const v1::ClaimResponse package = claim();
    ASSERT_EQ(package.tasks_size(), 1);

    v1::ReadArtifactRequest request;
    request.set_sha256(sha256_hex("first"));
    request.set_worker_id(worker_);
    EXPECT_TRUE(read(request).ok());  // the reader sees the other hash
    request.set_verify(true);
    const grpc::Status refused = read(request);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::DATA_LOSS);
    EXPECT_NE(refused.error_message().find("retry the job"), std::string::npos)
        << refused.error_message();
    fail(package.tasks(0));

    EXPECT_EQ(get(job).state(), v1::Job::FAILED);
    retry(job);
    run_to_end();
    EXPECT_EQ(get(job).state(), v1::Job::DONE);
    EXPECT_TRUE(get(job).dataset().complete());
}

TEST_F(LostInputs, ALostSpecificationIsWrittenAgainByARetry) {
    register_worker();
    const v1::Job job = submit();
    const std::string request = sha256_hex(store_.get_job(id_of(job)).request);
    ASSERT_TRUE(artifacts_.remove(request));

    EXPECT_EQ(claim().tasks_size(), 0);

    EXPECT_NE(error_of(job).find("request " + request), std::string::npos) << error_of(job);
    retry(job);
    run_to_end();
    EXPECT_EQ(get(job).state(), v1::Job::DONE);
}

TEST_F(LostInputs, AClaimGoesOnToWorkThatCanBegin) {
    register_worker();
    const v1::Job broken = submit();
    const std::string request = store_.get_job(id_of(broken)).request;
    ASSERT_TRUE(artifacts_.remove(sha256_hex(request)));
    batch_.set_name("another");
    batch_.mutable_mesh()->set_size_far_m(2 * batch_.mesh().size_far_m());
    const v1::Job sound = submit();

    const v1::ClaimResponse claimed = claim();

    ASSERT_EQ(claimed.tasks_size(), 1);
    EXPECT_EQ(claimed.spec_sha256(), sha256_hex(store_.get_job(id_of(sound)).request));
    EXPECT_EQ(get(broken).state(), v1::Job::FAILED);
}

}  // namespace
}  // namespace kaname::service::lost_inputs_test
