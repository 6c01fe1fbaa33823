// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "server/web/http/pages.hpp"
#include "solvers/base/error.hpp"

namespace kaname::http {

/// By the Authorization header's token alone, without an audit; `tokens` outlives it.
inline Authenticate by_tokens(const auth::Tokens& tokens) {
    return [&tokens](Request& request, auth::Role needed, const std::string&) {
        constexpr std::string_view kScheme = "Bearer ";
        const auto authorization = request.header("authorization");
        const auto principal =
            authorization && authorization->starts_with(kScheme)
                ? tokens.find(std::string_view(*authorization).substr(kScheme.size()))
                : std::nullopt;
        if (!principal) {
            throw Error(ErrorCode::Unauthenticated,
                        "header Authorization must be \"Bearer <token>\" with one of this "
                        "server's tokens");
        }
        if (!auth::allows(principal->role, needed)) {
            throw Error(ErrorCode::PermissionDenied,
                        "a token of role " + std::string(to_string(needed)) + " is needed");
        }
        request.authorization = *authorization;
        return *principal;
    };
}

}  // namespace kaname::http
