// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sys/socket.h>

#include "solvers/base/fd.hpp"

namespace kaname::gate {

/// Sockets that listen on HOST:PORT: one for each address of the host, all with one port. They
/// never block. Throws InvalidArgument for another form, Unavailable when one cannot be bound.
[[nodiscard]] std::vector<Fd> listen_on(const std::string& listen);
[[nodiscard]] int port_of(const Fd& socket);
/// The address that somebody calls from, in numbers, without the port.
[[nodiscard]] std::string address_of(const sockaddr_storage& peer);

/// Two connected sockets that never block. The name of the first, by which the second knows it, is
/// unique on this machine while it is open. Throws Unavailable.
struct Pair {
    Fd near;
    int far = -1;  ///< whoever takes the pair closes it
};
[[nodiscard]] Pair make_pair_of_sockets();

}  // namespace kaname::gate
