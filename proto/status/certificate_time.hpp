// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <string>

namespace kaname::rpc {

/// Returns what the message of a call that found no server says when none of the certificates of a
/// PEM text holds at `now`, as this machine's clock has it: since when or until when they do. Empty
/// when one holds, or the text has none.
[[nodiscard]] std::string certificate_time_advice(const std::string& pem, std::time_t now);

/// Returns what helps where `message`, gRPC's of a call, says that a server's certificate was
/// refused; empty for another message.
[[nodiscard]] std::string certificate_refusal_advice(const std::string& message);

}  // namespace kaname::rpc
