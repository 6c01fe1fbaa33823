// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/server.hpp"

#include <atomic>
#include <list>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/by_tokens.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::http::server_test {
namespace {

using std::chrono::milliseconds;

class HttpServerTest : public testing::Test {
protected:
    HttpServerTest() {
        std::vector<Page> pages = {
            {.path = "/metrics",
             .answer =
                 [this](const Request&) {
                     if (is_down_) {
                         throw Error(ErrorCode::Unavailable, "the database does not answer");
                     }
                     return plain(200, "kaname_tasks 3");
                 }},
            {.path = "/broken",
             .answer = [](const Request&) -> Answer {
                 throw ValidationError(
                     std::vector<Violation>{{"page_size", "must be <= 1000, got 2000"}});
             }},
            {.path = "/wait/",
             .answer =
                 [this](const Request& request) {
                     ++n_waiting_;
                     while (!request.gone()) {
                         std::this_thread::sleep_for(milliseconds(5));
                     }
                     ++n_gone_;
                     return plain(200, "late");
                 },
             .slow = true},
            {.path = "/feed",
             .answer =
                 [](const Request&) {
                     Answer answer;
                     answer.feed = std::make_shared<Feed>();
                     answer.feed->write("begun\n");
                     return answer;
                 }},
            {.path = "/file", .answer = [this](const Request& request) {
                 const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
                 Answer answer = file_answer(request, {.file = Fd(fd),
                                                       .bytes = std::filesystem::file_size(file_),
                                                       .sha256 = std::string(64, 'a'),
                                                       .name = "greens.h5",
                                                       .type = "application/x-hdf5"});
                 answer.held = std::shared_ptr<void>(nullptr, [this](void*) { ++n_released_; });
                 return answer;
             }}};
        server_ =
            std::make_unique<Server>(ServerOptions{.listen = "127.0.0.1:0",
                                                   .peers = {.asking = std::chrono::minutes(5)},
                                                   .longest_stall = milliseconds(1000)},
                                     std::move(pages), by_tokens(tokens_));
    }

    httplib::Result get(const std::string& token, const char* path = "/metrics",
                        const std::string& accept = "*/*") {
        httplib::Client client("127.0.0.1", server_->port());
        httplib::Headers headers{{"Accept", accept}};
        if (!token.empty()) {
            headers.emplace("Authorization", "Bearer " + token);
        }
        return client.Get(path, headers);
    }
    /// Returns true if a count reaches `least` within ten seconds.
    static bool becomes(const std::atomic<int>& count, int least) {
        for (int k = 0; k < 2000 && count < least; ++k) {
            std::this_thread::sleep_for(milliseconds(5));
        }
        return count >= least;
    }
    [[nodiscard]] std::string get_feed(const std::string& token) const {
        return "GET /feed HTTP/1.1\r\nHost: k\r\nAuthorization: Bearer " + token + "\r\n\r\n";
    }
    [[nodiscard]] bool connections_become(std::size_t count) const {
        for (int k = 0; k < 1000 && server_->connections() != count; ++k) {
            std::this_thread::sleep_for(milliseconds(5));
        }
        return server_->connections() == count;
    }
    [[nodiscard]] std::string mine() const { return "Authorization: Bearer " + viewer_ + "\r\n"; }

    TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "file";
    auth::TokenList tokens_;
    std::string viewer_ = tokens_.issue("prometheus", auth::Role::Viewer);
    std::string agent_ = tokens_.issue("agent", auth::Role::Worker);
    std::atomic<bool> is_down_ = false;
    std::atomic<int> n_waiting_ = 0, n_gone_ = 0, n_released_ = 0;
    std::unique_ptr<Server> server_;
};

TEST_F(HttpServerTest, AViewerGetsThePage) {
    const httplib::Result page = get(viewer_);

    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_EQ(page->body, "kaname_tasks 3\n");
    EXPECT_EQ(page->get_header_value("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(HttpServerTest, OthersDoNot) {
    EXPECT_EQ(get("")->status, 401);
    EXPECT_EQ(get("guess")->status, 401);
    EXPECT_EQ(get("guess")->get_header_value("WWW-Authenticate"), "Bearer realm=\"kaname\"");
    EXPECT_EQ(get(agent_)->status, 403);
    EXPECT_EQ(get(agent_, "/tokens")->status, 403);
    EXPECT_EQ(get("", "/tokens")->status, 401);
    EXPECT_EQ(get(viewer_, "/tokens")->status, 404);
    EXPECT_EQ(get(viewer_, "/metrics/")->status, 404);
    EXPECT_EQ(get(viewer_, "/wait")->status, 404);
}

TEST_F(HttpServerTest, WhoCallsIsAskedBeforeABodyIsRead) {
    test::RawSocket socket(server_->port());
    socket.send("POST /metrics HTTP/1.1\r\nHost: k\r\nContent-Length: 400000000\r\n\r\n");

    EXPECT_EQ(socket.status(), 401);  // of which no byte has come
}

TEST_F(HttpServerTest, ABodyIsRefusedFromAnybody) {
    const std::string head = "Host: k\r\n" + mine();
    test::RawSocket with_length(server_->port()), chunked(server_->port()), post(server_->port());
    with_length.send("GET /metrics HTTP/1.1\r\n" + head + "Content-Length: 5\r\n\r\nhello");
    chunked.send("GET /metrics HTTP/1.1\r\n" + head + "Transfer-Encoding: chunked\r\n\r\n");
    post.send("POST /metrics HTTP/1.1\r\n" + head + "Content-Length: 0\r\n\r\n");

    EXPECT_EQ(with_length.status(), 413);
    EXPECT_EQ(chunked.status(), 413);
    EXPECT_EQ(post.status(), 405);
}

TEST_F(HttpServerTest, AHeadHasALimitInBytes) {
    test::RawSocket endless(server_->port()), large(server_->port()), garbage(server_->port());
    endless.send("GET /metrics HTTP/1.1\r\nX: " + std::string(16000, 'x'));
    large.send("GET /metrics HTTP/1.1\r\nHost: k\r\n" + mine() + "X: " + std::string(8100, 'x') +
               "\r\n\r\n");
    garbage.send("\x16\x03\x01 hello\r\n\r\n");

    EXPECT_EQ(endless.status(), 431);
    EXPECT_EQ(large.status(), 431);
    EXPECT_EQ(garbage.status(), 400);
}

TEST_F(HttpServerTest, ManyThatAskForeverDoNotHoldUpAScrape) {
    // Nothing but giving way ends a connection that asks.
    const Server server({.listen = "127.0.0.1:0", .peers = {.asking = std::chrono::minutes(5)}}, {},
                        by_tokens(tokens_));
    std::list<test::RawSocket> dripping;
    for (std::size_t k = 0; k < 2 * PeerLimits().per_address; ++k) {
        dripping.emplace_back(server.port());
        dripping.back().send("GET /metrics HTTP/1.1\r\nX: ");
    }
    const test::RawSocket scrape(server.port());
    scrape.send("GET /metrics HTTP/1.1\r\nHost: k\r\n\r\n");

    EXPECT_EQ(scrape.status(), 401);
    EXPECT_EQ(dripping.front().status(), 0);  // the oldest gave way
}

TEST_F(HttpServerTest, AStreamThatIsClosedIsLetGoThoughNothingIsSent) {
    for (int turn = 0; turn < 3; ++turn) {
        std::list<test::RawSocket> tabs;
        for (std::size_t k = 0; k < PeerLimits().per_owner; ++k) {
            tabs.emplace_back(server_->port());
            tabs.back().send(get_feed(viewer_));
            EXPECT_NE(tabs.back().read_until("begun").find("begun"), std::string::npos);
        }
        EXPECT_GE(server_->connections(), tabs.size());
    }  // the next turn does not wait for them

    EXPECT_TRUE(connections_become(0)) << server_->connections();
}

TEST_F(HttpServerTest, StreamsOfOneOwnerTakeNothingFromOthers) {
    std::list<test::RawSocket> tabs;
    for (std::size_t k = 0; k < PeerLimits().per_owner; ++k) {
        tabs.emplace_back(server_->port());
        tabs.back().send(get_feed(viewer_));
        EXPECT_EQ(tabs.back().status(), 200);
    }
    const test::RawSocket more(server_->port()), other(server_->port());
    more.send(get_feed(viewer_));
    other.send(get_feed(tokens_.issue("ada", auth::Role::Viewer)));

    EXPECT_EQ(more.status(), 429);
    EXPECT_EQ(other.status(), 200);
}

TEST_F(HttpServerTest, WhoReadsNothingOfAnOpenPageGivesWay) {
    write_file(file_, std::string(16U << 20U, 'x'));
    const Server server({.listen = "127.0.0.1:0", .peers = {.asking = std::chrono::minutes(5)}},
                        {{.path = "/large",
                          .answer =
                              [this](const Request& request) {
                                  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
                                  return file_answer(request,
                                                     {.file = Fd(fd),
                                                      .bytes = std::filesystem::file_size(file_),
                                                      .sha256 = std::string(64, 'a'),
                                                      .name = "a",
                                                      .type = "text/plain"});
                              },
                          .open = true}},
                        by_tokens(tokens_));
    std::list<test::RawSocket> reading;
    for (std::size_t k = 0; k < PeerLimits().per_address; ++k) {
        reading.emplace_back(server.port(), 4096);
        reading.back().send("GET /large HTTP/1.1\r\nHost: k\r\n\r\n");
        EXPECT_EQ(reading.back().status(), 200);
    }
    const test::RawSocket next(server.port());
    next.send("GET /large HTTP/1.1\r\nHost: k\r\n\r\n");

    EXPECT_EQ(next.status(), 200);
}

TEST_F(HttpServerTest, AConnectionHasALimitInSeconds) {
    const Server server({.listen = "127.0.0.1:0", .peers = {.asking = milliseconds(300)}}, {},
                        by_tokens(tokens_));
    test::RawSocket silent(server.port()), dripping(server.port()), idle(server.port());
    dripping.send("GET /metrics HTTP/1.1\r\n");
    idle.send("GET /metrics HTTP/1.1\r\nHost: k\r\n\r\n");

    EXPECT_EQ(silent.status(), 0);  // closed without an answer
    EXPECT_EQ(dripping.status(), 0);
    EXPECT_EQ(idle.status(), 401);
    EXPECT_EQ(idle.status(), 0);  // nor may it stay for another request
}

TEST_F(HttpServerTest, AConnectionServesManyRequests) {
    const test::RawSocket socket(server_->port());

    for (int turn = 0; turn < 3; ++turn) {
        socket.send("GET /metrics HTTP/1.1\r\nHost: k\r\n" + mine() + "\r\n");
        EXPECT_EQ(socket.status(), 200);
    }
}

TEST_F(HttpServerTest, ADatabaseThatIsAwayIsSaid) {
    is_down_ = true;

    const httplib::Result page = get(viewer_);

    EXPECT_EQ(page->status, 503);
    EXPECT_EQ(page->body, "the database does not answer\n");
}

TEST_F(HttpServerTest, WhoTakesJsonGetsErrorsInIt) {
    const httplib::Result page = get(viewer_, "/broken", "application/json");

    EXPECT_EQ(page->status, 400);
    EXPECT_EQ(page->get_header_value("Content-Type"), "application/json");
    EXPECT_NE(page->body.find("\"code\":3"), std::string::npos) << page->body;
    EXPECT_NE(page->body.find("\"field\":\"page_size\""), std::string::npos) << page->body;
    EXPECT_EQ(get(viewer_, "/broken")->body, "page_size: must be <= 1000, got 2000\n");
}

TEST_F(HttpServerTest, ALongAnswerHoldsUpNobody) {
    std::list<test::RawSocket> waiting;
    for (int k = 0; k < 40; ++k) {
        waiting.emplace_back(server_->port());
        waiting.back().send("GET /wait/ HTTP/1.1\r\nHost: k\r\n" + mine() + "\r\n");
    }
    EXPECT_TRUE(becomes(n_waiting_, 1));

    const httplib::Result page = get(viewer_);

    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
}

TEST_F(HttpServerTest, AnAnswerIsToldThatItsCallerHasLeft) {
    {
        const test::RawSocket socket(server_->port());
        socket.send("GET /wait/ HTTP/1.1\r\nHost: k\r\n" + mine() + "\r\n");
        EXPECT_TRUE(becomes(n_waiting_, 1));
        EXPECT_EQ(n_gone_, 0);
    }

    EXPECT_TRUE(becomes(n_gone_, 1));
}

TEST_F(HttpServerTest, AServerEndsWhateverItIsAskedFor) {
    std::list<test::RawSocket> sockets;
    for (int k = 0; k < 20; ++k) {
        sockets.emplace_back(server_->port());
        sockets.back().send(std::string("GET ") + (k % 2 == 0 ? "/wait/" : "/metrics") +
                            " HTTP/1.1\r\nHost: k\r\n" + mine() + (k % 5 == 0 ? "" : "\r\n"));
    }
    EXPECT_TRUE(becomes(n_waiting_, 1));

    server_.reset();

    EXPECT_GE(n_gone_, 1);
}

TEST_F(HttpServerTest, WhoStopsReadingIsCutOff) {
    constexpr std::size_t kBytes = 64U << 20U;  // more than the buffers of a connection take
    write_file(file_, std::string(kBytes, 'x'));
    test::RawSocket reading(server_->port()), stalled(server_->port(), 4096);
    const std::string ask =
        "GET /file HTTP/1.1\r\nHost: k\r\nConnection: close\r\n" + mine() + "\r\n";
    stalled.send(ask);
    reading.send(ask);
    EXPECT_GT(reading.rest().size(), kBytes);
    EXPECT_TRUE(becomes(n_released_, 2));
    EXPECT_LT(stalled.rest().size(), kBytes);
}

TEST_F(HttpServerTest, AddressesThatCannotBeUsedAreRefused) {
    const auto code_of = [&](const std::string& listen, const std::string& pem = "") {
        try {
            const Server other({.listen = listen, .certificate = pem, .key = pem}, {},
                               by_tokens(tokens_));
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    };

    EXPECT_EQ(code_of("9464"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("127.0.0.1:port"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("127.0.0.1:99999"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("192.0.2.1:0"), ErrorCode::Unavailable);
    EXPECT_EQ(code_of("127.0.0.1:" + std::to_string(server_->port())), ErrorCode::Unavailable);
    EXPECT_EQ(code_of("127.0.0.1:0", "no certificate"), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace kaname::http::server_test
