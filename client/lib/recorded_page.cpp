// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/recorded_page.hpp"

#include <nlohmann/json.hpp>

#include "proto/status/channel.hpp"
#include "solvers/base/files.hpp"

namespace kaname::client {

RecordedPage recorded_page(const std::filesystem::path& state) {
    const auto file =
        nlohmann::json::parse(read_file_if_any(state / "client.json"), nullptr, false);
    const auto text = [&](const char* name) {
        return file.is_object() && file.contains(name) && file[name].is_string()
                   ? file[name].get<std::string>()
                   : std::string();
    };
    return {text("http"), text("ca")};
}

void check_page(const RecordedPage& page, std::optional<uid_t> owner) {
    rpc::check_listener({.address = page.url.substr(page.url.find("://") + 3),
                         .ca = page.url.starts_with("https://") ? page.ca : "",
                         .owner = owner});
}

}  // namespace kaname::client
