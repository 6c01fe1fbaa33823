// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/hpack.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

constexpr std::size_t kTableBytes = 4096, kLargestInteger = std::size_t{1} << 20U;

// RFC 7541, appendix A.
constexpr std::array<std::pair<std::string_view, std::string_view>, 61> kStatic = {{
    {":authority", ""},
    {":method", "GET"},
    {":method", "POST"},
    {":path", "/"},
    {":path", "/index.html"},
    {":scheme", "http"},
    {":scheme", "https"},
    {":status", "200"},
    {":status", "204"},
    {":status", "206"},
    {":status", "304"},
    {":status", "400"},
    {":status", "404"},
    {":status", "500"},
    {"accept-charset", ""},
    {"accept-encoding", "gzip, deflate"},
    {"accept-language", ""},
    {"accept-ranges", ""},
    {"accept", ""},
    {"access-control-allow-origin", ""},
    {"age", ""},
    {"allow", ""},
    {"authorization", ""},
    {"cache-control", ""},
    {"content-disposition", ""},
    {"content-encoding", ""},
    {"content-language", ""},
    {"content-length", ""},
    {"content-location", ""},
    {"content-range", ""},
    {"content-type", ""},
    {"cookie", ""},
    {"date", ""},
    {"etag", ""},
    {"expect", ""},
    {"expires", ""},
    {"from", ""},
    {"host", ""},
    {"if-match", ""},
    {"if-modified-since", ""},
    {"if-none-match", ""},
    {"if-range", ""},
    {"if-unmodified-since", ""},
    {"last-modified", ""},
    {"link", ""},
    {"location", ""},
    {"max-forwards", ""},
    {"proxy-authenticate", ""},
    {"proxy-authorization", ""},
    {"range", ""},
    {"referer", ""},
    {"refresh", ""},
    {"retry-after", ""},
    {"server", ""},
    {"set-cookie", ""},
    {"strict-transport-security", ""},
    {"transfer-encoding", ""},
    {"user-agent", ""},
    {"vary", ""},
    {"via", ""},
    {"www-authenticate", ""},
}};

// RFC 7541, appendix B: the bits of each symbol's code, the last one's the end of a text. The codes
// are canonical: those of a length follow each other in the order of the symbols.
constexpr std::size_t kSymbols = 257, kEnd = 256, kLongestCode = 30;
constexpr std::array<std::uint8_t, kSymbols> kBits = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,
    5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,
    7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8,  13, 19, 13, 14, 6,
    15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,  5,  6,  7,  7,
    7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30};

struct Codes {
    std::array<std::uint32_t, kLongestCode + 1> first{};  ///< code of each length
    std::array<std::uint16_t, kLongestCode + 2> begin{};  ///< in `symbols`, of each length
    std::array<std::uint16_t, kSymbols> symbols{};        ///< by length, then by symbol
};

Codes make_codes() {
    Codes codes;
    std::iota(codes.symbols.begin(), codes.symbols.end(), std::uint16_t{0});
    std::ranges::stable_sort(codes.symbols, {}, [](std::uint16_t symbol) { return kBits[symbol]; });
    for (const std::uint8_t bits : kBits) {
        ++codes.begin[bits + 1];
    }
    std::partial_sum(codes.begin.begin(), codes.begin.end(), codes.begin.begin());
    for (std::size_t bits = 1; bits <= kLongestCode; ++bits) {
        const auto shorter = static_cast<std::uint32_t>(codes.begin[bits] - codes.begin[bits - 1]);
        codes.first[bits] = (codes.first[bits - 1] + shorter) << 1U;
    }
    return codes;
}

[[noreturn]] void no_block(const char* why) {
    throw Error(ErrorCode::InvalidArgument, std::string("header block: ") + why);
}

std::uint8_t first_of(std::string_view block) {
    if (block.empty()) {
        no_block("ends early");
    }
    return static_cast<std::uint8_t>(block.front());
}

std::uint8_t take_byte(std::string_view& block) {
    const std::uint8_t byte = first_of(block);
    block.remove_prefix(1);
    return byte;
}

