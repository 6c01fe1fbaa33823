// SPDX-License-Identifier: BSD-3-Clause
// An owner who asks for more than an operator allows is refused.
#include "server/service/admin/admin.hpp"
#include "server/service/datasets/transfers.hpp"
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::quotas_test {
namespace {

class QuotasTest : public ServiceTest {
protected:
    using Limit = std::optional<std::int64_t>;
    void allow(Limit queued, Limit running, Limit bytes, double weight = 1) {
        store_.set_quota({"ann", queued, running, bytes, weight});
        server_->context.quotas.changed();
    }
    template <class Body>
    static std::string refusal_of(Body&& body) {
        try {
            body();
        } catch (const rpc::QuotaError& error) {
            EXPECT_EQ(error.subject(), "owners/ann");
            EXPECT_EQ(error.code(), ErrorCode::Exhausted);
            return error.what();
        }
        return "";
    }
    v1::Job submit_as(const std::string& request_id, const v1::GreensBatch& wanted) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = wanted;
        request.set_request_id(request_id);
        v1::Job job;
        server_->jobs.create_job(request, {"ann", auth::Role::User}, job);
        return job;
    }
    v1::Artifact upload(const std::string& text) {
        int n = 0;
        v1::Artifact artifact;
        const auto read = [&](v1::PutRequest& part) {
            part.Clear();
            if (n == 0) {
                part.mutable_header()->set_sha256(sha256_hex(text));
                part.mutable_header()->set_bytes(static_cast<std::int64_t>(text.size()));
            } else {
                part.set_chunk(text);
            }
            return n++ < 2;
        };
        Artifacts(server_->context, server_->datasets)
            .put(read, {"ann", auth::Role::User}, artifact);
        return artifact;
    }
};

TEST_F(QuotasTest, ASubmissionThatIsTooMuchIsRefusedWithLimitAndUse) {
    allow(4, {}, {});
    const std::string first = store::make_uuid();
    (void)submit_as(first, sketch("coast", {"a", "b"}));  // and the book

    const std::string refusal = refusal_of([&] { submit(sketch("inland", {"c"})); });

    EXPECT_EQ(refusal,
              "queued tasks: \"ann\" has 3 and wants 2 more; an operator allows at most 4");
    EXPECT_EQ(store_.list_jobs({}, 10, "").rows.size(), 1U);
    allow(3, {}, {});
    EXPECT_EQ(refusal_of([&] {
                  submit_as(first, sketch("coast", {"a", "b"}));
              }),
              "")
        << "a request that was answered is answered again";
    allow({}, {}, {});
    EXPECT_EQ(refusal_of([&] { submit(sketch("inland", {"c"})); }), "");
}

TEST_F(QuotasTest, WhatIsThereAlreadyNeedsNoRoom) {
    (void)submit(sketch("coast", {"a", "b"}));
    work();
    work();
    allow(0, {}, {});

    EXPECT_EQ(refusal_of([&] { submit(sketch("coast", {"a", "b"})); }), "");
    EXPECT_NE(refusal_of([&] { submit(sketch("coast", {"a", "b", "c"})); }), "");
}

TEST_F(QuotasTest, ARetryNeedsRoomToo) {
    const std::string job = submit(sketch("coast", {"a", "b"}));
    (void)store_.cancel_job(job);
    allow(1, {}, {});
    v1::RetryJobRequest request;
    request.set_name("jobs/" + job);
    v1::Job reply;
    const auto retry = [&] { server_->jobs.retry_job(request, {"ann", auth::Role::User}, reply); };

    EXPECT_EQ(refusal_of(retry),
              "queued tasks: \"ann\" has 0 and wants 3 more; an operator allows at most 1");
    EXPECT_EQ(state_of(job), store::JobState::Cancelled);
}

TEST_F(QuotasTest, NoMoreThanItsTasksRun) {
    allow({}, 1, {});
    (void)submit(sketch("coast", {"a", "b"}));

    EXPECT_EQ(claim().tasks_size(), 1);
    EXPECT_EQ(claim().tasks_size(), 0);
    allow({}, 2, {});
    EXPECT_EQ(claim().tasks_size(), 1);
}

TEST_F(QuotasTest, UploadsAndResultsFillTheBytes) {
    allow({}, {}, 30);
    const v1::Artifact first = upload(std::string(20, 'x'));

    EXPECT_EQ(refusal_of([&] { upload(std::string(11, 'y')); }),
              "bytes of results and uploads: \"ann\" has 20 and wants 11 more; an operator allows "
              "at most 30");
    EXPECT_FALSE(artifacts_.exists(sha256_hex(std::string(11, 'y'))));
    ASSERT_TRUE(artifacts_.remove(first.sha256()));  // it went: its bytes are free again
    EXPECT_EQ(refusal_of([&] { upload(std::string(11, 'y')); }), "");
    (void)submit(sketch("coast", {"a", "b"}));
    work();  // two results of 11 bytes
    EXPECT_EQ(refusal_of([&] { submit(sketch("inland", {"c"})); }),
              "bytes of results and uploads: \"ann\" has 33 and wants 1 more; an operator allows "
              "at most 30");
}

TEST_F(QuotasTest, WeightsReachTheShares) {
    allow({}, {}, {}, 4);
    (void)server_->context.quotas.running_limits();
    share_.ended("ann", 30);
    share_.ended("bob", 10);

    EXPECT_EQ(share_.order({"ann", "bob"}).front(), "ann") << "30 / 4 < 10 / 1";
}

TEST_F(QuotasTest, AnOperatorChangesWhatItNames) {
    Admin admin(server_->context);
    const auto set = [&](const std::function<void(v1::SetQuotaRequest&)>& fill) {
        v1::SetQuotaRequest request;
        request.set_owner("ann");
        fill(request);
        v1::Quota reply;
        admin.set_quota(request, {"olga", auth::Role::Operator}, reply);
        return reply;
    };
    (void)submit(sketch("coast", {"a", "b"}));
    (void)set([](auto& r) {
        r.set_queued(7);
        r.set_running(2);
    });

    const v1::Quota quota = set([](auto& r) {
        r.set_running(-1);
        r.set_weight(2.5);
    });

    EXPECT_EQ(quota.queued(), 7);
    EXPECT_FALSE(quota.has_running());
    EXPECT_EQ(quota.weight(), 2.5);
    EXPECT_EQ(quota.queued_used(), 3);
    try {
        (void)set([](auto& r) {
            r.set_queued(-2);
            r.set_weight(0);
        });
        FAIL();
    } catch (const ValidationError& error) {
        ASSERT_EQ(error.violations().size(), 2U);
        EXPECT_EQ(error.violations()[0].field, "queued");
        EXPECT_EQ(error.violations()[1].field, "weight");
    }
    EXPECT_EQ(store_.list_audit(1, "").rows.at(0).outcome,
              "ok: queued 7, running unlimited, bytes unlimited, weight 2.5");
}

TEST_F(QuotasTest, ATaskOfLowPriorityIsClaimedThoughBetterOnesKeepComing) {
    (void)submit(sketch("patient", {"z"}), -100);
    bool came = false;

    for (int n = 0; n < 2 * scheduler::FairShare::kOldestEvery && !came; ++n) {
        (void)submit(sketch("urgent" + std::to_string(n), {"u" + std::to_string(n)}), 100);
        const v1::ClaimResponse claimed = claim();
        ASSERT_GT(claimed.tasks_size(), 0);
        came = claimed.tasks(0).label() == "z";
    }

    EXPECT_TRUE(came);
}

TEST_F(QuotasTest, UnfinishedUploadsCountToo) {
    allow({}, {}, 100);
    const auto begin = [&](const std::string& text, std::size_t sent) {
        int n = 0;
        v1::Artifact artifact;
        const auto read = [&](v1::PutRequest& part) {
            part.Clear();
            if (n == 0) {
                part.mutable_header()->set_sha256(sha256_hex(text));
                part.mutable_header()->set_bytes(static_cast<std::int64_t>(text.size()));
            } else {
                part.set_chunk(text.substr(0, sent));
            }
            return n++ < 2;
        };
        Artifacts(server_->context, server_->datasets)
            .put(read, {"ann", auth::Role::User}, artifact);
    };
    EXPECT_THROW(begin(std::string(90, 'x'), 89), Error) << "not all of it came";

    EXPECT_EQ(refusal_of([&] { begin(std::string(12, 'y'), 12); }),
              "bytes of results and uploads: \"ann\" has 89 and wants 12 more; an operator allows "
              "at most 100");
    EXPECT_EQ(refusal_of([&] { begin(std::string(11, 'y'), 11); }), "");
    EXPECT_EQ(refusal_of([&] { upload(std::string(90, 'x')); }),
              "bytes of results and uploads: \"ann\" has 11 and wants 90 more; an operator allows "
              "at most 100")
        << "what is there of it counts once";
}

TEST_F(QuotasTest, UploadsAtOnceCountWithAllOfTheirBytes) {
    allow({}, {}, 100);
    Quotas& quotas = server_->context.quotas;
    auto first = quotas.begin_upload("ann", sha256_hex("a"), 60);

    EXPECT_NE(refusal_of([&] { (void)quotas.begin_upload("ann", sha256_hex("b"), 50); }), "");
    EXPECT_NE(refusal_of([&] { (void)quotas.begin_upload("ann", sha256_hex("a"), 60); }), "")
        << "of the same file: each writes its own";
    EXPECT_EQ(refusal_of([&] { (void)quotas.begin_upload("bob", sha256_hex("b"), 500); }), "");
    first.reset();  // nothing of it came
    EXPECT_EQ(refusal_of([&] { (void)quotas.begin_upload("ann", sha256_hex("b"), 50); }), "");
}

}  // namespace
}  // namespace kaname::service::quotas_test
