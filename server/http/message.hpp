// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/auth/tokens.hpp"
#include "server/http/feed.hpp"
#include "solvers/base/fd.hpp"

namespace kaname::http {

inline constexpr std::size_t kMaxShownPath = 100;  ///< bytes of a request's path in a message

struct Request {
    std::string method, path;
    /// By lower-case name; what came several times is joined by ", ", as lists are.
    std::map<std::string, std::string> headers = {};
    std::map<std::string, std::string> query = {};  ///< behind '?'; the last of a name
    std::string rest = {};                          ///< of the path, behind that of its page
    std::string body = {};                          ///< empty for pages that take none
    auth::Principal caller = {};
    std::string authorization = {};   ///< "Bearer TOKEN" of the caller, however it was said
    std::string connection = {};      ///< ADDRESS:PORT of the caller
    std::function<bool()> gone = {};  ///< whether the caller has left; empty: it stays

    /// The value of a header; nothing when there is none.
    [[nodiscard]] std::optional<std::string> header(const std::string& lower_case_name) const;
    /// Returns true if a body follows.
    [[nodiscard]] bool has_body() const;
    /// A word of the query: true or false, false where it is not said. Throws ValidationError.
    [[nodiscard]] bool flag(const std::string& name) const;
    /// Throws ValidationError that names each word of the query that is none of `known`.
    void check_query(const std::vector<std::string>& known) const;
};

/// Bytes of an open file, sent as they are.
struct Region {
    Fd file;
    std::uint64_t offset = 0, bytes = 0;
};

struct Answer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string text = {};
    std::optional<Region> region = {};             ///< in place of `text`
    std::shared_ptr<Feed> feed = {};               ///< likewise: text that comes by and by
    std::optional<std::uint64_t> feed_bytes = {};  ///< all of it, where that is known
    std::shared_ptr<const void> held = {};  ///< until all of it is sent, or the caller has left
};

/// Takes the answer of a page that makes it later: once, from any thread.
using Done = std::function<void(Answer)>;

/// text/plain of one line.
[[nodiscard]] Answer plain(int status, const std::string& line);

}  // namespace kaname::http
