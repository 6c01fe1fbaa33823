// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <string>

#include "server/service/paging.hpp"
#include "server/service/request_fields.hpp"

namespace kaname::service {

inline constexpr int kListPage = 1000;  ///< rows of a page, when nothing is asked for and at most

/// Leaves in `rows`, which has the whole list in its order, the page that `request` asks for, and
/// puts the token of the next page into `next`. A token is the place and the key of a page's last
/// row: what joins or leaves the list meanwhile moves no other row out of sight; where that row has
/// left, one may be seen again. `key_of` gives what is unique to a row. Throws ValidationError for
/// another token or a negative size.
template <class Request, class Rows, class KeyOf>
void keep_page(const Request& request, Rows& rows, std::string& next, const KeyOf& key_of) {
    const int size = std::min(kListPage, page_size_of(request.page_size(), kListPage));
    const std::string& token = request.page_token();
    int begin = 0;
    if (!token.empty()) {
        const std::size_t dot = token.find('.');
        const char* const end = token.data() + std::min(dot, token.size());
        const auto [at, error] = std::from_chars(token.data(), end, begin);
        if (dot == std::string::npos || error != std::errc() || at != end || begin < 0) {
            refuse("page_token",
                   "must come from an earlier page, got \"" + token.substr(0, 100) + '"');
        }
        const std::string key = token.substr(dot + 1);
        const auto last =
            std::ranges::find_if(rows, [&](const auto& row) { return key_of(row) == key; });
        begin = last == rows.end() ? std::min(std::max(begin - 1, 0), rows.size())
                                   : static_cast<int>(last - rows.begin()) + 1;
    }
    if (rows.size() - begin > size) {
        rows.DeleteSubrange(begin + size, rows.size() - begin - size);
        next = std::to_string(rows.size()) + '.' + std::string(key_of(*rows.rbegin()));
    }
    rows.DeleteSubrange(0, begin);
}

}  // namespace kaname::service
