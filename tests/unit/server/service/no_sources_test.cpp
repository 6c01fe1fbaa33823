// SPDX-License-Identifier: BSD-3-Clause
// Jobs whose tasks are no sources: one task that makes what was asked for.
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::no_sources_test {
namespace {

class NoSources : public ServiceTest {
protected:
    v1::Job job(const std::string& id) {
        v1::GetJobRequest request;
        request.set_name("jobs/" + id);
        v1::Job reply;
        server_->jobs.get_job(request, reply);
        return reply;
    }
    void beat(const v1::Task& task, double fraction) {
        v1::HeartbeatRequest request;
        request.set_worker_id(worker_);
        *request.add_held() = task.ref();
        v1::TaskProgress& progress = *request.add_progress();
        *progress.mutable_ref() = task.ref();
        progress.set_content_key(task.content_key());
        progress.set_fraction(fraction);
        progress.set_text("half of it");
        v1::HeartbeatResponse reply;
        server_->workers.heartbeat(request, agent_, reply);
    }
};

TEST_F(NoSources, ProgressIsThatOfTheTasks) {
    const std::string id = submit(sketch("alone", {}));
    EXPECT_EQ(job(id).progress().text(), "the book: about to be handed out");
    EXPECT_EQ(job(id).progress().fraction(), 0.0);

    const v1::ClaimResponse claimed = claim();
    ASSERT_EQ(claimed.tasks_size(), 1);
    beat(claimed.tasks(0), 0.5);

    EXPECT_EQ(job(id).progress().fraction(), 0.5);
    EXPECT_EQ(job(id).counts().sources(), 0);
    complete(claimed.tasks(0));
    EXPECT_EQ(job(id).state(), v1::Job::DONE);
}

TEST_F(NoSources, TheResultIsWholeOrNotThere) {
    const std::string id = submit(sketch("alone", {}));
    try {
        (void)server_->datasets.get(id, true);
        ADD_FAILURE() << "there is no part of it";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotReady);
        EXPECT_EQ(error.what(), "job " + id + " is active and has no result");
    }

    work();

    const v1::Dataset dataset = server_->datasets.get(id, false);
    EXPECT_TRUE(dataset.complete());
    EXPECT_EQ(dataset.file(), "book.h5");
    EXPECT_FALSE(dataset.content_hash().empty());
}

TEST_F(NoSources, AStreamEndsWithTheJobAndHasNothing) {
    const std::string id = submit(sketch("alone", {}));
    work();
    v1::StreamResultsRequest request;
    request.set_job("jobs/" + id);
    int n = 0;

    drive<v1::GreensResult>(server_->greens.stream_results(request), [&](const v1::GreensResult&) {
        ++n;
        return true;
    });

    EXPECT_EQ(n, 0);
}

}  // namespace
}  // namespace kaname::service::no_sources_test
