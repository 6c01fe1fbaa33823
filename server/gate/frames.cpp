// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/frames.hpp"

#include <algorithm>
#include <cstdint>

#include <nghttp2/nghttp2.h>
#include <openssl/evp.h>

#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

std::string bytes_of(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

void HeaderDecoder::Delete::operator()(nghttp2_hd_inflater* inflater) const {
    nghttp2_hd_inflate_del(inflater);
}

HeaderDecoder::HeaderDecoder() {
    nghttp2_hd_inflater* inflater = nullptr;
    if (nghttp2_hd_inflate_new(&inflater) != 0) {
        throw Error(ErrorCode::Exhausted, "header block: no memory for its table");
    }
    inflater_.reset(inflater);
}

std::vector<Field> HeaderDecoder::decode(std::string_view block, std::size_t most) {
    std::vector<Field> fields;
    std::size_t bytes = 0;
    const auto* in = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
        nghttp2_nv field = {};
        flags = NGHTTP2_HD_INFLATE_NONE;
        constexpr int kWhole = 1;
        const ssize_t read =
            nghttp2_hd_inflate_hd2(inflater_.get(), &field, &flags, in, left, kWhole);
        if (read < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string("header block: ") + nghttp2_strerror(static_cast<int>(read)));
        }
        in += read;
        left -= static_cast<std::size_t>(read);
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
            fields.push_back(
                {bytes_of(field.name, field.namelen), bytes_of(field.value, field.valuelen)});
            bytes += fields.back().size();
            if (bytes > most) {
                throw Error(ErrorCode::Exhausted,
                            "header block: must count at most " + std::to_string(most) + " bytes");
            }
        }
    }
    nghttp2_hd_inflate_end_headers(inflater_.get());
    return fields;
}

namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kFrameHead = FrameHead::kBytes, kPriorityBytes = 5;

[[noreturn]] void no_http2(const char* why) {
    throw Error(ErrorCode::InvalidArgument, std::string("HTTP/2: ") + why);
}

[[noreturn]] void too_much(const char* why) {
    throw Error(ErrorCode::Exhausted, std::string("HTTP/2: ") + why);
}

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char byte : bytes) {
        value = value << 8U | static_cast<std::uint8_t>(byte);
    }
    return value;
}

/// Returns the part of a HEADERS or CONTINUATION frame that belongs to the header block.
std::string_view fragment_of(std::string_view payload, std::uint8_t type, std::uint8_t flags) {
    if (type != kHeaders) {
        return payload;
    }
    std::size_t padding = 0;
    if ((flags & kPadded) != 0) {
        if (payload.empty()) {
            no_http2("padding is missing");
        }
        padding = static_cast<std::uint8_t>(payload.front());
        payload.remove_prefix(1);
    }
    const std::size_t priority = (flags & kPriority) != 0 ? kPriorityBytes : 0;
    if (priority + padding > payload.size()) {
        no_http2("padding is longer than its frame");
    }
    return payload.substr(priority, payload.size() - priority - padding);
}

}  // namespace

std::optional<std::string> Piece::field(std::string_view name) const {
    const auto first = std::ranges::find(fields, name, &Field::name);
    if (first == fields.end() || std::find_if(first + 1, fields.end(), [&](const Field& other) {
                                     return other.name == name;
                                 }) != fields.end()) {
        return std::nullopt;
    }
    return first->value;
}

std::optional<FrameHead> frame_head_at(std::string_view bytes) {
    if (bytes.size() < FrameHead::kBytes) {
        return std::nullopt;
    }
    constexpr std::uint32_t kStreamBits = 0x7fffffff;
    return FrameHead{big_endian(bytes.substr(0, 3)), static_cast<std::uint8_t>(bytes[3]),
                     static_cast<std::uint8_t>(bytes[4]),
                     big_endian(bytes.substr(5, 4)) & kStreamBits};
}

void FrameReader::add(std::string_view bytes) {
    buffer_.erase(0, position_);
    position_ = 0;
    buffer_ += bytes;
}

Piece FrameReader::take(Piece::Kind kind, const FrameHead& frame, std::size_t bytes) {
    Piece piece{.kind = kind,
                .bytes = rest().substr(0, bytes),
                .type = frame.type,
                .flags = frame.flags,
                .stream = frame.stream};
    position_ += bytes;
    return piece;
}

std::optional<Piece> FrameReader::preface() {
    const std::size_t have = std::min(rest().size(), kPreface.size());
    if (rest().substr(0, have) != kPreface.substr(0, have)) {
        no_http2("its preface is missing");
    }
    if (have < kPreface.size()) {
        return std::nullopt;
    }
    begun_ = true;
    return take(Piece::Kind::Preface, {}, have);
}

/// The next piece of a DATA frame, the first one with the frame's head.
std::optional<Piece> FrameReader::data() {
    const bool first = data_left_ == 0;
    const std::size_t head = first ? kFrameHead : 0;
    const std::size_t left = first ? open_.length : data_left_;
    const std::size_t have = std::min(rest().size() - head, left);
    if (!first && have == 0) {
        return std::nullopt;
    }
    Piece piece = take(Piece::Kind::Data, open_, head + have);
    piece.payload = piece.bytes.substr(head);
    data_left_ = left - have;
    piece.ends = data_left_ == 0;
    return piece;
}

std::optional<Piece> FrameReader::head(const FrameHead& first) {
    std::string block;
    FrameHead frame = first;
    std::size_t at = 0;
    for (int frames = 1;; ++frames) {
        if (frames > limits_.head_frames || at + kFrameHead + frame.length > limits_.head_bytes) {
            too_much("a request's head is too large");
        }
        if (rest().size() < at + kFrameHead + frame.length) {
            return std::nullopt;
        }
        block += fragment_of(rest().substr(at + kFrameHead, frame.length), frame.type, frame.flags);
        at += kFrameHead + frame.length;
        if ((frame.flags & kEndHeaders) != 0) {
            break;
        }
        const auto next = frame_head_at(rest().substr(at));
        if (!next) {
            return std::nullopt;
        }
        if (next->type != kContinuation || next->stream != first.stream) {
            no_http2("a header block is not continued");
        }
        frame = *next;
    }
    Piece piece = take(Piece::Kind::Head, first, at);
    piece.fields = decoder_.decode(block, limits_.list_bytes);
    return piece;
}

std::optional<Piece> FrameReader::next() {
    if (!begun_) {
        return preface();
    }
    if (data_left_ > 0) {
        return data();
    }
    const auto frame = frame_head_at(rest());
    if (!frame) {
        return std::nullopt;
    }
    switch (frame->type) {
        case kData:
            open_ = *frame;
            return data();
        case kHeaders:
            return head(*frame);
        case kPushPromise:
        case kContinuation:
            no_http2("a client may not send such a frame here");
        default:
            break;
    }
    if (frame->length > limits_.other_bytes) {
        too_much("a frame is too large");
    }
    if (rest().size() < kFrameHead + frame->length) {
        return std::nullopt;
    }
    Piece piece = take(Piece::Kind::Other, *frame, kFrameHead + frame->length);
    piece.payload = piece.bytes.substr(kFrameHead);
    return piece;
}

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

/// As gRPC sends metadata of bytes.
std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    text.resize(static_cast<std::size_t>(EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()))));
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

std::string refusal(std::uint32_t stream, int status, std::string_view message,
                    std::string_view details) {
    return frame(kHeaders, kEndHeaders | kEndStream, stream,
                 head() + field("grpc-status", std::to_string(status)) +
                     field("grpc-message", percent_encoded(message)) +
                     (details.empty() ? "" : field("grpc-status-details-bin", base64(details))));
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
