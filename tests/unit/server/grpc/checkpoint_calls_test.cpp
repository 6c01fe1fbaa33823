// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints put by one worker and offered to the next attempt.
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::checkpoint_calls_test {
namespace {

class CheckpointCalls : public ApiTest {
protected:
    /// The sources of a job whose mesh is done.
    v1::ClaimResponse claim_sources() {
        register_worker();
        (void)submit();
        EXPECT_TRUE(complete(claim().tasks(0), "mesh").ok());
        return claim();
    }
    grpc::Status put(const v1::ClaimResponse& claimed, const std::string& text, int step,
                     const std::string& worker) {
        Call context(agent_);
        v1::Artifact reply;
        const auto writer = workers_->PutCheckpoint(&context, &reply);
        v1::PutCheckpointRequest part;
        v1::PutCheckpointRequest::Header& header = *part.mutable_header();
        header.set_worker_id(worker);
        for (const v1::Task& task : claimed.tasks()) {
            *header.add_refs() = task.ref();
        }
        header.set_step(step);
        header.mutable_file()->set_sha256(sha256_hex(text));
        header.mutable_file()->set_bytes(static_cast<std::int64_t>(text.size()));
        writer->Write(part);
        part.set_chunk(text);
        writer->Write(part);
        writer->WritesDone();
        return writer->Finish();
    }
    std::string read_input(const std::string& sha256) {
        Call context(agent_);
        v1::ReadArtifactRequest request;
        request.set_sha256(sha256);
        const auto reader = workers_->GetInput(&context, request);
        v1::ReadArtifactResponse message;
        std::string text;
        while (reader->Read(&message)) {
            text += message.chunk();
        }
        EXPECT_TRUE(reader->Finish().ok());
        return text;
    }
    void give_back(const v1::ClaimResponse& claimed) {
        v1::ReturnTasksRequest request;
        request.set_worker_id(worker_);
        for (const v1::Task& task : claimed.tasks()) {
            *request.add_refs() = task.ref();
        }
        google::protobuf::Empty reply;
        ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::ReturnTasks, agent_, request, reply).ok());
    }
};

TEST_F(CheckpointCalls, TheLastOneIsOfferedToTheNextAttempt) {
    const v1::ClaimResponse claimed = claim_sources();
    ASSERT_GT(claimed.tasks_size(), 0);
    EXPECT_FALSE(claimed.tasks(0).has_checkpoint());
    ASSERT_TRUE(put(claimed, "after step 3", 3, worker_).ok());
    ASSERT_TRUE(put(claimed, "after step 9", 9, worker_).ok());
    give_back(claimed);

    const v1::ClaimResponse again = claim();

    ASSERT_EQ(again.tasks_size(), claimed.tasks_size());
    for (const v1::Task& task : again.tasks()) {
        EXPECT_EQ(task.checkpoint().sha256(), sha256_hex("after step 9"));
        EXPECT_EQ(task.checkpoint().bytes(), 12);
        EXPECT_EQ(task.checkpoint_step(), 9);
    }
    EXPECT_EQ(read_input(sha256_hex("after step 9")), "after step 9");
    EXPECT_FALSE(artifacts_.exists(sha256_hex("after step 9")));
}

TEST_F(CheckpointCalls, OfAnotherWorkerItIsRefusedAndNotKept) {
    const v1::ClaimResponse claimed = claim_sources();

    const grpc::Status status = put(claimed, "stale", 3, store::make_uuid());

    EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
    EXPECT_EQ(told(status), rpc::kLeaseLost);
    EXPECT_FALSE(checkpoints_.exists(sha256_hex("stale")));
}

TEST_F(CheckpointCalls, OneWhoseFileIsLostIsNotOffered) {
    const v1::ClaimResponse claimed = claim_sources();
    ASSERT_TRUE(put(claimed, "after step 3", 3, worker_).ok());
    give_back(claimed);
    ASSERT_TRUE(checkpoints_.remove(sha256_hex("after step 3")));

    EXPECT_FALSE(claim().tasks(0).has_checkpoint());
}

TEST_F(CheckpointCalls, OneThatIsTooLargeIsRefused) {
    const v1::ClaimResponse claimed = claim_sources();

    const grpc::Status status = put(claimed, std::string((4U << 20U) + 1, 'x'), 3, worker_);

    EXPECT_FALSE(status.ok());
    give_back(claimed);
    EXPECT_FALSE(claim().tasks(0).has_checkpoint());
}

TEST_F(CheckpointCalls, OneThatHasTheHashOfAResultLeavesTheResultWhereItIs) {
    const v1::ClaimResponse claimed = claim_sources();
    const std::string result = "mesh";  // what claim_sources put
    ASSERT_TRUE(put(claimed, result, 3, worker_).ok());
    for (const v1::Task& task : claimed.tasks()) {
        ASSERT_TRUE(complete(task, "result of " + task.label()).ok());
    }

    const auto removed = store_.forget_checkpoints(
        [&](const std::string& sha256) { EXPECT_TRUE(checkpoints_.remove(sha256)); });

    EXPECT_EQ(removed, std::vector<std::string>{sha256_hex(result)});
    EXPECT_FALSE(checkpoints_.exists(sha256_hex(result)));
    EXPECT_TRUE(artifacts_.exists(sha256_hex(result)));
}

TEST_F(CheckpointCalls, AnUploadIsLookedUpAmongCheckpoints) {
    const v1::ClaimResponse claimed = claim_sources();
    ASSERT_TRUE(put(claimed, "after step 3", 3, worker_).ok());
    v1::GetUploadRequest request;
    request.set_sha256(sha256_hex("after step 3"));
    request.set_bytes(12);
    v1::Upload checkpoint, result;

    ASSERT_TRUE(
        call(*workers_, &v1::Workers::Stub::GetCheckpointUpload, agent_, request, checkpoint).ok());
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::GetResultUpload, agent_, request, result).ok());

    EXPECT_TRUE(checkpoint.complete());
    EXPECT_FALSE(result.complete());
}

TEST_F(CheckpointCalls, ANameThatIsNoHashIsRefusedAndNotNoted) {
    const v1::Task task = claim_sources().tasks(0);
    const store::Held held{task.ref().task_id(), task.ref().fence()};
    Call context(agent_);
    v1::Artifact reply;
    const auto writer = workers_->PutCheckpoint(&context, &reply);
    v1::PutCheckpointRequest part;
    part.mutable_header()->set_worker_id(worker_);
    *part.mutable_header()->add_refs() = task.ref();
    part.mutable_header()->mutable_file()->set_sha256("../../objects/ab");
    writer->Write(part);
    writer->WritesDone();

    EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);

    EXPECT_EQ(store_.set_checkpoint(worker_, {&held, 1}, {"../../objects/ab", 1, 1}),
              store::LeaseResult::Lost)
        << "tidying would stumble over it";
}

TEST_F(CheckpointCalls, AStreamWithoutHeaderIsRefused) {
    Call context(agent_);
    v1::Artifact reply;
    const auto writer = workers_->PutCheckpoint(&context, &reply);
    v1::PutCheckpointRequest part;
    part.set_chunk("bytes");
    writer->Write(part);
    writer->WritesDone();

    EXPECT_EQ(told(writer->Finish()), "header");
}

}  // namespace
}  // namespace kaname::service::checkpoint_calls_test
