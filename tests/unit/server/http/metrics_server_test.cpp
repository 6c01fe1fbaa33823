// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/metrics_server.hpp"

#include <stdexcept>

#include <gtest/gtest.h>
#include <httplib.h>

#include "solvers/base/error.hpp"

namespace kaname::http {
namespace {

class MetricsServerTest : public testing::Test {
protected:
    httplib::Result get(const std::string& token, const char* path = "/metrics") {
        httplib::Client client("127.0.0.1", server_.port());
        httplib::Headers headers;
        if (!token.empty()) {
            headers.emplace("Authorization", "Bearer " + token);
        }
        return client.Get(path, headers);
    }

    auth::TokenList tokens_;
    std::string viewer_ = tokens_.issue("prometheus", auth::Role::Viewer);
    std::string agent_ = tokens_.issue("agent", auth::Role::Worker);
    bool is_down_ = false;
    MetricsServer server_{"127.0.0.1:0", tokens_, [this] {
                              if (is_down_) {
                                  throw std::runtime_error("the database does not answer");
                              }
                              return std::string("kaname_tasks 3\n");
                          }};
};

TEST_F(MetricsServerTest, AViewerGetsThePage) {
    const httplib::Result page = get(viewer_);

    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_EQ(page->body, "kaname_tasks 3\n");
    EXPECT_EQ(page->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(MetricsServerTest, OthersDoNot) {
    EXPECT_EQ(get("")->status, 401);
    EXPECT_EQ(get("guess")->status, 401);
    EXPECT_EQ(get(agent_)->status, 403);
    EXPECT_EQ(get(viewer_, "/tokens")->status, 404);
}

TEST_F(MetricsServerTest, ADatabaseThatIsAwayIsSaid) {
    is_down_ = true;

    const httplib::Result page = get(viewer_);

    EXPECT_EQ(page->status, 503);
    EXPECT_EQ(page->body, "the database does not answer\n");
}

TEST_F(MetricsServerTest, AddressesThatCannotBeUsedAreRefused) {
    const auto code_of = [&](const std::string& listen) {
        try {
            const MetricsServer other(listen, tokens_, [] { return std::string(); });
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    };

    EXPECT_EQ(code_of("9464"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("127.0.0.1:port"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("127.0.0.1:99999"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("192.0.2.1:0"), ErrorCode::Unavailable);
    EXPECT_EQ(code_of("127.0.0.1:" + std::to_string(server_.port())), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace kaname::http
