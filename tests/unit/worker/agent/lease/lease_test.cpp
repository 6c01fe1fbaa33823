// SPDX-License-Identifier: BSD-3-Clause
// A worker's place at the server: taken, kept, lost, left.
#include "worker/agent/lease/lease.hpp"

#include "tests/unit/worker/agent/lease/pack_of_two.hpp"

namespace kaname::agent::lease_test {
namespace {

using namespace std::chrono_literals;

class LeaseTest : public testing::Test {
protected:
    LeaseOptions options(std::chrono::seconds no_server = 600s) {
        return {.name = "node", .version = "1", .pools = {"some", "more"}, .no_server = no_server};
    }
    void wait_for(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!client_.holds(condition) && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(5ms);
        }
    }

    FakeClient client_;
    Lease::Log log_ = [](const std::string&) {};
};

TEST_F(LeaseTest, AClaimAsksForThePoolsAndHoldsWhatItGets) {
    Lease lease(options(), client_, log_);
    lease.register_anew();
    client_.packs = {pack_of_two()};

    EXPECT_EQ(lease.claim("key").tasks_size(), 2);

    EXPECT_EQ(client_.last_claim.held_compat_key(), "key");
    EXPECT_EQ(client_.last_claim.pools_size(), 2);
    EXPECT_EQ(client_.last_claim.pools(1), "more");
    EXPECT_EQ(client_.last_claim.worker_id(), lease.worker_id());
    EXPECT_EQ(lease.held().refs().size(), 2U);
    wait_for([&] { return client_.last_beat.held_size() == 2; });
    EXPECT_EQ(client_.last_beat.held_size(), 2);
}

TEST_F(LeaseTest, InputsThatAnAnswerLeavesOutAreAskedForByTheSameClaim) {
    Lease lease(options(), client_, log_);
    lease.register_anew();
    v1::ClaimResponse pack = pack_of_two();
    pack.clear_inputs();
    for (const char* label : {"a", "b", "c", "d", "e"}) {
        pack.add_inputs()->set_label(label);
    }
    client_.packs = {pack};
    client_.page_size = 2;
    client_.claim_errors = {ErrorCode::Unavailable};

    const v1::ClaimResponse claimed = lease.claim("");

    ASSERT_EQ(claimed.inputs_size(), 5);
    EXPECT_EQ(claimed.inputs(4).label(), "e");
    EXPECT_TRUE(client_.last_claim.in_pages());
    EXPECT_EQ(client_.last_claim.inputs_from(), 4);
    EXPECT_EQ(client_.n_claims, 4);
    EXPECT_EQ(lease.held().refs().size(), 2U);
}

TEST_F(LeaseTest, AServerThatGoesOnWithAnotherPackLosesTheClaim) {
    Lease lease(options(), client_, log_);
    lease.register_anew();
    v1::ClaimResponse pack = pack_of_two();
    pack.set_n_inputs(pack.inputs_size() + 1);
    client_.packs = {pack};
    client_.paged = pack;
    client_.paged.mutable_tasks(0)->mutable_ref()->set_fence(99);

    EXPECT_THROW((void)lease.claim(""), Error);

    EXPECT_TRUE(lease.held().refs().empty());
}

TEST_F(LeaseTest, AWorkerThatIsGivenUpHoldsNothingAndRegistersUnderAnotherName) {
    Lease lease(options(), client_, log_);
    lease.register_anew();
    const std::string before = lease.worker_id();
    client_.packs = {pack_of_two()};
    (void)lease.claim("");
    client_.holds([&] { return client_.known = false; });

    wait_for([&] { return !lease.registered(); });

    EXPECT_FALSE(lease.registered());
    EXPECT_TRUE(lease.held().refs().empty());
    lease.register_anew();
    EXPECT_NE(lease.worker_id(), before);
}

TEST_F(LeaseTest, LeavingGivesBackWhatIsHeld) {
    Lease lease(options(), client_, log_);
    lease.register_anew();
    client_.packs = {pack_of_two()};
    (void)lease.claim("");
    lease.held().drop(2);

    lease.leave();

    EXPECT_EQ(client_.returned, std::vector<std::int64_t>{1});
    EXPECT_EQ(client_.left, std::vector<std::string>{lease.worker_id()});
    EXPECT_FALSE(lease.registered());
}

TEST_F(LeaseTest, GpusThatAreReadyAreRegisteredOnce) {
    Lease lease(options(), client_, log_);
    lease.register_anew();

    lease.set_ready({"GPU-a"});
    lease.set_ready({"GPU-a"});

    EXPECT_EQ(client_.registered.size(), 2U);
    EXPECT_EQ(client_.gpus, std::vector<std::string>{"GPU-a"});
    EXPECT_FALSE(lease.gpus().probe_wanted());
}

TEST_F(LeaseTest, RefusalsAreBorneAndAServerThatIsAwayForTooLongIsNot) {
    Lease patient(options(), client_, log_);
    EXPECT_NO_THROW(patient.bear(Error(ErrorCode::Unavailable, "away")));

    Lease impatient(options(0s), client_, log_);
    EXPECT_THROW(impatient.bear(Error(ErrorCode::Unauthenticated, "no such token")), Error);
}

TEST_F(LeaseTest, AWorkerThatIsNotKnownRegistersAnew) {
    Lease lease(options(), client_, log_);
    lease.register_anew();

    lease.bear(Error(ErrorCode::NotFound, "no such worker"));

    EXPECT_FALSE(lease.registered());
}

}  // namespace
}  // namespace kaname::agent::lease_test
