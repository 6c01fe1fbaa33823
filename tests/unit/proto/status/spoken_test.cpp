// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/status/channel.hpp"

namespace kaname::rpc::spoken_test {
namespace {

/// Listens on a free port and lets `talk` have each connection.
class Peer {
public:
    explicit Peer(std::function<void(int)> talk) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof any;
        EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&any), size), 0);
        EXPECT_EQ(::listen(fd_, 4), 0);
        EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&any), &size), 0);
        port_ = ntohs(any.sin_port);
        thread_ = std::thread([this, talk] {
            for (int fd = ::accept(fd_, nullptr, nullptr); fd >= 0;
                 fd = ::accept(fd_, nullptr, nullptr)) {
                talk(fd);
                ::close(fd);
            }
        });
    }
    ~Peer() {
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    int fd_, port_ = 0;
    std::thread thread_;
};

void hear(int fd) {
    char text[64];
    (void)::recv(fd, text, sizeof text, 0);
}

void speak_plainly(int fd) {
    constexpr std::string_view kFrame{"\0\0\0\4\0\0\0\0\0", 9};
    (void)::send(fd, kFrame.data(), kFrame.size(), MSG_NOSIGNAL);
    hear(fd);
}

/// Answers as a TLS server does to bytes that are not TLS.
void alert(int fd) {
    constexpr std::string_view kAlert{"\x15\x03\x01\0\2\2\x46", 7};
    hear(fd);
    (void)::send(fd, kAlert.data(), kAlert.size(), MSG_NOSIGNAL);
}

Target over_tls(const std::string& address) {
    return {.address = address, .ca = "a certificate"};
}

TEST(PortProtocol, APortThatSpeaksTlsIsNamedToWhoDoesNot) {
    for (void (*talk)(int) : {&alert, &hear}) {  // hear: it only closes
        const Peer peer(talk);

        EXPECT_NE(transport_advice({peer.address()}).find("set KANAME_CA or --ca"),
                  std::string::npos);
        EXPECT_EQ(transport_advice(over_tls(peer.address())), "");
    }
}

TEST(PortProtocol, APortWithoutTlsIsNamedToWhoSpeaksIt) {
    const Peer peer(speak_plainly);

    EXPECT_NE(transport_advice(over_tls(peer.address())).find("listens without TLS"),
              std::string::npos);
    EXPECT_EQ(transport_advice({peer.address()}), "");
}

TEST(PortProtocol, WhereNobodyListensThereIsNoAdvice) {
    std::string gone;
    {
        const Peer peer(hear);
        gone = peer.address();
    }

    EXPECT_EQ(transport_advice({gone}), "");
    EXPECT_EQ(transport_advice(over_tls(gone)), "");
    EXPECT_EQ(transport_advice({"unix:/nowhere"}), "");
}

}  // namespace
}  // namespace kaname::rpc::spoken_test
