// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/context.hpp"

#include "proto/reason/reasoned_error.hpp"
#include "server/service/views.hpp"

namespace kaname::service {
namespace {

std::unique_ptr<helpers::ShareQueue::Share> share_of(helpers::ShareQueue& turns,
                                                     const helpers::Caller& caller,
                                                     std::int64_t amount) {
    if (!turns.wait_for(caller, amount)) {
        throw Error(ErrorCode::Unavailable, "the caller has gone");
    }
    return std::make_unique<helpers::ShareQueue::Share>(turns, caller.owner(), amount);
}

}  // namespace

auth::Principal principal_of(const auth::Tokens& tokens,
                             std::optional<std::string_view> authorization) {
    constexpr std::string_view kScheme = "Bearer ";
    if (!authorization) {
        throw rpc::ReasonedError(
            ErrorCode::Unauthenticated, rpc::kTokenMissing,
            "no token: authorization (metadata, or a header over HTTP) must be "
            "\"Bearer <token>\"");
    }
    const auto principal = authorization->starts_with(kScheme)
                               ? tokens.find(authorization->substr(kScheme.size()))
                               : std::nullopt;
    if (!principal) {
        throw rpc::UnknownToken();
    }
    return *principal;
}

auth::Principal authenticate(Context& context, std::optional<std::string_view> authorization,
                             auth::Role needed, const std::string& method) {
    auth::Principal principal = principal_of(context.tokens, authorization);
    if (!auth::allows(principal.role, needed)) {
        const rpc::ReasonedError refusal(
            ErrorCode::PermissionDenied, rpc::kRoleTooLow,
            "role " + std::string(to_string(principal.role)) + " of \"" + principal.name +
                "\" may not do what needs role " + std::string(to_string(needed)));
        context.refusals.note(principal, method, refusal);
        throw refusal;
    }
    return principal;
}

void noting_refusals(Context& context, const auth::Principal& caller, const std::string& method,
                     const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        note_refusal(context, caller, method, error);
        throw;
    }
}

void note_refusal(Context& context, const auth::Principal& caller, const std::string& method,
                  const std::exception& error) {
    const auto* refusal = dynamic_cast<const Error*>(&error);
    if (refusal != nullptr && refusal->code() == ErrorCode::PermissionDenied) {
        context.refusals.note(caller, method, *refusal);
    }
}

void log_trouble(Context& context, const std::exception& error) {
    const auto* known = dynamic_cast<const Error*>(&error);
    const ErrorCode code = known != nullptr ? known->code() : ErrorCode::Internal;
    if (code == ErrorCode::Exhausted || code == ErrorCode::DataLoss ||
        code == ErrorCode::Internal) {
        const std::string kind(to_string(code));
        context.trouble(kind, "a call failed: " + kind + ": " + error.what());
    }
}

std::string shortage(const Context& context) {
    return context.options.room != nullptr ? context.options.room->shortage() : "";
}

std::unique_ptr<helpers::ShareQueue::Share> memory_for(Context& context,
                                                       const helpers::Caller& caller,
                                                       std::uint64_t bytes) {
    constexpr std::uint64_t kLittle = 1U << 20U;
    return bytes <= kLittle ? nullptr
                            : share_of(context.memory, caller, static_cast<std::int64_t>(bytes));
}

std::unique_ptr<helpers::ShareQueue::Share> memory_for_sources(Context& context,
                                                               const helpers::Caller& caller,
                                                               std::int64_t n_sources) {
    return n_sources <= kLargeJob ? nullptr : share_of(context.sources, caller, n_sources);
}

void check_room(const Context& context, std::uint64_t needed) {
    if (context.options.room != nullptr) {
        context.options.room->check(needed);
    }
}

void throw_if_draining(const Context& context) {
    if (context.draining) {
        throw rpc::ShuttingDown();
    }
}

}  // namespace kaname::service
