// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "server/auth/tokens.hpp"
#include "server/store/access_store.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

/// PermissionDenied that says of what.
class Refusal : public Error {
public:
    Refusal(std::string resource, const std::string& message)
        : Error(ErrorCode::PermissionDenied, message), resource_(std::move(resource)) {}
    [[nodiscard]] const std::string& resource() const { return resource_; }

private:
    std::string resource_;
};

/// Who is told of a change.
[[nodiscard]] store::Actor actor_of(const auth::Principal& principal);

/// Puts refusals into the audit, in transactions of their own and not more than kPerMinute of them:
/// who calls in vain all day must not fill the database. What was left out is counted in the next
/// one. Safe from any thread.
class Refusals {
public:
    static constexpr int kPerMinute = 60;

    explicit Refusals(store::AccessStore& store) : store_(store) {}

    /// Never throws: a refusal is told to its caller whether or not it can be kept.
    void note(const auth::Principal& principal, const std::string& method, const Error& refusal);

private:
    store::AccessStore& store_;
    std::mutex mutex_;
    std::int64_t minute_ = -1;
    int n_in_minute_ = 0;
    std::int64_t n_left_out_ = 0;
};

}  // namespace kaname::service
