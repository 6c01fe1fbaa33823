// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>

#include "server/http/message.hpp"

namespace kaname::http {

/// An error as an answer, with the status that belongs to its code unless `status` says another.
/// Whoever takes JSON (Accept) or posts gets google.rpc.Status in protobuf's JSON, the same that
/// gRPC's callers get: code, message, and details with the reason and each field that is wrong;
/// others get the message as text.
[[nodiscard]] Answer error_answer(const Request& request, const std::exception& error,
                                  std::optional<int> status = std::nullopt);

}  // namespace kaname::http
