// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <netdb.h>

#include "solvers/base/address.hpp"

namespace kaname::http {

/// Where a caller calls from, in numbers; "?" where it cannot be told.
struct NetworkPlace {
    std::string address, port;
};
[[nodiscard]] NetworkPlace place_of(const sockaddr* address);

/// Addresses of HOST:PORT; ends with its destruction.
class Resolved {
public:
    explicit Resolved(const Address& address);
    ~Resolved();
    Resolved(const Resolved&) = delete;
    Resolved& operator=(const Resolved&) = delete;
    [[nodiscard]] const addrinfo* first() const { return first_; }

private:
    addrinfo* first_ = nullptr;
};

}  // namespace kaname::http
