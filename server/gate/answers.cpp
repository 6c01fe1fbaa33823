// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/answers.hpp"

#include "server/gate/frames.hpp"

namespace kaname::gate {
namespace {

std::string number(std::uint32_t value, int bytes) {
    std::string text;
    for (int byte = bytes - 1; byte >= 0; --byte) {
        text += static_cast<char>(value >> (8 * byte) & 0xffU);
    }
    return text;
}

/// A text without compression (RFC 7541, 5.2).
std::string text_of(std::string_view text) {
    std::string bytes;
    std::size_t length = text.size();
    if (length < 127) {
        bytes += static_cast<char>(length);
    } else {
        bytes += '\x7f';
        for (length -= 127; length >= 128; length /= 128) {
            bytes += static_cast<char>(length % 128 + 128);
        }
        bytes += static_cast<char>(length);
    }
    return bytes.append(text);
}

/// A field that leaves the client's table as it is.
std::string field(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + text_of(name) + text_of(value);
}

std::string head() {
    constexpr char kStatus200 = '\x88';  // of the static table
    return kStatus200 + field("content-type", "application/grpc");
}

/// As gRPC sends a message: %XX for all but printable ASCII.
std::string percent_encoded(std::string_view message) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    std::string text;
    for (const char letter : message) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte >= ' ' && byte <= '~' && byte != '%') {
            text += letter;
        } else {
            text += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
        }
    }
    return text;
}

}  // namespace

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload) {
    std::string bytes = number(static_cast<std::uint32_t>(payload.size()), 3);
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(flags);
    bytes += number(stream, 4);
    return bytes.append(payload);
}

std::string settings(std::uint32_t streams, std::uint32_t head_bytes) {
    constexpr std::uint32_t kStreams = 3, kHeadBytes = 6;
    return frame(
        kSettings, 0, 0,
        number(kStreams, 2) + number(streams, 4) + number(kHeadBytes, 2) + number(head_bytes, 4));
}

std::string settings_ack() {
    return frame(kSettings, kAck, 0, "");
}

std::string ping_ack(std::string_view payload) {
    return frame(kPing, kAck, 0, payload);
}

std::string window_update(std::uint32_t bytes) {
    return frame(kWindowUpdate, 0, 0, number(bytes, 4));
}

std::string refusal(std::uint32_t stream, int status, std::string_view message) {
    return frame(kHeaders, kEndHeaders | kEndStream, stream,
                 head() + field("grpc-status", std::to_string(status)) +
                     field("grpc-message", percent_encoded(message)));
}

std::string reply(std::uint32_t stream, std::string_view message) {
    const auto bytes = static_cast<std::uint32_t>(message.size());
    return frame(kHeaders, kEndHeaders, stream, head()) +
           frame(kData, 0, stream, '\0' + number(bytes, 4) + std::string(message)) +
           frame(kHeaders, kEndHeaders | kEndStream, stream, field("grpc-status", "0"));
}

std::string goaway(std::uint32_t last) {
    return frame(kGoaway, 0, 0, number(last, 4) + number(0, 4));
}

}  // namespace kaname::gate
