// SPDX-License-Identifier: BSD-3-Clause
// A worker is given stages as their kind of request describes them, and none that cannot
// begin.
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::claims_test {
namespace {

using Claiming = ServiceTest;

TEST_F(Claiming, AStageIsDescribedByTheVerbsAndInputsOfItsKind) {
    v1::GreensBatch wanted = sketch("coast", {"a", "b"});
    const std::string file = put_text(artifacts_, "id,lon,lat");
    wanted.mutable_stations()->add_files()->set_sha256(file);
    const std::string job = submit(wanted);

    const v1::ClaimResponse samples = claim();

    ASSERT_EQ(samples.tasks_size(), 2);
    EXPECT_EQ(samples.tasks(0).label(), "a");
    EXPECT_EQ(samples.tasks(1).label(), "b");
    for (const v1::Task& task : samples.tasks()) {
        EXPECT_EQ(task.verb(), "sample");
        EXPECT_TRUE(task.session());
        EXPECT_EQ(task.attempt(), 1);
    }
    EXPECT_EQ(samples.inputs_size(), 0);
    EXPECT_EQ(samples.spec_sha256(), sha256_hex(store_.get_job(job).request));
    ASSERT_EQ(samples.files_size(), 1);
    EXPECT_EQ(samples.files(0).label(), "stations.files[0]");
    EXPECT_EQ(samples.files(0).sha256(), file);
    EXPECT_EQ(samples.files(0).bytes(), 10);

    complete(samples.tasks(0));
    complete(samples.tasks(1));
    const v1::ClaimResponse book = claim();

    ASSERT_EQ(book.tasks_size(), 1);
    EXPECT_EQ(book.tasks(0).verb(), "bind");
    EXPECT_EQ(book.tasks(0).label(), "book");
    EXPECT_FALSE(book.tasks(0).session());
    ASSERT_EQ(book.inputs_size(), 2);
    for (int k = 0; k < 2; ++k) {
        const std::string result = result_of(samples.tasks(k));
        EXPECT_EQ(book.inputs(k).label(), samples.tasks(k).label());
        EXPECT_EQ(book.inputs(k).sha256(), sha256_hex(result));
        EXPECT_EQ(book.inputs(k).bytes(), static_cast<std::int64_t>(result.size()));
    }
}

TEST_F(Claiming, ManyInputsComeInPagesOfOneClaim) {
    server_->context.options.inputs_per_answer = 2;
    (void)submit(sketch("coast", {"a", "b", "c", "d", "e"}));
    work();
    work();
    v1::ClaimRequest request = new_claim();
    request.set_in_pages(true);

    std::string labels;
    const v1::ClaimResponse first = claim(request);
    for (v1::ClaimResponse page = first; page.inputs_size() > 0; page = claim(request)) {
        EXPECT_EQ(page.n_inputs(), 5);
        EXPECT_LE(page.inputs_size(), 2);
        ASSERT_EQ(page.tasks_size(), 1);
        EXPECT_EQ(page.tasks(0).ref().task_id(), first.tasks(0).ref().task_id());
        EXPECT_EQ(page.tasks(0).ref().fence(), first.tasks(0).ref().fence());
        for (const v1::Input& input : page.inputs()) {
            labels += input.label();
            EXPECT_EQ(input.sha256(), sha256_hex("result of " + input.label()));
        }
        request.set_inputs_from(request.inputs_from() + page.inputs_size());
    }

    EXPECT_EQ(labels, "abcde");
    complete(first.tasks(0));
}

TEST_F(Claiming, AnIdleClaimThatIsNewCostsTheStoreNothing) {
    store_.remove_worker(worker_);  // whoever asks the store is told so
    v1::ClaimRequest request = new_claim();

    EXPECT_THROW((void)claim(request), Error) << "it may be a repetition";
    request.set_first_time(true);
    EXPECT_EQ(claim(request).tasks_size(), 0);
    (void)submit(sketch("coast", {"a"}));
    EXPECT_THROW((void)claim(request), Error) << "something waits";
}

TEST_F(Claiming, AWorkerThatDoesNotAskForPagesGetsAllInputs) {
    server_->context.options.inputs_per_answer = 2;
    (void)submit(sketch("coast", {"a", "b", "c"}));
    work();

    const v1::ClaimResponse book = claim();

    EXPECT_EQ(book.inputs_size(), 3);
    EXPECT_EQ(book.n_inputs(), 3);
}

TEST_F(Claiming, APageBeforeTheFirstInputIsRefused) {
    v1::ClaimRequest request = new_claim();
    request.set_inputs_from(-1);
    EXPECT_THROW((void)claim(request), ValidationError);
}

TEST_F(Claiming, ALostInputFailsItsStageByNameAndTheNextStageIsHandedOut) {
    const std::string broken = submit(sketch("coast", {"a", "b"}), 1);
    const v1::ClaimResponse samples = claim();
    complete(samples.tasks(0));
    complete(samples.tasks(1));
    ASSERT_TRUE(artifacts_.remove(sha256_hex("result of a")));
    (void)submit(sketch("inland", {"c"}));  // of lower priority: the book comes first

    const v1::ClaimResponse next = claim();

    ASSERT_EQ(next.tasks_size(), 1);
    EXPECT_EQ(next.tasks(0).label(), "c");
    EXPECT_EQ(next.inputs_size(), 0);  // nothing is left of the book's
    EXPECT_EQ(state_of(broken), store::JobState::Failed);
    const std::string cause = "lost: the stage cannot begin: the result of a is lost, file " +
                              sha256_hex("result of a") + "; retry the job to compute it again";
    EXPECT_EQ(error_of(broken, "book"), cause);
    const std::string key = store_.list_items(broken, 100, "").rows.back().content_key;
    EXPECT_EQ(server_->logs.read(key, 0, 1000), "failed: " + cause + "\n");
    EXPECT_FALSE(store_.find_artifact(samples.tasks(0).content_key()));
    EXPECT_TRUE(store_.find_artifact(samples.tasks(1).content_key()));
}

TEST_F(Claiming, ALostFileOfTheSpecificationIsNamedByItsField) {
    v1::GreensBatch wanted = sketch("coast", {"a"});
    const std::string file = put_text(artifacts_, "id,lon,lat");
    wanted.mutable_stations()->add_files()->set_sha256(file);
    const std::string job = submit(wanted);
    ASSERT_TRUE(artifacts_.remove(file));

    EXPECT_EQ(claim().tasks_size(), 0);

    EXPECT_EQ(error_of(job, "a"), "lost: the stage cannot begin: stations.files[0]: file " + file +
                                      " is not stored any more; submit it again");
}

TEST_F(Claiming, AKeyThatItsSpecificationNoLongerYieldsFailsAndOtherWorkGoesOn) {
    const std::string old = submit(sketch("coast", {"a", "b"}), 1);
    const std::string request = sha256_hex(store_.get_job(old).request);
    start(2);
    (void)submit(sketch("inland", {"c"}));

    const v1::ClaimResponse next = claim();

    ASSERT_EQ(next.tasks_size(), 1);
    EXPECT_EQ(next.tasks(0).label(), "c");
    EXPECT_EQ(state_of(old), store::JobState::Failed);
    const std::string cause = "lost: the stage cannot begin: request " + request +
                              " leads to other work in this version; submit it again";
    EXPECT_EQ(error_of(old, "a"), cause);
    EXPECT_EQ(error_of(old, "b"), cause);
}

TEST_F(Claiming, WhatCannotBeginIsNobodysAnyMore) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    ASSERT_TRUE(artifacts_.remove(sha256_hex(store_.get_job(job).request)));

    EXPECT_EQ(claim().tasks_size(), 0);

    const store::TaskCounts counts = store_.count_tasks();
    EXPECT_EQ(counts.running, 0);
    EXPECT_EQ(counts.ready, 0);
    EXPECT_TRUE(server_->context.board.recent().empty());
    EXPECT_EQ(state_of(job), store::JobState::Failed);
}

}  // namespace
}  // namespace kaname::service::claims_test
