// SPDX-License-Identifier: BSD-3-Clause
// Campaigns as use cases: what is taken, and what their driver makes of it.
#include "server/service/campaigns/campaigns.hpp"

#include "server/service/campaigns/campaign_driver.hpp"
#include "server/service/views.hpp"
#include "server/store/campaign_rules.hpp"
#include "tests/unit/server/service/service_fixture.hpp"

namespace kaname::service::campaigns_test {
namespace {

using auth::Role;
const auth::Principal kAnn{"ann", Role::User};
const auth::Principal kBob{"bob", Role::User};
const auth::Principal kOlga{"olga", Role::Operator};

class CampaignsTest : public ServiceTest {
protected:
    struct Member {
        std::string label;
        std::vector<std::string> stations;
        std::string book;  ///< what it is bound as; empty: its label
    };
    /// Returns the messages that a client streams.
    static std::vector<v1::CreateCampaignRequest> parts(const std::vector<Member>& members,
                                                        const std::string& campaign = "",
                                                        std::int64_t tasks_at_once = 0) {
        std::vector<v1::CreateCampaignRequest> sent(1);
        auto& header = *sent[0].mutable_header();
        header.set_request_id(store::make_uuid());
        header.set_campaign(campaign);
        header.set_title("slabs");
        header.mutable_limits()->set_tasks_at_once(tasks_at_once);
        v1::CampaignAxis& axis = *header.add_axes();
        axis.set_name("slab");
        std::string labels;
        for (const Member& member : members) {
            axis.add_values(member.label);
            auto& one = *sent.emplace_back().mutable_members()->add_members();
            one.set_label(member.label);
            one.add_values(member.label);
            const auto wanted =
                sketch(member.book.empty() ? member.label : member.book, member.stations);
            one.mutable_specification()->set_type_url("t/kaname.v1.GreensBatch");
            one.mutable_specification()->set_value(wanted.SerializeAsString());
            labels += member.label + '\n';
        }
        auto& commit = *sent.emplace_back().mutable_commit();
        commit.set_members(static_cast<std::int64_t>(members.size()));
        commit.set_sha256(sha256_hex(labels));
        return sent;
    }
    static Read<v1::CreateCampaignRequest> reader(std::vector<v1::CreateCampaignRequest> sent) {
        return [sent = std::move(sent), at = std::size_t{0}](auto& part) mutable {
            if (at == sent.size()) {
                return false;
            }
            part = sent[at++];
            return true;
        };
    }
    v1::Campaign create(const std::vector<Member>& members, std::int64_t tasks_at_once = 0) {
        v1::Campaign reply;
        campaigns().create(reader(parts(members, "", tasks_at_once)), kAnn, reply);
        return reply;
    }
    Campaigns& campaigns() {
        use_cases_.push_back(std::make_unique<Campaigns>(server_->context));
        return *use_cases_.back();
    }
    /// A driver of this server; one per server that there is.
    CampaignDriver& driver() {
        drivers_.push_back(
            std::make_unique<CampaignDriver>(server_->context, server_->submitter, server_->jobs));
        return *drivers_.back();
    }
    v1::Campaign get(const std::string& name) {
        v1::GetCampaignRequest request;
        request.set_name(name);
        v1::Campaign reply;
        campaigns().get(request, reply);
        return reply;
    }
    std::vector<v1::CampaignMember> members(const std::string& name,
                                            const std::string& filter = "") {
        v1::ListMembersRequest request;
        request.set_campaign(name);
        request.set_filter(filter);
        v1::ListMembersResponse reply;
        campaigns().list_members(request, reply);
        return {reply.members().begin(), reply.members().end()};
    }
    static v1::ChangeCampaignRequest named(const v1::Campaign& campaign) {
        v1::ChangeCampaignRequest request;
        request.set_name(campaign.name());
        return request;
    }
    /// Returns the reason for which `body` is refused.
    template <class Body>
    static std::string refusal(Body&& body) {
        try {
            body();
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing was refused";
    }
    void work_off() {
        while (store_.count_tasks().ready > 0) {
            work();
        }
    }

    std::vector<std::unique_ptr<Campaigns>> use_cases_;  ///< watches go on in them
    std::vector<std::unique_ptr<CampaignDriver>> drivers_;
};

TEST_F(CampaignsTest, MembersRunToTheirEndsAndShareWhatIsEqual) {
    const v1::Campaign made = create({{"a", {"s1", "s2"}}, {"b", {"s2", "s3"}}});
    EXPECT_EQ(made.members().waiting(), 2);
    EXPECT_EQ(made.owner(), "ann");
    EXPECT_EQ(made.axes(0).values(1), "b");

    CampaignDriver& driver = this->driver();
    EXPECT_TRUE(driver.pass());
    EXPECT_EQ(get(made.name()).members().active(), 2);
    EXPECT_EQ(store_.count_tasks().ready, 3) << "s2 once";
    work_off();
    driver.pass();

    const v1::Campaign ended = get(made.name());
    EXPECT_EQ(ended.state(), v1::Campaign::DONE);
    EXPECT_EQ(ended.members().done(), 2);
    EXPECT_EQ(ended.sources().done(), 4);
    EXPECT_GT(ended.ended_s(), 0);
    const auto listed = members(made.name(), "state = \"done\"");
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[1].values(0), "b");
    EXPECT_TRUE(listed[1].has_dataset());
    EXPECT_EQ(listed[1].dataset().name(), "datasets/" + listed[1].job().substr(5));
    const v1::Job job = to_message(store_.get_job(listed[1].job().substr(5)));
    EXPECT_EQ(job.campaign(), made.name());
    EXPECT_EQ(job.member(), "b");
}

TEST_F(CampaignsTest, ADriverThatIsKilledIsFollowedByAnotherAndNoMemberIsSubmittedTwice) {
    const v1::Campaign made = create({{"a", {"s1"}}, {"b", {"s2"}}, {"c", {"s3"}}});
    server_->context.options.campaigns.members_at_once = 1;
    driver().pass();
    EXPECT_EQ(get(made.name()).members().active(), 1);
    const std::string id = made.name().substr(10);
    // The killed driver had sent this request, and did not see its answer.
    const auto waiting = store_.waiting_members(id, 0, 1).at(0);
    SubmitRequest sent;
    sent.specification = server_->kinds.parse(waiting.request, "x");
    sent.request_id = member_request_id(id, waiting.ordinal, waiting.round);
    sent.campaign = id;
    sent.member = waiting.ordinal;
    (void)server_->submitter.submit(std::move(sent), kAnn);

    CampaignDriver& other = driver();
    EXPECT_FALSE(other.pass()) << "it is the first one's";
    drivers_[0]->stop();
    while (other.pass()) {
    }
    EXPECT_EQ(get(made.name()).members().active(), 3);
    EXPECT_EQ(store_.list_jobs({}, 10, "").rows.size(), 3U);
}

TEST_F(CampaignsTest, TheSameMemberOfTheSameRoundHasTheSameRequest) {
    const std::string id = store::make_uuid();
    const std::string one = member_request_id(id, 1, 0);
    EXPECT_EQ(one, member_request_id(id, 1, 0));
    EXPECT_EQ(id_of(one, "requests", "x"), one) << "a UUID";
    EXPECT_NE(one, member_request_id(id, 1, 1));
    EXPECT_NE(one, member_request_id(id, 2, 0));
    EXPECT_NE(one, member_request_id(store::make_uuid(), 1, 0));
}

TEST_F(CampaignsTest, ARefusedMemberDoesNotStopTheOthersAndIsTriedAgain) {
    const v1::Campaign made = create({{"a", {"s1"}}, {"b", {"s2"}}});
    compute_.refusal = [] { throw Error(ErrorCode::InvalidArgument, "no such mesh"); };
    CampaignDriver& driver = this->driver();
    driver.pass();
    const auto refused = members(made.name(), "state = \"refused\"");
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].error(), "no such mesh");
    driver.pass();
    EXPECT_EQ(get(made.name()).state(), v1::Campaign::FAILED);

