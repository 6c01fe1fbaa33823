// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_hd_inflater;
namespace kaname::gate {

struct Field {
    std::string name, value;
    /// Bytes as HPACK and HTTP/2 count them.
    [[nodiscard]] std::size_t size() const { return name.size() + value.size() + 32; }
};

/// Decodes the header blocks of one connection, in their order (HPACK, RFC 7541), with a table of
/// 4,096 bytes at most, by libnghttp2.
class HeaderDecoder {
public:
    /// Throws Exhausted without memory.
    HeaderDecoder();

    /// Returns the fields of a complete block. Throws InvalidArgument for what is no header block,
    /// and Exhausted when the fields count more than `most` bytes; the decoder is of no use then.
    [[nodiscard]] std::vector<Field> decode(std::string_view block, std::size_t most);

private:
    struct Delete {
        void operator()(nghttp2_hd_inflater* inflater) const;
    };
    std::unique_ptr<nghttp2_hd_inflater, Delete> inflater_;
};

/// Types and flags of HTTP/2's frames (RFC 9113, 6).
enum FrameType : std::uint8_t {
    kData = 0,
    kHeaders = 1,
    kReset = 3,
    kSettings = 4,
    kPushPromise = 5,
    kPing = 6,
    kGoaway = 7,
    kWindowUpdate = 8,
    kContinuation = 9
};
enum FrameFlag : std::uint8_t {
    kEndStream = 1,
    kAck = 1,
    kEndHeaders = 4,
    kPadded = 8,
    kPriority = 0x20
};

struct FrameLimits {
    std::size_t head_bytes = 16U << 10U;  ///< of a header block with the frames around it
    std::size_t list_bytes = 8U << 10U;   ///< of its fields, unpacked, as HPACK counts them
    int head_frames = 5;                  ///< HEADERS and its CONTINUATIONs
    std::size_t other_bytes = 16U << 10U;
};

/// One piece of what a client sends. The views are good until the reader's next call.
struct Piece {
    enum class Kind { Preface, Head, Data, Other };
    Kind kind = Kind::Other;
    std::string_view bytes;  ///< as they came
    std::uint8_t type = 0, flags = 0;
    std::uint32_t stream = 0;
    std::string_view payload = {};   ///< of Other, all of it; of Data, what of it has come
    bool ends = true;                ///< of Data, whether this is the frame's last piece
    std::vector<Field> fields = {};  ///< of Head
    /// The value of a field of a Head; nothing when it is not there exactly once.
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

/// Holds the head with which an HTTP/2 frame begins.
struct FrameHead {
    static constexpr std::size_t kBytes = 9;
    std::size_t length = 0;  ///< of what follows [bytes]
    std::uint8_t type = 0, flags = 0;
    std::uint32_t stream = 0;
};
/// Reads the head that `bytes` begin with; nothing where they are too few.
[[nodiscard]] std::optional<FrameHead> frame_head_at(std::string_view bytes);

/// Cuts the bytes of an HTTP/2 client into frames and reads header blocks, with limits that hold
/// before anything is kept: at most FrameLimits::head_bytes and what one `add` brought are in
/// memory. DATA frames are of any size and come in pieces; a header block is one piece.
class FrameReader {
public:
    explicit FrameReader(FrameLimits limits = {}) : limits_(limits) {}

    void add(std::string_view bytes);
    /// The next piece; nothing when more bytes are needed. Throws InvalidArgument for what is not
    /// HTTP/2, Exhausted for what is beyond a limit.
    [[nodiscard]] std::optional<Piece> next();

private:
    [[nodiscard]] std::string_view rest() const {
        return std::string_view(buffer_).substr(position_);
    }
    [[nodiscard]] std::optional<Piece> preface();
    [[nodiscard]] std::optional<Piece> data();
    [[nodiscard]] std::optional<Piece> head(const FrameHead& first);
    [[nodiscard]] Piece take(Piece::Kind kind, const FrameHead& frame, std::size_t bytes);

