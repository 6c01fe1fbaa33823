// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "server/gateway/line.hpp"
#include "server/gateway/rounds.hpp"
#include "server/http/pages.hpp"

namespace kaname::gateway {

/// One server-sent event (HTML, 9.2); `json` is one line. An empty name is a message.
[[nodiscard]] std::string event_text(std::string_view name, std::string_view id,
                                     std::string_view json);
/// The heartbeat is a comment that keeps a connection from being closed as idle.
inline constexpr const char* kHeartbeat = ": still here\n\n";
inline constexpr std::chrono::seconds kBetweenHeartbeats{15};
/// The head of an answer of events.
[[nodiscard]] http::Answer events_answer(std::shared_ptr<http::Feed> feed);

/// GET /v1/events/<Service>/<Method>?request=JSON. What it refers to outlives it.
[[nodiscard]] http::Page events_page(const std::vector<Method>& methods, Line& line, Rounds& rounds,
                                     std::function<void(const http::Request&)> look_again);

}  // namespace kaname::gateway
