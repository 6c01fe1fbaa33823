// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/refusals.hpp"

#include <chrono>

#include "solvers/base/utf8.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kMaxAuditText = 1U << 10U;

}  // namespace

store::Actor actor_of(const auth::Principal& principal) {
    return {principal.name, std::string(to_string(principal.role))};
}

void Refusals::note(const auth::Principal& principal, const std::string& method,
                    const Error& refusal) {
    std::int64_t n_left_out = 0;
    {
        const std::lock_guard lock(mutex_);
        const std::int64_t minute = std::chrono::duration_cast<std::chrono::minutes>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count();
        if (minute != minute_) {
            minute_ = minute;
            n_in_minute_ = 0;
        }
        if (n_in_minute_ == kPerMinute) {
            ++n_left_out_;
            return;
        }
        ++n_in_minute_;
        std::swap(n_left_out, n_left_out_);
    }
    const auto* known = dynamic_cast<const Refusal*>(&refusal);
    store::AuditEvent event;
    event.principal = principal.name;
    event.role = to_string(principal.role);
    event.method = method;
    event.resource = known != nullptr ? to_utf8(known->resource(), kMaxAuditText) : "";
    event.outcome = "refused: " + to_utf8(refusal.what(), kMaxAuditText);
    if (n_left_out > 0) {
        event.outcome += " (before it, " + std::to_string(n_left_out) + " were not kept)";
    }
    try {
        store_.record(event);
    } catch (const std::exception&) {
        const std::lock_guard lock(mutex_);
        n_left_out_ += n_left_out + 1;
    }
}

}  // namespace kaname::service
