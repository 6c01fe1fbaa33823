// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/message.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::http {
namespace {

constexpr std::size_t kMaxShownQuery = 64;  ///< of what somebody sent, in a message

}  // namespace

std::optional<std::string> Request::header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::nullopt : std::optional(found->second);
}

bool Request::has_body() const {
    const std::string length = header("content-length").value_or("0");
    return header("transfer-encoding").has_value() || length != "0";
}

bool Request::flag(const std::string& name) const {
    const auto found = query.find(name);
    if (found == query.end() || found->second == "false") {
        return false;
    }
    if (found->second != "true") {
        throw ValidationError({{name, "must be true or false, got \"" +
                                          to_utf8(found->second, kMaxShownQuery) + '"'}});
    }
    return true;
}

void Request::check_query(const std::vector<std::string>& known) const {
    std::vector<Violation> broken;
    std::string names;
    for (const std::string& name : known) {
        names += (names.empty() ? "" : ", ") + name;
    }
    for (const auto& [name, value] : query) {
        if (std::ranges::find(known, name) == known.end()) {
            broken.push_back({to_utf8(name, kMaxShownQuery),
                              names.empty() ? "must be left out: this page takes nothing behind ?"
                                            : "must be one of " + names});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

Answer plain(int status, const std::string& line) {
    return {.status = status,
            .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
            .text = line + "\n"};
}

}  // namespace kaname::http
