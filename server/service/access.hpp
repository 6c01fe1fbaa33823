// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>

#include "proto/kaname/v1/admin_service.pb.h"
#include "server/service/context.hpp"

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

}  // namespace kaname::service
