// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include <arpa/inet.h>
#include <grpcpp/channel.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "proto/status/channel.hpp"
#include "solvers/base/files.hpp"

namespace kaname::rpc::proxy_test {
namespace {

constexpr const char* kCa = "-----BEGIN CERTIFICATE-----\n";

using Values = std::map<std::string, std::string>;

/// Sets variables of the environment, and puts them back as they were.
class Environment {
public:
    explicit Environment(const Values& values) {
        for (const char* name :
             {"grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy"}) {
            const char* const before = std::getenv(name);
            before_[name] = before == nullptr ? "" : before;
            const auto wanted = values.find(name);
            wanted == values.end() ? ::unsetenv(name) : ::setenv(name, wanted->second.c_str(), 1);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    Values before_;
};

/// Listens on a free port of this machine.
class Listener {
public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof any;
        EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
        EXPECT_EQ(::listen(fd_.get(), 8), 0);
        EXPECT_EQ(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
        port_ = ntohs(any.sin_port);
    }
    [[nodiscard]] bool is_called_within(int milliseconds) const {
        pollfd wait{fd_.get(), POLLIN, 0};
        return ::poll(&wait, 1, milliseconds) == 1;
    }
    [[nodiscard]] std::string port() const { return std::to_string(port_); }

private:
    Fd fd_;
    int port_ = 0;
};

std::string proxy_to(const std::string& address, const std::string& ca = kCa) {
    const auto proxy = proxy_of({.address = address, .ca = ca});
    return proxy ? proxy->variable + " " + proxy->place : "none";
}

TEST(Proxy, GetsNoByteOfALoopbackTarget) {
    for (const char* variable : {"grpc_proxy", "https_proxy", "http_proxy"}) {
        const Listener server, proxy;
        const Environment set(Values{{variable, "http://127.0.0.1:" + proxy.port()}});

        const auto channel = connect({.address = "127.0.0.1:" + server.port()});
        // A first attempt may fail although somebody listens (rpc::connect).
        bool called = false;
        for (int attempt = 0; attempt < 100 && !called; ++attempt) {
            (void)channel->GetState(true);
            called = server.is_called_within(100);
        }

        EXPECT_TRUE(called) << variable;
        EXPECT_FALSE(proxy.is_called_within(0)) << variable;
    }
}

TEST(Proxy, IsUsedForOtherMachinesOverTlsAlone) {
    const Environment set(Values{{"https_proxy", "http://proxy.invalid:3128"}});

    EXPECT_EQ(proxy_to("192.0.2.7:7400"), "https_proxy http://proxy.invalid:3128");
    EXPECT_EQ(proxy_to("192.0.2.7:7400", ""), "none");
    EXPECT_EQ(proxy_to("unix:/run/kaname/kaname"), "none");
    for (const char* near : {"127.3.2.1:7", "localhost:7", "[::1]:7", "[::ffff:127.0.0.1]:7",
                             "169.254.1.2:7", "[fe80::1%eth0]:7"}) {
        EXPECT_EQ(proxy_to(near), "none") << near;
    }
}

TEST(Proxy, IsThatOfTheFirstVariableThatIsSet) {
    const Values values = {{"grpc_proxy", "http://a:1"}, {"https_proxy", "http://b:2"}};
    {
        const Environment set(values);
        EXPECT_EQ(proxy_to("192.0.2.7:7400"), "grpc_proxy http://a:1");
    }
    const Environment set(Values{{"grpc_proxy", ""}, {"https_proxy", "http://b:2"}});
    EXPECT_EQ(proxy_to("192.0.2.7:7400"), "none");
}

TEST(Proxy, LeavesOutWhatNoProxyNames) {
    const Environment set(
        Values{{"http_proxy", "http://a:1"}, {"no_proxy", "example.org,192.0.2.7"}});

    EXPECT_EQ(proxy_to("192.0.2.7:7400"), "none");
    EXPECT_EQ(proxy_to("kaname.Example.org:7400"), "none");
    EXPECT_EQ(proxy_to("192.0.2.8:7400"), "http_proxy http://a:1");
}

TEST(Proxy, IsNamedWithoutItsPassword) {
    const Environment set(Values{{"https_proxy", "http://ada:secret@proxy.invalid:3128"}});

    EXPECT_EQ(transport_advice({.address = "192.0.2.7:7400", .ca = kCa}),
              "; the connection goes through the proxy http://proxy.invalid:3128 (from "
              "https_proxy), which must let it pass: no_proxy=192.0.2.7 leads around it");
}

}  // namespace
}  // namespace kaname::rpc::proxy_test
