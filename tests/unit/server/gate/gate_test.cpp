// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/gate.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <sys/un.h>

#include "server/gate/frames.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/raw_socket.hpp"

namespace kaname::gate::gate_test {
namespace {

using std::chrono::milliseconds;

const std::string kHello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0, "");

std::string field(const std::string& name, const std::string& value) {
    return std::string(1, '\0') + static_cast<char>(name.size()) + name +
           static_cast<char>(value.size()) + value;
}

std::string call(std::uint32_t stream, const std::string& token,
                 const std::string& path = "/kaname.v1.Jobs/ListJobs") {
    return frame(
        kHeaders, kEndHeaders, stream,
        field(":path", path) + (token.empty() ? "" : field("authorization", "Bearer " + token)));
}

class GateTest : public testing::Test {
protected:
    /// A gate before a server that answers "<NUMBER OF BYTES>." to whatever comes.
    void open(GateLimits limits = {}) {
        gate_ = std::make_unique<Gate>(GateOptions{
            .listen = "127.0.0.1:0",
            .limits = limits,
            .check = [](const std::optional<std::string>& authorization) -> Verdict {
                if (authorization == "Bearer down") {
                    return {"", 14, "the database does not answer"};
                }
                return authorization && authorization->starts_with("Bearer good")
                           ? Verdict{authorization->substr(7)}
                           : Verdict{"", 16, "the token is not one of this server's"};
            },
            .join =
                [this](int socket) {
                    const std::lock_guard lock(mutex_);
                    joined_.emplace_back(socket);
                },
            .health = [](const std::string& service) -> std::optional<bool> {
                return service.empty() ? std::optional(true) : std::nullopt;
            },
            .sends_many = [](const std::string& path) { return path.ends_with("/Put"); },
            .refused =
                [this](const std::string& path, int status) {
                    const std::lock_guard lock(mutex_);
                    refused_ = path + " " + std::to_string(status);
                },
            .details_of_limit =
                [](const std::string&) { return std::string("any carnal pleas"); }});
    }
    std::size_t joined() {
        const std::lock_guard lock(mutex_);
        return joined_.size();
    }
    bool joins(std::size_t count) {
        for (int k = 0; k < 1000 && joined() < count; ++k) {
            std::this_thread::sleep_for(milliseconds(5));
        }
        return joined() == count;
    }
    /// Returns the bytes that arrive at the server's end of its `nth` connection, once there are
    /// `bytes` of them.
    std::string heard(std::size_t nth, std::size_t bytes) {
        std::string text;
        for (int k = 0; k < 1000 && text.size() < bytes; ++k) {
            std::string piece(1 << 20, '\0');
            const ssize_t got = ::recv(std::next(joined_.begin(), static_cast<long>(nth))->get(),
                                       piece.data(), piece.size(), MSG_DONTWAIT);
            if (got > 0) {
                text.append(piece, 0, static_cast<std::size_t>(got));
            } else {
                std::this_thread::sleep_for(milliseconds(1));
            }
        }
        return text;
    }
    [[nodiscard]] test::RawSocket connect() const { return test::RawSocket(gate_->port()); }

