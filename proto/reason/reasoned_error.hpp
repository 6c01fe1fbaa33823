// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::rpc {

/// An Error whose ErrorInfo reason clients may act upon; any other error has the name of its code.
class ReasonedError : public Error {
public:
    ReasonedError(ErrorCode code, std::string reason, const std::string& message,
                  std::source_location where = std::source_location::current())
        : Error(code, message, where), reason_(std::move(reason)) {}
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    std::string reason_;
};

// The causes that have a reason of their own; the page for users has the table of them.
inline constexpr const char* kTokenMissing = "TOKEN_MISSING";
inline constexpr const char* kTokenUnknown = "TOKEN_UNKNOWN";
inline constexpr const char* kSessionEnded = "SESSION_ENDED";
inline constexpr const char* kRoleTooLow = "ROLE_TOO_LOW";
inline constexpr const char* kJobUnknown = "JOB_UNKNOWN";
inline constexpr const char* kCampaignUnknown = "CAMPAIGN_UNKNOWN";
inline constexpr const char* kJobActive = "JOB_ACTIVE";
inline constexpr const char* kResultNotReady = "RESULT_NOT_READY";
inline constexpr const char* kEtagMismatch = "ETAG_MISMATCH";
inline constexpr const char* kRequestIdConflict = "REQUEST_ID_CONFLICT";
inline constexpr const char* kLeaseLost = "LEASE_LOST";
inline constexpr const char* kWorkerLost = "WORKER_LOST";
inline constexpr const char* kQuotaExceeded = "QUOTA_EXCEEDED";
inline constexpr const char* kLimitExceeded = "LIMIT_EXCEEDED";
inline constexpr const char* kDiskFull = "DISK_FULL";
inline constexpr const char* kDatabaseUnavailable = "DATABASE_UNAVAILABLE";
inline constexpr const char* kShuttingDown = "SHUTTING_DOWN";

/// Exhausted: `subject` ("owners/ann") has or wants more than an operator allows it.
class QuotaError : public ReasonedError {
public:
    QuotaError(std::string subject, const std::string& message,
               std::source_location where = std::source_location::current())
        : ReasonedError(ErrorCode::Exhausted, kQuotaExceeded, message, where),
          subject_(std::move(subject)) {}
    [[nodiscard]] const std::string& subject() const noexcept { return subject_; }

private:
    std::string subject_;
};

/// Unauthenticated: a token that no row of this server's has.
class UnknownToken : public ReasonedError {
public:
    explicit UnknownToken(std::source_location where = std::source_location::current())
        : ReasonedError(ErrorCode::Unauthenticated, kTokenUnknown,
                        "the token is not one of this server's", where) {}
};

/// Unavailable: whoever calls again finds the server that comes after this one.
class ShuttingDown : public ReasonedError {
public:
    explicit ShuttingDown(std::source_location where = std::source_location::current())
        : ReasonedError(ErrorCode::Unavailable, kShuttingDown, "the server shuts down; call again",
                        where) {}
};

}  // namespace kaname::rpc
