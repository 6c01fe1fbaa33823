// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/listeners.hpp"

#include <array>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

constexpr int kBacklog = 4096;
using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolved(const std::string& host, int port) {
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    const std::string name = bracketed ? host.substr(1, host.size() - 2) : host;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* first = nullptr;
    if (::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &first) != 0) {
        first = nullptr;
    }
    return {first, &freeaddrinfo};
}

/// A closed one when the address cannot be bound. An IPv6 wildcard takes IPv4 too where `both`.
Fd bound(const sockaddr* address, socklen_t size, bool both) {
    constexpr int kYes = 1;
    const int ipv6_only = both ? 0 : 1;
    Fd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &kYes, sizeof kYes);
    if (address->sa_family == AF_INET6) {
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &ipv6_only, sizeof ipv6_only);
    }
    const bool listens = socket.open() && ::bind(socket.get(), address, size) == 0 &&
                         ::listen(socket.get(), kBacklog) == 0;
    return listens ? std::move(socket) : Fd();
}

}  // namespace

std::vector<Fd> listen_on(const std::string& listen) {
    const Address address = parse_address("--listen", listen);
    std::vector<Fd> sockets;
    if (address.host == "0.0.0.0" || address.host == "[::]") {
        sockaddr_in6 any{};
        any.sin6_family = AF_INET6;
        any.sin6_port = htons(static_cast<std::uint16_t>(address.port));
        if (Fd socket = bound(reinterpret_cast<const sockaddr*>(&any), sizeof any, true);
            socket.open()) {
            sockets.push_back(std::move(socket));
            return sockets;
        }
    }
    int port = address.port;
    const Addresses all = resolved(address.host, port);
    for (const addrinfo* at = all.get(); at != nullptr; at = at->ai_next) {
        if (at->ai_family == AF_INET) {
            reinterpret_cast<sockaddr_in*>(at->ai_addr)->sin_port =
                htons(static_cast<std::uint16_t>(port));
        } else if (at->ai_family == AF_INET6) {
            reinterpret_cast<sockaddr_in6*>(at->ai_addr)->sin6_port =
                htons(static_cast<std::uint16_t>(port));
        }
        if (Fd socket = bound(at->ai_addr, at->ai_addrlen, false); socket.open()) {
            sockets.push_back(std::move(socket));
            port = port_of(sockets.back());
        }
    }
    if (sockets.empty()) {
        throw Error(ErrorCode::Unavailable,
                    "cannot listen on " + listen + ": in use, or not an address of this machine");
    }
    return sockets;
}

int port_of(const Fd& socket) {
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size);
    return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(own).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(own).sin_port);
}

std::string address_of(const sockaddr_storage& peer) {
    constexpr const char* kMapped = "::ffff:";
    std::array<char, NI_MAXHOST> host{};
    const socklen_t size = peer.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&peer), size, host.data(), host.size(),
                      nullptr, 0, NI_NUMERICHOST) != 0) {
        return "?";
    }
    const std::string text = host.data();
    return text.starts_with(kMapped) ? text.substr(std::strlen(kMapped)) : text;
}

Pair make_pair_of_sockets() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        throw Error(ErrorCode::Unavailable, "the server is out of files; call again later");
    }
    Pair pair{Fd(ends[0]), ends[1]};
    // Without a name of ours the system chooses an abstract one.
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (::bind(pair.near.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(sa_family_t)) !=
        0) {
        ::close(pair.far);
        throw Error(ErrorCode::Unavailable, "the server has no name for a socket");
    }
    return pair;
}

}  // namespace kaname::gate
