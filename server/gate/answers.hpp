// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kaname::gate {

// Frames of HTTP/2 that the gate says itself, to callers whom nobody knows yet.

[[nodiscard]] std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                                std::string_view payload);
/// How many streams a connection may have open, and how large the head of a request may be [bytes].
[[nodiscard]] std::string settings(std::uint32_t streams, std::uint32_t head_bytes);
[[nodiscard]] std::string settings_ack();
[[nodiscard]] std::string ping_ack(std::string_view payload);
[[nodiscard]] std::string window_update(std::uint32_t bytes);
/// The end of a call without an answer: a status of gRPC and its message.
[[nodiscard]] std::string refusal(std::uint32_t stream, int status, std::string_view message);
/// The whole answer of a call with one message, which is at most 100 bytes.
[[nodiscard]] std::string reply(std::uint32_t stream, std::string_view message);
/// Calls of later streams than `last` were not looked at: the client makes them again elsewhere.
[[nodiscard]] std::string goaway(std::uint32_t last);

}  // namespace kaname::gate
