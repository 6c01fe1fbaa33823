// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/jobs/jobs.hpp"
#include "server/service/workers/claims.hpp"
#include "server/service/workers/reports.hpp"
#include "server/service/workers/workers.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/fake_helpers.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/token_list.hpp"
#include "tests/unit/server/service/sketch_kind.hpp"

namespace kaname::service {

/// The use cases of one server, which knows sketches of a version and no other kind of request.
struct UseCases {
    UseCases(int version, ApiOptions options, const Backends& backends)
        : kind(version), context(with(std::move(options), &kinds), backends) {}

    static ApiOptions with(ApiOptions options, const request::Kinds* kinds) {
        options.kinds = kinds;
        return options;
    }

    const SketchKind kind;
    const request::Kinds kinds{{&kind}};
    Context context;
    RequestCache requests{context};
    Logs logs{context.options.logs};
    BulkWork bulk{context};
    Submitter submitter{context, requests, bulk};
    DatasetMaker datasets{context, requests};
    Jobs jobs{context, submitter, logs, bulk};
    Greens greens{context, submitter, datasets};
    Workers workers{context};
    Claims claims{context, requests, logs};
    Reports reports{context, logs};
};

/// Use cases as functions, without a transport: calls that wait are driven from what they write,
/// and give up after kLooks looks at the job.
class ServiceTest : public testing::Test {
protected:
    static constexpr int kLooks = 12;

    ServiceTest()
        : store_({}, [] { return 1000.0; }),
          artifacts_(folder_.path() / "artifacts", {.min_free_bytes = 0, .free_bytes = {}}),
          checkpoints_(folder_.path() / "checkpoints", {.min_free_bytes = 0, .free_bytes = {}}) {
        compute_.gathering = "bind";
        compute_.needed = {};
        start(1);
        v1::RegisterRequest request;
        request.set_worker_id(worker_);
        request.set_ranks(1);
        request.set_threads(1);
        v1::RegisterResponse reply;
        server_->workers.register_worker(request, agent_, reply);
    }

    /// A server over the same stores whose sketches are of this version.
    void start(int version) {
        ApiOptions options;
        options.logs = folder_.path() / "logs";
        options.scratch = folder_.path() / "scratch";
        server_ = std::make_unique<UseCases>(
            version, options,
            Backends{store_, artifacts_, checkpoints_, compute_, tokens_, running_});
    }

    static v1::GreensBatch sketch(const std::string& name,
                                  const std::vector<std::string>& stations) {
        v1::GreensBatch wanted;
        wanted.set_schema("test.Sketch");
        wanted.set_name(name);
        for (const std::string& id : stations) {
            wanted.mutable_stations()->add_list()->set_id(id);
        }
        return wanted;
    }
    /// The job's id.
    std::string submit(const v1::GreensBatch& wanted, int priority = 0) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = wanted;
        request.set_request_id(store::make_uuid());
        request.set_priority(priority);
        v1::Job job;
        server_->jobs.create_job(request, {"ann", auth::Role::User}, job);
        return id_of(job.name(), "jobs", "name");
    }
    v1::ClaimResponse claim() { return claim(new_claim()); }
    [[nodiscard]] v1::ClaimRequest new_claim() const {
        v1::ClaimRequest request;
        request.set_worker_id(worker_);
        request.set_claim_id(store::make_uuid());
        request.add_pools("cpu");
        return request;
    }
    v1::ClaimResponse claim(const v1::ClaimRequest& request) {
        auto answers = server_->claims.claim(request, agent_);
        EXPECT_EQ(answers.next(), Answers<v1::ClaimResponse>::Next::Answer);
        return answers.message();
    }
    static std::string result_of(const v1::Task& task) { return "result of " + task.label(); }
    void complete(const v1::Task& task) {
        v1::CompleteRequest request;
        request.set_worker_id(worker_);
        v1::CompleteRequest::Result& result = *request.add_results();
        *result.mutable_ref() = task.ref();
        result.set_sha256(put_text(artifacts_, result_of(task)));
        result.set_bytes(static_cast<std::int64_t>(result_of(task).size()));
        v1::CompleteResponse reply;
        server_->context.bindings.put_result(agent_, result.sha256());
        server_->reports.complete(request, agent_, reply);
        ASSERT_TRUE(reply.accepted(0));
    }
    /// Claims once and completes what comes.
    void work() {
        const v1::ClaimResponse claimed = claim();
        ASSERT_GT(claimed.tasks_size(), 0);
        for (const v1::Task& task : claimed.tasks()) {
            complete(task);
        }
    }
    void fail(const v1::Task& task, const std::string& message) {
        v1::FailRequest request;
        request.set_worker_id(worker_);
        *request.mutable_ref() = task.ref();
        request.set_error_class("diverged");
        request.set_message(message);
        server_->reports.fail(request, agent_);
    }
    /// Each answer to `act` until it returns false. The caller goes after kLooks pauses, which
    /// fails the test: the call was to end by itself.
    template <class Message>
    static void drive(Answers<Message> answers, const std::function<bool(const Message&)>& act) {
        using Next = typename Answers<Message>::Next;
        for (int looks = 0; looks < kLooks;) {
            const Next next = answers.next();
            if (next == Next::End || (next == Next::Answer && !act(answers.message()))) {
                return;
            }
            looks += next == Next::Pause ? 1 : 0;
        }
        ADD_FAILURE() << "the call does not end";
    }
    [[nodiscard]] store::JobState state_of(const std::string& job) {
        return store_.get_job(job).state;
    }
    [[nodiscard]] std::string error_of(const std::string& job, const std::string& label) {
        const auto item = store_.find_item(job, label);
        return item ? item->error : "no item " + label;
    }

    TemporaryFolder folder_;
    store::memory::MemoryStore store_;
    artifacts::FilesystemStore artifacts_, checkpoints_;
    test::FakeHelpers compute_;
    auth::TokenList tokens_;
    const auth::Principal agent_{"agent", auth::Role::Worker, "a"};
    scheduler::FairShare share_;
    scheduler::RunningTasks running_{share_};
    std::unique_ptr<UseCases> server_;
    const std::string worker_ = store::make_uuid();
};

}  // namespace kaname::service
