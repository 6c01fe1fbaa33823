// SPDX-License-Identifier: BSD-3-Clause
// Bodies of requests, and answers that come by and by.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <httplib.h>

#include "server/web/http/server.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/by_tokens.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::http::body_test {
namespace {

using std::chrono::milliseconds;

class HttpBodyTest : public testing::Test {
protected:
    HttpBodyTest() {
        std::vector<Page> pages = {
            {.path = "/echo",
             .answer = [](const Request& request) { return plain(200, request.body); },
             .methods = "GET, POST",
             .body_bytes = 1000},
            {.path = "/later",
             .methods = "POST",
             .body_bytes = 1000,
             .later =
                 [this](const Request& request, Done done) {
                     if (request.body == "\"throw\"") {
                         throw Error(ErrorCode::NotFound, "nothing of that name");
                     }
                     threads_.emplace_back([done = std::move(done)] {
                         std::this_thread::sleep_for(milliseconds(50));
                         done(plain(200, "later"));
                     });
                 }},
            {.path = "/feed", .answer = [this](const Request& request) {
                 if (request.query.contains("bytes")) {
                     return Answer{.feed = feed_, .feed_bytes = 100};
                 }
                 return Answer{.feed = feed_};
             }}};
        server_ = std::make_unique<Server>(
            ServerOptions{.listen = "127.0.0.1:0",
                          .peers = {.asking = std::chrono::minutes(5), .body = milliseconds(700)},
                          .longest_stall = milliseconds(1000)},
            std::move(pages), by_tokens(tokens_));
    }
    ~HttpBodyTest() override {
        server_.reset();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    [[nodiscard]] std::string head(const std::string& path, const std::string& more,
                                   const std::string& method = "POST") const {
        return method + " " + path + " HTTP/1.1\r\nHost: k\r\nConnection: close\r\n" +
               "Authorization: Bearer " + viewer_ + "\r\n" + more + "\r\n";
    }
    /// The status of an answer to what is sent at once.
    int status_of(const std::string& text) {
        test::RawSocket socket(server_->port());
        socket.send(text);
        const std::string answer = socket.rest();
        return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
    }
    static bool becomes(const std::function<bool()>& so) {
        for (int k = 0; k < 1000 && !so(); ++k) {
            std::this_thread::sleep_for(milliseconds(10));
        }
        return so();
    }

    auth::TokenList tokens_;
    std::string viewer_ = tokens_.issue("v", auth::Role::Viewer);
    std::shared_ptr<Feed> feed_ = std::make_shared<Feed>();
    std::vector<std::thread> threads_;
    std::unique_ptr<Server> server_;
};

constexpr const char* kJson = "Content-Type: application/json\r\n";

TEST_F(HttpBodyTest, ABodyReachesItsPage) {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_keep_alive(true);
    for (int turn = 0; turn < 3; ++turn) {
        const auto answer = client.Post("/echo", {{"Authorization", "Bearer " + viewer_}},
                                        "{\"a\": 1}", "application/json; charset=utf-8");
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 200);
        EXPECT_EQ(answer->body, "{\"a\": 1}\n");
    }
    test::RawSocket pieces(server_->port()), empty(server_->port()), expecting(server_->port());
    pieces.send(head("/echo", std::string(kJson) + "Transfer-Encoding: chunked\r\n"));
    pieces.send("3\r\n\"ab\r\n");
    pieces.send("2\r\nc\"\r\n0\r\n\r\n");
    EXPECT_NE(pieces.rest().find("\"abc\"\n"), std::string::npos);
    empty.send(head("/echo", std::string(kJson) + "Content-Length: 0\r\n"));
    EXPECT_NE(empty.rest().find(" 200 "), std::string::npos);
    expecting.send(
        head("/echo", std::string(kJson) + "Content-Length: 2\r\nExpect: 100-continue\r\n"));
    EXPECT_NE(expecting.read_until("100 Continue").find("100 Continue"), std::string::npos);
    expecting.send("{}");
    EXPECT_NE(expecting.rest().find(" 200 "), std::string::npos);
}

TEST_F(HttpBodyTest, WhatIsNoBodyForAPageIsRefusedByItsHead) {
    const std::string json = kJson;
    EXPECT_EQ(status_of(head("/echo", json + "Content-Length: 2001\r\n")), 413);
    EXPECT_EQ(status_of(head("/echo", json + "Content-Length: 99999999999999999999999\r\n")), 413);
    EXPECT_EQ(status_of(head("/echo", "Content-Length: 2\r\n") + "{}"), 415);
    EXPECT_EQ(status_of(head("/echo", "Content-Type: text/plain\r\nContent-Length: 2\r\n") + "{}"),
              415);
    EXPECT_EQ(status_of(head("/echo", "Content-Length: 0\r\n")), 415);
    EXPECT_EQ(status_of(head("/echo", json + "Content-Length: 2\r\n", "PUT") + "{}"), 405);
    EXPECT_EQ(status_of(head("/echo", json + "Content-Length: 2\r\n", "GET") + "{}"), 413);
    EXPECT_EQ(status_of("POST /echo HTTP/1.1\r\nHost: k\r\nConnection: close\r\n" + json +
                        "Content-Length: 900\r\n\r\n"),
              401);
}

TEST_F(HttpBodyTest, WhoSendsALittleTooMuchHearsIt) {
    EXPECT_EQ(status_of(head("/echo", std::string(kJson) + "Content-Length: 1001\r\n") +
                        std::string(1001, 'x')),
              413);
}

TEST_F(HttpBodyTest, AnEndlessBodyIsNotKept) {
    const std::string piece = "200\r\n" + std::string(0x200, 'x') + "\r\n";

    EXPECT_EQ(status_of(head("/echo", std::string(kJson) + "Transfer-Encoding: chunked\r\n") +
                        piece + piece + piece + "0\r\n\r\n"),
              413);
}

TEST_F(HttpBodyTest, ABodyHasALimitInSeconds) {
    test::RawSocket dripping(server_->port());
    dripping.send(head("/echo", std::string(kJson) + "Content-Length: 900\r\n") + "{");
    const auto began = std::chrono::steady_clock::now();

    EXPECT_EQ(dripping.rest(), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
}

TEST_F(HttpBodyTest, AnAnswerMayComeLater) {
    const std::string post = head("/later", std::string(kJson) + "Content-Length: 7\r\n");

    EXPECT_EQ(status_of(post + "\"later\""), 200);
    EXPECT_EQ(status_of(post + "\"throw\""), 404);
}

TEST_F(HttpBodyTest, AFeedComesPieceByPiece) {
    test::RawSocket reader(server_->port());
    reader.send(head("/feed", "", "GET"));
    EXPECT_NE(reader.read_until("\r\n\r\n").find(" 200 "), std::string::npos);
    std::atomic<int> n_drained = 0;
    for (const std::string piece : {"one", "two"}) {
        feed_->write(piece);
        EXPECT_NE(reader.read_until(piece).find(piece), std::string::npos);
        feed_->when_drained([&n_drained] { ++n_drained; });
    }
    EXPECT_TRUE(becomes([&] { return n_drained == 2; }));
    EXPECT_FALSE(feed_->left());
    feed_->end();

    EXPECT_NE(reader.rest().find("\r\n0\r\n\r\n"), std::string::npos);
}

TEST_F(HttpBodyTest, AFeedCutShortIsSeen) {
    test::RawSocket reader(server_->port());
    reader.send(head("/feed?bytes=100", "", "GET"));
    feed_->write(std::string(40, 'x'));
    EXPECT_NE(reader.read_until("xxxx").find("Content-Length: 100"), std::string::npos);
    feed_->fail();

    const std::string all = reader.rest();

    EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 40U);
}

TEST_F(HttpBodyTest, WhoLeavesAFeedIsNoticed) {
    {
        test::RawSocket reader(server_->port());
        reader.send(head("/feed", "", "GET"));
        (void)reader.read_until("\r\n\r\n");
        EXPECT_TRUE(becomes([&] { return !feed_->left(); }));
    }
    EXPECT_TRUE(becomes([&] { return feed_->left(); }));
}

TEST_F(HttpBodyTest, WhoDoesNotReadAFeedIsCutOff) {
    test::RawSocket stalled(server_->port(), 4096);
    stalled.send(head("/feed", "", "GET"));
    feed_->write(std::string(64U << 20U, 'x'));

    EXPECT_TRUE(becomes([&] { return feed_->left(); }));
    bool drained = false;
    feed_->when_drained([&drained] { drained = true; });
    EXPECT_TRUE(drained);  // nobody waits for who has left
}

TEST_F(HttpBodyTest, AServerEndsItsFeeds) {
    test::RawSocket paused(server_->port()), stalled(server_->port(), 4096);
    paused.send(head("/feed", "", "GET"));
    (void)paused.read_until("\r\n\r\n");

    server_.reset();

    EXPECT_TRUE(feed_->left());
    EXPECT_EQ(paused.rest().find("\r\n0\r\n"), std::string::npos);
}

}  // namespace
}  // namespace kaname::http::body_test
