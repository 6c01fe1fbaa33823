// SPDX-License-Identifier: BSD-3-Clause
// Campaigns through the client library, against a server that breaks off and pages.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "client/lib/client.hpp"
#include "proto/kaname/v1/campaigns_service.grpc.pb.h"
#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"

namespace kaname::client::campaigns_test {
namespace {

struct FakeCampaigns final : v1::Campaigns::Service {
    using Reader = grpc::ServerReader<v1::CreateCampaignRequest>;

    grpc::Status CreateCampaign(grpc::ServerContext*, Reader* reader,
                                v1::Campaign* reply) override {
        if (n_breaks > 0) {
            --n_breaks;
            v1::CreateCampaignRequest part;
            reader->Read(&part);
            return {grpc::StatusCode::UNAVAILABLE, "broken"};
        }
        take(*reader, *reply);
        return grpc::Status::OK;
    }
    grpc::Status ExtendCampaign(grpc::ServerContext*, Reader* reader,
                                v1::Campaign* reply) override {
        extended = true;
        take(*reader, *reply);
        return grpc::Status::OK;
    }
    grpc::Status ListMembers(grpc::ServerContext*, const v1::ListMembersRequest* request,
                             v1::ListMembersResponse* reply) override {
        const std::size_t from =
            request->page_token().empty() ? 0 : std::stoul(request->page_token());
        for (std::size_t k = from; k < std::min(from + 2, labels.size()); ++k) {
            reply->add_members()->set_label(labels[k]);
        }
        if (from + 2 < labels.size()) {
            reply->set_next_page_token(std::to_string(from + 2));
        }
        return grpc::Status::OK;
    }
    grpc::Status WatchCampaign(grpc::ServerContext*, const v1::GetCampaignRequest*,
                               grpc::ServerWriter<v1::Campaign>* writer) override {
        v1::Campaign campaign;
        campaign.set_state(n_breaks > 0 ? v1::Campaign::ACTIVE : v1::Campaign::DONE);
        writer->Write(campaign);
        if (n_breaks > 0) {
            --n_breaks;
            return {grpc::StatusCode::UNAVAILABLE, "broken"};
        }
        return grpc::Status::OK;
    }
    grpc::Status PauseCampaign(grpc::ServerContext*, const v1::ChangeCampaignRequest* request,
                               v1::Campaign* reply) override {
        reply->set_name(request->name());
        reply->set_state(v1::Campaign::PAUSED);
        return grpc::Status::OK;
    }

    void take(Reader& reader, v1::Campaign& reply) {
        labels.clear();
        largest = n_messages = 0;
        v1::CreateCampaignRequest part;
        while (reader.Read(&part)) {
            ++n_messages;
            if (part.has_header()) {
                header = part.header();
            } else if (part.has_members()) {
                largest = std::max(largest, part.ByteSizeLong());
                for (const v1::CampaignMember& member : part.members().members()) {
                    labels.push_back(member.label());
                }
            } else {
                commit = part.commit();
            }
        }
        reply.set_name("campaigns/one");
        reply.set_title(header.title());
    }

    std::vector<std::string> labels;
    v1::CreateCampaignRequest::Header header;
    v1::CreateCampaignRequest::Commit commit;
    std::size_t largest = 0, n_messages = 0;
    int n_breaks = 0;
    bool extended = false;
};

class CampaignsTest : public ::testing::Test {
protected:
    CampaignsTest() {
        const std::string address = "unix:" + (folder_.path() / "socket").string();
        grpc::ServerBuilder builder;
        builder.AddListeningPort(address, grpc::InsecureServerCredentials());
        builder.RegisterService(&service_);
        server_ = builder.BuildAndStart();
        Endpoint endpoint;
        endpoint.address = address;
        endpoint.token = "secret";
        endpoint.origin = "test";
        client_ = std::make_unique<Client>(endpoint);
    }

    static std::vector<v1::CampaignMember> members(std::size_t n, std::size_t bytes) {
        std::vector<v1::CampaignMember> all(n);
        for (std::size_t k = 0; k < n; ++k) {
            all[k].set_label("n=" + std::to_string(k));
            all[k].mutable_specification()->set_value(std::string(bytes, 'x'));
        }
        return all;
    }

    TemporaryFolder folder_;
    FakeCampaigns service_;
    std::unique_ptr<grpc::Server> server_;
    std::unique_ptr<Client> client_;
};

TEST_F(CampaignsTest, MembersComeInMessagesOfAMebibyteAndAreCommitted) {
    v1::CreateCampaignRequest::Header header;
    header.set_title("many");

    const v1::Campaign campaign = client_->send_campaign(header, members(30, 100000));

    EXPECT_EQ(campaign.name(), "campaigns/one");
    EXPECT_EQ(campaign.title(), "many");
    ASSERT_EQ(service_.labels.size(), 30U);
    EXPECT_EQ(service_.labels[29], "n=29");
    EXPECT_LE(service_.largest, std::size_t{1} << 20U);
    EXPECT_EQ(service_.n_messages, 2U + 3U);
    EXPECT_EQ(service_.commit.members(), 30);
    std::string labels;
    for (const std::string& label : service_.labels) {
        labels += label + "\n";
    }
    EXPECT_EQ(service_.commit.sha256(), sha256_hex(labels));
    EXPECT_FALSE(service_.extended);
}

TEST_F(CampaignsTest, OneThatIsTooLargeTravelsAloneAndABreakIsTriedAgain) {
    v1::CreateCampaignRequest::Header header;
    service_.n_breaks = 1;

    (void)client_->send_campaign(header, members(2, 1500000));

    EXPECT_EQ(service_.labels.size(), 2U);
    EXPECT_EQ(service_.n_messages, 4U);
}

TEST_F(CampaignsTest, AHeaderWithACampaignExtendsIt) {
    v1::CreateCampaignRequest::Header header;
    header.set_campaign("campaigns/one");

    (void)client_->send_campaign(header, members(1, 10));

    EXPECT_TRUE(service_.extended);
    EXPECT_EQ(service_.header.campaign(), "campaigns/one");
}

TEST_F(CampaignsTest, PagesOfMembersAreOneList) {
    service_.labels = {"a", "b", "c", "d", "e"};

    const auto found = client_->list_members("one", "");

    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[4].label(), "e");
}

TEST_F(CampaignsTest, AWatchGoesOnOverABreakToTheEnd) {
    service_.n_breaks = 1;
    std::vector<v1::Campaign::State> states;

    client_->watch_campaign("one", [&](const v1::Campaign& now) { states.push_back(now.state()); });

    EXPECT_EQ(states, (std::vector<v1::Campaign::State>{v1::Campaign::ACTIVE, v1::Campaign::DONE}));
    EXPECT_EQ(client_->pause_campaign("one").name(), "campaigns/one");
}

}  // namespace
}  // namespace kaname::client::campaigns_test
