// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
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

}  // namespace kaname::gate
