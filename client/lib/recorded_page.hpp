// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::client {

/// Where the page of a state folder's server is, as it wrote to client.json.
struct RecordedPage {
    std::string url;  ///< with http:// or https://; empty: it has none
    std::string ca;   ///< PEM: who vouches for it; empty: the system's authorities
};
[[nodiscard]] RecordedPage recorded_page(const std::filesystem::path& state);

}  // namespace kaname::client
