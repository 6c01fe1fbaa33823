// SPDX-License-Identifier: BSD-3-Clause
// Finds out which protocol a port speaks, for the message of a call that failed.
#include <ctime>
#include <memory>
#include <string_view>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "proto/status/certificate_time.hpp"
#include "proto/status/channel.hpp"
#include "proto/status/proxy.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"

namespace kaname::rpc {
namespace {

constexpr timeval kPatience{1, 0};
/// kPreface holds the bytes with which an HTTP/2 client begins, and empty settings.
constexpr std::string_view kPreface{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
constexpr std::size_t kFrameHead = 9, kTypeAt = 3;
constexpr char kSettings = 4;

class Socket {
public:
    explicit Socket(int fd) : fd_(fd) {}
    ~Socket() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

std::string without_brackets(const std::string& host) {
    return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

Spoken spoken_at(const std::string& address) {
    const Address parts = parse_address("server", address);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(without_brackets(parts.host).c_str(), std::to_string(parts.port).c_str(),
                      &hints, &found) != 0) {
        return Spoken::Nothing;
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        const Socket socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
        (void)::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
        (void)::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
        if (::connect(socket.fd(), one->ai_addr, one->ai_addrlen) != 0) {
            continue;
        }
        (void)::send(socket.fd(), kPreface.data(), kPreface.size(), MSG_NOSIGNAL);
        char head[kFrameHead];
        const ssize_t n = ::recv(socket.fd(), head, sizeof head, MSG_WAITALL);
        const bool frame = n == static_cast<ssize_t>(kFrameHead) && head[kTypeAt] == kSettings;
        return frame ? Spoken::Plain : Spoken::Else;
    }
    return Spoken::Nothing;
}

std::string transport_advice(const Target& target) {
    if (target.address.starts_with("unix:")) {
        return "";
    }
    if (std::string advice = proxy_advice(target); !advice.empty()) {
        return advice;
    }
    const bool tls = !target.ca.empty();
    try {
        check_listener(target);
    } catch (const Error&) {
        return "";  // a stranger is not spoken to
    }
    if (std::string advice = certificate_time_advice(target.ca, std::time(nullptr));
        !advice.empty()) {
        return advice;
    }
    const Spoken spoken = spoken_at(target.address);
    if (!tls && spoken == Spoken::Else) {
        return "; what listens there does not answer without encryption: when it speaks TLS, set "
               "KANAME_CA or --ca to its certificate";
    }
    if (tls && spoken == Spoken::Plain) {
        return "; it listens without TLS: leave out KANAME_CA and --ca, or start it with --tls";
    }
    return "";
}

}  // namespace kaname::rpc
