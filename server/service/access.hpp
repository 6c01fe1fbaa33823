// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/admin_service.pb.h"
#include "server/service/context.hpp"

namespace kaname::service {

/// Tokens and the audit, for administrators.
class Access {
public:
    explicit Access(Context& context) : context_(context) {}

    /// Throws ValidationError with each broken field.
    void make_token(const v1::MakeTokenRequest& request, const auth::Principal& caller,
                    v1::MakeTokenResponse& reply);
    void list_tokens(v1::ListTokensResponse& reply);
    /// Throws NotFound, InvalidArgument for the name of several.
    void revoke_token(const v1::RevokeTokenRequest& request, const auth::Principal& caller,
                      v1::Token& reply);
    void list_audit_events(const v1::ListAuditEventsRequest& request,
                           v1::ListAuditEventsResponse& reply);

private:
    Context& context_;
};

}  // namespace kaname::service
