// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kaname::http {

/// The head of a request: what comes before its body.
struct Request {
    std::string method, path;
    std::map<std::string, std::string> headers;  ///< by lower-case name

    /// The value of a header; empty when there is none.
    [[nodiscard]] std::string header(const std::string& lower_case_name) const;
    /// Whether a body follows.
    [[nodiscard]] bool has_body() const;
};

/// Nothing when the text is no HTTP/1 head. `text` ends before the empty line.
[[nodiscard]] std::optional<Request> parse_request(std::string_view text);

/// A whole answer, after which the connection ends.
[[nodiscard]] std::string response(int status, const std::string& type, const std::string& body);

}  // namespace kaname::http
