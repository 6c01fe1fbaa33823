// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/open_calls.hpp"

#include <algorithm>

#include "server/gate/frames.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {

bool Budget::take() {
    const auto now = std::chrono::steady_clock::now();
    const double passed_s = std::chrono::duration<double>(now - refilled_).count();
    refilled_ = now;
    left_ = std::min(at_once_, left_ + passed_s * a_second_) - 1;
    return left_ >= 0;
}

void Account::check_place() const {
    if (calls >= limits.calls) {
        throw Error(ErrorCode::Exhausted, "open calls: at most " + std::to_string(limits.calls) +
                                              " may be open at a time by \"" + owner +
                                              "\"; end some, or call again later");
    }
}

OpenCalls::~OpenCalls() {
    while (!calls_.empty()) {
        end(calls_.begin()->first);
    }
}

void OpenCalls::begin(std::uint32_t stream, const std::string& path, bool sends_many) {
    account_->check_place();
    if (calls_.emplace(stream, Call{path, sends_many}).second) {
        ++account_->calls;
    }
}

void OpenCalls::add(std::uint32_t stream, std::size_t bytes) {
    const auto call = calls_.find(stream);
    if (call == calls_.end() || call->second.sends_many) {
        return;
    }
    if (account_->bytes + bytes > account_->limits.bytes) {
        throw Error(ErrorCode::Exhausted,
                    "requests: at most " + std::to_string(account_->limits.bytes) +
                        " bytes of them may wait for answers at a time by \"" + account_->owner +
                        "\"; call again later");
    }
    account_->bytes += bytes;
    call->second.bytes += bytes;
}

void OpenCalls::end(std::uint32_t stream) {
    if (const auto call = calls_.find(stream); call != calls_.end()) {
        account_->bytes -= call->second.bytes;
        --account_->calls;
        calls_.erase(call);
    }
}

std::string OpenCalls::path_of(std::uint32_t stream) const {
    const auto call = calls_.find(stream);
    return call == calls_.end() ? "" : call->second.path;
}

void OpenCalls::hear(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t skipped = std::min(left_, bytes.size());
        left_ -= skipped;
        bytes.remove_prefix(skipped);
        const std::size_t taken = std::min(FrameHead::kBytes - head_.size(), bytes.size());
        head_ += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        if (head_.size() == FrameHead::kBytes) {
            take_head();
            head_.clear();
        }
    }
}

void OpenCalls::take_head() {
    const FrameHead head = frame_head_at(head_).value();
    left_ = head.length;
    if (head.type == kHeaders || head.type == kContinuation) {
        in_header_block_ = (head.flags & kEndHeaders) == 0;
    }
    const bool ends =
        (head.type == kHeaders || head.type == kData) && (head.flags & kEndStream) != 0;
    if (ends || head.type == kReset) {
        end(head.stream);
    }
}

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