    std::mutex mutex_;
    std::list<Fd> joined_;
    std::string refused_;
    std::unique_ptr<Gate> gate_;
};

TEST_F(GateTest, NothingReachesTheServerBeforeAGoodToken) {
    open();
    test::RawSocket client = connect();
    EXPECT_NE(client.read_until(settings(256, 8192)).find(settings(256, 8192)), std::string::npos);
    const std::string window = frame(kWindowUpdate, 0, 0, std::string("\0\0\x10\0", 4));
    client.send(kHello + settings_ack() + window);
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(joined(), 0U);

    const std::string message = frame(kData, kEndStream, 1, "message");
    client.send(call(1, "good") + message);

    ASSERT_TRUE(joins(1));
    // All of it but the answer to the gate's own settings.
    const std::string all = kHello + window + call(1, "good") + message;
    EXPECT_EQ(heard(0, all.size()), all);
    ::send(joined_.front().get(), "answer", 6, 0);
    EXPECT_TRUE(client.read_until("answer").ends_with("answer"));
    client.send(settings_ack() + call(3, ""));
    EXPECT_EQ(heard(0, 1), settings_ack() + call(3, ""));
}

TEST_F(GateTest, CallsWithoutATokenAreRefusedWithTheReason) {
    open();
    test::RawSocket client = connect();
    client.send(kHello + call(1, "") + frame(kData, kEndStream, 1, std::string(1000, 'x')) +
                call(3, "bad") + call(5, "down"));

    const std::string said = client.read_until(refusal(5, 14, "the database does not answer"));

    EXPECT_NE(said.find(refusal(1, 16, "the token is not one of this server's")),
              std::string::npos);
    EXPECT_NE(said.find(refusal(3, 16, "the token is not one of this server's")),
              std::string::npos);
    EXPECT_NE(said.find(refusal(5, 14, "the database does not answer")), std::string::npos);
    EXPECT_EQ(refused_, "/kaname.v1.Jobs/ListJobs 14");
    // One that is good now is made again elsewhere: the server has not heard of those before.
    client.send(call(7, "good"));
    EXPECT_TRUE(client.rest().ends_with(goaway(6)));
    EXPECT_EQ(joined(), 0U);
}

TEST_F(GateTest, ItsHealthIsAnsweredToAnybody) {
    open();
    test::RawSocket client = connect();
    const std::string path = "/grpc.health.v1.Health/Check";
    client.send(kHello + call(1, "", path) +
                frame(kData, kEndStream, 1, std::string("\0\0\0\0\0", 5)) + call(3, "", path) +
                frame(kData, kEndStream, 3, std::string("\0\0\0\0\x03\x0a\x01x", 8)));

    const std::string last = refusal(3, 5, "service name unknown");
    EXPECT_NE(client.read_until(last).find(reply(1, "\x08\x01")), std::string::npos);
}

TEST_F(GateTest, WhoSaysNothingGivesWayAndGoes) {
    open({.unknown = 6, .unknown_of_address = 4, .patience = milliseconds(300)});
    std::list<test::RawSocket> idle;
    for (int k = 0; k < 12; ++k) {
        idle.push_back(connect());
        idle.back().send(kHello);
    }
    test::RawSocket client = connect();
    client.send(kHello + call(1, "good"));

    EXPECT_TRUE(joins(1));
    EXPECT_TRUE(idle.front().rest().ends_with(goaway(0)));  // a call of it is made again elsewhere
    EXPECT_TRUE(idle.back().rest().ends_with(goaway(0)));   // after its time
}

TEST_F(GateTest, ConnectionsOfOneOwnerTakeNothingFromOthers) {
    open({.known = 100, .known_of_owner = 3});
    std::list<test::RawSocket> clients;
    for (int k = 0; k < 4; ++k) {
        clients.push_back(connect());
        clients.back().send(kHello + call(1, "good-ada"));
        joins(std::min<std::size_t>(static_cast<std::size_t>(k) + 1, 3));
    }
    EXPECT_NE(clients.back().read_until("ada").find("at most 3 may be open at a time by"),
              std::string::npos);
    clients.push_back(connect());
    clients.back().send(kHello + call(1, "good-eve"));
    EXPECT_TRUE(joins(4));

    // One that ends makes room.
    clients.pop_front();
    std::this_thread::sleep_for(milliseconds(50));
    clients.push_back(connect());
    clients.back().send(kHello + call(1, "good-ada"));
    EXPECT_TRUE(joins(5));
}

TEST_F(GateTest, CallsOfOneOwnerHaveOneBoundOnAllOfItsConnections) {
    open({.caller = {.calls = {.calls = 3, .bytes = 1000}}});
    test::RawSocket one = connect(), two = connect();
    one.send(kHello + call(1, "good-ada"));
    ASSERT_TRUE(joins(1));
    two.send(kHello + call(1, "good-ada"));
    ASSERT_TRUE(joins(2));
    const std::string both = kHello + call(1, "good-ada") + call(3, "good-ada");
    two.send(call(3, "good-ada") + call(5, "good-ada") + frame(kData, 0, 5, "dropped"));

    const std::string said = two.read_until(window_update(7));
    EXPECT_NE(said.find("at most 3 may be open at a time by \"good-ada\""), std::string::npos);
    // The server sees the head, whose fields later heads may name, and that the call is over.
    const std::string ended =
        both + call(5, "good-ada") + frame(kReset, 0, 5, std::string("\0\0\0\x08", 4));
    EXPECT_EQ(heard(1, ended.size()), ended);

    // A connection that begins with such a call does not reach the server.
    test::RawSocket third = connect();
    third.send(kHello + call(1, "good-ada"));
    EXPECT_NE(third.read_until("later").find("at most 3 may be open"), std::string::npos);
    EXPECT_EQ(joined(), 2U);

    // Another owner, and one whose calls have ended, has places; a frame of the server is not cut.
    test::RawSocket other = connect();
    other.send(kHello + call(1, "good-eve"));
    ASSERT_TRUE(joins(3));
    const std::string answer = frame(kHeaders, kEndHeaders | kEndStream, 1, std::string(50, 'h'));
    ::send(joined_.front().get(), answer.data(), 20, 0);
    EXPECT_TRUE(one.read_until("hhh").ends_with("h"));
    ::send(joined_.front().get(), answer.data() + 20, answer.size() - 20, 0);
    EXPECT_TRUE(one.read_until(std::string(39, 'h')).ends_with("h"));
    one.send(call(3, "good-ada"));
    EXPECT_TRUE(heard(0, (kHello + call(1, "good-ada") + call(3, "good-ada")).size())
                    .ends_with(call(3, "good-ada")));
}

TEST_F(GateTest, RequestsOfOneOwnerThatWaitForAnswersAreBounded) {
    open({.caller = {.calls = {.calls = 100, .bytes = 1000}}});
    test::RawSocket client = connect();
    const std::string many = "/kaname.v1.Artifacts/Put";
    const std::string large = frame(kData, 0, 1, std::string(5000, 'u'));
    const std::string whole = frame(kData, 0, 3, std::string(900, 'm'));
    client.send(kHello + call(1, "good", many) + large + call(3, "good") + whole + call(5, "good") +
                frame(kData, 0, 5, std::string(200, 'r')));

    const std::string said = client.read_until(window_update(200));
    EXPECT_NE(said.find("may wait for answers at a time by"), std::string::npos);
    // The padded base64 of RFC 4648 that metadata of bytes has.
    EXPECT_NE(said.find("grpc-status-details-bin\x18YW55IGNhcm5hbCBwbGVhcw=="), std::string::npos);
    ASSERT_TRUE(joins(1));
    const std::string all = kHello + call(1, "good", many) + large + call(3, "good") + whole +
                            call(5, "good") + frame(kReset, 0, 5, std::string("\0\0\0\x08", 4));
    EXPECT_EQ(heard(0, all.size()), all);
    EXPECT_EQ(refused_, "/kaname.v1.Jobs/ListJobs 8");
}

TEST_F(GateTest, FloodsEndTheirOwnConnectionAlone) {
    open();
    test::RawSocket other = connect();
    other.send(kHello + call(1, "good"));
    ASSERT_TRUE(joins(1));
    std::string resets = kHello + call(1, "good-two");
    for (std::uint32_t k = 0; k < 2000; ++k) {
        resets += frame(kReset, 0, 1, std::string("\0\0\0\x08", 4));
    }
    std::string refusals = kHello;
    for (std::uint32_t k = 0; k < 300; ++k) {
        refusals += call(2 * k + 1, "");
    }
    for (const std::string& flood :
         {kHello + frame(kHeaders, 0, 1, std::string(16000, '\x82')) +
              frame(kContinuation, 0, 1, std::string(16000, '\x82')),
          kHello + frame(kHeaders, kEndHeaders, 1,
                         field("z", std::string(100, 'x')) + std::string(300, '\x82')),
          resets, refusals, std::string("GET / HTTP/1.1\r\n\r\n")}) {
        test::RawSocket client = connect();
        client.send(flood);
        (void)client.rest();  // it ends
    }

    other.send(frame(kData, kEndStream, 1, "still here"));
    const std::string all = heard(0, (kHello + call(1, "good")).size() + 19);
    EXPECT_TRUE(all.ends_with("still here")) << all.size();
}

TEST_F(GateTest, ALongAnswerWaitsForItsReaderAndComesWhole) {
    open();
    test::RawSocket client(gate_->port(), 4096);
    client.send(kHello + call(1, "good"));
    ASSERT_TRUE(joins(1));
    const std::string piece(1 << 16, 'a');
    std::size_t sent = 0;
    std::thread writer([&] {
        for (int k = 0; k < 64; ++k) {
            for (std::size_t at = 0; at < piece.size();) {
                const ssize_t done = ::send(joined_.front().get(), piece.data() + at,
                                            piece.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
                if (done > 0) {
                    at += static_cast<std::size_t>(done);
                } else {
                    std::this_thread::sleep_for(milliseconds(1));
                }
            }
            sent += piece.size();
        }
        joined_.clear();  // the server ends the connection
    });

    const std::string text = client.rest();
    writer.join();

    EXPECT_EQ(std::ranges::count(text, 'a'), static_cast<long>(sent));
}

TEST_F(GateTest, TheServerKnowsItsConnectionsApart) {
    open();
    test::RawSocket one = connect(), two = connect();
    one.send(kHello + call(1, "good"));
    two.send(kHello + call(1, "good"));
    ASSERT_TRUE(joins(2));
    const auto name_of = [](const Fd& socket) {
        sockaddr_un peer{};
        socklen_t size = sizeof peer;
        EXPECT_EQ(::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &size), 0);
        return std::string(peer.sun_path, size - sizeof(sa_family_t));
    };

    EXPECT_NE(name_of(joined_.front()), name_of(joined_.back()));
    EXPECT_GT(name_of(joined_.front()).size(), 1U);
}

TEST_F(GateTest, AddressesThatCannotBeUsedAreRefused) {
    const auto code_of = [&](const std::string& listen) {
        try {
            const Gate other({.listen = listen});
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    };
    open();

    EXPECT_EQ(code_of("9464"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of("192.0.2.1:0"), ErrorCode::Unavailable);
    EXPECT_EQ(code_of("127.0.0.1:" + std::to_string(gate_->port())), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace kaname::gate::gate_test
