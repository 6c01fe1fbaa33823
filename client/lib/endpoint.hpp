// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace kaname::client {

/// Where a server is and what it knows the caller by.
struct Endpoint {
    std::string address;  ///< host:port, or unix:/path
    std::string token;
    std::string origin;  ///< where this was found, for messages
    /// PEM texts: who vouches for the server, and what this client shows it.
    std::string ca = {}, certificate = {}, key = {};
    std::optional<uid_t> owner = {};  ///< of client.json: who may be the server's user
};

/// The state folder of this user's server: `wanted`, else KANAME_STATE, else
/// $XDG_STATE_HOME/kaname, else ~/.local/state/kaname; for root /var/lib/kaname, which the
/// database's user can reach.
[[nodiscard]] std::filesystem::path state_folder(const std::string& wanted);

/// Reads client.json, which the server of a state folder wrote; nothing if there is no such file.
/// Throws PermissionDenied when it or its folder is another user's, or others may write to it.
[[nodiscard]] std::optional<Endpoint> recorded_endpoint(const std::filesystem::path& state);

/// Returns the address at which that server is reached over a network, as it wrote it; empty if it
/// is not.
[[nodiscard]] std::string recorded_listen(const std::filesystem::path& state);

/// `server` and `token` where given, else KANAME_SERVER and KANAME_TOKEN, else what the server of
/// the state folder wrote to client.json. Throws Unavailable when there is no such file.
/// A server that is reached over TLS is known by `ca`, else KANAME_CA (PEM files), else the
/// certificate in client.json, and is shown KANAME_CERT with KANAME_KEY. Throws NotFound for a PEM
/// file that cannot be read.
[[nodiscard]] Endpoint find_endpoint(const std::string& server, const std::string& token,
                                     const std::filesystem::path& state,
                                     const std::string& ca = "");

}  // namespace kaname::client
