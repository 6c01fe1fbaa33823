// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/access.hpp"

#include <cctype>
#include <cmath>
#include <string_view>

#include "server/service/stream/paging.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxTokenName = 64;
constexpr double kMaxLifetime_s = 100.0 * 365.25 * 86400;
constexpr std::size_t kUuid = 36;
constexpr int kDefaultEvents = 100;

/// One word, so that it stands in lists and filters as it is.
bool is_name(std::string_view text) {
    const auto is_word = [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; };
    if (text.empty() || text.size() > kMaxTokenName || !is_word(text.front())) {
        return false;
    }
    for (const char c : text) {
        if (!is_word(c) && std::string_view("._@-").find(c) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

v1::Token token_message(const store::Token& token) {
    v1::Token message;
    message.set_id(token.token_id);
    message.set_name(token.name);
    message.set_role(token.role);
    message.set_created_s(token.created_s);
    message.set_expires_s(token.expires_s);
    message.set_revoked_s(token.revoked_s);
    message.set_used_s(token.used_s);
    return message;
}

}  // namespace

void Access::make_token(const v1::MakeTokenRequest& request, const auth::Principal& caller,
                        v1::MakeTokenResponse& reply) {
    std::vector<Violation> broken;
    if (!is_name(request.name())) {
        broken.push_back(
            {"name", "must be 1..64 letters, digits, and . _ @ - behind the first, got \"" +
                         to_utf8(request.name(), kMaxTokenName) + '"'});
    }
    if (!auth::role_named(request.role())) {
        broken.push_back({"role", "must be viewer, user, operator, admin or worker, got \"" +
                                      to_utf8(request.role(), kMaxTokenName) + '"'});
    }
    if (!(request.expires_s() >= 0 && request.expires_s() <= kMaxLifetime_s)) {
        broken.push_back({"expires_s", "must be 0 for never, or up to 100 years, got " +
                                           std::to_string(request.expires_s())});
    }
    if (!request.request_id().empty() && request.request_id().size() != kUuid) {
        broken.push_back(
            {"request_id",
             "must be a UUID, got " + std::to_string(request.request_id().size()) + " bytes"});
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    const std::string secret = auth::random_token();
    *reply.mutable_token() = token_message(context_.store.add_token(
        {.sha256 = sha256_hex(secret),
         .name = request.name(),
         .role = request.role(),
         .lifetime_s = request.expires_s(),
         .request = request.request_id().empty() ? "" : caller.name + '/' + request.request_id()},
        actor_of(caller)));
    reply.set_secret(secret);
    context_.tokens.changed();
}

void Access::list_tokens(const v1::ListTokensRequest& request, v1::ListTokensResponse& reply) {
    for (const store::Token& token : context_.store.list_tokens()) {
        *reply.add_tokens() = token_message(token);
    }
    keep_page(request, *reply.mutable_tokens(), *reply.mutable_next_page_token(),
              [](const v1::Token& row) { return row.id(); });
}

void Access::revoke_token(const v1::RevokeTokenRequest& request, const auth::Principal& caller,
                          v1::Token& reply) {
    if (request.token().empty()) {
        refuse("token", "must be the id or the name of a token");
    }
    reply = token_message(
        context_.store.revoke_token(to_utf8(request.token(), kMaxTokenName), actor_of(caller)));
    context_.tokens.changed();
}

void Access::list_audit_events(const v1::ListAuditEventsRequest& request,
                               v1::ListAuditEventsResponse& reply) {
    if (!(request.from_s() >= 0) || !(request.until_s() >= 0)) {
        refuse("from_s", "must be a Unix time, as until_s, or 0");
    }
    const auto page = context_.store.list_audit(
        page_size_of(request.page_size(), kDefaultEvents), request.page_token(),
        {to_utf8(request.principal(), kMaxTokenName), to_utf8(request.method(), kMaxTokenName),
         to_utf8(request.resource(), kMaxTokenName), request.refused(), request.from_s(),
         request.until_s()});
    for (const store::AuditEvent& event : page.rows) {
        v1::AuditEvent& message = *reply.add_events();
        message.set_id(event.event_id);
        message.set_at_s(event.at_s);
        message.set_principal(event.principal);
        message.set_role(event.role);
        message.set_method(event.method);
        message.set_resource(event.resource);
        message.set_outcome(event.outcome);
    }
    reply.set_next_page_token(page.next);
}

void Access::make_login_codes_by(MakeLoginCode make) {
    const std::lock_guard lock(mutex_);
    make_login_code_ = std::move(make);
}

void Access::make_login_code(const auth::Principal& caller, const std::string& token,
                             v1::MakeLoginCodeResponse& reply) {
    const std::lock_guard lock(mutex_);
    if (!make_login_code_) {
        throw Error(ErrorCode::NotReady,
                    "this server has no page: start it again with --http 127.0.0.1:0");
    }
    const LoginCode made = make_login_code_(caller, token);
    reply.set_code(made.code);
    reply.set_expires_s(made.expires_s);
}

}  // namespace kaname::service