    compute_.refusal = {};
    v1::Campaign reply;
    campaigns().retry(named(made), kAnn, reply);
    EXPECT_EQ(reply.state(), v1::Campaign::ACTIVE);
    driver.pass();
    EXPECT_EQ(get(made.name()).members().active(), 2);
}

TEST_F(CampaignsTest, WhatMayPassIsTriedAgainAndTheReasonShows) {
    const v1::Campaign made = create({{"a", {"s1"}}, {"b", {"s2"}}});
    store_.set_quota({"ann", 0, std::nullopt, std::nullopt, 1});
    CampaignDriver& driver = this->driver();
    const auto now = CampaignDriver::Clock::now();

    EXPECT_FALSE(driver.pass(now));
    EXPECT_EQ(get(made.name()).members().waiting(), 2);
    EXPECT_NE(get(made.name()).reason().find("queued tasks"), std::string::npos);
    store_.set_quota({"ann", std::nullopt, std::nullopt, std::nullopt, 1});
    server_->context.quotas.changed();
    driver.pass(now);
    EXPECT_EQ(get(made.name()).members().waiting(), 2) << "not before its time";
    driver.pass(now + std::chrono::seconds(2));

    EXPECT_EQ(get(made.name()).members().active(), 2);
    EXPECT_EQ(get(made.name()).reason(), "");
}

