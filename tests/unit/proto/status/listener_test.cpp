// SPDX-License-Identifier: BSD-3-Clause
// Who listens where a token is about to be sent.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::rpc::listener_test {
namespace {

constexpr uid_t kStranger = 4711;

std::string refusal_of(const Target& target) {
    try {
        check_listener(target);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// A socket that is listened on under a path.
Fd listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    ::chmod(path.c_str(), 0700);  // whatever the umask
    return socket;
}

/// Listens on a port of loopback as another user; only root can.
class StrangersPort {
public:
    StrangersPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        EXPECT_EQ(::fchown(socket_.get(), kStranger, kStranger), 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(socket_.get(), 1), 0);
        socklen_t size = sizeof address;
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
    }
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    Fd socket_;
    int port_ = 0;
};

TEST(Listener, OfThisUserIsTrusted) {
    const TemporaryFolder folder;
    ::chmod(folder.path().c_str(), 0700);
    const std::string path = (folder.path() / "s").string();
    EXPECT_EQ(refusal_of({"unix:" + path}), "");  // nobody listens: nobody gets anything
    const Fd socket = listen_at(path);

    EXPECT_EQ(refusal_of({"unix:" + path}), "");
}

TEST(Listener, InAFolderThatOthersMayWriteToIsNot) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "s").string();
    const Fd socket = listen_at(path);
    ::chmod(path.c_str(), 0755);
    ::chmod(folder.path().c_str(), 0777);

    EXPECT_EQ(refusal_of({"unix:" + path}),
              "unix:" + path +
                  ": others may write to its folder, so that the socket may be "
                  "anybody's, got mode 0777; no token was sent");
}

TEST(Listener, ThatOthersMayWriteToIsNotAllowed) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "s").string();
    const Fd socket = listen_at(path);
    ::chmod(path.c_str(), 0777);

    try {
        check_listener({"unix:" + path});
        FAIL() << "a socket of everybody was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::PermissionDenied);
        EXPECT_NE(std::string(error.what()).find("others may write to it,"), std::string::npos);
    }
}

TEST(Listener, ThatIsNoSocketIsNot) {
    const TemporaryFolder folder;
    write_file(folder.path() / "s", "");

    EXPECT_NE(refusal_of({"unix:" + (folder.path() / "s").string()}).find("must be a socket"),
              std::string::npos);
}

TEST(Listener, OfAnotherUserIsNotUnlessClientJsonIsHis) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can listen as another user";
    }
    const TemporaryFolder folder;
    ::chmod(folder.path().c_str(), 0700);
    const std::string path = (folder.path() / "s").string();
    const Fd socket = listen_at(path);
    ASSERT_EQ(::chown(path.c_str(), kStranger, kStranger), 0);

    EXPECT_NE(refusal_of({"unix:" + path}).find("belongs to user 4711"), std::string::npos);
    EXPECT_EQ(refusal_of({.address = "unix:" + path, .owner = kStranger}), "");
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(folder.path().c_str(), kStranger, kStranger), 0);
    EXPECT_NE(refusal_of({"unix:" + path}).find("its folder belongs to user 4711"),
              std::string::npos);
}

/// Listens on a free port of an address of IPv6 (or IPv4, mapped); the port.
int listen_on(const in6_addr& host, Fd& socket) {
    socket = Fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int off = 0;
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = host;
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        return 0;  // a machine without IPv6
    }
    EXPECT_EQ(::listen(socket.get(), 1), 0);
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin6_port);
}

TEST(Listener, IsFoundAtLoopbackAndAllAddressesHoweverTheKernelIsAsked) {
    for (const char* host : {"::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"}) {
        in6_addr address{};
        ASSERT_EQ(::inet_pton(AF_INET6, host, &address), 1);
        Fd socket;
        const int port = listen_on(address, socket);
        if (port == 0) {
            continue;
        }
        EXPECT_EQ(listening_users(port), std::vector<uid_t>{::geteuid()}) << host;
        EXPECT_EQ(listening_users_of_proc(port), std::vector<uid_t>{::geteuid()}) << host;
        socket.close();
        EXPECT_TRUE(listening_users(port).empty()) << host;
    }
}

TEST(Listener, OnAPortOfAnotherUserIsNot) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can listen as another user";
    }
    const StrangersPort squatted;
    const int port = std::stoi(squatted.address().substr(squatted.address().find(':') + 1));
    EXPECT_EQ(listening_users(port), std::vector<uid_t>{kStranger});
    EXPECT_EQ(listening_users_of_proc(port), std::vector<uid_t>{kStranger});

    EXPECT_NE(refusal_of({squatted.address()}).find("the port belongs to user 4711"),
              std::string::npos);
    EXPECT_EQ(refusal_of({.address = squatted.address(), .owner = kStranger}), "");
    EXPECT_EQ(refusal_of({.address = squatted.address(), .ca = "PEM"}), "");  // TLS tells
}

TEST(Listener, BeyondThisMachineNeedsACertificate) {
    EXPECT_NE(refusal_of({"node7:7400"}).find("give --ca FILE"), std::string::npos);
    EXPECT_EQ(refusal_of({.address = "node7:7400", .ca = "PEM"}), "");
}

}  // namespace
}  // namespace kaname::rpc::listener_test
