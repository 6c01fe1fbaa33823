// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::rpc {

/// An Error whose ErrorInfo reason clients may act upon.
class ReasonedError : public Error {
public:
    ReasonedError(ErrorCode code, std::string reason, const std::string& message,
                  std::source_location where = std::source_location::current())
        : Error(code, message, where), reason_(std::move(reason)) {}
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    std::string reason_;
};

inline constexpr const char* kQuotaExceeded = "QUOTA_EXCEEDED";

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

inline constexpr const char* kRequestIdConflict = "REQUEST_ID_CONFLICT";
inline constexpr const char* kLeaseLost = "LEASE_LOST";

}  // namespace kaname::rpc
