// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/network_place.hpp"

#include <array>

namespace kaname::http {

NetworkPlace place_of(const sockaddr* address) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    const socklen_t size =
        address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::getnameinfo(address, size, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {"?", "?"};
    }
    return {host.data(), port.data()};
}

Resolved::Resolved(const Address& address) {
    const bool bracketed = address.host.starts_with('[') && address.host.ends_with(']');
    const std::string host =
        bracketed ? address.host.substr(1, address.host.size() - 2) : address.host;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    if (::getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &first_) != 0) {
        first_ = nullptr;
    }
}

Resolved::~Resolved() {
    if (first_ != nullptr) {
        ::freeaddrinfo(first_);
    }
}

}  // namespace kaname::http
