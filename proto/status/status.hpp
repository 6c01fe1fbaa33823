// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include <grpcpp/support/status.h>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/error.hpp"

/// The one map between kaname::Error and gRPC, used on both sides of the wire.
namespace kaname::rpc {

/// Code, message and google.rpc details: ErrorInfo always, BadRequest with the field paths of a
/// ValidationError (those that fit, some dozens, and the number of all), RetryInfo with
/// UNAVAILABLE. All text is valid UTF-8; the whole fits the 8 KiB of trailers that clients take.
[[nodiscard]] grpc::Status to_status(const std::exception& error);

/// The reverse: throws the ValidationError, ReasonedError or Error that the status stands for.
/// `call` begins the message of what the transport itself reports ("cannot reach ...").
[[noreturn]] void throw_error(const grpc::Status& status, const std::string& call);

}  // namespace kaname::rpc
