// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "server/auth/tokens.hpp"

namespace kaname::daemon {

/// Who may call the server, and how the programs of this machine do.
struct Access {
    auth::Tokens tokens;
    std::string cli_token;               ///< token of the principal "cli", role admin
    std::filesystem::path worker_token;  ///< file with the token of "agent", role worker
};

/// Reads <state>/tokens and issues the two tokens above when their files are lost or no longer
/// accepted; all files have mode 0600. Throws InvalidArgument for a damaged tokens file.
[[nodiscard]] Access prepare_access(const std::filesystem::path& state);

/// Where the server is reached over a network.
struct NetworkPlace {
    std::string listen;  ///< host:port; empty: nowhere
    std::string ca;      ///< PEM: what its certificate is known by; empty: no TLS
};

/// <state>/client.json, by which kaname finds the server: {"address": ..., "token": ...} and where
/// there is one {"listen": ..., "ca": ...}.
void write_client_file(const std::filesystem::path& state, const std::string& address,
                       const std::string& token, const NetworkPlace& network = {});

/// `listen` with its port 0 replaced by the port of the last start, when there was one: agents and
/// clients then find a restarted server where it was. Throws InvalidArgument unless it is
/// HOST:PORT.
[[nodiscard]] std::string listen_where_it_was(const std::string& listen,
                                              const std::filesystem::path& state);
/// Where a program of this machine reaches a server that listens on `listen` with that port.
[[nodiscard]] std::string local_address(const std::string& listen, int port);

}  // namespace kaname::daemon
