// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <sys/types.h>

namespace kaname::rpc {

/// Users of the sockets that listen on a TCP port of this machine, at loopback or at all addresses.
/// Empty where the kernel does not tell. Asked before each call: the kernel is asked for the
/// listening sockets alone (sock_diag), since its list of all (/proc/net/tcp) takes 10 ms and more.
[[nodiscard]] std::vector<uid_t> listening_users(int port);

/// Returns these users by /proc/net/tcp and tcp6, for kernels without sock_diag.
[[nodiscard]] std::vector<uid_t> listening_users_of_proc(int port);

}  // namespace kaname::rpc