TEST_F(CampaignsTest, OnlySoManyTasksAreAboutAtATime) {
    server_->context.options.campaigns.window = 3;
    const v1::Campaign made =
        create({{"a", {"s1", "s2"}}, {"b", {"s3"}}, {"c", {"s4"}}, {"d", {"s5"}}});
    CampaignDriver& driver = this->driver();
    while (driver.pass()) {
    }
    EXPECT_EQ(get(made.name()).members().waiting(), 3);
    work_off();
    while (driver.pass()) {
    }
    EXPECT_EQ(get(made.name()).members().waiting(), 1);
}

TEST_F(CampaignsTest, TasksAtOnceAreKept) {
    const v1::Campaign made = create({{"a", {"s1", "s2", "s3"}}, {"b", {"s4", "s5"}}}, 2);
    CampaignDriver& driver = this->driver();
    for (int turn = 0; turn < 20; ++turn) {
        driver.pass();
        const auto counts = store_.count_tasks();
        EXPECT_LE(counts.ready + counts.running, 2);
        if (counts.ready > 0) {
            work();
        }
    }
    EXPECT_EQ(get(made.name()).state(), v1::Campaign::DONE);
}

TEST_F(CampaignsTest, AnExtensionComputesOnlyWhatIsNew) {
    const v1::Campaign made = create({{"a", {"s1"}}});
    CampaignDriver& driver = this->driver();
    driver.pass();
    work_off();
    driver.pass();
    ASSERT_EQ(get(made.name()).state(), v1::Campaign::DONE);

    v1::Campaign reply;
    campaigns().extend(reader(parts({{"a", {"s1"}}, {"b", {"s1", "s2"}}}, made.name())), kAnn,
                       reply);
    EXPECT_EQ(reply.members().total(), 2);
    EXPECT_EQ(reply.state(), v1::Campaign::ACTIVE);
    EXPECT_EQ(reply.axes(0).values_size(), 2);
    driver.pass();
    EXPECT_EQ(store_.count_tasks().ready, 1) << "s2 alone";

    EXPECT_NE(refusal([&] {
                  campaigns().extend(reader(parts({{"a", {"s7"}}}, made.name())), kAnn, reply);
              }).find("member \"a\" with another request"),
              std::string::npos);
    EXPECT_NE(refusal([&] {
                  campaigns().extend(reader(parts({{"c", {"s7"}}}, made.name())), kBob, reply);
              }).find("belongs to \"ann\""),
              std::string::npos);
}

TEST_F(CampaignsTest, WhatIsWrongIsNamedWithTheMember) {
    v1::Campaign reply;
    const auto told =
        [&](const std::function<void(std::vector<v1::CreateCampaignRequest>&)>& spoil) {
            auto sent = parts({{"a", {"s1"}}, {"b", {"s2"}}});
            spoil(sent);
            return refusal([&] { campaigns().create(reader(sent), kAnn, reply); });
        };
    const auto has = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    has(told([](auto& sent) { sent[0].mutable_header()->set_request_id("x"); }),
        "header.request_id: must be a UUID, got \"x\"");
    has(told([](auto& sent) {
            sent[0].mutable_header()->mutable_limits()->set_hours(2);
            sent[0].mutable_header()->mutable_cost()->set_core_hours(3.5);
        }),
        "limits.hours: must be at least what is planned, 3.5, got 2");
    has(told([](auto& sent) { sent.pop_back(); }), "commit: must end the campaign");
    has(told([](auto& sent) { sent.back().mutable_commit()->set_members(3); }),
        "commit: must name the members that were sent: 2");
    has(told([](auto& sent) {
            sent[2].mutable_members()->mutable_members(0)->set_label("a");
            sent[3].mutable_commit()->set_sha256(sha256_hex("a\na\n"));
        }),
        "member \"a\" (b): label: must be unique in the campaign");
    for (const auto& [label, shown] : {std::pair("../b", "../b"),
                                       {"/etc/b", "/etc/b"},
                                       {"x/../../b", "x/../../b"},
                                       {"b\nc", "b\\nc"},
                                       {"b\x1b[31m", "b\\u001b[31m"}}) {
        has(told([&](auto& sent) {
                sent[2].mutable_members()->mutable_members(0)->set_label(label);
                sent[3].mutable_commit()->set_sha256(sha256_hex("a\n" + std::string(label) + '\n'));
            }),
            std::string("label: must have no control characters, no / at its beginning and no .. "
                        "in it, got \"") +
                shown + '"');
    }
    has(told([](auto& sent) { sent[2].mutable_members()->mutable_members(0)->add_values("x"); }),
        "member \"b\" (b, x): values: must be one per axis, 1, got 2");
    has(told([](auto& sent) {
            sent[2].mutable_members()->mutable_members(0)->clear_specification();
        }),
        "member \"b\" (b): request: must be given");
    EXPECT_TRUE(store_.list_campaigns({}, 10, "").rows.empty()) << "nothing is kept";
}

