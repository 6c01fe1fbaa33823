// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::gate {

struct Field {
    std::string name, value;
    /// Bytes as HPACK and HTTP/2 count them.
    [[nodiscard]] std::size_t size() const { return name.size() + value.size() + 32; }
};

/// Decodes the header blocks of one connection, in their order (HPACK, RFC 7541), with a table of
/// 4,096 bytes at most.
class HeaderDecoder {
public:
    /// The fields of a complete block. Throws InvalidArgument for what is no header block, and
    /// Exhausted when the fields count more than `most` bytes; the decoder is of no use then.
    [[nodiscard]] std::vector<Field> decode(std::string_view block, std::size_t most);

private:
    void set_size(std::size_t most);
    void add(const Field& field);
    [[nodiscard]] const Field& at(std::size_t index) const;
    [[nodiscard]] Field literal(std::string_view& block, unsigned prefix_bits) const;

    std::deque<Field> table_;  ///< the newest first
    std::size_t size_ = 0, most_ = 4096;
};

/// Decodes a text that is compressed with HPACK's Huffman code. Throws InvalidArgument.
[[nodiscard]] std::string from_huffman(std::string_view bytes);

}  // namespace kaname::gate
