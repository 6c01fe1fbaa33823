// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <charconv>
#include <functional>
#include <mutex>
#include <string>

#include "proto/kaname/v1/admin_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/stream/paging.hpp"

namespace kaname::service {

/// Logs a browser in, once, as whoever has a token.
struct LoginCode {
    std::string code;
    double expires_s = 0;  ///< Unix time
};
using MakeLoginCode =
    std::function<LoginCode(const auth::Principal& caller, const std::string& token)>;

/// Keeps tokens and shows the audit, for administrators; lets browsers in.
class Access {
public:
    explicit Access(Context& context) : context_(context) {}

    /// Throws ValidationError with each broken field.
    void make_token(const v1::MakeTokenRequest& request, const auth::Principal& caller,
                    v1::MakeTokenResponse& reply);
    void list_tokens(const v1::ListTokensRequest& request, v1::ListTokensResponse& reply);
    /// Throws NotFound, InvalidArgument for the name of several.
    void revoke_token(const v1::RevokeTokenRequest& request, const auth::Principal& caller,
                      v1::Token& reply);
    void list_audit_events(const v1::ListAuditEventsRequest& request,
                           v1::ListAuditEventsResponse& reply);

    /// Takes what makes codes for logins: the server's page, which takes it back (empty) before it
    /// goes. Returns when nobody is within the old one any more.
    void make_login_codes_by(MakeLoginCode make);
    /// Throws NotReady where the server has no page.
    void make_login_code(const auth::Principal& caller, const std::string& token,
                         v1::MakeLoginCodeResponse& reply);

private:
    Context& context_;
    std::mutex mutex_;
    MakeLoginCode make_login_code_;
};

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