TEST_F(CampaignsTest, ACampaignIsItsOwners) {
    const v1::Campaign made = create({{"a", {"s1"}}});
    v1::Campaign reply;
    EXPECT_EQ(refusal([&] { campaigns().pause(named(made), kBob, reply); }),
              "campaign " + made.name().substr(10) +
                  " belongs to \"ann\": \"bob\", role user, may not pause it; its owner or role "
                  "operator may");
    EXPECT_EQ(get(made.name()).state(), v1::Campaign::ACTIVE);
    campaigns().pause(named(made), kOlga, reply);
    EXPECT_EQ(reply.state(), v1::Campaign::PAUSED);
    EXPECT_EQ(reply.reason(), "paused");
    campaigns().resume(named(made), kAnn, reply);
    campaigns().cancel(named(made), kAnn, reply);
    EXPECT_EQ(reply.state(), v1::Campaign::CANCELLED);
    v1::DeleteCampaignRequest request;
    request.set_name(made.name());
    EXPECT_NE(refusal([&] { campaigns().remove(request, kOlga); }), "nothing was refused");
    campaigns().remove(request, kAnn);
    EXPECT_NE(refusal([&] { (void)get(made.name()); }).find("no campaign"), std::string::npos);
    std::vector<std::string> told;
    for (const auto& event : store_.list_audit(10, "").rows) {
        told.push_back(event.principal + ' ' + event.method);
    }
    EXPECT_EQ(told, (std::vector<std::string>{"ann DeleteCampaign", "ann CancelCampaign",
                                              "ann ResumeCampaign", "olga PauseCampaign",
                                              "ann CreateCampaign"}));
}

/// A store that counts the pieces in which members come, and asks for all of them twice.
class PieceStore final : public store::memory::MemoryStore {
public:
    using MemoryStore::MemoryStore;
    Created create_campaign(const store::NewCampaign& wanted) override {
        EXPECT_TRUE(wanted.members.empty());
        store::for_each_piece(wanted, [&](auto piece) { sizes.push_back(piece.size()); });
        return MemoryStore::create_campaign(wanted);
    }
    std::vector<std::size_t> sizes;
};

TEST_F(CampaignsTest, MembersAreStoredInThePiecesInWhichTheyCame) {
    PieceStore pieces({}, [] { return 1000.0; });
    UseCases server(1, server_->context.options,
                    Backends{pieces, artifacts_, checkpoints_, compute_, tokens_, running_});
    v1::Campaign made;

    Campaigns(server.context)
        .create(reader(parts({{"a", {"s1"}}, {"b", {"s2"}}, {"c", {"s3"}}})), kAnn, made);

    EXPECT_EQ(pieces.sizes, (std::vector<std::size_t>{0, 1, 1, 1}));
    EXPECT_EQ(made.members().total(), 3);
    const auto stored = pieces.list_members(made.name().substr(10), std::nullopt, 9, "").rows;
    EXPECT_EQ(stored.at(2).label, "c");
    EXPECT_EQ(pieces.waiting_members(made.name().substr(10), 2, 1).at(0).request,
              pieces.waiting_members(made.name().substr(10), 0, 9).at(2).request);
}

TEST_F(CampaignsTest, DeletedWithItsJobs) {
    const v1::Campaign made = create({{"a", {"s1"}}});
    driver().pass();
    v1::Campaign reply;
    campaigns().cancel(named(made), kAnn, reply);
    v1::DeleteCampaignRequest request;
    request.set_name(made.name());
    request.set_jobs(true);
    request.set_etag(reply.etag());
    campaigns().remove(request, kAnn);
    EXPECT_TRUE(store_.list_jobs({}, 10, "").rows.empty());
}

TEST_F(CampaignsTest, AWatchEndsWithTheCampaign) {
    const v1::Campaign made = create({{"a", {"s1"}}});
    v1::GetCampaignRequest request;
    request.set_name(made.name());
    auto answers = campaigns().watch(request);
    using Next = Answers<v1::Campaign>::Next;
    ASSERT_EQ(answers.next(), Next::Answer);
    EXPECT_EQ(answers.message().state(), v1::Campaign::ACTIVE);
    EXPECT_EQ(answers.next(), Next::Pause);
    v1::Campaign reply;
    campaigns().cancel(named(made), kAnn, reply);
    EXPECT_EQ(answers.next(), Next::Pause) << "at most one a second";
    std::this_thread::sleep_for(answers.pause().patience + std::chrono::milliseconds(1));
    ASSERT_EQ(answers.next(), Next::Answer);
    EXPECT_EQ(answers.message().state(), v1::Campaign::CANCELLED);
    EXPECT_EQ(answers.next(), Next::End);
}

}  // namespace
}  // namespace kaname::service::campaigns_test
