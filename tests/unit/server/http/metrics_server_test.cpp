// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/metrics_server.hpp"

#include <list>
#include <stdexcept>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include "solvers/base/error.hpp"
#include "solvers/base/fd.hpp"

namespace kaname::http {
namespace {

/// A connection that says what a client library would not.
class Socket {
public:
    explicit Socket(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{10, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    void send(const std::string& text) const {
        EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
    }
    /// Of the answer; 0 when the connection ends without one, -1 when nothing comes.
    [[nodiscard]] int status() const {
        std::string text(4096, '\0');
        const ssize_t got = ::recv(fd_.get(), text.data(), text.size(), 0);
        return got <= 0 ? static_cast<int>(got) : std::stoi(text.substr(9, 3));
    }

private:
    Fd fd_;
};

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

TEST_F(MetricsServerTest, WhoCallsIsAskedBeforeABodyIsRead) {
    Socket socket(server_.port());
    socket.send("POST /metrics HTTP/1.1\r\nContent-Length: 400000000\r\n\r\n");

    EXPECT_EQ(socket.status(), 401);  // of which no byte has come
}

TEST_F(MetricsServerTest, ABodyIsRefusedFromAnybody) {
    const std::string mine = "Authorization: Bearer " + viewer_ + "\r\n";
    Socket with_length(server_.port()), chunked(server_.port()), post(server_.port());
    with_length.send("GET /metrics HTTP/1.1\r\n" + mine + "Content-Length: 5\r\n\r\nhello");
    chunked.send("GET /metrics HTTP/1.1\r\n" + mine + "Transfer-Encoding: chunked\r\n\r\n");
    post.send("POST /metrics HTTP/1.1\r\n" + mine + "\r\n");

    EXPECT_EQ(with_length.status(), 413);
    EXPECT_EQ(chunked.status(), 413);
    EXPECT_EQ(post.status(), 405);
}

TEST_F(MetricsServerTest, AHeadHasALimitInBytes) {
    Socket large(server_.port()), garbage(server_.port());
    large.send("GET /metrics HTTP/1.1\r\nX: " + std::string(9000, 'x'));
    garbage.send("\x16\x03\x01 hello\r\n\r\n");

    EXPECT_EQ(large.status(), 431);
    EXPECT_EQ(garbage.status(), 400);
}

TEST_F(MetricsServerTest, ManyThatAskForeverDoNotHoldUpAScrape) {
    std::list<Socket> dripping;
    for (std::size_t k = 0; k < 2 * MetricsServer::kMaxConnections; ++k) {
        dripping.emplace_back(server_.port());
        dripping.back().send("GET /metrics HTTP/1.1\r\nX: ");
    }

    EXPECT_EQ(get(viewer_)->status, 200);
}

TEST(MetricsServer, AConnectionHasALimitInSeconds) {
    const auth::TokenList tokens;
    const MetricsServer server("127.0.0.1:0", tokens, [] { return std::string(); },
                               {.total = std::chrono::milliseconds(300)});
    Socket socket(server.port());
    socket.send("GET /metrics HTTP/1.1\r\n");

    EXPECT_EQ(socket.status(), 0);  // closed without an answer
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
