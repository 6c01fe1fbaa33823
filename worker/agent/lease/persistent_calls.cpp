// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/persistent_calls.hpp"

namespace kaname::agent {
namespace {

/// The server may take the same call later: it is away, or does not know the token yet.
bool is_worth_waiting(ErrorCode code) {
    return is_retryable(code) || code == ErrorCode::Unauthenticated ||
           code == ErrorCode::PermissionDenied;
}

}  // namespace

CallEnd PersistentCalls::insist(const std::function<void()>& call,
                                const std::function<bool()>& wanted,
                                const std::function<void(const std::string&)>& waiting) {
    using Clock = std::chrono::steady_clock;
    Backoff backoff;
    std::optional<Clock::time_point> full_since;
    while (wanted() && !stop_) {
        try {
            call();
            return {CallEnd::Outcome::Done};
        } catch (const Error& error) {
            ++n_failed_;
            if (error.code() == ErrorCode::Exhausted && waiting) {
                const auto now = Clock::now();
                if (now - full_since.value_or(now) >= full_store_) {
                    return {CallEnd::Outcome::Refused, error};
                }
                if (!full_since) {
                    full_since = now;
                    waiting(error.what());
                }
            } else if (!is_worth_waiting(error.code())) {
                return {CallEnd::Outcome::Refused, error};
            }
        }
        std::unique_lock lock(mutex_);
        stopped_.wait_for(lock, backoff.next(), [&] { return stop_.load(); });
    }
    return {CallEnd::Outcome::Unwanted};
}

void PersistentCalls::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_all();
}

}  // namespace kaname::agent
