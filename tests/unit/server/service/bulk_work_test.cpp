// SPDX-License-Identifier: BSD-3-Clause
// Submits, cancels and retries that go on after their calls were answered.
#include <atomic>
#include <latch>

#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::bulk_work_test {
namespace {

/// A store in which every submit and cancel leaves the same two pieces for later.
class SlowStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    store::SubmitResult submit(const store::Submission& submission) override {
        EXPECT_TRUE(submission.stop) << "a call does not do all of it";
        store::SubmitResult result = MemoryStore::submit(submission);
        result.materialising = materialises;
        return result;
    }
    store::Job cancel_job(const std::string& job_id, const store::Actor&,
                          const Stop& stop) override {
        EXPECT_TRUE(stop) << "a call does not do all of it";
        store::Job job = look_at_job(job_id);
        job.cancelling = true;
        return job;
    }
    bool finish_bulk(const std::string& job_id, const Stop& stop) override {
        EXPECT_FALSE(stop());
        if (++n_pieces == 2) {
            if (!materialises) {
                MemoryStore::cancel_job(job_id, {}, {});
            }
            done.count_down();
            return false;
        }
        return true;
    }
    bool materialises = false;
    std::atomic<int> n_pieces = 0;
    std::latch done{1};
};

class BulkWorkTest : public ServiceTest {
protected:
    void create(v1::Job& job) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = sketch("coast", {"a", "b"});
        request.set_request_id(store::make_uuid());
        server.jobs.create_job(request, ann, job);
    }

    const auth::Principal ann{"ann", auth::Role::User};
    SlowStore slow{{}, [] { return 1000.0; }};
    UseCases server{1, server_->context.options,
                    Backends{slow, artifacts_, checkpoints_, compute_, tokens_, running_}};
};

TEST_F(BulkWorkTest, ASubmitIsAnsweredAndGoesOn) {
    slow.materialises = true;
    v1::Job job;

    create(job);

    EXPECT_EQ(job.report().created(), 3);
    EXPECT_EQ(job.progress().text(), "its tasks are being queued");
    slow.done.wait();
    EXPECT_EQ(slow.n_pieces, 2);
}

TEST_F(BulkWorkTest, ACancelIsAnsweredAndGoesOn) {
    v1::Job job;
    create(job);
    v1::CancelJobRequest cancel;
    cancel.set_name(job.name());

    server.jobs.cancel_job(cancel, ann, job);

    EXPECT_EQ(job.state(), v1::Job::ACTIVE);
    EXPECT_EQ(job.progress().text(), "being cancelled: 3 of 3 tasks are left");
    slow.done.wait();
    EXPECT_EQ(slow.n_pieces, 2);
    v1::GetJobRequest get;
    get.set_name(job.name());
    server.jobs.get_job(get, job);
    EXPECT_EQ(job.state(), v1::Job::CANCELLED);
}

}  // namespace
}  // namespace kaname::service::bulk_work_test