/// An integer that begins in the low bits of the first byte (RFC 7541, 5.1).
std::size_t take_integer(std::string_view& block, unsigned prefix_bits) {
    const std::size_t most = (std::size_t{1} << prefix_bits) - 1;
    std::size_t value = take_byte(block) & most;
    if (value < most) {
        return value;
    }
    for (unsigned shift = 0; shift <= 21; shift += 7) {
        const std::uint8_t byte = take_byte(block);
        value += std::size_t{byte & 0x7FU} << shift;
        if (value > kLargestInteger) {
            break;
        }
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    no_block("an integer is too large");
}

std::string take_text(std::string_view& block) {
    const bool compressed = (first_of(block) & 0x80U) != 0;
    const std::size_t bytes = take_integer(block, 7);
    if (bytes > block.size()) {
        no_block("ends early");
    }
    const std::string_view text = block.substr(0, bytes);
    block.remove_prefix(bytes);
    return compressed ? from_huffman(text) : std::string(text);
}

}  // namespace

std::string from_huffman(std::string_view bytes) {
    static const Codes codes = make_codes();
    std::string text;
    std::uint32_t code = 0;
    std::size_t bits = 0;
    for (const char letter : bytes) {
        for (int bit = 7; bit >= 0; --bit) {
            code = code << 1U | (static_cast<std::uint8_t>(letter) >> bit & 1U);
            ++bits;
            const std::uint32_t nth = code - codes.first[bits];
            if (code >= codes.first[bits] &&
                nth < static_cast<std::uint32_t>(codes.begin[bits + 1] - codes.begin[bits])) {
                const std::uint16_t symbol = codes.symbols[codes.begin[bits] + nth];
                if (symbol == kEnd) {
                    no_block("a text has its end inside");
                }
                text += static_cast<char>(symbol);
                code = 0;
                bits = 0;
            } else if (bits == kLongestCode) {
                no_block("a code is none");
            }
        }
    }
    // What fills the last byte is the beginning of the end's code, which is all ones.
    if (bits > 7 || code != (std::uint32_t{1} << bits) - 1) {
        no_block("a text is not filled up with ones");
    }
    return text;
}

void HeaderDecoder::set_size(std::size_t most) {
    most_ = most;
    while (size_ > most_) {
        size_ -= table_.back().size();
        table_.pop_back();
    }
}

void HeaderDecoder::add(const Field& field) {
    const std::size_t bytes = field.size();
    if (bytes > most_) {
        table_.clear();
        size_ = 0;
        return;
    }
    while (size_ + bytes > most_) {
        size_ -= table_.back().size();
        table_.pop_back();
    }
    table_.push_front(field);
    size_ += bytes;
}

const Field& HeaderDecoder::at(std::size_t index) const {
    static const std::vector<Field> fixed = [] {
        std::vector<Field> fields;
        for (const auto& [name, value] : kStatic) {
            fields.push_back({std::string(name), std::string(value)});
        }
        return fields;
    }();
    if (index == 0 || index > fixed.size() + table_.size()) {
        no_block("an index is of no field");
    }
    return index <= fixed.size() ? fixed[index - 1] : table_[index - fixed.size() - 1];
}

Field HeaderDecoder::literal(std::string_view& block, unsigned prefix_bits) const {
    const std::size_t index = take_integer(block, prefix_bits);
    Field field;
    field.name = index > 0 ? at(index).name : take_text(block);
    field.value = take_text(block);
    return field;
}

std::vector<Field> HeaderDecoder::decode(std::string_view block, std::size_t most) {
    std::vector<Field> fields;
    std::size_t bytes = 0;
    const auto emit = [&](const Field& field) {
        bytes += field.size();
        if (bytes > most) {
            throw Error(ErrorCode::Exhausted,
                        "header block: must count at most " + std::to_string(most) + " bytes");
        }
        fields.push_back(field);
    };
    while (!block.empty()) {
        const std::uint8_t byte = first_of(block);
        if ((byte & 0x80U) != 0) {
            emit(at(take_integer(block, 7)));
        } else if ((byte & 0x40U) != 0) {
            const Field field = literal(block, 6);
            add(field);
            emit(field);
        } else if ((byte & 0x20U) != 0) {
            const std::size_t size = take_integer(block, 5);
            if (size > kTableBytes || !fields.empty()) {
                no_block("a size of the table is too large, or stands behind a field");
            }
            set_size(size);
        } else {
            emit(literal(block, 4));
        }
    }
    return fields;
}

}  // namespace kaname::gate
