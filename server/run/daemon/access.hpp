// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "server/store/access_store.hpp"

namespace kaname::daemon {

/// How the programs of this machine call the server.
struct Access {
    std::string cli_token;               ///< token of the principal "cli", role admin
    std::filesystem::path worker_token;  ///< file with the token of "agent", role worker
};

/// Sees to it that the store knows the tokens of <state>/client.json and <state>/worker.token, and
/// makes new ones, in place of those that it made here before, where the files are lost or their
/// tokens revoked. The tokens of a file <state>/tokens, of which servers before this version read
/// them, are taken over, each with a line of `log` and of the audit; it is then called
/// tokens.taken-over. All files have mode 0600. Throws InvalidArgument for a damaged tokens file,
/// PermissionDenied for one that is not this user's with mode 0600.
[[nodiscard]] Access prepare_access(const std::filesystem::path& state, store::AccessStore& store,
                                    const std::function<void(const std::string&)>& log);

/// Tokens of the agents that this server starts: one each, good for one live worker at a time.
class AgentTokens {
public:
    /// `store` outlives this.
    AgentTokens(const std::filesystem::path& state, store::AccessStore& store);

    /// Makes a new token and revokes those of an earlier agent of this name.
    [[nodiscard]] std::string make(const std::string& name) const;
    /// Revokes the tokens of this name. Throws Unavailable.
    void end(const std::string& name) const;
    /// As make, in `file`, mode 0600.
    void give(const std::string& name, const std::filesystem::path& file) const;
    /// The agent has gone: its token ends, and the file with it. Throws Unavailable.
    void take_back(const std::filesystem::path& file) const;

private:
    store::AccessStore& store_;
    std::string place_;
};

/// Where the server is reached over a network.
struct NetworkPlace {
    std::string listen;        ///< host:port; empty: nowhere
    std::string ca;            ///< PEM: what its certificate is known by; empty: no TLS
    std::string http = {};     ///< address of its page, with http:// or https://; empty: none
    std::string metrics = {};  ///< host:port of its metrics; empty: none
};

/// <state>/client.json, by which kaname finds the server: {"address": ..., "token": ...} and where
/// there is one {"listen": ..., "ca": ..., "http": ..., "metrics": ...}.
void write_client_file(const std::filesystem::path& state, const std::string& address,
                       const std::string& token, const NetworkPlace& network = {});

/// `listen` with its port 0 replaced by the port of the last start, when there was one: agents and
/// clients then find a restarted server where it was. Throws InvalidArgument unless it is
/// HOST:PORT.
[[nodiscard]] std::string listen_where_it_was(const std::string& listen,
                                              const std::filesystem::path& state);
/// Returns the address of --http, and so of the page, with its port 0 replaced likewise.
[[nodiscard]] std::string http_where_it_was(const std::string& http,
                                            const std::filesystem::path& state);
/// Returns --metrics in the same way.
[[nodiscard]] std::string metrics_where_it_was(const std::string& metrics,
                                               const std::filesystem::path& state);
/// Returns the address at which programs of this machine reach a server that listens on `listen`
/// with that port.
[[nodiscard]] std::string local_address(const std::string& listen, int port);

/// Where the programs of this machine reach the server of a state folder: <state>/socket/kaname, in
/// a folder of this user alone (mode 0700) that is made here. A path over `longest` bytes becomes a
/// short one in `runtime` (empty: /run for root, else XDG_RUNTIME_DIR, else /tmp). Throws Conflict
/// when somebody else has that folder, Unavailable when it cannot be made.
[[nodiscard]] std::filesystem::path make_api_socket(const std::filesystem::path& state,
                                                    const std::filesystem::path& runtime = {},
                                                    std::size_t longest = 107);

}  // namespace kaname::daemon
