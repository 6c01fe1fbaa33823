// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>

#include "client/cli/common/commands.hpp"

namespace kaname::cli {

/// Adds the command that opens the server's page; as those of commands.hpp.
void add_page(Command& app, Context& context);

/// The job that a view of the page names ("map/latest": "latest"); nothing where it names none.
[[nodiscard]] std::optional<std::string> job_of_view(const std::string& view);
/// The view with that job in place of the one it names.
[[nodiscard]] std::string with_job(const std::string& view, const std::string& uuid);

/// Address of the page that logs in by a code, and shows a view: both behind '#', which no browser
/// sends and no log keeps.
[[nodiscard]] std::string page_address(const std::string& url, const std::string& code,
                                       const std::string& view);

}  // namespace kaname::cli
