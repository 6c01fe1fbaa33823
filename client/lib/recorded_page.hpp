// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace kaname::client {

/// Where the page of a state folder's server is, as it wrote to client.json.
struct RecordedPage {
    std::string url;  ///< with http:// or https://; empty: it has none
    std::string ca;   ///< PEM: who vouches for it; empty: the system's authorities
};
[[nodiscard]] RecordedPage recorded_page(const std::filesystem::path& state);

/// To be called before a browser is sent there with a code: whoever listens must be the server's
/// user (`owner`, that of client.json), root or this user. Throws Unavailable.
void check_page(const RecordedPage& page, std::optional<uid_t> owner);

}  // namespace kaname::client