    FrameLimits limits_;
    HeaderDecoder decoder_;
    std::string buffer_;
    std::size_t position_ = 0;  ///< what is before it has been taken
    bool begun_ = false;
    FrameHead open_;  ///< the DATA frame that is being taken
    std::size_t data_left_ = 0;
};

/// Allows so many of something at once, and so many more each second.
class Budget {
public:
    Budget(double at_once, double a_second)
        : left_(at_once), at_once_(at_once), a_second_(a_second) {}
    /// Takes one and returns true; returns false if there is nothing left to take.
    [[nodiscard]] bool take();

private:
    double left_;
    const double at_once_, a_second_;
    std::chrono::steady_clock::time_point refilled_ = std::chrono::steady_clock::now();
};

struct CallLimits {
    /// Open calls of an owner, on all connections together: more than the server's own limits let
    /// in, so that calls which are whole hear of those first.
    std::size_t calls = 2048;
    /// Messages of the owner's calls that wait for an answer [bytes]. Calls that send many messages
    /// do not count: the server takes those as they come.
    std::size_t bytes = 64U << 20U;
    /// Streams of an owner that are ended without an answer: so many at once and a second.
    double resets = 2048, resets_a_second = 512;
};

/// Counts the calls, bytes and resets of all connections of an owner together.
struct Account {
    Account(std::string whose, const CallLimits& of)
        : owner(std::move(whose)), limits(of), resets(of.resets, of.resets_a_second) {}
    /// Throws Exhausted, naming the limit, when there is no place for a further call.
    void check_place() const;

    const std::string owner;
    const CallLimits limits;
    std::size_t calls = 0, bytes = 0;
    Budget resets;
};

/// The calls of one connection that the server has not ended, counted for its owner from their
/// heads on: a call whose message never comes takes memory of the server, too.
class OpenCalls {
public:
    explicit OpenCalls(std::shared_ptr<Account> account) : account_(std::move(account)) {}
    OpenCalls(const OpenCalls&) = delete;
    OpenCalls& operator=(const OpenCalls&) = delete;
    ~OpenCalls();

    /// Counts a call. Throws Exhausted, naming the limit, when the owner has too many.
    void begin(std::uint32_t stream, const std::string& path, bool sends_many);
    /// Counts bytes of a call's message. Throws Exhausted as begin.
    void add(std::uint32_t stream, std::size_t bytes);
    void end(std::uint32_t stream);
    /// Counts a stream that ends without an answer. Whether the owner may have one more.
    [[nodiscard]] bool count_reset() { return account_->resets.take(); }
    /// The path that a call began with; empty when it has ended.
    [[nodiscard]] std::string path_of(std::uint32_t stream) const;
    /// Follows the frames that the server sends, which are cut anyhow: calls end with them.
    void hear(std::string_view bytes);
    /// Returns true if the frame that was read last is complete, so that another may follow.
    [[nodiscard]] bool between_frames() const {
        return head_.empty() && left_ == 0 && !in_header_block_;
    }

private:
    struct Call {
        std::string path;
        bool sends_many = false;
        std::size_t bytes = 0;
    };
    void take_head();

    const std::shared_ptr<Account> account_;
    std::map<std::uint32_t, Call> calls_;
    std::string head_;              ///< of the server's frame, until it is whole
    std::size_t left_ = 0;          ///< bytes of that frame behind its head
    bool in_header_block_ = false;  ///< a CONTINUATION follows
};

// Frames of HTTP/2 that the gate says itself, to callers whom nobody knows yet.

[[nodiscard]] std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                                std::string_view payload);
/// How many streams a connection may have open, and how large the head of a request may be [bytes].
[[nodiscard]] std::string settings(std::uint32_t streams, std::uint32_t head_bytes);
[[nodiscard]] std::string settings_ack();
[[nodiscard]] std::string ping_ack(std::string_view payload);
[[nodiscard]] std::string window_update(std::uint32_t bytes);
/// The end of a call without an answer: a status of gRPC and its message.
[[nodiscard]] std::string refusal(std::uint32_t stream, int status, std::string_view message,
                                  std::string_view details = {});
/// The whole answer of a call with one message, which is at most 100 bytes.
[[nodiscard]] std::string reply(std::uint32_t stream, std::string_view message);
/// Calls of later streams than `last` were not looked at: the client makes them again elsewhere.
[[nodiscard]] std::string goaway(std::uint32_t last);

}  // namespace kaname::gate
