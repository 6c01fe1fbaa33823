// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "server/gateway/line.hpp"
#include "server/gateway/rounds.hpp"
#include "server/http/pages.hpp"

namespace kaname::gateway {

/// Receives the result of a call with one answer.
using Answered = std::function<void(const grpc::Status& status, const Message& reply)>;

/// Calls; `answered` is called once, from a thread of gRPC. While `gone` (empty: never) is false:
/// then the call is cancelled. `gone` is not asked any more when `answered` is called.
void call(Line& line, Rounds& rounds, const Method& method, const Caller& caller,
          std::unique_ptr<Message> request, std::function<bool()> gone, Answered answered);

/// POST /v1/rpc/<Service>/<Method>. What it refers to outlives it.
[[nodiscard]] http::Page rpc_page(const std::vector<Method>& methods, Line& line, Rounds& rounds);

}  // namespace kaname::gateway
