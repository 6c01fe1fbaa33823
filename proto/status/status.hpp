// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include <grpcpp/support/status.h>

#include "solvers/base/error.hpp"

/// The one map between kaname::Error and gRPC, used on both sides of the wire.
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

inline constexpr const char* kRequestIdConflict = "REQUEST_ID_CONFLICT";
inline constexpr const char* kLeaseLost = "LEASE_LOST";

/// Code, message and google.rpc details: ErrorInfo always, BadRequest with the field paths of a
/// ValidationError (those that fit, some dozens, and the number of all), RetryInfo with
/// UNAVAILABLE. All text is valid UTF-8; the whole fits the 8 KiB of trailers that clients take.
[[nodiscard]] grpc::Status to_status(const std::exception& error);

/// The reverse: throws the ValidationError, ReasonedError or Error that the status stands for.
/// `call` begins the message of what the transport itself reports ("cannot reach ...").
[[noreturn]] void throw_error(const grpc::Status& status, const std::string& call);

}  // namespace kaname::rpc
